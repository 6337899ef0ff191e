// A copy of a database in a file, as it is at one moment, while others write to it. Knows no table.
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createFailure, PostelError } from "../../core/failures.ts";
import { toDriverError } from "./sqliteErrors.ts";

/**
 * The copy is there whole or not at all, and is its owner's alone. It holds this process until it is done: nobody else's.
 * @throws PostelError `invalid_request` where there is such a file already, `store_…` where either cannot be used.
 */
export function backupSqlite(file: string, copy: string): void {
  if (existsSync(copy)) throw taken(copy);
  const partial = `${copy}.partial`;
  try {
    // An empty file is one that SQLite may fill; one that it makes itself others could read.
    closeSync(openSync(partial, "wx", 0o600));
  } catch (error) {
    const message = `The copy ${copy} cannot be written (${(error as Error).message}).`;
    throw new PostelError(createFailure("store_unavailable", message), { cause: error });
  }
  try {
    copyInto(file, partial);
    // Unlike a new name for it, a second one takes no place that another has taken meanwhile.
    linkSync(partial, copy);
  } catch (error) {
    const fault = toDriverError(error, file);
    if (fault === undefined || fault === "busy") throw error;
    throw new PostelError(fault, { cause: error });
  } finally {
    rmSync(partial, { force: true });
  }
}

function copyInto(file: string, partial: string): void {
  const source = new DatabaseSync(file);
  try {
    source.prepare("vacuum into ?").run(partial);
  } finally {
    source.close();
  }
  const written = openSync(partial, "r+");
  fsyncSync(written);
  closeSync(written);
}

function taken(copy: string): PostelError {
  return new PostelError(
    createFailure("invalid_request", `There is a file ${copy} already; name another for the copy.`),
  );
}

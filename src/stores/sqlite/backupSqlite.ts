// Copies a database to a file, as a consistent snapshot while other processes write to it.
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createFailure, PostelError } from "../../core/failures.ts";
import { toDriverError } from "./sqliteErrors.ts";

/**
 * The copy is complete or absent, and only its owner can read it. The copy blocks this process until it is done, but no
 * other. @throws PostelError `invalid_request` if the file exists already, `store_…` if either file cannot be used.
 */
export function backupSqlite(file: string, copy: string): void {
  if (existsSync(copy)) throw createExistsError(copy);
  const partial = `${copy}.partial`;
  try {
    // SQLite fills an existing empty file; a file that it creates itself could be readable by others.
    closeSync(openSync(partial, "wx", 0o600));
  } catch (error) {
    const message = `The copy ${copy} cannot be written (${(error as Error).message}).`;
    throw new PostelError(createFailure("store_unavailable", message), { cause: error });
  }
  try {
    copyInto(file, partial);
    // A hard link fails if the target exists; a rename would replace it.
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
  const fileDescriptor = openSync(partial, "r+");
  fsyncSync(fileDescriptor);
  closeSync(fileDescriptor);
}

function createExistsError(copy: string): PostelError {
  return new PostelError(
    createFailure("invalid_request", `There is a file ${copy} already; name another for the copy.`),
  );
}

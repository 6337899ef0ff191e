// `postel data …`: what a store keeps of an owner, given out or erased, and the whole of it as a copy. Knows no table.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { StoreConfig } from "../core/configuration.ts";
import { failure, PostelError } from "../core/failures.ts";
import { systemClock } from "../network/system.ts";
import { SqliteStore } from "../stores/SqliteStore.ts";
import { backupSqlite } from "../stores/sqlite/backupSqlite.ts";
import { type ConfigFlags, configFile, loadFlags, storeFile } from "./configuration.ts";
import { writeNote, writeText } from "./terminal.ts";

export interface DataFlags extends ConfigFlags {
  /** The file, instead of the configuration's. */
  readonly store?: string | undefined;
}

/** Writes everything that is kept of an owner, a line of JSON for each row. Resolves with the exit status. */
export async function exportOwner(owner: string, flags: DataFlags): Promise<number> {
  const store = await openKept(flags);
  let rows = 0;
  try {
    for await (const row of store.owners.export(owner)) {
      rows += 1;
      writeText(`${JSON.stringify(row)}\n`);
      if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
    }
  } finally {
    await store.close();
  }
  if (rows === 0) writeNote(`Nothing is kept of the owner ${owner}.`);
  return 0;
}

/** Erases everything that is kept of an owner, once it is said that this is meant. Resolves with the exit status. */
export async function eraseOwner(owner: string, flags: DataFlags & { readonly yes: boolean }): Promise<number> {
  if (!flags.yes) {
    const message = `--yes is missing: it erases all that is kept of the owner ${owner}, for good. First see what that is: postel data export.`;
    throw new PostelError(failure("invalid_request", message));
  }
  const store = await openKept(flags);
  try {
    for (const [table, rows] of Object.entries(await store.owners.erase(owner))) writeText(`${table} ${rows}\n`);
    const { audit } = loadFlags(flags);
    if (audit.file !== undefined)
      writeNote(`note: the audit's file ${audit.file} still has what it has of the owner ${owner}.`);
  } finally {
    await store.close();
  }
  return 0;
}

/** Copies the whole store as it is at this moment, also while gateways use it. Resolves with the exit status. */
export async function backup(to: string, flags: DataFlags): Promise<number> {
  const { file } = keptIn(flags);
  const copy = resolve(to);
  backupSqlite(file, copy);
  writeText(`${file} is copied to ${copy}\n`);
  return 0;
}

/** The store that a command is asked about, beside the gateways that use it. @throws PostelError as `keptIn` does, and where it is none. */
export function openKept(flags: DataFlags): Promise<SqliteStore> {
  return SqliteStore.open({ ...keptIn(flags), clock: systemClock });
}

/** @throws PostelError `invalid_configuration` where there is no file: one that was made for the question would answer it wrongly. */
function keptIn(flags: DataFlags): StoreConfig & { readonly file: string } {
  const config = loadFlags(flags);
  const file = storeFile(config, flags);
  if (file === undefined) throw refused(`${configFile(flags)} names no \`store.file\`; say which with --store.`);
  if (!existsSync(file)) throw refused(`The store ${file} is not there; say which with --store.`);
  return { ...config.store, file };
}

function refused(message: string): PostelError {
  return new PostelError(failure("invalid_configuration", message));
}

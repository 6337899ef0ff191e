// `postel data …`: exports or erases the stored data of an owner, or copies the complete store.
import { once } from "node:events";
import { resolve } from "node:path";
import { createFailure, PostelError } from "../core/failures.ts";
import { systemClock } from "../network/system.ts";
import { resealStore } from "../stores/seals/resealStore.ts";
import { backupSqlite } from "../stores/sqlite/backupSqlite.ts";
import { SealKey } from "../stores/sqlite/sealKey.ts";
import { resolveStoreFile } from "./options/defaultStore.ts";
import { loadFlags, type StoreFlags } from "./options/loadFlags.ts";
import { openExistingStore, resolveExistingStore } from "./options/openExistingStore.ts";
import { writeNote, writeText } from "./output/terminal.ts";

/** Writes all stored data of an owner, one JSON line per record. Resolves with the exit status. */
export async function exportOwner(owner: string, flags: StoreFlags): Promise<number> {
  const config = loadFlags(flags);
  const store = await openExistingStore(config, flags);
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
  if (rows === 0) writeNote(`Nothing is kept of the owner ${owner} in ${resolveStoreFile(config, flags)}.`);
  return 0;
}

/** Erases all stored data of an owner if `--yes` is given. Resolves with the exit status. */
export async function eraseOwner(owner: string, flags: StoreFlags & { readonly yes: boolean }): Promise<number> {
  const config = loadFlags(flags);
  if (!flags.yes) {
    const message = `--yes is missing: it erases all that is kept of the owner ${owner} in ${resolveStoreFile(config, flags)}, for good. First see what that is: postel data export.`;
    throw new PostelError(createFailure("invalid_request", message));
  }
  const store = await openExistingStore(config, flags);
  try {
    for (const [table, rows] of Object.entries(await store.owners.erase(owner))) writeText(`${table} ${rows}\n`);
    const { audit } = config;
    if (audit.file !== undefined)
      writeNote(`note: the audit's file ${audit.file} still has what it has of the owner ${owner}.`);
  } finally {
    await store.close();
  }
  return 0;
}

/** Copies the complete store as a snapshot, also while gateways use it. Resolves with the exit status. */
export async function backup(to: string, flags: StoreFlags): Promise<number> {
  const { file, sealKey } = resolveExistingStore(loadFlags(flags), flags);
  const copy = resolve(to);
  backupSqlite(file, copy);
  writeText(`${file} is copied to ${copy}\n`);
  const { location } = new SealKey(file, sealKey);
  writeNote(
    `note: the key of its seals (${location}) is not in the copy. Keep it apart from the copy: a gateway starts with the copy only if it has the key.`,
  );
  return 0;
}

/** Seals the store again and deletes its open decisions. Resolves with the exit status. */
export async function runReseal(flags: StoreFlags): Promise<number> {
  const kept = resolveExistingStore(loadFlags(flags), flags);
  const { runs, decisions, key } = await resealStore({ ...kept, clock: systemClock });
  writeText(`${kept.file} is sealed anew with ${key}: ${runs} ${runs === 1 ? "run" : "runs"}\n`);
  writeText(
    `${decisions} ${decisions === 1 ? "decision was" : "decisions were"} thrown away; whoever decided is asked again\n`,
  );
  return 0;
}

// Opens an existing store for commands, also while gateways use it. Creates no file.
import { existsSync } from "node:fs";
import type { Config, StoreConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import type { Store } from "../../core/stores/Store.ts";
import { systemClock } from "../../network/system.ts";
import { SqliteStore } from "../../stores/SqliteStore.ts";
import { writeNote } from "../output/terminal.ts";
import { resolveStoreFile } from "./defaultStore.ts";
import { loadFlags, type StoreFlags } from "./loadFlags.ts";

export interface OwnedFlags extends StoreFlags {
  /** Name of a caller's key; absent: the caller without a key. */
  readonly owner?: string | undefined;
  readonly json: boolean;
}

/** An opened store, and the owner whose data is read. */
export interface OpenStore {
  readonly store: Store;
  readonly owner: string;
  /** Store file and owner, for messages about missing records. */
  readonly place: string;
}

/**
 * Opens the store of a command, also without its seal key; the caller closes it. @throws PostelError as
 * `resolveExistingStore` does, and for a file that is no store.
 */
export function openExistingStore(config: Config, flags: StoreFlags): Promise<SqliteStore> {
  return SqliteStore.open({ ...resolveExistingStore(config, flags), clock: systemClock, keyOptional: true });
}

/** @throws PostelError `invalid_configuration` if the file does not exist: a new, empty file would give a wrong answer. */
export function resolveExistingStore({ store }: Config, flags: StoreFlags): StoreConfig & { readonly file: string } {
  const file = resolveStoreFile({ store }, flags);
  if (existsSync(file)) return { ...store, file };
  const message = `The store ${file} is not there; say which with --store, or name with --config the configuration that has it.`;
  throw new PostelError(createFailure("invalid_configuration", message));
}

/**
 * Resolves with the result of `work`; undefined if there is no store yet, which a note says. @throws PostelError as
 * `openExistingStore` does for the file of `--store`: a misspelled name would otherwise look like an empty store.
 */
export async function withStore<Value>(
  flags: OwnedFlags,
  work: (kept: OpenStore) => Promise<Value>,
): Promise<Value | undefined> {
  const config = loadFlags(flags);
  const file = resolveStoreFile(config, flags);
  if (flags.store === undefined && !existsSync(file))
    return void writeNote(`Nothing is kept: the store ${file} is not there; --store names another.`);
  const { owner = LOCAL_CALLER.name } = flags;
  const store = await openExistingStore(config, flags);
  try {
    return await work({ store, owner, place: `of the owner ${owner} in ${file}${listOtherOwners(config, owner)}` });
  } finally {
    await store.close();
  }
}

/** The first `limit` items of a newest-first list; a note says if there are more. */
export function takeNewest<Kept>(limit: number, items: readonly Kept[]): readonly Kept[] {
  if (items.length > limit) writeNote(`There are more than ${limit}; --most takes another number.`);
  return items.slice(0, limit);
}

/** Hint with other owners: each key of the configuration has one. */
function listOtherOwners({ server }: Config, owner: string): string {
  const others = new Set(server.apiKeys.map(({ name }) => name));
  return others.size === 0 || others.has(owner) ? "" : `; --owner takes ${[...others].join(", ")}`;
}

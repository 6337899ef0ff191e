// The store that commands look into, while gateways use it too. Knows no table; makes no file.
import { existsSync } from "node:fs";
import type { Config, StoreConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import type { Store } from "../../core/stores.ts";
import { systemClock } from "../../network/system.ts";
import { SqliteStore } from "../../stores/SqliteStore.ts";
import { writeNote } from "../output/terminal.ts";
import { resolveStoreFile } from "./defaultStore.ts";
import { loadFlags, type StoreFlags } from "./loadFlags.ts";

export interface OwnedFlags extends StoreFlags {
  /** The name of a caller's key; absent: whoever asks without one. */
  readonly owner?: string | undefined;
  readonly json: boolean;
}

/** What is looked into. */
export interface OpenStore {
  readonly store: Store;
  readonly owner: string;
  /** Where it is kept, and of whom, for a sentence that says that something is not there. */
  readonly place: string;
}

/** The store that a command is asked about, also without the key of its seals; who opens it closes it. @throws PostelError as `keptIn` does, and for a file that is no store. */
export function openExistingStore(config: Config, flags: StoreFlags): Promise<SqliteStore> {
  return SqliteStore.open({ ...resolveExistingStore(config, flags), clock: systemClock, keyOptional: true });
}

/** @throws PostelError `invalid_configuration` where the file is not there: one that was made for the question would answer it wrongly. */
export function resolveExistingStore({ store }: Config, flags: StoreFlags): StoreConfig & { readonly file: string } {
  const file = resolveStoreFile({ store }, flags);
  if (existsSync(file)) return { ...store, file };
  const message = `The store ${file} is not there; say which with --store, or name with --config the configuration that has it.`;
  throw new PostelError(createFailure("invalid_configuration", message));
}

/**
 * Resolves with what `work` does; undefined where there is no store yet, which a note says.
 * @throws PostelError as `openExistingStore` does for the file of `--store`: a slip would else look like an empty store.
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

/** So many of them, who come youngest first; where there are more, a note says how they are seen. */
export function takeNewest<Kept>(most: number, kept: readonly Kept[]): readonly Kept[] {
  if (kept.length > most) writeNote(`There are more than ${most}; --most takes another number.`);
  return kept.slice(0, most);
}

/** Whose else it may be: each key of the configuration has an owner. */
function listOtherOwners({ server }: Config, owner: string): string {
  const others = new Set(server.apiKeys.map(({ name }) => name));
  return others.size === 0 || others.has(owner) ? "" : `; --owner takes ${[...others].join(", ")}`;
}

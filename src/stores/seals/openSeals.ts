// Opens the seals of a store with its key. A store without seals gets a new key, and its records are sealed once.
import { randomBytes } from "node:crypto";
import type { SealKeyConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Database } from "../sql/Database.ts";
import { IN_MEMORY } from "../sqlite/openSqlite.ts";
import { SealKey } from "../sqlite/sealKey.ts";
import { Seals } from "./Seals.ts";
import { holdsSealedRows, readFingerprint, sealRows, setFingerprint } from "./sealRows.ts";

export interface SealOptions {
  /** File of the store, or `:memory:`. */
  readonly file: string;
  readonly sealKey?: SealKeyConfig | undefined;
  /** True for commands that only read: without the right key they do not check seals. */
  readonly keyOptional?: boolean | undefined;
}

export interface OpenedSeals {
  readonly seals: Seals;
  /** Reason why seals are not checked; absent if they are. */
  readonly unchecked?: string | undefined;
}

/** @throws PostelError `invalid_configuration` if the store was sealed with a missing or another key. */
export async function openSeals(database: Database, { file, sealKey, keyOptional }: SealOptions): Promise<OpenedSeals> {
  if (file === IN_MEMORY) return { seals: new Seals(randomBytes(32)) };
  const key = new SealKey(file, sealKey);
  const known = await database.read(readFingerprint);
  if (keyOptional) return optionalSeals(key, known);
  const opened = known === undefined ? undefined : knownSeals(key, file, known);
  if (opened) return { seals: opened };
  let isNewKey = false;
  const seals = await database.writeThrough(async (tables) => {
    const fingerprint = await readFingerprint(tables);
    const known = fingerprint === undefined ? undefined : knownSeals(key, file, fingerprint);
    // Another process was faster.
    if (known) return known;
    if (fingerprint !== undefined)
      throw createKeyError(`The store ${file} bears seals, and their key is not there: ${key.location}. ${PUT_BACK}`);
    const found = key.read();
    if (found && (await holdsSealedRows(tables)))
      throw createKeyError(
        `The store ${file} holds runs or agreements without seals, and a key that was there before: ${key.location}. They may have been written by something other than the gateway. If they are right, seal them: \`postel data reseal\`.`,
      );
    isNewKey = !found;
    const first = new Seals(found ?? key.make());
    await sealRows(tables, first);
    await setFingerprint(tables, first.fingerprint);
    return first;
  });
  // Published only after the store has its fingerprint: a key without such a store would look like another's.
  if (isNewKey) key.publish();
  return { seals };
}

function optionalSeals(key: SealKey, known: string | undefined): OpenedSeals {
  if (known === undefined) return { seals: new Seals(), unchecked: "the store was never sealed" };
  const found = key.read();
  if (!found) return { seals: new Seals(), unchecked: `the key ${key.location} is not there` };
  const seals = new Seals(found);
  if (seals.fingerprint === known) return { seals };
  return { seals: new Seals(), unchecked: `${key.location} is not the key that the store was sealed with` };
}

/** Returns undefined if the key is missing. @throws PostelError if it is another key. */
function knownSeals(key: SealKey, file: string, known: string): Seals | undefined {
  const found = key.read();
  const pending = found ? undefined : key.readPending();
  // Another process may have published the key between the two reads.
  const actual = found ?? pending ?? key.read();
  if (!actual) return undefined;
  const seals = new Seals(actual);
  if (seals.fingerprint === known) {
    if (pending) key.publish();
    return seals;
  }
  if (pending) return undefined;
  throw createKeyError(`The store ${file} was not sealed with this key: ${key.location}. ${PUT_BACK}`);
}

const PUT_BACK =
  "Put the right key back, or say where it is with `store.seal_key`. No new key is made for this store. If the key is lost: `postel data reseal`.";

function createKeyError(message: string): PostelError {
  return new PostelError(createFailure("invalid_configuration", message));
}

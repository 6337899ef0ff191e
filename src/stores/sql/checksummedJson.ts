// Encodes stored JSON with a format version and a checksum, which detects changed bytes. Records that authorize actions have
// an HMAC instead: Seals.ts.
import { hash } from "node:crypto";
import { createFailure, PostelError } from "../../core/failures.ts";

/** Format version of written records; a higher version cannot be read safely. */
const VERSION = 1;
/** `VERSION:DIGEST:JSON`; the digest covers the version too. Every version keeps this form. */
const SEALED = /^([1-9]\d{0,8}):([0-9a-f]{64}):/;
/** The form that `Seals` writes. */
const KEYED = /^k[1-9]\d{0,8}:[0-9a-f]{64}:/;

export function encodeChecked(value: unknown): string {
  const text = JSON.stringify(value);
  return `${VERSION}:${digest(VERSION, text)}:${text}`;
}

/**
 * The encoded value. `what` names the record in messages. @throws PostelError `store_damaged`; `store_unavailable` if a newer
 * version of Postel wrote it.
 */
export function decodeChecked<T>(sealed: string, recordName: string): T {
  return JSON.parse(checkedText(sealed, recordName)) as T;
}

/** @throws PostelError `store_unavailable` if a newer version of Postel wrote the record and its checksum is correct. */
export function refuseNewer(sealed: string, recordName: string): void {
  const [head = "", version, sum] = SEALED.exec(sealed) ?? [];
  if (Number(version) > VERSION && digest(Number(version), sealed.slice(head.length)) === sum)
    throw createNewerError(recordName, Number(version));
}

function checkedText(sealed: string, recordName: string): string {
  const [head, version, sum] = SEALED.exec(sealed) ?? [];
  if (head === undefined) throw createDamagedError(recordName);
  const text = sealed.slice(head.length);
  if (digest(Number(version), text) !== sum) throw createDamagedError(recordName);
  if (Number(version) > VERSION) throw createNewerError(recordName, Number(version));
  return text;
}

/** The same of a column that may be empty. @throws PostelError as `unseal` does. */
export function unsealIfAny<T>(sealed: string | null, recordName: string): T | undefined {
  return sealed === null ? undefined : decodeChecked<T>(sealed, recordName);
}

/** The readable entries of a list: one damaged record does not hide the others. A request for its id reports the damage. */
export function filterReadable<R, T>(rows: readonly R[], parse: (row: R) => T): readonly T[] {
  return rows.flatMap((row) => {
    try {
      return [parse(row)];
    } catch (error) {
      if (isDamagedError(error)) return [];
      throw error;
    }
  });
}

/** The text of a record with a checksum or HMAC; only a checksum is verified here. @throws PostelError as `unseal` does. */
export function getSealedText(sealed: string, recordName: string): string {
  const [head] = KEYED.exec(sealed) ?? [];
  return head === undefined ? checkedText(sealed, recordName) : sealed.slice(head.length);
}

/** Returns true if a stored record differs from what was written. */
export function isDamagedError(error: unknown): error is PostelError {
  return error instanceof PostelError && error.failure.code === "store_damaged";
}

/** Error for a record whose bytes differ from those written. */
export function createDamagedError(recordName: string): PostelError {
  const message = `${recordName} is damaged in the store: it is not what was written, so it is not used. Everything else is untouched; a backup may have it.`;
  return new PostelError(createFailure("store_damaged", message));
}

/**
 * Error for a record without a seal of the store's key, or with the seal of another record. @param run the run that it
 * belongs to
 */
export function createUnsealedError(recordName: string, run?: string): PostelError {
  const message = `${recordName} is damaged in the store: it does not bear the seal of the store's key, so something other than the gateway has changed it. It is not used, and nothing of it is run. \`postel audit verify\` names all such records.`;
  return new PostelError(
    createFailure("store_damaged", message, { record: recordName, ...(run !== undefined && { run }) }),
  );
}

export function createNewerError(recordName: string, version: number): PostelError {
  const message = `${recordName} was written by a newer version of Postel (form ${version}, this one reads up to ${VERSION}). Use that version.`;
  return new PostelError(createFailure("store_unavailable", message));
}

function digest(version: number, text: string): string {
  return hash("sha256", `${version}:${text}`, "hex");
}

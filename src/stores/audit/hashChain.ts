// How the entries of the audit are linked: each has a hash over itself and the one before. Knows no store and no file.
import { hash, randomBytes } from "node:crypto";
import type { AuditEntry, AuditEvent, AuditHead } from "../../core/audit/audit.ts";

/** Bytes. */
const SALT = 16;
const BEGINNING = 32;

/** An entry whose event is still there. */
type WrittenEntry = AuditEntry & Required<Pick<AuditEntry, "salt" | "event">>;

/** Whose an entry is whose event is nobody's, or gone. */
export const NOBODY = "";

/** The events as the entries that follow `head`; undefined: a chain begins. @param at epoch milliseconds */
export function chainEvents(
  events: readonly AuditEvent[],
  { head, at }: { readonly head: AuditHead | undefined; readonly at: number },
): readonly WrittenEntry[] {
  let seq = head?.seq ?? 0;
  let previous = head?.hash ?? randomBytes(BEGINNING).toString("hex");
  return events.map((said) => {
    seq += 1;
    const event = JSON.stringify(said);
    const salt = randomBytes(SALT).toString("hex");
    const place = { seq, at, previous, digest: computeDigest(salt, event) };
    previous = computeEntryHash(place);
    return { ...place, hash: previous, owner: getEventOwner(said), salt, event };
  });
}

/** What tells of an erasure or a cut is the gateway's own: it stays when its owner's data is erased once more. */
export function getEventOwner(event: AuditEvent): string {
  return event.type === "erased" || event.type === "cut" ? NOBODY : event.owner;
}

/** What the hash of an entry at this place is. */
export function computeEntryHash({
  seq,
  at,
  previous,
  digest,
}: Pick<AuditEntry, "seq" | "at" | "previous" | "digest">): string {
  return hash("sha256", `postel-audit-1\n${seq}\n${at}\n${previous}\n${digest}`, "hex");
}

/** What the digest of an event with this salt is. */
export function computeDigest(salt: string, event: string): string {
  return hash("sha256", `${salt}\n${event}`, "hex");
}

// Links audit entries: each has a hash over itself and the previous hash.
import { hash, randomBytes } from "node:crypto";
import type { AuditEntry, AuditEvent, AuditHead } from "../../core/audit/audit.ts";

/** Bytes. */
const SALT = 16;
const BEGINNING = 32;

/** An entry whose event is still stored. */
type WrittenEntry = AuditEntry & Required<Pick<AuditEntry, "salt" | "event">>;

/** Owner of an entry whose event has no owner or is erased. */
export const NOBODY = "";

/** The events as the entries that follow `head`; undefined: a chain begins. @param at epoch milliseconds */
export function chainEvents(
  events: readonly AuditEvent[],
  { head, at }: { readonly head: AuditHead | undefined; readonly at: number },
): readonly WrittenEntry[] {
  let seq = head?.seq ?? 0;
  let previous = head?.hash ?? randomBytes(BEGINNING).toString("hex");
  return events.map((auditEvent) => {
    seq += 1;
    const event = JSON.stringify(auditEvent);
    const salt = randomBytes(SALT).toString("hex");
    const unhashed = { seq, at, previous, digest: computeDigest(salt, event) };
    previous = computeEntryHash(unhashed);
    return { ...unhashed, hash: previous, owner: getEventOwner(auditEvent), salt, event };
  });
}

/** Owner of an event. Erasure and cut events have none, so they remain when an owner's data is erased again. */
export function getEventOwner(event: AuditEvent): string {
  return event.type === "erased" || event.type === "cut" ? NOBODY : event.owner;
}

/** Hash of an entry at this position. */
export function computeEntryHash({
  seq,
  at,
  previous,
  digest,
}: Pick<AuditEntry, "seq" | "at" | "previous" | "digest">): string {
  return hash("sha256", `postel-audit-1\n${seq}\n${at}\n${previous}\n${digest}`, "hex");
}

/** Digest of an event with this salt. */
export function computeDigest(salt: string, event: string): string {
  return hash("sha256", `${salt}\n${event}`, "hex");
}

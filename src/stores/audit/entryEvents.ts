// Parses the events that the chain itself depends on: erasures and cuts. Checks the digest of an event before it uses it.
import type { AuditEntry, AuditEvent } from "../../core/audit/audit.ts";
import { computeDigest, getEventOwner, NOBODY } from "./hashChain.ts";

type ErasedEvent = Extract<AuditEvent, { type: "erased" }>;
export type CutEvent = Extract<AuditEvent, { type: "cut" }>;

/** `said`: any event that the chain does not depend on. */
type EntryEvent =
  | { readonly type: "changed"; readonly reason: string }
  | { readonly type: "emptied" }
  | { readonly type: "said"; readonly event: AuditEvent }
  | ErasedEvent
  | CutEvent;

/** Parses the event of an entry whose hash is correct. */
export function parseEntryEvent({ seq, digest, salt, event, owner }: AuditEntry): EntryEvent {
  if (event === undefined && salt === undefined && owner === NOBODY) return { type: "emptied" };
  if (event === undefined || salt === undefined) return { type: "changed", reason: "a part of what it says is gone" };
  if (computeDigest(salt, event) !== digest)
    return { type: "changed", reason: "its event is not the one that was written" };
  const parsedEvent = readEvent(event);
  if (!parsedEvent) return { type: "changed", reason: "its event is none that a gateway writes" };
  if (getEventOwner(parsedEvent) !== owner) return { type: "changed", reason: "its event is another owner's" };
  if (parsedEvent.type === "erased" || (parsedEvent.type === "cut" && parsedEvent.through < seq)) return parsedEvent;
  return { type: "said", event: parsedEvent };
}

/** Parses an event; undefined if the text is none. Unknown kinds of a newer version count as events. */
export function readEvent(text: string): AuditEvent | undefined {
  try {
    const event = JSON.parse(text) as AuditEvent | null;
    if (typeof event !== "object" || typeof event?.type !== "string") return undefined;
    if (event.type === "cut") return isCut(event) ? event : undefined;
    if (typeof event.owner !== "string") return undefined;
    return event.type !== "erased" || isErased(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

function isCut({ through, hash, before }: CutEvent): boolean {
  return Number.isSafeInteger(through) && typeof hash === "string" && Number.isSafeInteger(before);
}

function isErased({ entries, seqs }: ErasedEvent): boolean {
  const isRange = (range: unknown) =>
    Array.isArray(range) && range.length === 2 && range.every((seq) => Number.isSafeInteger(seq));
  return Number.isSafeInteger(entries) && Array.isArray(seqs) && seqs.every(isRange);
}

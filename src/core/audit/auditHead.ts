// A head of the audit as text, for a person, a log or a file: `SEQ:HASH TIME`. Knows no chain.
import type { AuditHead } from "./audit.ts";

/** A head as somebody has kept it; `at` where it was kept too. */
export type KnownHead = Pick<AuditHead, "seq" | "hash"> & { readonly at?: number | undefined };

export function formatHead({ seq, hash, at }: AuditHead): string {
  return `${seq}:${hash} ${timeText(at)}`;
}

/** ISO 8601; what is no time as the number that it is. @param at epoch milliseconds */
export function timeText(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? `${at} ms` : time.toISOString();
}

const HEAD = /(?<![\w:])(\d{1,15}):([0-9a-f]{64})(?![\w:])(?: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z))?/g;

/** All that stand in a text, whatever stands around them: the lines of a log have them too. */
export function parseHeads(text: string): readonly KnownHead[] {
  return [...text.matchAll(HEAD)].map(([, seq, hash = "", at]) => ({
    ...{ seq: Number(seq), hash },
    ...(at !== undefined && { at: Date.parse(at) }),
  }));
}

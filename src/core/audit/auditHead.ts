// Formats and parses a head of the audit log: `SEQ:HASH TIME`.
import type { AuditHead } from "./audit.ts";

/** A head that was saved elsewhere; `at` is present if it was saved too. */
export type KnownHead = Pick<AuditHead, "seq" | "hash"> & { readonly at?: number | undefined };

export function formatHead({ seq, hash, at }: AuditHead): string {
  return `${seq}:${hash} ${timeText(at)}`;
}

/** ISO 8601; an invalid time as a number. @param at epoch milliseconds */
export function timeText(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? `${at} ms` : time.toISOString();
}

const HEAD = /(?<![\w:])(\d{1,15}):([0-9a-f]{64})(?![\w:])(?: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z))?/g;

/** All heads in a text, for example in log lines. */
export function parseHeads(text: string): readonly KnownHead[] {
  return [...text.matchAll(HEAD)].map(([, seq, hash = "", at]) => ({
    ...{ seq: Number(seq), hash },
    ...(at !== undefined && { at: Date.parse(at) }),
  }));
}

// Converts an audit entry to a line of JSON and back, for the audit file and the export.
import type { AuditEntry } from "../../core/audit/audit.ts";

export function formatEntryLine({ seq, at, previous, digest, hash, owner, salt, event }: AuditEntry): string {
  return `${JSON.stringify({ seq, at, previous, digest, hash, owner, salt, event })}\n`;
}

/** Returns undefined if the line is no entry. */
export function parseEntryLine(line: string): AuditEntry | undefined {
  try {
    const entry = JSON.parse(line) as AuditEntry;
    return hasItsFields(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

const NUMBERS = ["seq", "at"];
const HASHES = ["previous", "digest", "hash"];
const TEXTS = ["owner", "salt", "event"];
const FIELDS = new Set([...NUMBERS, ...HASHES, ...TEXTS]);

/** Returns true if the entry has exactly its fields: no hash would cover any other. */
function hasItsFields(entry: object): boolean {
  const fields = new Map<string, unknown>(Object.entries(entry));
  return (
    [...fields.keys()].every((name) => FIELDS.has(name)) &&
    NUMBERS.every((name) => Number.isSafeInteger(fields.get(name)) && Number(fields.get(name)) >= 0) &&
    HASHES.every((name) => /^[0-9a-f]{64}$/.test(String(fields.get(name)))) &&
    TEXTS.every((name) => typeof fields.get(name) === "string" || (name !== "owner" && !fields.has(name)))
  );
}

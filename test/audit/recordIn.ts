// The audit of a store as sentences, for a test that has the file alone.
import { DatabaseSync } from "node:sqlite";
import type { AuditEvent } from "../../src/core/audit.ts";
import { sentenceOf } from "./sentences.ts";

/** @param run whose entries they are; absent: of all runs. */
export function recordIn(file: string, run?: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare("select event from audit_entries order by seq").all() as { event: string }[];
    const events = rows.map(({ event }) => JSON.parse(event) as AuditEvent);
    return events.filter((event) => run === undefined || ("run" in event && event.run === run)).map(sentenceOf);
  } finally {
    database.close();
  }
}

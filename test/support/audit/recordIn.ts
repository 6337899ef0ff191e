// The audit of a store as sentences, for a test that has the file alone. It is a sound chain, or nothing is read.
import { DatabaseSync } from "node:sqlite";
import type { AuditEntry, AuditEvent } from "../../../src/core/audit/audit.ts";
import { ChainVerifier } from "../../../src/stores/audit/ChainVerifier.ts";
import { sentenceOf } from "./sentences.ts";

/** @param run whose entries they are; absent: of all runs. */
export function recordIn(file: string, run?: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const entries = database.prepare("select * from audit_entries order by seq").all() as unknown as AuditEntry[];
    const check = new ChainVerifier();
    for (const entry of entries) check.addEntry(entry);
    const { faults } = check.report();
    if (faults.length > 0) throw new Error(`The chain is not sound: ${JSON.stringify(faults)}`);
    const events = entries.map(({ event = "" }) => JSON.parse(event) as AuditEvent);
    return events.filter((event) => run === undefined || ("run" in event && event.run === run)).map(sentenceOf);
  } finally {
    database.close();
  }
}

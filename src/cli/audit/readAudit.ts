// `postel audit head|export|show`: the head of the audit chain, its raw entries, or readable lines. Verifies nothing.
import { once } from "node:events";
import type { AuditEntry } from "../../core/audit/audit.ts";
import { formatHead } from "../../core/audit/auditHead.ts";
import { readEvent } from "../../stores/audit/entryEvents.ts";
import { formatEntryLine } from "../../stores/audit/entryLine.ts";
import { loadFlags, type StoreFlags } from "../options/loadFlags.ts";
import { openExistingStore } from "../options/openExistingStore.ts";
import { writeNote, writeText } from "../output/terminal.ts";
import { readStoredEntries } from "./auditEntries.ts";
import { formatEntry } from "./formatEntry.ts";

export interface ReadFlags extends StoreFlags {
  readonly after: number;
  readonly owner?: string | undefined;
  readonly run?: string | undefined;
}

/** Writes the head as one line; nothing if there is no entry. Resolves with the exit status. */
export async function printAuditHead(flags: StoreFlags): Promise<number> {
  const store = await openExistingStore(loadFlags(flags), flags);
  try {
    const head = await store.audit.head();
    if (head) writeText(`${formatHead(head)}\n`);
    else writeNote("The audit has no entry yet.");
  } finally {
    await store.close();
  }
  return 0;
}

/** Writes the stored entries, one JSON line each. Resolves with the exit status. */
export function exportAudit(flags: ReadFlags): Promise<number> {
  return writeEntries(flags, formatEntryLine);
}

/** Writes the entries for a human reader, one line each. Resolves with the exit status. */
export function showAudit(flags: ReadFlags): Promise<number> {
  return writeEntries(flags, (entry) => `${formatEntry(entry)}\n`);
}

async function writeEntries(flags: ReadFlags, line: (entry: AuditEntry) => string): Promise<number> {
  let written = 0;
  for await (const entries of readStoredEntries(flags, flags.after)) {
    const wanted = entries.filter((entry) => isWanted(entry, flags));
    written += wanted.length;
    writeText(wanted.map(line).join(""));
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
  }
  if (written === 0) writeNote("The audit has no such entry.");
  return 0;
}

function isWanted({ owner, event }: AuditEntry, flags: ReadFlags): boolean {
  if (flags.owner !== undefined && owner !== flags.owner) return false;
  if (flags.run === undefined) return true;
  const said = event === undefined ? undefined : readEvent(event);
  return said !== undefined && "run" in said && said.run === flags.run;
}

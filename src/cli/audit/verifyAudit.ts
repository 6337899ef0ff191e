// `postel audit verify`: verifies the audit log, and reports every fault with its entry and kind. Changes nothing.
import { readFileSync } from "node:fs";
import type { AuditHead } from "../../core/audit/audit.ts";
import { formatHead, type KnownHead, parseHeads, timeText } from "../../core/audit/auditHead.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { type ChainReport, ChainVerifier } from "../../stores/audit/ChainVerifier.ts";
import type { SealReport } from "../../stores/seals/checkSeals.ts";
import { loadFlags, type StoreFlags } from "../options/loadFlags.ts";
import { openExistingStore } from "../options/openExistingStore.ts";
import { writeNote, writeText } from "../output/terminal.ts";
import { readEntries, readFiledEntries } from "./auditEntries.ts";

export interface VerifyFlags extends StoreFlags {
  /** Files of the audit in their order, instead of the store. */
  readonly file?: readonly string[] | undefined;
  /** `SEQ:HASH`, as `postel audit head` has written it. */
  readonly head?: string | undefined;
  /** A file with such heads. */
  readonly heads?: string | undefined;
}

/**
 * Resolves with the exit status: 1 if an entry is invalid or a stored record is damaged; unchecked seals leave it 0. @throws
 * PostelError if the log or a head cannot be read.
 */
export async function verifyAudit(flags: VerifyFlags): Promise<number> {
  if (flags.file && flags.store !== undefined)
    throw refused("--file and --store are two records; verify one at a time.");
  const heads = [...givenHead(flags), ...givenHeads(flags)];
  const check = new ChainVerifier({ heads, isPart: flags.file !== undefined });
  if (flags.file) {
    for await (const entries of readFiledEntries(flags.file)) {
      for (const entry of entries) "line" in entry ? check.addUnreadable(entry.line) : check.addEntry(entry);
    }
    return tell(check.report(), heads);
  }
  const store = await openExistingStore(loadFlags(flags), flags);
  try {
    for await (const entries of readEntries(store)) for (const entry of entries) check.addEntry(entry);
    return tell(check.report(), heads, await store.checkSeals());
  } finally {
    await store.close();
  }
}

/** @param seals absent if no store was checked */
function tell(report: ChainReport, heads: readonly KnownHead[], seals?: SealReport): number {
  const { faults, faultsInAll, entries, first, head } = report;
  for (const { kind, seq, to, reason } of faults) {
    writeText(`${kind} ${to === undefined ? seq : `${seq}-${to}`}: ${reason}\n`);
  }
  if (faultsInAll > faults.length) writeText(`and ${faultsInAll - faults.length} more\n`);
  const damaged = seals?.type === "checked" ? seals.damaged : [];
  for (const { why: reason } of damaged) writeText(`${reason}\n`);
  const count = entries === 1 ? "1 entry" : `${entries} entries`;
  const sealed = seals && sealSentence(seals);
  if (faultsInAll > 0) {
    writeText(`not sound: ${faultsInAll === 1 ? "1 fault" : `${faultsInAll} faults`} in ${count}\n`);
    if (sealed !== undefined) writeText(`${sealed}\n`);
    return 1;
  }
  writeText(`sound: ${count}${first && head ? `, ${formatPosition(first)} to ${formatPosition(head)}` : ""}\n`);
  for (const line of circumstances(report)) writeText(`${line}\n`);
  if (sealed !== undefined) writeText(`${sealed}\n`);
  if (head) writeText(`head ${formatHead(head)}\n`);
  if (heads.length === 0)
    writeNote(
      "note: without a head that was told before (--head, --heads) a cut end and a chain written anew do not show.",
    );
  return damaged.length > 0 ? 1 : 0;
}

/** Returns undefined if all seals are valid. */
function sealSentence(seals: SealReport): string | undefined {
  if (seals.type === "unchecked") return `seals not checked: ${seals.why}`;
  const damaged = seals.damaged.length;
  return damaged === 0 ? undefined : `seals checked: ${damaged} of ${seals.runs} runs are damaged, and go on no more`;
}

/** Correct facts that the user should know. */
function circumstances({ cut, first, erased }: ChainReport): readonly string[] {
  const from = first?.seq ?? 1;
  const beginning = cut
    ? [`entries up to ${from - 1} were cut away for their age: those from before ${timeText(cut.before)}`]
    : from > 1
      ? [`it begins with entry ${from}, which follows ${from - 1}; what came before is not in it`]
      : [];
  return [
    ...beginning,
    ...[...erased].map(([owner, entries]) => `${entries} of the owner ${owner} say nothing any more: they were erased`),
  ];
}

function formatPosition({ seq, at }: AuditHead): string {
  return `${seq} (${timeText(at)})`;
}

function givenHead({ head }: VerifyFlags): readonly KnownHead[] {
  if (head === undefined) return [];
  const heads = parseHeads(head);
  if (heads.length === 1) return heads;
  throw refused("--head: expected SEQ:HASH, as `postel audit head` writes it.");
}

function givenHeads({ heads: file }: VerifyFlags): readonly KnownHead[] {
  if (file === undefined) return [];
  const heads = parseHeads(read(file));
  if (heads.length > 0) return heads;
  throw refused(`--heads: no head stands in ${file}. Expected lines of \`postel audit head\`, or a log that has them.`);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw refused(`--heads: ${file} cannot be read (${(error as Error).message}).`);
  }
}

function refused(message: string): PostelError {
  return new PostelError(createFailure("invalid_request", message));
}

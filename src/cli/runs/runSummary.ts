// Summarizes a run: status, duration, usage and open interrupts.
import type { RunEvent, Spent } from "../../core/events/events.ts";
import type { Interrupt, InterruptRecord } from "../../core/runs/interrupts.ts";
import type { RunRecord } from "../../core/stores/RunStore.ts";
import type { Store } from "../../core/stores/Store.ts";
import { formatDuration } from "../output/format.ts";

/** A run with its end event and its open interrupts. */
export interface RunSummary {
  readonly run: RunRecord;
  readonly open: readonly InterruptRecord[];
  /** Absent while the run is active, and after its events were deleted. */
  readonly end?: Extract<RunEvent, { type: "run-end" }> | undefined;
}

export async function summarizeRun({ runs, interrupts }: Store, run: RunRecord): Promise<RunSummary> {
  const [last] = run.events === 0 ? [] : await runs.events(run, run.events - 1, 1);
  const all = run.status === "waiting" ? await interrupts.ofRun(run) : [];
  const open = all.filter(({ status }) => status === "open");
  return { run, open, end: last?.event.type === "run-end" ? last.event : undefined };
}

/** The outcome, such as `answered`; the status of an active run. */
export function describeRunStatus({ status, outcome }: Pick<RunRecord, "status" | "outcome">): string {
  switch (status) {
    case "running":
      return "goes on";
    case "waiting":
      return "waits";
    case "stuck":
      return "stuck";
    case "ended":
      return outcome ?? "ended";
    default:
      return status satisfies never;
  }
}

/** The reason for a wait, such as `approval of shop.refund`; a question as its text. */
export function describeWait({ type, plan, question }: Pick<Interrupt, "type" | "plan" | "question">): string {
  return plan ? `${type} of ${plan.tool}` : question;
}

/** With its waits; of a run that is not over, so far. @param now epoch milliseconds */
export function formatRunDuration({ createdAt, updatedAt, endedAt, status }: RunRecord, now: number): string {
  return formatDuration((endedAt ?? (status === "running" ? now : updatedAt)) - createdAt);
}

/** Amount in the currency of the prices; empty if there are no prices. */
export function formatMoney(spent: Spent | undefined): string {
  return spent?.money === undefined ? "" : String(Number(spent.money.toPrecision(4)));
}

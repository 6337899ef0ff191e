// Checks that each call that needed an approval began after one, and that no effect that must not be repeated began twice
// without a decision between. Reads entries in order.
import type { AuditEvent } from "../../core/audit/audit.ts";

type ToolBegan = Extract<AuditEvent, { type: "tool-began" }>;

/** A call that began without a decision. */
export interface UndecidedCall {
  readonly seq: number;
  /** Reason, for a human reader. */
  readonly why: string;
}

/** Decisions after which a call runs. A form that the user cancels (`cancel`) lets its call continue without values. */
const LETS_RUN: ReadonlySet<string> = new Set(["approve", "edit", "answer", "cancel"]);

export class CallVerifier {
  readonly undecided: UndecidedCall[] = [];
  readonly #decided = new Set<string>();
  /** Entries of calls that began and have no decision since, by run and call. */
  readonly #begun = new Map<string, Map<string, number>>();

  /** @param seq number of the event's entry @returns the fault of a repeated effect, for a human reader; undefined if there is none. */
  take(seq: number, event: AuditEvent): string | undefined {
    switch (event.type) {
      case "tool-began":
        if (event.approval && !this.#decided.has(buildKey(event))) this.undecided.push({ seq, why: undecided(event) });
        return event.once ? this.#begin(seq, event) : undefined;
      case "decided":
        if (LETS_RUN.has(event.decision)) this.#decided.add(buildKey(event));
        if (event.decision !== "reject") this.#begun.get(runKey(event))?.delete(buildKey(event));
        return undefined;
      case "run-ended":
        // An ended run begins no more calls, so its entries are dropped to bound the memory.
        if (event.within === undefined && event.outcome !== "awaiting-human") this.#begun.delete(runKey(event));
        return undefined;
      default:
        return undefined;
    }
  }

  #begin(seq: number, event: ToolBegan): string | undefined {
    const run = runKey(event);
    const calls = this.#begun.get(run) ?? new Map<string, number>();
    this.#begun.set(run, calls);
    const before = calls.get(buildKey(event));
    calls.set(buildKey(event), seq);
    if (before === undefined) return undefined;
    return `the call ${event.callId} of ${event.tool} began at entry ${before} already, its effect may not be repeated, and nobody decided in between that it may run again`;
  }
}

function undecided({ tool, callId, run }: ToolBegan): string {
  return `${tool} (call ${callId} of run ${run}) began under approval, and no entry before says that anybody decided so`;
}

function runKey({ owner, run }: Pick<ToolBegan, "owner" | "run">): string {
  return JSON.stringify([owner, run]);
}

function buildKey({ owner, run, within = "", callId }: Pick<ToolBegan, "owner" | "run" | "within" | "callId">): string {
  return JSON.stringify([owner, run, within, callId]);
}

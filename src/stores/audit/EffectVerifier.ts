// Checks that no effect that must not be repeated began twice without a decision between. Reads entries in order.
import type { AuditEvent } from "../../core/audit/audit.ts";

export class EffectVerifier {
  /** Calls that began and have no decision since, by run and call. */
  readonly #startedCalls = new Map<string, Map<string, number>>();

  /** @param seq number of the event's entry @returns the fault of the event, for a human reader; undefined if there is none. */
  checkEvent(seq: number, event: AuditEvent): string | undefined {
    switch (event.type) {
      case "tool-began":
        return event.once ? this.#begin(seq, event) : undefined;
      case "decided":
        if (event.decision !== "reject") this.#startedCalls.get(runKey(event))?.delete(callKey(event));
        return undefined;
      case "run-ended":
        // An ended run begins no more calls, so its entries are dropped to bound the memory.
        if (event.within === undefined && event.outcome !== "awaiting-human") this.#startedCalls.delete(runKey(event));
        return undefined;
      default:
        return undefined;
    }
  }

  #begin(seq: number, event: Extract<AuditEvent, { type: "tool-began" }>): string | undefined {
    const run = runKey(event);
    const calls = this.#startedCalls.get(run) ?? new Map<string, number>();
    this.#startedCalls.set(run, calls);
    const before = calls.get(callKey(event));
    calls.set(callKey(event), seq);
    if (before === undefined) return undefined;
    return `the call ${event.callId} of ${event.tool} began at entry ${before} already, its effect may not be repeated, and nobody decided in between that it may run again`;
  }
}

function runKey({ owner, run }: { readonly owner: string; readonly run: string }): string {
  return JSON.stringify([owner, run]);
}

function callKey({ within = "", callId }: { readonly within?: string | undefined; readonly callId: string }): string {
  return JSON.stringify([within, callId]);
}

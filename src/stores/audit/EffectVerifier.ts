// Checks that no effect which may not be repeated began twice without a person's decision between. Reads entries in their order; knows no chain.
import type { AuditEvent } from "../../core/audit/audit.ts";

export class EffectVerifier {
  /** Calls that have begun and of which no person has decided since: by run, then by call. */
  readonly #begun = new Map<string, Map<string, number>>();

  /**
   * @param seq the number of the entry of this event
   * @returns for a person: what is wrong with the event; undefined where nothing is.
   */
  take(seq: number, event: AuditEvent): string | undefined {
    switch (event.type) {
      case "tool-began":
        return event.once ? this.#begin(seq, event) : undefined;
      case "decided":
        if (event.decision !== "reject") this.#begun.get(runKey(event))?.delete(callKey(event));
        return undefined;
      case "run-ended":
        // A run that is over begins nothing more: what is kept stays small.
        if (event.within === undefined && event.outcome !== "awaiting-human") this.#begun.delete(runKey(event));
        return undefined;
      default:
        return undefined;
    }
  }

  #begin(seq: number, event: Extract<AuditEvent, { type: "tool-began" }>): string | undefined {
    const run = runKey(event);
    const calls = this.#begun.get(run) ?? new Map<string, number>();
    this.#begun.set(run, calls);
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

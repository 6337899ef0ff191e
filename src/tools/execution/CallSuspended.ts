// Exception of a tool whose call has no result yet, because its nested run waits for an approver or could not continue.
import type { Interrupt } from "../../core/runs/interrupts.ts";
import type { RunState } from "../../core/runs/RunState.ts";

/** `waits`: the nested run continues from its state after the decisions; `broken`: the outer run must not continue either. */
export type WhyUnsettled =
  | { readonly type: "waits"; readonly state: RunState; readonly interrupts: readonly Interrupt[] }
  | { readonly type: "broken"; readonly cause: unknown };

export class CallSuspended extends Error {
  override readonly name = "CallUnsettled";
  readonly why: WhyUnsettled;

  constructor(reason: WhyUnsettled) {
    super("The call has no result yet.");
    this.why = reason;
  }
}

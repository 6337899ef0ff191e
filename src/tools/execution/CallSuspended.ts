// What a tool throws whose call has no result yet, because the run within it waits for a person or could not go on. Knows no loop.
import type { Interrupt } from "../../core/runs/interrupts.ts";
import type { RunState } from "../../core/runs/RunState.ts";

/** `waits`: the run within goes on from its state once people have decided; `broken`: nothing of the outer run may go on either. */
export type WhyUnsettled =
  | { readonly type: "waits"; readonly state: RunState; readonly interrupts: readonly Interrupt[] }
  | { readonly type: "broken"; readonly cause: unknown };

export class CallSuspended extends Error {
  override readonly name = "CallUnsettled";
  readonly why: WhyUnsettled;

  constructor(why: WhyUnsettled) {
    super("The call has no result yet.");
    this.why = why;
  }
}

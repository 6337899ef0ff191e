// The state of a run that begins to wait for a person. Pure; asks nobody and saves nothing.

import type { Clock, Ids } from "../../core/ports.ts";
import type { Interrupt } from "../../core/runs/interrupts.ts";
import type { PendingTurn, RunState } from "../../core/runs/RunState.ts";
import type { AskedCall } from "../calls/executeCalls.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import { createInterrupt } from "./createInterrupt.ts";

export interface WaitServices {
  readonly clock: Pick<Clock, "now">;
  readonly ids: Pick<Ids, "callId">;
  readonly registry: Pick<RunTools, "get">;
  /** Milliseconds for which a person may decide. */
  readonly interruptMs: number;
}

/** Its time stands still, and whoever hears of it next is a new reader. */
export function suspendRun(
  state: RunState,
  open: PendingTurn,
  { asked, clock, ids, registry, interruptMs }: WaitServices & { readonly asked: readonly AskedCall[] },
): { readonly state: RunState; readonly interrupts: readonly Interrupt[] } {
  const createdAt = clock.now();
  const waiting = asked.map(({ call, need }) => {
    const asking = { id: ids.callId(), createdAt, expiresAt: createdAt + interruptMs };
    return { call, interrupt: createInterrupt(state, { call, need, tool: registry.get(call.name) }, asking) };
  });
  const { deadline, ...rest } = state;
  return {
    state: {
      ...rest,
      open: { ...open, waiting, end: undefined },
      ...(deadline !== undefined && { leftMs: Math.max(0, deadline - createdAt) }),
      sentText: false,
    },
    interrupts: waiting.map(({ interrupt }) => interrupt),
  };
}

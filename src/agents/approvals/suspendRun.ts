// Creates the state of a run that starts to wait for an approver. Pure.

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
  /** Milliseconds that an approver has for a decision. */
  readonly interruptMs: number;
}

/** Stops the run's deadline while it waits. The next client that reads the run gets its text from the start. */
export function suspendRun(
  state: RunState,
  open: PendingTurn,
  {
    askedCalls: question,
    clock,
    ids,
    registry,
    interruptMs,
  }: WaitServices & { readonly askedCalls: readonly AskedCall[] },
): { readonly state: RunState; readonly interrupts: readonly Interrupt[] } {
  const createdAt = clock.now();
  const waiting = question.map(({ call, need }) => {
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

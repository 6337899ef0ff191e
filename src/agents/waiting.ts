// The state of a run that begins to wait for a person. Pure; asks nobody and saves nothing.
import type { Interrupt } from "../core/interrupts.ts";
import type { Clock, Ids } from "../core/ports.ts";
import type { OpenTurn, RunState } from "../core/run.ts";
import type { RunTools } from "./AgentTools.ts";
import type { AskedCall } from "./executeCalls.ts";
import { interruptOf } from "./interruptOf.ts";

export interface WaitServices {
  readonly clock: Pick<Clock, "now">;
  readonly ids: Pick<Ids, "callId">;
  readonly registry: Pick<RunTools, "get">;
  /** Milliseconds for which a person may decide. */
  readonly interruptMs: number;
}

/** Its time stands still, and whoever hears of it next is a new reader. */
export function waitingFor(
  state: RunState,
  open: OpenTurn,
  { asked, clock, ids, registry, interruptMs }: WaitServices & { readonly asked: readonly AskedCall[] },
): { readonly state: RunState; readonly interrupts: readonly Interrupt[] } {
  const createdAt = clock.now();
  const waiting = asked.map(({ call, need }) => {
    const asking = { id: ids.callId(), createdAt, expiresAt: createdAt + interruptMs };
    return { call, interrupt: interruptOf(state, { call, need, tool: registry.get(call.name) }, asking) };
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

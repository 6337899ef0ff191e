// Settles the calls of a turn. Then the turn ends, waits for an approver, or ends the run.

import type { RunEvent, TurnEnd } from "../../core/events/events.ts";
import { withSpent } from "../../core/runs/budget.ts";
import type { CallKeys } from "../../core/runs/callKey.ts";
import type { Interrupt } from "../../core/runs/interrupts.ts";
import type { PendingTurn } from "../../core/runs/RunState.ts";
import { toInterruptCall } from "../approvals/createInterrupt.ts";
import { suspendRun } from "../approvals/suspendRun.ts";
import type { AskedCall } from "../calls/executeCalls.ts";
import { type SettledTurn, settleCalls } from "../calls/settleCalls.ts";
import { endWithoutUsage } from "../turn/TurnUsage.ts";
import type { AsyncToolTasks } from "./AsyncToolTasks.ts";
import { appendResults } from "./appendResults.ts";
import type { IsRepeatable } from "./detectRepeats.ts";
import type { RunContinuation } from "./Journal.ts";
import type { RunDeadline } from "./RunDeadline.ts";
import type { RunEventEmitter } from "./RunEventEmitter.ts";
import type { RunServices } from "./RunServices.ts";
import type { RunStateRef } from "./RunStateRef.ts";

/** The parts of an active run. */
export interface RunParts {
  readonly stateRef: RunStateRef;
  readonly services: RunServices & RunContinuation;
  readonly time: Pick<RunDeadline, "signal" | "cancelled" | "overdue">;
  readonly emitter: RunEventEmitter;
  readonly tasks: AsyncToolTasks;
  readonly keys: CallKeys;
  readonly isRepeatable: IsRepeatable;
}

/** Returns true if a further step follows. */
export async function finishTurn(turn: PendingTurn, run: RunParts): Promise<boolean> {
  const { stateRef, services, time, tasks, keys, isRepeatable } = run;
  const { open, asked: askedCalls, stops, untrusted, within, rejections } = await settle(turn, run);
  stateRef.change({
    open,
    ...((untrusted || within?.untrusted) && { untrusted: true }),
    ...(rejections && { rejections }),
    ...tasks.state(),
  });
  if (within) stateRef.become(withSpent(stateRef.state, within.getSpent));
  const isOver = stops || time.cancelled || (time.overdue && !turn.handsOver);
  const nestedInterrupts = within?.waiting.flatMap(({ interrupts }) => interrupts) ?? [];
  if (askedCalls.length + nestedInterrupts.length > 0 && !isOver)
    return suspend(open, askedCalls, nestedInterrupts, run);
  let handedOff: RunEvent | undefined;
  if (open.settled.length > 0) {
    stateRef.become(appendResults(stateRef.state, open, { keys, isRepeatable }));
    if (!isOver && !turn.handsOver) handedOff = await handOff(open, run);
    await services.journal.recordTurn(stateRef.state);
  }
  if (stops && !time.cancelled) return run.emitter.finish(resolveTurnEnd(open), "rejected");
  return continueRun(open, handedOff, run);
}

async function continueRun(open: PendingTurn, handedOff: RunEvent | undefined, run: RunParts): Promise<boolean> {
  const { stateRef, time, emitter, tasks } = run;
  if (time.cancelled) return emitter.cancel();
  if (open.handsOver) {
    await tasks.all(time.signal);
    emitter.emitAll(tasks.collect());
    emitter.carryResults();
    emitter.emitAll(open.clientCalls.map((call) => ({ type: "tool-call", call }) as const));
    return emitter.finish(resolveTurnEnd(open), "handed-over");
  }
  if (time.overdue) {
    emitter.withheld();
    return emitter.finish(resolveTurnEnd(open), "timeout");
  }
  stateRef.change({ open: undefined });
  if (open.end) emitter.emit({ ...open.end, finishReason: "stop" });
  if (!handedOff) return true;
  emitter.emit(handedOff);
  return false;
}

async function settle(
  turn: PendingTurn,
  { stateRef, services, time, emitter, keys, tasks }: RunParts,
): Promise<SettledTurn> {
  // Nested runs emit in parallel, but the client gets one batch after another.
  let last: Promise<unknown> = Promise.resolve();
  const emit = async (events: readonly RunEvent[]): Promise<void> => {
    emitter.emitAll(events);
    last = last.then(() => emitter.hand());
    await last;
  };
  return settleCalls(stateRef.state, turn, { ...services, signal: time.signal, keys, tasks, emit });
}

/** The new agent owns the state from here on. The caller of the loop continues with it. */
async function handOff({ settled }: PendingTurn, run: RunParts): Promise<RunEvent | undefined> {
  const { stateRef, services, time, tasks } = run;
  const from = stateRef.state.agent;
  const handed = services.handOff?.(stateRef.state, settled);
  if (!handed) return undefined;
  const { state, reason } = handed;
  await tasks.all(time.signal);
  stateRef.become({ ...state, ...tasks.state() });
  return { type: "handoff", from, to: state.agent, ...(reason !== undefined && { reason }) };
}

/** Ends the turn with interrupts, which are stored before they are emitted. */
async function suspend(
  open: PendingTurn,
  askedCalls: readonly AskedCall[],
  within: readonly Interrupt[],
  { stateRef, services, time, emitter, tasks }: RunParts,
): Promise<false> {
  // The tasks end first, so that a resumed run does not start them again.
  await tasks.all(time.signal);
  stateRef.change(tasks.state());
  const { state, interrupts: ownInterrupts } = suspendRun(stateRef.state, open, { askedCalls, ...services });
  const interrupts = [...ownInterrupts, ...within];
  stateRef.become(state);
  await services.journal.recordWaiting(state, interrupts);
  for (const interrupt of interrupts)
    emitter.emit({ type: "interrupt", interrupt }, { type: "tool-call", call: toInterruptCall(interrupt) });
  return emitter.finish(resolveTurnEnd(open), "awaiting-human");
}

/** A turn whose calls have not been settled. */
export function createTurn(
  turn: Pick<PendingTurn, "execute" | "handsOver" | "end" | "tokens"> &
    Partial<Pick<PendingTurn, "clientCalls" | "money">>,
): PendingTurn {
  return { settled: [], waiting: [], clientCalls: [], ...turn };
}

/** The end of the turn; without usage if the client already got it. */
function resolveTurnEnd({ end }: PendingTurn): TurnEnd {
  return end ?? endWithoutUsage("stop");
}

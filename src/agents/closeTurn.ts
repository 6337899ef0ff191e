// What the gateway does after a turn: its calls come to their results, and the turn ends, or waits for a person, or the run ends with it. Asks no model.
import { withSpent } from "../core/budget.ts";
import type { CallKeys } from "../core/CallKeys.ts";
import type { RunEvent } from "../core/events.ts";
import type { Interrupt } from "../core/interrupts.ts";
import type { OpenTurn } from "../core/run.ts";
import type { AskedCall } from "./executeCalls.ts";
import { askingCall } from "./interruptOf.ts";
import type { Going } from "./Journal.ts";
import { endOf } from "./openTurn.ts";
import type { RunServices } from "./RunServices.ts";
import type { RunTasks } from "./RunTasks.ts";
import type { RunTime } from "./RunTime.ts";
import type { RunVoice } from "./RunVoice.ts";
import type { IsRepeatable } from "./repeatedCalls.ts";
import type { Standing } from "./Standing.ts";
import { type SettledTurn, settleTurn } from "./settleTurn.ts";
import { waitingFor } from "./waiting.ts";
import { withResults } from "./withResults.ts";

/** A run that is on its way, in its parts. */
export interface RunParts {
  readonly standing: Standing;
  readonly services: RunServices & Going;
  readonly time: Pick<RunTime, "signal" | "cancelled" | "overdue">;
  readonly voice: RunVoice;
  readonly tasks: RunTasks;
  readonly keys: CallKeys;
  readonly isRepeatable: IsRepeatable;
}

/** True where a further step follows. */
export async function closeTurn(turn: OpenTurn, run: RunParts): Promise<boolean> {
  const { standing, services, time, tasks, keys, isRepeatable } = run;
  const { open, asked, stops, untrusted, within, rejections } = await settle(turn, run);
  standing.change({
    open,
    ...((untrusted || within?.untrusted) && { untrusted: true }),
    ...(rejections && { rejections }),
    ...tasks.state(),
  });
  if (within) standing.become(withSpent(standing.state, within.spent));
  const isOver = stops || time.cancelled || (time.overdue && !turn.handsOver);
  const waitsWithin = within?.waiting.flatMap(({ interrupts }) => interrupts) ?? [];
  if (asked.length + waitsWithin.length > 0 && !isOver) return wait(open, asked, waitsWithin, run);
  let handedOff: RunEvent | undefined;
  if (open.settled.length > 0) {
    standing.become(withResults(standing.state, open, { keys, isRepeatable }));
    if (!isOver && !turn.handsOver) handedOff = await handOff(open, run);
    await services.journal.turned(standing.state);
  }
  if (stops && !time.cancelled) return run.voice.finish(endOf(open), "rejected");
  return goOn(open, handedOff, run);
}

async function goOn(open: OpenTurn, handedOff: RunEvent | undefined, run: RunParts): Promise<boolean> {
  const { standing, time, voice, tasks } = run;
  if (time.cancelled) return voice.cancel();
  if (open.handsOver) {
    await tasks.all(time.signal);
    voice.tellAll(tasks.collect());
    voice.carryResults();
    voice.tellAll(open.clientCalls.map((call) => ({ type: "tool-call", call }) as const));
    return voice.finish(endOf(open), "handed-over");
  }
  if (time.overdue) {
    voice.withheld();
    return voice.finish(endOf(open), "timeout");
  }
  standing.change({ open: undefined });
  if (open.end) voice.tell({ ...open.end, finishReason: "stop" });
  if (!handedOff) return true;
  voice.tell(handedOff);
  return false;
}

async function settle(
  turn: OpenTurn,
  { standing, services, time, voice, keys, tasks }: RunParts,
): Promise<SettledTurn> {
  // Runs within tell side by side; their reader is given one batch after another.
  let last: Promise<unknown> = Promise.resolve();
  const tell = async (events: readonly RunEvent[]): Promise<void> => {
    voice.tellAll(events);
    last = last.then(() => voice.hand());
    await last;
  };
  return settleTurn(standing.state, turn, { ...services, signal: time.signal, keys, tasks, tell });
}

/** The state is the other agent's from here on; whoever runs the loop goes on with it. */
async function handOff({ settled }: OpenTurn, run: RunParts): Promise<RunEvent | undefined> {
  const { standing, services, time, tasks } = run;
  const from = standing.state.agent;
  const handed = services.handOff?.(standing.state, settled);
  if (!handed) return undefined;
  const { state, reason } = handed;
  await tasks.all(time.signal);
  standing.become({ ...state, ...tasks.state() });
  return { type: "handoff", from, to: state.agent, ...(reason !== undefined && { reason }) };
}

/** The turn ends for its reader with what is asked; nobody is asked before that is written down. */
async function wait(
  open: OpenTurn,
  asked: readonly AskedCall[],
  within: readonly Interrupt[],
  { standing, services, time, voice, tasks }: RunParts,
): Promise<false> {
  // Whoever takes the run further then begins none of them again.
  await tasks.all(time.signal);
  standing.change(tasks.state());
  const { state, interrupts: own } = waitingFor(standing.state, open, { asked, ...services });
  const interrupts = [...own, ...within];
  standing.become(state);
  await services.journal.waits(state, interrupts);
  for (const interrupt of interrupts)
    voice.tell({ type: "interrupt", interrupt }, { type: "tool-call", call: askingCall(interrupt) });
  return voice.finish(endOf(open), "awaiting-human");
}

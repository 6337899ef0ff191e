// What a run needs of its house. Types alone.
import type { AlarmClock } from "../core/ports.ts";
import type { RunState, SettledCall } from "../core/run.ts";
import type { RunTools } from "./AgentTools.ts";
import type { CallMemory } from "./CallMemory.ts";
import type { ContextKeeper } from "./context/ContextKeeper.ts";
import type { HandedOff } from "./HandOffs.ts";
import type { StepTaker } from "./StepTaker.ts";
import type { SettlingServices } from "./settleTurn.ts";
import type { TurnServices } from "./TurnTaker.ts";
import type { WaitServices } from "./waiting.ts";

export interface RunServices extends TurnServices, SettlingServices, WaitServices {
  readonly memory: Pick<CallMemory, "recall" | "remember">;
  readonly registry: RunTools;
  readonly clock: Pick<AlarmClock, "now" | "monotonic" | "sleep" | "after">;
  /** What makes the turns of a workflow's run; absent: a model does. */
  readonly steps?: StepTaker | undefined;
  /** Milliseconds for the answer of one turn, with all that is tried for it. */
  readonly answerMs: number;
  /** The run in the hands of the agent that one of a turn's calls gives it to; undefined where none does. */
  readonly handOff?: ((state: RunState, settled: readonly SettledCall[]) => HandedOff | undefined) | undefined;
  /** Absent for a chat completion, whose conversation is its client's. */
  readonly context?: Pick<ContextKeeper, "fit" | "refit" | "counted" | "sent"> | undefined;
}

// What a run needs of its house. Types alone.
import type { AlarmClock } from "../../core/ports.ts";
import type { RunState, SettledCall } from "../../core/runs/RunState.ts";
import type { WaitServices } from "../approvals/suspendRun.ts";
import type { SettlingServices } from "../calls/settleCalls.ts";
import type { ContextManager } from "../context/ContextManager.ts";
import type { CallMetadataCache } from "../history/CallMetadataCache.ts";
import type { HandoffResult } from "../nested/Handoffs.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import type { TurnServices } from "../turn/TurnRunner.ts";
import type { WorkflowStepRunner } from "../workflows/WorkflowStepRunner.ts";

export interface RunServices extends TurnServices, SettlingServices, WaitServices {
  readonly memory: Pick<CallMetadataCache, "recall" | "remember">;
  readonly registry: RunTools;
  readonly clock: Pick<AlarmClock, "now" | "monotonic" | "sleep" | "after">;
  /** What makes the turns of a workflow's run; absent: a model does. */
  readonly steps?: WorkflowStepRunner | undefined;
  /** Milliseconds for the answer of one turn, with all that is tried for it. */
  readonly answerMs: number;
  /** The run in the hands of the agent that one of a turn's calls gives it to; undefined where none does. */
  readonly handOff?: ((state: RunState, settled: readonly SettledCall[]) => HandoffResult | undefined) | undefined;
  /** Absent for a chat completion, whose conversation is its client's. */
  readonly context?: Pick<ContextManager, "fit" | "refit" | "counted" | "sent"> | undefined;
}

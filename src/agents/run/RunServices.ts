// The services that a run needs. Types only.
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
  readonly memory: Pick<CallMetadataCache, "recall" | "store">;
  readonly registry: RunTools;
  readonly clock: Pick<AlarmClock, "now" | "monotonic" | "sleep" | "after">;
  /** Executes the steps of a workflow; absent: a model makes the turns. */
  readonly steps?: WorkflowStepRunner | undefined;
  /** False if every answer takes the normal way (`POSTEL_FAST_PATHS=off`). */
  readonly fastPaths: boolean;
  /** Milliseconds for the answer of one turn, with all its attempts. */
  readonly answerMs: number;
  /** Returns the run after the hand-off that one of the calls starts; undefined if there is none. */
  readonly handOff?: ((state: RunState, settled: readonly SettledCall[]) => HandoffResult | undefined) | undefined;
  /** Absent for a chat completion, because its client manages the conversation. */
  readonly context?: Pick<ContextManager, "fit" | "refit" | "countPrompt" | "markSent"> | undefined;
}

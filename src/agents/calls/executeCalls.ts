// Runs the planned calls of a turn in parallel and reports their results in the order of the calls.
import { Semaphore } from "../../core/async/Semaphore.ts";
import type { RunEvent } from "../../core/events/events.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { SettledCall, ToolResult } from "../../core/runs/RunState.ts";
import { CallSuspended } from "../../tools/execution/CallSuspended.ts";
import { type ExecutionOptions, executeToolCall } from "../../tools/execution/executeToolCall.ts";
import { InterruptRaised } from "../../tools/execution/InterruptRaised.ts";
import type { ApprovalNeed } from "../approvals/approvalNeed.ts";
import type { AsyncToolTasks } from "../run/AsyncToolTasks.ts";
import {
  type CallAllowance,
  createRepeatedCallIssue,
  createTooManyCallsIssue,
  type PlannedCall,
  refuseUnattendedCall,
} from "./planCalls.ts";
import { stripImages } from "./resultImages.ts";

export interface TurnExecution extends ExecutionOptions {
  /** Maximum number of calls that run at the same time. */
  readonly parallel: number;
  readonly allowance: CallAllowance;
  readonly tasks: Pick<AsyncToolTasks, "start">;
  /** Called as soon as a call has its result. Never rejects. */
  readonly settled: (result: ToolResult) => Promise<void>;
}

export interface AskedCall {
  readonly call: ToolCall;
  readonly need: ApprovalNeed;
}

/** Each call is in one of these lists. The lists are in the order of the calls. */
export interface Executed {
  readonly settled: readonly SettledCall[];
  readonly asked: readonly AskedCall[];
  /** Calls without a result: followers of a call that waits, and calls whose nested run waits. */
  readonly left: readonly ToolCall[];
}

export async function executeCalls(
  plan: readonly PlannedCall[],
  emit: (events: readonly RunEvent[]) => Promise<void>,
  options: TurnExecution,
): Promise<Executed> {
  await emit(beginnings(plan, options.allowance));
  const running = start(plan, options);
  const settled: SettledCall[] = [];
  const askedCount: AskedCall[] = [];
  const remaining: ToolCall[] = [];
  for (const planned of plan) {
    const { call } = planned;
    const outcome = await resolveOutcome(planned, { running, settled });
    if (!outcome) {
      remaining.push(call);
    } else if (outcome.type === "waits") {
      remaining.push(outcome.as);
    } else if (outcome.type === "broken") {
      await Promise.all(running.values());
      throw outcome.cause;
    } else if (outcome.type === "ask") {
      askedCount.push({ call, need: outcome.need });
    } else {
      settled.push({ call, result: outcome.result, ran: outcome.ran });
      if (outcome.isEmitted) await emit([toResultEvent(outcome.result)]);
      if (outcome.isTask) await emit([{ type: "task-start", task: call.id, name: call.name }]);
    }
  }
  return { settled, asked: askedCount, left: remaining };
}

/** The result event for the client. The stored full text and the images are for the model only. */
function toResultEvent({ whole: _, images: __, isFromGateway: ___, ...result }: ToolResult): RunEvent {
  return { type: "tool-result", ...result };
}

/** Events that are emitted before any call runs. */
function beginnings(plan: readonly PlannedCall[], allowance: CallAllowance): readonly RunEvent[] {
  const events = plan.flatMap((planned): RunEvent[] => {
    if (planned.type === "run") return [{ type: "tool-start", call: planned.as }];
    const isRepeat = planned.type === "follow" || (planned.type === "settled" && planned.remark === "repeated");
    return isRepeat ? [{ type: "format-issue", issue: createRepeatedCallIssue(planned.call) }] : [];
  });
  const refusedCount = plan.filter((planned) => planned.type === "settled" && planned.remark === "refused").length;
  return refusedCount > 0
    ? [...events, { type: "format-issue", issue: createTooManyCallsIssue(plan.length, refusedCount, allowance) }]
    : events;
}

type Outcome =
  | { readonly type: "waits"; readonly as: ToolCall }
  | { readonly type: "broken"; readonly cause: unknown }
  | { readonly type: "ask"; readonly need: ApprovalNeed }
  /** `told`: the client gets the result; `isTask`: the call continues as an async task. */
  | {
      readonly type: "settled";
      readonly result: ToolResult;
      readonly ran: boolean;
      readonly isEmitted: boolean;
      readonly isTask?: boolean;
    };

type Running = ReadonlyMap<string, Promise<Outcome>>;

function start(plan: readonly PlannedCall[], options: TurnExecution): Running {
  const permits = new Semaphore({
    permits: options.parallel,
    maxWaiting: plan.length,
    waitMs: LONGEST_MS,
    keys: "`limits.parallel_tools`",
  });
  const { signal } = new AbortController();
  const run = async (planned: PlannedRun): Promise<Outcome> => {
    const release = await permits.acquire(signal);
    return await runOne(planned, options).finally(release);
  };
  return new Map(plan.flatMap((planned) => (planned.type === "run" ? [[planned.call.id, run(planned)] as const] : [])));
}

/** The longest timer that Node supports. */
const LONGEST_MS = 2_147_483_647;

type PlannedRun = Extract<PlannedCall, { type: "run" }>;

/** Resolves with undefined for a call that follows a waiting call. */
async function resolveOutcome(
  planned: PlannedCall,
  { running, settled }: { readonly running: Running; readonly settled: readonly SettledCall[] },
): Promise<Outcome | undefined> {
  switch (planned.type) {
    case "run":
      return running.get(planned.call.id);
    case "ask":
      return planned;
    case "settled":
      return { ...planned, isEmitted: planned.remark === undefined };
    case "follow": {
      const leader = settled.find(({ call }) => call.id === planned.leader);
      return (
        leader && {
          type: "settled",
          result: { ...stripImages(leader.result), callId: planned.call.id },
          ran: false,
          isEmitted: false,
        }
      );
    }
    default:
      return planned satisfies never;
  }
}

async function runOne({ call, as, edited, answer }: PlannedRun, options: TurnExecution): Promise<Outcome> {
  if (options.registry.get(as.name)?.async) return await startTask(as, options);
  try {
    const brought = await executeToolCall(as, { ...options, answer });
    const result = edited ? { ...brought, content: editedWords(as) + brought.content } : brought;
    await options.settled(result);
    return { type: "settled", result, ran: true, isEmitted: true };
  } catch (error) {
    if (error instanceof CallSuspended) return error.why.type === "waits" ? { type: "waits", as } : error.why;
    if (!(error instanceof InterruptRaised)) throw error;
    const need = { ...error.need, allowOther: options.registry.get(call.name)?.allowOther };
    if (options.interactive) return { type: "ask", need };
    return { type: "settled", result: refuseUnattendedCall(call, need), ran: true, isEmitted: true };
  }
}

async function startTask(call: ToolCall, { tasks, settled, onEnd }: TurnExecution): Promise<Outcome> {
  const result = tasks.start(call);
  if (result.isError) {
    await onEnd?.(call, { outcome: "failed", ms: 0, content: result.content });
    await settled(result);
  }
  return { type: "settled", result, ran: !result.isError, isEmitted: true, isTask: !result.isError };
}

/** The model sees its own arguments in its call, but these arguments ran. */
function editedWords({ arguments: args }: ToolCall): string {
  return `A person changed the arguments of this call to ${args}. With them it brought:\n\n`;
}

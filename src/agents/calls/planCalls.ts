// Plans each gateway call of a turn before any of them runs: run, wait for an approver, follow an equal call, or already settled. Runs nothing.

import { YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import type { FormatIssue } from "../../core/events/issues.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { CallKeys } from "../../core/runs/callKey.ts";
import type { FormAnswer } from "../../core/runs/interrupts.ts";
import type { ExecutedCall, Rejection, ToolResult } from "../../core/runs/RunState.ts";
import type { ShownDefinition } from "../../core/tools/toolDefinition.ts";
import type { Tool } from "../../tools/Tool.ts";
import type { Applied } from "../approvals/applyDecision.ts";
import { type ApprovalNeed, type Circumstances, findApprovalNeed } from "../approvals/approvalNeed.ts";
import { findRejection } from "../approvals/rejections.ts";
import { fitAgain } from "./revalidateCall.ts";

/** Maximum number of calls that may run, and the key that sets it. */
export interface CallAllowance {
  readonly limit: number;
  /** The configuration key that sets the limit. */
  readonly key: "calls_per_turn" | "run.max_calls";
}

export type PlannedCall = {
  readonly call: ToolCall;
} /** `as`: the call that the tool gets; `edited`: an approver wrote its arguments; `answer`: the input that it asked for. */ & (
  | { readonly type: "run"; readonly as: ToolCall; readonly edited: boolean; readonly answer?: FormAnswer | undefined }
  | { readonly type: "ask"; readonly need: ApprovalNeed }
  /** Gets the result of the call with that id. */
  | { readonly type: "follow"; readonly leader: string }
  /** `remark`: reason why the call did not run. The client gets an issue instead of the result. */
  | {
      readonly type: "settled";
      readonly result: ToolResult;
      readonly ran: boolean;
      readonly remark?: "repeated" | "refused";
    }
);

export interface Planning {
  readonly tools: { get(name: string): Tool | undefined };
  readonly allowance: CallAllowance;
  /** Number of calls of the turn that have run. */
  readonly taken: number;
  /** Calls whose results are repeated instead of running an equal call. Failed calls are included for the current turn only. */
  readonly executedCalls: readonly ExecutedCall[];
  /** All calls that the run has executed before. */
  readonly executed: readonly ExecutedCall[];
  /** Decisions on the calls that waited, by call id. */
  readonly decided: ReadonlyMap<string, Applied>;
  /** Calls that may have run in an earlier process, with their results if known. */
  readonly startedCalls: ReadonlyMap<string, ToolResult | undefined>;
  /** Ids of calls whose nested runs have begun: they continue. */
  readonly nested: ReadonlySet<string>;
  /** Ids of calls whose arguments an approver wrote. */
  readonly edited: ReadonlySet<string>;
  readonly wary: Circumstances["wary"];
  /** Calls of the run that approvers rejected. */
  readonly rejections: readonly Rejection[];
  /** Tool definitions that no user of the owner has agreed to, by tool name. */
  readonly unagreed: ReadonlyMap<string, ShownDefinition>;
  /** False: calls that need an approver are refused. */
  readonly interactive: boolean;
  /** Number of further calls of the run that may wait. */
  readonly mostAsked: number;
  readonly keys: CallKeys;
}

/**
 * Characters of arguments that are judged in one slice. A statement of this length may be parsed in sixty ways, which
 * takes 25 ms of CPU. A longer call has a slice of its own.
 */
export const SLICE_CHARS = 2_000;

/** The plan, in the order of the calls. Yields where the event loop needs a tick. A `repeatable` tool runs for each of its calls. */
export function* planCalls(
  calls: readonly ToolCall[],
  planning: Planning,
): Generator<typeof YIELD, readonly PlannedCall[]> {
  const { keys, executedCalls: known, tools, allowance } = planning;
  const failed = countFailures(planning);
  const brought = new Map(known.map(({ call, result }) => [keys.of(call), result]));
  const leaders = new Map<string, string>();
  let running = planning.taken;
  let askedCount = 0;
  const plan = (call: ToolCall): PlannedCall => {
    const decided = planDecided(call, planning);
    if (decided) return decided;
    const key = keys.of(call);
    const repeatable = tools.get(call.name)?.repeatable === true;
    const before = repeatable ? undefined : brought.get(key);
    if (before)
      return { call, type: "settled", result: { ...before, callId: call.id }, ran: false, remark: "repeated" };
    const last = failed.get(key);
    if (last && last.times >= MOST_FAILURES)
      return { call, type: "settled", result: failsAlways(call, last.result), ran: false };
    const leader = repeatable ? undefined : leaders.get(key);
    if (leader !== undefined) return { call, type: "follow", leader };
    if (running >= allowance.limit)
      return { call, type: "settled", result: createLimitResult(call, allowance), ran: false, remark: "refused" };
    return judged(call, { ...planning, mostAsked: planning.mostAsked - askedCount });
  };
  const pace = new YieldBudget(SLICE_CHARS);
  const plans: PlannedCall[] = [];
  for (const call of calls) {
    if (pace.isDue(call.arguments.length)) yield YIELD;
    const planned = plan(call);
    if (planned.type === "settled" ? planned.ran : planned.type !== "follow") running += 1;
    if (planned.type === "ask") askedCount += 1;
    if (planned.type !== "follow" && !("remark" in planned)) leaders.set(keys.of(call), call.id);
    plans.push(planned);
  }
  return plans;
}

/** Number of failures after which an equal call does not run again in the run. */
const MOST_FAILURES = 3;

/** Number of consecutive failures of equal calls, with the last result. A success resets the count. */
function countFailures({ executed, keys }: Pick<Planning, "executed" | "keys">) {
  const failed = new Map<string, { readonly times: number; readonly result: ToolResult }>();
  for (const { call, result } of executed) {
    const key = keys.of(call);
    if (result.isError) failed.set(key, { times: (failed.get(key)?.times ?? 0) + 1, result });
    else failed.delete(key);
  }
  return failed;
}

function failsAlways(call: ToolCall, { content }: ToolResult): ToolResult {
  const reason = `this call was not run: with these arguments it has failed ${MOST_FAILURES} times in this run. Change the arguments, or do without it.`;
  return errorResult(call, `${reason} It last said:\n\n${content}`);
}

/** A call with a decision or a known result is not judged again. */
function planDecided(call: ToolCall, { decided, startedCalls, nested, edited }: Planning): PlannedCall | undefined {
  const result = startedCalls.get(call.id);
  if (result) return { call, type: "settled", result, ran: true };
  if (nested.has(call.id)) return { call, type: "run", as: call, edited: edited.has(call.id) };
  const applied = decided.get(call.id);
  switch (applied?.type) {
    case undefined:
      return undefined;
    case "run":
      return { call, type: "run", as: applied.call, edited: applied.edited, answer: applied.answer };
    case "ask":
      return { call, type: "ask", need: applied.need };
    case "settled":
      return { call, type: "settled", result: applied.result, ran: applied.ran };
    default:
      return applied satisfies never;
  }
}

/** Judges a call. A client may get an unchecked call, but a gateway tool never gets arguments that break its schema. */
function judged(call: ToolCall, planning: Planning): PlannedCall {
  const { tools, wary, startedCalls, interactive, mostAsked } = planning;
  const edited = planning.edited.has(call.id);
  const tool = tools.get(call.name);
  const fit = tool && call.unchecked ? fitAgain(call, tool) : undefined;
  if (fit?.type === "misfit") return { call, type: "settled", result: errorResult(call, fit.reason), ran: true };
  const as = fit?.call ?? call;
  const definition = planning.unagreed.get(call.name);
  const need = tool && findApprovalNeed(as, tool, { wary, hasStarted: startedCalls.has(call.id), edited, definition });
  if (!need) return { call, type: "run", as, edited };
  if (!interactive)
    return { call, type: "settled", result: refuseUnattendedCall(call, need), ran: need.type === "unknown-outcome" };
  // The model must not read that a call with unknown outcome did not run, because it would repeat it.
  if (need.type === "unknown-outcome") return { call, type: "ask", need };
  const rejection = need.plan && findRejection(as, planning.rejections, tools);
  if (rejection && !rejection.reconsidered)
    return { call, type: "settled", result: errorResult(call, REJECTED_BEFORE), ran: false };
  if (mostAsked <= 0) return { call, type: "settled", result: errorResult(call, TOO_MANY_ASKED), ran: false };
  return { call, type: "ask", need: rejection ? markRejected(need) : need };
}

const REJECTED_BEFORE =
  "this call was not run. It is rejected before: a person said no to the same in this run, and nothing has come since that they could judge anew. Do without it.";

function markRejected(need: ApprovalNeed): ApprovalNeed {
  const before = "A call that would do the same was rejected before in this run.";
  const reason = need.reason === undefined ? before : `${before} ${need.reason}`;
  return { ...need, reason, plan: need.plan && { ...need.plan, rejectedBefore: true } };
}

const TOO_MANY_ASKED =
  "this call was not run. Too much of this run waits for a person already; make it again once that is decided.";

/** The result of a call that needs an approver when none is available. */
export function refuseUnattendedCall(
  call: ToolCall,
  { type, plan, question, reason }: Omit<ApprovalNeed, "onReject">,
): ToolResult {
  if (type === "unknown-outcome")
    return errorResult(
      call,
      "the run was interrupted while this call ran; whether it had an effect is not known, and it was not run again.",
    );
  const why = plan?.danger ?? reason;
  if (!plan) return errorResult(call, `nobody is there to answer: ${question}${why === undefined ? "" : ` (${why})`}`);
  return errorResult(
    call,
    `this call was not run: a person would have to agree to it, and nobody is there.${why === undefined ? "" : ` ${why}`}`,
  );
}

function errorResult({ id, name }: ToolCall, reason: string): ToolResult {
  return { callId: id, name, content: `Error: ${reason}`, isError: true, isFromGateway: true };
}

/** The issue that calls did not run because there were too many. */
export function createTooManyCallsIssue(callCount: number, refusedCount: number, { key }: CallAllowance): FormatIssue {
  const message = `The model made ${callCount} calls in one answer; ${refusedCount} of them were not run (\`limits.${key}\`), and it was told so.`;
  return { code: "too-many-calls", message };
}

function createLimitResult(call: ToolCall, { limit: most, key }: CallAllowance): ToolResult {
  return errorResult(
    call,
    key === "calls_per_turn"
      ? `this call was not run. Of one answer only ${most} calls are run; make it again in the next if it is still needed.`
      : "this call was not run. No further tool can be called; answer with what is known.",
  );
}

/** The issue that a call did not run because an equal one did, and that its result was repeated. */
export function createRepeatedCallIssue({ name, origin }: ToolCall): FormatIssue {
  const message = `The model made the same call of ${name} again; it was not run again, and its result was told again.`;
  return { code: "repeated-call", message, tool: name, ...(origin !== "native" && { family: origin }) };
}

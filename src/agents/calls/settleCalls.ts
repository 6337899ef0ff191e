// Advances the gateway's calls of a turn: applies decisions, runs the calls that may run, and returns those that need an approver.

import { runCooperatively, YieldBudget, yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import type { RunEvent } from "../../core/events/events.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { Clock, Observer } from "../../core/ports.ts";
import type { CallKeys } from "../../core/runs/callKey.ts";
import type { PendingTurn, Rejection, RunState, ToolResult } from "../../core/runs/RunState.ts";
import { KEPT_OF_RUN } from "../../core/runs/resultLimits.ts";
import type { JournaledCall } from "../../core/stores/RunStore.ts";
import type { ShownDefinition } from "../../core/tools/toolDefinition.ts";
import { ResultTruncator } from "../../tools/execution/ResultTruncator.ts";
import { IMAGES_OF_RUN, ImageBudget } from "../../tools/execution/renderParts.ts";
import { type Applied, applyDecision } from "../approvals/applyDecision.ts";
import { needsApprovalByRule } from "../approvals/approvalNeed.ts";
import { collectRejections } from "../approvals/rejections.ts";
import { type AgreeingServices, findToolsWithoutConsent, recordConsent } from "../approvals/toolConsent.ts";
import type { AuditRecorder } from "../audit/AuditRecorder.ts";
import { NestedRuns, type Nesting } from "../nested/NestedRuns.ts";
import { getOutermostCall } from "../nested/nestedRequests.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import type { AsyncToolTasks } from "../run/AsyncToolTasks.ts";
import { countRepeats } from "../run/detectRepeats.ts";
import type { RunContinuation } from "../run/Journal.ts";
import { computeCallAllowance } from "../run/runLimits.ts";
import { type AskedCall, executeCalls } from "./executeCalls.ts";
import { type PlannedCall, type Planning, planCalls, SLICE_CHARS } from "./planCalls.ts";
import { countKeptChars } from "./readResultTool.ts";
import { countImageChars } from "./resultImages.ts";

export interface SettlingServices extends AgreeingServices {
  readonly registry: RunTools;
  /** True if calls need an approval once the model has read untrusted content. */
  readonly wary: boolean;
  /** Maximum number of calls that run at the same time. */
  readonly parallelTools: number;
  /** Maximum number of calls of one turn that the gateway runs. */
  readonly callsPerTurn: number;
  /** Maximum number of characters of a tool result that the model gets. */
  readonly toolOutputChars: number;
  /** Timeout in milliseconds of a tool that has none of its own. */
  readonly toolMs: number;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly observer: Observer;
  /** Absent if there is no audit log. */
  readonly auditRecorder?: AuditRecorder | undefined;
  /** Absent if nested agent runs are not possible. */
  readonly nesting?: Nesting | undefined;
}

interface TurnSettling extends SettlingServices, RunContinuation {
  readonly signal: AbortSignal;
  readonly keys: CallKeys;
  readonly tasks: Pick<AsyncToolTasks, "start">;
  readonly emit: (events: readonly RunEvent[]) => Promise<void>;
}

export interface SettledTurn {
  /** The turn with the results of its calls; nothing waits in it yet. */
  readonly open: PendingTurn;
  /** See `RunState.rejections`. */
  readonly rejections?: readonly Rejection[] | undefined;
  /** Calls that need an approver. */
  readonly asked: readonly AskedCall[];
  /** True if a rejection ends the run. */
  readonly stops: boolean;
  /** The nested runs among the calls. */
  readonly within: Pick<NestedRuns, "getSpent" | "untrusted" | "waiting"> | undefined;
  /** True if a result of this pass contains untrusted content. */
  readonly untrusted: boolean;
}

/** Maximum number of interrupts of a run that wait at the same time. */
const MOST_WAITING = 16;

export async function settleCalls(state: RunState, turn: PendingTurn, doing: TurnSettling): Promise<SettledTurn> {
  const { journal, registry, auditRecorder } = doing;
  const lostResults = lostCalls(turn, doing.begun);
  if (lostResults.length > 0) await auditRecorder?.recordLost(state, lostResults, registry);
  const decided = await applyDecisions(state, turn, doing);
  const unagreed = await findToolsWithoutConsent(turn.execute, state, doing);
  const plan = await runCooperatively(planTurn(state, turn, { ...doing, decided, unagreed }));
  const runs = plan.flatMap((one) => (one.type === "run" ? [one.as] : []));
  const begins = { ...state, open: begunTurn(turn, plan, decided) };
  const carried = carriedCalls(turn, runs, doing.begun);
  if (runs.length > 0) await begin(begins, runs, { ...doing, carried, decided });
  const nested = nestedRuns(plan, begins, { ...doing, carried });
  const { settled, asked, left } = await executeCalls(plan, doing.emit, {
    registry,
    clock: doing.clock,
    observer: doing.observer,
    run: state.id,
    within: state.within,
    owner: state.request.caller.name,
    agent: state.agent,
    maySave: state.interactive && !state.untrusted,
    isKept: state.interactive,
    signal: doing.signal,
    ...createResultBudgets(state, turn, doing),
    defaultTimeoutMs: doing.toolMs,
    parallel: doing.parallelTools,
    allowance: computeCallAllowance(state, doing.callsPerTurn),
    interactive: state.interactive,
    tasks: doing.tasks,
    onEnd: auditRecorder && ((call, end) => auditRecorder.recordEnd(begins, call, registry, end)),
    settled: (result) => nested?.journal.recordResult(result) ?? journal.recordResult(begins, result),
    ...(nested && { runAgent: (call, task, signal) => nested.run(call, task, signal) }),
  }).finally(() => nested?.close());
  const { edited } = begins.open;
  const rejections = collectRejections(state, {
    ...{ waiting: turn.waiting, decisions: doing.decisions, decided, settled, registry },
    began: new Set(runs.map(({ id }) => id)),
    within: nested?.rejections ?? [],
  });
  return {
    ...(rejections && { rejections }),
    open: {
      ...turn,
      execute: left,
      settled: inOrder([...turn.settled, ...settled], state),
      waiting: [],
      nested: nested?.waiting.map(({ call, state: within }) => ({ call, state: within })),
      ...(edited && { edited }),
    },
    within: nested,
    asked,
    stops: [...decided.values()].some((one) => one.type === "settled" && one.stops),
    untrusted: settled.some(({ ran, result }) => ran && registry.get(result.name)?.untrusted === true),
  };
}

/** Creates the budgets of characters and images that the run has left for results. */
function createResultBudgets(state: RunState, turn: PendingTurn, { toolOutputChars }: TurnSettling) {
  const storedCalls = countKeptChars([...state.executed, ...turn.settled]);
  return {
    results: new ResultTruncator(toolOutputChars, KEPT_OF_RUN - storedCalls),
    images: new ImageBudget(IMAGES_OF_RUN - countImageChars(state.messages)),
  };
}

/** Applies the decisions of approvers, and stores their consent to the tool definitions they were shown. */
async function applyDecisions(state: RunState, turn: PendingTurn, doing: TurnSettling): Promise<Decided> {
  const shownDefinitions =
    turn.waiting.length === 0 ? NOTHING_SHOWN : await findToolsWithoutConsent(listWaitingCalls(turn), state, doing);
  const decided = await collectDecisions(state, turn, { ...doing, shownDefinitions });
  await recordConsent(turn.waiting, decided, { ...doing, state });
  return decided;
}

/** Calls that began in an earlier process and have no recorded outcome. Nested runs are excluded, because they continue. */
function lostCalls(
  { execute, nested = [] }: PendingTurn,
  startedCalls: RunContinuation["begun"] = [],
): readonly ToolCall[] {
  const unknown = new Set(startedCalls.flatMap(({ callId, result }) => (result ? [] : [callId])));
  return execute.filter(({ id }) => unknown.has(id) && nested.every(({ call }) => call.id !== id));
}

/** Calls of the turn, and of runs within it, that an earlier pass began and this one does not run. */
function carriedCalls(
  { execute }: PendingTurn,
  running: readonly ToolCall[],
  startedCalls: RunContinuation["begun"] = [],
): readonly JournaledCall[] {
  if (startedCalls.length === 0) return [];
  const ofTurn = new Set(execute.map(({ id }) => id));
  const runs = new Set(running.map(({ id }) => id));
  return startedCalls.filter(({ callId }) => ofTurn.has(getOutermostCall(callId)) && !runs.has(callId));
}

type Beginning = TurnSettling & { readonly carried: readonly JournaledCall[] };

/**
 * Writes the calls to the journal and the audit log before any of them runs. After a crash between the two, a call that
 * only the journal lists counts as one that may have run.
 */
async function begin(
  state: RunState,
  calls: readonly ToolCall[],
  { journal, auditRecorder, registry, carried, decided }: Beginning & { readonly decided: Decided },
): Promise<void> {
  const ids = calls.map(({ id }) => id);
  await journal.begin(state, ids, carried);
  if (!auditRecorder) return;
  const isApproved = (call: ToolCall) => {
    const tool = registry.get(call.name);
    return decided.get(call.id)?.type === "run" || (tool !== undefined && needsApprovalByRule(call, tool));
  };
  const approved = new Set(calls.filter(isApproved).map(({ id }) => id));
  await auditRecorder.recordStart(state, calls, { get: (name) => registry.get(name), approved });
}

/** Returns undefined if none of the running calls is a nested agent run. */
function nestedRuns(plan: readonly PlannedCall[], outer: RunState, doing: Beginning): NestedRuns | undefined {
  const { registry, nesting } = doing;
  const running = plan.flatMap((one) => (one.type === "run" ? [one.call] : []));
  const sharers = running.filter(({ name }) => registry.get(name)?.nests).length;
  if (!nesting || sharers === 0) return undefined;
  return new NestedRuns({ ...doing, nesting, outer, running: running.map(({ id }) => id), sharers });
}

type Decided = ReadonlyMap<string, Applied>;

interface Deciding extends Pick<TurnSettling, "decisions" | "registry"> {
  /** Definitions of the tools of waiting calls that no user of the owner has agreed to, by tool name. */
  readonly shownDefinitions: ReadonlyMap<string, ShownDefinition>;
}

async function collectDecisions(
  state: RunState,
  { waiting }: PendingTurn,
  { decisions, registry, shownDefinitions: shown }: Deciding,
): Promise<Decided> {
  const pace = new YieldBudget(SLICE_CHARS);
  const decided = new Map<string, Applied>();
  for (const one of waiting) {
    if (pace.isDue(one.call.arguments.length)) await yieldToEventLoop();
    const decision = decisions?.get(one.interrupt.id);
    const tool = registry.get(one.call.name);
    const current = tool && { tool, definition: shown.get(one.call.name) };
    decided.set(one.call.id, applyDecision(state, one, decision, current));
  }
  return decided;
}

function listWaitingCalls({ waiting }: PendingTurn): readonly ToolCall[] {
  return waiting.map(({ call }) => call);
}

const NOTHING_SHOWN: ReadonlyMap<string, ShownDefinition> = new Map();

function planTurn(
  state: RunState,
  turn: PendingTurn,
  doing: TurnSettling & { readonly decided: Decided } & Pick<Planning, "unagreed">,
): ReturnType<typeof planCalls> {
  const { registry, callsPerTurn, keys, wary, decided, unagreed } = doing;
  const calls = inOrder([...turn.execute.map((call) => ({ call })), ...turn.waiting], state).map(({ call }) => call);
  const earlier = countRepeats(state.messages, keys) > 1 ? state.executed.filter(({ result }) => !result.isError) : [];
  return planCalls(calls, {
    tools: registry,
    allowance: computeCallAllowance(state, callsPerTurn),
    taken: turn.settled.filter(({ ran }) => ran).length,
    executedCalls: [...earlier, ...turn.settled],
    executed: state.executed,
    decided,
    startedCalls: new Map<string, ToolResult | undefined>(doing.begun?.map(({ callId, result }) => [callId, result])),
    nested: new Set(turn.nested?.map(({ call }) => call.id)),
    edited: new Set(turn.edited),
    wary: wary && state.untrusted === true,
    rejections: state.rejections ?? [],
    unagreed,
    interactive: state.interactive,
    mostAsked: MOST_WAITING,
    keys,
  });
}

/** The turn as it is stored before any call runs. An approved call no longer waits. A process that resumes from this state applies the other decisions again. */
function begunTurn(turn: PendingTurn, plan: readonly PlannedCall[], decided: Decided): PendingTurn {
  const waiting = turn.waiting.filter(({ call }) => decided.get(call.id)?.type !== "run");
  const waitingIds = new Set(waiting.map(({ call }) => call.id));
  const execute = plan.filter(({ call }) => !waitingIds.has(call.id));
  const edited = execute.flatMap((one) => (one.type === "run" && one.edited ? [one.call.id] : []));
  return {
    ...turn,
    execute: execute.map((one) => (one.type === "run" ? one.as : one.call)),
    waiting,
    ...(edited.length > 0 && { edited }),
  };
}

/** Sorts items into the order in which the model made the calls of its last turn. */
function inOrder<Item extends { readonly call: ToolCall }>(
  items: readonly Item[],
  { messages }: RunState,
): readonly Item[] {
  const lastCalls = messages.findLast(({ role }) => role === "assistant")?.toolCalls ?? [];
  const order = new Map(lastCalls.map(({ id }, index) => [id, index]));
  return items.toSorted((a, b) => (order.get(a.call.id) ?? 0) - (order.get(b.call.id) ?? 0));
}

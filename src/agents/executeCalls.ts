// Runs the gateway's calls of a turn in parallel, equal ones once and no more than may run, and tells their results in the order of the calls. Knows no turn and no model.
import pLimit from "p-limit";
import type { CallKeys } from "../core/CallKeys.ts";
import type { RunEvent } from "../core/events.ts";
import type { FormatIssue } from "../core/issues.ts";
import type { ToolCall } from "../core/messages.ts";
import type { ExecutedCall, ToolResult } from "../core/run.ts";
import { fitCall } from "../formats/fitting/fitCall.ts";
import { readNativeCalls } from "../formats/fitting/nativeCalls.ts";
import { type ExecutionOptions, executeToolCall } from "../tools/executeToolCall.ts";

export interface SettledCall extends ExecutedCall {
  /** False where the result is that of an equal call, or says that the call was refused. */
  readonly ran: boolean;
}

/** How many calls may run, and what is said of the rest. */
export interface CallAllowance {
  readonly most: number;
  /** The configuration's key that says so. */
  readonly key: "calls_per_turn" | "run.max_calls";
}

export interface TurnExecution extends ExecutionOptions {
  /** Calls that run at the same time. */
  readonly parallel: number;
  readonly allowance: CallAllowance;
  /** Calls whose results are told again instead of running an equal one; what failed is tried again. */
  readonly earlier: readonly ExecutedCall[];
  /** Calls that may have run before the run came here, with what they brought where that is known. */
  readonly begun: ReadonlyMap<string, ToolResult | undefined>;
  /** Told as soon as a call has its result. Never rejects. */
  readonly settled: (result: ToolResult) => Promise<void>;
  readonly keys: CallKeys;
}

type PlannedCall = Pick<SettledCall, "call" | "ran"> & {
  readonly refused: boolean;
  readonly settle: () => Promise<ToolResult>;
};

/**
 * A tool that says it is `repeatable` is run for each of its calls. Every call has its one result; what is beyond the allowance is
 * not run, and its result says so.
 */
export async function executeCalls(
  calls: readonly ToolCall[],
  tell: (...events: readonly RunEvent[]) => Promise<void>,
  options: TurnExecution,
): Promise<readonly SettledCall[]> {
  const plan = planCalls(calls, options);
  const begun = plan.flatMap(({ call, ran, refused }): RunEvent[] => {
    if (ran) return [{ type: "tool-start", call }];
    return refused ? [] : [{ type: "format-issue", issue: repeated(call) }];
  });
  const refused = plan.filter((planned) => planned.refused).length;
  if (refused > 0) begun.push({ type: "format-issue", issue: tooMany(calls.length, refused, options.allowance) });
  await tell(...begun);
  for (const { settle } of plan) void settle();
  const settled: SettledCall[] = [];
  for (const { call, ran, settle } of plan) {
    const result = { ...(await settle()), callId: call.id };
    settled.push({ call, result, ran });
    if (ran) await tell({ type: "tool-result", ...result });
  }
  return settled;
}

function planCalls(calls: readonly ToolCall[], options: TurnExecution): readonly PlannedCall[] {
  const limit = pLimit(options.parallel);
  const started = new Map<string, () => Promise<ToolResult>>(known(options));
  let running = 0;
  return calls.map((call) => {
    const key = options.keys.of(call);
    const before = options.registry.get(call.name)?.repeatable ? undefined : started.get(key);
    if (before) return { call, ran: false, refused: false, settle: before };
    if (running >= options.allowance.most) {
      const result = refusal(call, options.allowance);
      return { call, ran: false, refused: true, settle: () => Promise.resolve(result) };
    }
    running += 1;
    const settle = once(() => limit(() => executeOne(call, options)));
    started.set(key, settle);
    return { call, ran: true, refused: false, settle };
  });
}

function refusal({ id, name }: ToolCall, { most, key }: CallAllowance): ToolResult {
  const content =
    key === "calls_per_turn"
      ? `Error: this call was not run. Of one answer only ${most} calls are run; make it again in the next if it is still needed.`
      : "Error: this call was not run. No further tool can be called; answer with what is known.";
  return { callId: id, name, content, isError: true };
}

function tooMany(made: number, refused: number, { key }: CallAllowance): FormatIssue {
  const message = `The model made ${made} calls in one answer; ${refused} of them were not run (\`limits.${key}\`), and it was told so.`;
  return { code: "too-many-calls", message };
}

function known({ earlier, keys }: TurnExecution): readonly (readonly [string, () => Promise<ToolResult>])[] {
  return earlier
    .filter(({ result }) => !result.isError)
    .map(({ call, result }) => [keys.of(call), () => Promise.resolve(result)] as const);
}

function once<T>(start: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= start();
    return running;
  };
}

function repeated({ name, origin }: ToolCall): FormatIssue {
  const message = `The model made the same call of ${name} again; it was not run again, and its result was told again.`;
  return { code: "repeated-call", message, tool: name, ...(origin !== "native" && { family: origin }) };
}

async function executeOne(call: ToolCall, options: TurnExecution): Promise<ToolResult> {
  const before = options.begun.get(call.id);
  if (before) return before;
  const result = await execute(call, options);
  await options.settled(result);
  return result;
}

/** A client may want a call as it came; a tool of the gateway gets no arguments that its schema forbids. */
async function execute(call: ToolCall, options: TurnExecution): Promise<ToolResult> {
  const tool = options.registry.get(call.name);
  if (tool && !tool.idempotent && options.begun.has(call.id)) return unknownOutcome(call);
  if (!call.unchecked || !tool) return executeToolCall(call, options);
  const [candidate, ...more] = readNativeCalls({ name: call.name, arguments: call.arguments });
  const context = { tools: [tool.spec], family: call.origin, raw: call.raw };
  const fit = candidate && more.length === 0 ? fitCall(candidate, context) : undefined;
  if (fit?.type === "call") return executeToolCall({ ...call, arguments: fit.arguments }, options);
  const reason = fit?.issue.message ?? `The call of ${call.name} could not be read.`;
  return { callId: call.id, name: call.name, content: `Error: ${reason}`, isError: true };
}

function unknownOutcome({ id, name }: ToolCall): ToolResult {
  const content =
    "Error: the run was interrupted while this call ran; whether it had an effect is not known, and it was not run again.";
  return { callId: id, name, content, isError: true };
}

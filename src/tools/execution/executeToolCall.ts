// Runs one call: prepare, execute, settle. Every failure becomes a text that the model can read. Does not decide what
// follows.
import { hash } from "node:crypto";
import { parseExactObject } from "../../core/json/exactArguments.ts";
import type { JsonObject, ToolCall } from "../../core/messages.ts";
import type { Clock, Observer } from "../../core/ports.ts";
import type { ToolResult } from "../../core/runs/RunState.ts";
import type { ToolCallOutcome } from "../../core/tools/toolStatistics.ts";
import {
  type AgentTask,
  CitedOutput,
  MultipartOutput,
  NotedOutput,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from "../Tool.ts";
import { CallSuspended } from "./CallSuspended.ts";
import { describeError, ToolTimeoutError } from "./errorHint.ts";
import { parseCitations } from "./extractCitations.ts";
import { InterruptRaised } from "./InterruptRaised.ts";
import { KeptText, type ResultTruncator, type TruncatedResult } from "./ResultTruncator.ts";
import type { ImageBudget } from "./renderParts.ts";

export interface ExecutionOptions
  extends Pick<ToolContext, "run" | "owner" | "agent" | "maySave" | "isKept" | "interactive" | "answer"> {
  /** See `RunState.within`. */
  readonly within?: string | undefined;
  /** Source of tools: a ToolRegistry, or the tools that one run may use. */
  readonly registry: { get(name: string): Tool | undefined };
  readonly signal: AbortSignal;
  /** Truncates results and stores their rest. */
  readonly results: ResultTruncator;
  readonly clock: Pick<Clock, "monotonic">;
  /** Observes each call of an existing tool, except those that wait for a user. */
  readonly observer: Observer;
  /** Called with the end of the call before its result is used. Never rejects. */
  readonly onEnd?: ((call: ToolCall, end: ToolCallEnd) => Promise<void>) | undefined;
  /** Limits the images that may still be shown. */
  readonly images: ImageBudget;
  /** Milliseconds, for tools that name no timeout of their own. */
  readonly defaultTimeoutMs: number;
  /** Runs an agent for tools that delegate a task. */
  readonly runAgent?: ((call: ToolCall, task: AgentTask, signal: AbortSignal) => Promise<ToolOutput>) | undefined;
}

/** End of a call, for recorders. */
export interface ToolCallEnd {
  /** `waiting`: the call, or a run nested in it, asked the user. */
  readonly outcome: ToolCallOutcome | "waiting";
  readonly ms: number;
  /** Content of the result; absent if there is none. */
  readonly content?: string | undefined;
}

/**
 * Rejects only with an `InterruptRaised` or a `CallSuspended` of the tool. An aborted run resolves at once, even if the tool
 * ignores its signal.
 */
export async function executeToolCall(call: ToolCall, options: ExecutionOptions): Promise<ToolResult> {
  const { registry, clock, observer, run, onEnd } = options;
  const began = clock.monotonic();
  const { outcome, result, note } = await prepareAndRun(call, options).catch(async (error: unknown) => {
    const ms = clock.monotonic() - began;
    if (!isBroken(error)) await onEnd?.(call, { outcome: options.interactive ? "waiting" : "failed", ms });
    throw error;
  });
  const ms = clock.monotonic() - began;
  await onEnd?.(call, { outcome, ms, content: result.content });
  const tool = registry.get(call.name);
  if (tool) {
    const name = tool.registeredAs ?? tool.spec.name;
    const chars = result.content.length;
    observer.observe({ type: "tool-call", run, tool: name, outcome, ms, chars, ...(note !== undefined && { note }) });
  }
  return result;
}

/** The call has no outcome here, but may have one elsewhere. */
function isBroken(error: unknown): boolean {
  return error instanceof CallSuspended && error.why.type === "broken";
}

interface Settled {
  readonly outcome: ToolCallOutcome;
  readonly result: ToolResult;
  /** See `NotedOutput`. */
  readonly note?: string;
}

async function prepareAndRun(call: ToolCall, options: ExecutionOptions): Promise<Settled> {
  const redact = options.registry.get(call.name)?.redact ?? ((text: string) => text);
  const settle = (
    outcome: ToolCallOutcome,
    shownText: TruncatedResult & Pick<ToolResult, "images" | "sources">,
  ): Settled => ({
    outcome,
    result: { callId: call.id, name: call.name, ...shownText, isError: outcome !== "ok" },
  });
  const show = (text: string): TruncatedResult => options.results.show(text, call.id, redact);
  const preparedCall = prepare(call, options.registry);
  if (preparedCall.type === "refused") {
    const { outcome, result } = settle("failed", show(preparedCall.reason));
    return { outcome, result: { ...result, isFromGateway: true } };
  }
  try {
    const brought = await execute(preparedCall, call, options);
    if (brought instanceof KeptText) return settle("ok", options.results.showKept(brought));
    if (brought instanceof MultipartOutput) {
      const { text, images } = options.images.show(brought.parts);
      return settle("ok", { ...show(text), ...(images.length > 0 && { images }) });
    }
    const { output, note, isShown } = brought instanceof NotedOutput ? brought : { output: brought };
    const sources = output instanceof CitedOutput ? parseCitations(output.sources, redact) : [];
    const text = stringifyOutput(output instanceof CitedOutput ? output.output : output);
    const shownText = show(isShown ? `Note: ${note}\n${text}` : text);
    return {
      ...settle("ok", { ...shownText, ...(sources.length > 0 && { sources }) }),
      ...(note !== undefined && { note }),
    };
  } catch (error) {
    if (error instanceof InterruptRaised || error instanceof CallSuspended) throw error;
    return settle(resolveOutcome(error, options.signal), show(`Error: ${describeError(error)}`));
  }
}

function resolveOutcome(error: unknown, { aborted }: AbortSignal): ToolCallOutcome {
  if (aborted) return "cancelled";
  return error instanceof ToolTimeoutError ? "timeout" : "failed";
}

type Prepared =
  | { readonly type: "ready"; readonly tool: Tool; readonly args: JsonObject }
  | { readonly type: "refused"; readonly reason: string };

function prepare(call: ToolCall, registry: ExecutionOptions["registry"]): Prepared {
  const tool = registry.get(call.name);
  if (!tool) return { type: "refused", reason: `Error: there is no tool called ${call.name}.` };
  const args = parseExactObject(call.arguments);
  if (args) return { type: "ready", tool, args };
  return { type: "refused", reason: `Error: the arguments of ${call.name} must be one JSON object.` };
}

async function execute(
  { tool, args }: Extract<Prepared, { type: "ready" }>,
  call: ToolCall,
  options: ExecutionOptions,
): Promise<ToolOutput> {
  const { run, owner, agent, maySave, isKept, interactive, answer, runAgent } = options;
  const timeoutMs = tool.timeoutMs ?? options.defaultTimeoutMs;
  const clock = new AbortController();
  const signal = AbortSignal.any([options.signal, clock.signal]);
  if (signal.aborted) throw new Error("the run was cancelled before the tool ran.");
  const timer = setTimeout(() => clock.abort(), timeoutMs);
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => {
    const isAborted = clock.signal.aborted;
    const reason = isAborted ? `the tool took longer than ${timeoutMs} ms` : "the run was cancelled";
    const message = `${reason}; whether it had an effect is not known.`;
    aborted.reject(isAborted ? new ToolTimeoutError(message) : new Error(message));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const callKey = keyOfCall(options.within, call.id);
    return await Promise.race([
      tool.execute(args, {
        ...{ run, owner, agent, maySave, isKept, interactive, callId: call.id, callKey, signal },
        ...(answer && { answer }),
        ...(runAgent && { runAgent: (task) => runAgent(call, task, signal) }),
      }),
      aborted.promise,
    ]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** Bounded in length, however deep the run is nested. */
function keyOfCall(within: string | undefined, id: string): string {
  return within === undefined ? id : hash("sha256", `${within}/${id}`);
}

function stringifyOutput(output: Exclude<ToolOutput, CitedOutput | MultipartOutput | NotedOutput | KeptText>): string {
  // A tool in plain JavaScript may return undefined despite its type.
  return typeof output === "string" ? output : (JSON.stringify(output) ?? "null");
}

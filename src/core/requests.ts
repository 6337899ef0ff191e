// What a caller asks for, once its wire form has been checked. Knows no HTTP.

import type { TextFastLane } from "./events/TextFastLane.ts";
import type { JsonObject, Message, ToolChoice, ToolMode, ToolSpec } from "./messages.ts";

/** The form that the final answer must have. */
export type OutputFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | { readonly type: "json_schema"; readonly name: string; readonly schema: JsonObject; readonly strict: boolean };

/** What becomes of a turn whose call never became valid: a typed failure, the model's own words, or a native call as it came. */
export type OnInvalid = "error" | "text" | "pass";

/** Sampling parameters of the OpenAI wire; an absent one is left to the model's row and then to the upstream. */
export interface Sampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** `max_tokens`. */
  readonly maxTokens?: number | undefined;
  /** `max_completion_tokens`: which of the two a caller wrote is kept, since an upstream may know only one. */
  readonly maxCompletionTokens?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
}

/** What a key allows: to ask models and agents, to decide what waits for a person, to act for every owner. */
export const CALLER_RIGHTS = ["ask", "decide", "admin"] as const;
export type Right = (typeof CALLER_RIGHTS)[number];

/** Who asks. The name gives no key away, so it may stand in logs and stored runs; what is kept belongs to it as its owner. */
export interface Caller {
  readonly name: string;
  readonly can: readonly Right[];
}

/** Whoever asks where callers are not told apart by keys. */
export const LOCAL_CALLER: Caller = { name: "local", can: CALLER_RIGHTS };

/** One chat completion: what `/v1/chat/completions` asks, and what every turn of a run asks. */
export interface ChatRequest {
  /** The request's id: `x-request-id`, log lines and the run id of the exchanges that it causes. */
  readonly id: string;
  readonly caller: Caller;
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  /** Names of the only tools that may be called, of the caller's and the gateway's own; absent: all that are offered. */
  readonly allowedTools?: readonly string[] | undefined;
  /** `false`: at most one call may leave. `undefined`: the caller did not say. */
  readonly parallelToolCalls?: boolean | undefined;
  readonly sampling: Sampling;
  readonly output: OutputFormat;
  /** `x-postel-tool-mode`: a mode pinned by the caller is never switched. */
  readonly pinnedToolMode?: ToolMode | undefined;
  /** True where the caller reads the answer as it comes: what has left cannot be taken back. */
  readonly stream?: boolean | undefined;
  /** By which words may leave before they are read; only of a streamed completion, whose request nobody keeps. */
  readonly ahead?: TextFastLane | undefined;
  /**
   * True where the model's answer is watched as it comes though nobody reads it so: one that goes in circles is cut, one that falls
   * silent is given up. An upstream that may stream is then asked to.
   */
  readonly watched?: boolean | undefined;
  /** `x-postel-on-invalid`: overrules the model's row. */
  readonly onInvalid?: OnInvalid | undefined;
  /** `x-postel-parse: off`: the model's text reaches the client untouched, whatever its row says. */
  readonly parse?: "off" | undefined;
  /** Fields of the wire that Postel does not model (`logprobs`, `reasoning_effort`, `user` …), sent to the upstream as they are. */
  readonly passthrough: JsonObject;
}

/** A request with all its members, set or not. */
type Whole = { readonly [Member in keyof Required<ChatRequest>]: ChatRequest[Member] };

/**
 * The request with other members. Every request is written out, in this order: one that is spread has a shape of its own, for which V8
 * compiles all that is behind it once more (decisions/0104).
 */
export function copyRequest(
  request: ChatRequest,
  { messages, tools, ahead }: Pick<Whole, "messages" | "tools" | "ahead">,
): ChatRequest {
  const whole: Whole = {
    id: request.id,
    caller: request.caller,
    model: request.model,
    messages,
    tools,
    toolChoice: request.toolChoice,
    allowedTools: request.allowedTools,
    parallelToolCalls: request.parallelToolCalls,
    sampling: request.sampling,
    output: request.output,
    stream: request.stream,
    ahead,
    watched: request.watched,
    pinnedToolMode: request.pinnedToolMode,
    onInvalid: request.onInvalid,
    parse: request.parse,
    passthrough: request.passthrough,
  };
  return whole;
}

/** The limits of an agent run. */
export interface RunLimits {
  /** Model turns, 1–100. */
  readonly maxTurns: number;
  /** Milliseconds for the whole run. */
  readonly timeoutMs: number;
  /** Tool calls that the gateway runs in the whole run. */
  readonly maxCalls: number;
  /** Tokens of all prompts and answers of the run, by the upstream's count or else the gateway's estimate. */
  readonly totalTokens: number;
  /** What the whole run may cost, in the currency of the model's prices; absent: whatever it costs. */
  readonly maxMoney?: number | undefined;
}

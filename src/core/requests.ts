// Defines a client's request after its wire form was validated.

import type { TextFastLane } from "./events/TextFastLane.ts";
import type { JsonObject, Message, ToolChoice, ToolMode, ToolSpec } from "./messages.ts";

/** The required form of the final answer. */
export type OutputFormat =
  | { readonly type: "text" }
  | { readonly type: "json_object" }
  | { readonly type: "json_schema"; readonly name: string; readonly schema: JsonObject; readonly strict: boolean };

/** Reaction to a turn whose call never became valid: a typed failure, the model's own text, or the native call unchanged. */
export type OnInvalid = "error" | "text" | "pass";

/** Sampling parameters of the OpenAI wire; an absent one is set by the model's profile or the upstream. */
export interface Sampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** `max_tokens`. */
  readonly maxTokens?: number | undefined;
  /** `max_completion_tokens`. Both fields exist, because an upstream may support only one of them. */
  readonly maxCompletionTokens?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
}

/** Scopes of a key: ask models and agents, decide interrupts, act for every owner. */
export const CALLER_RIGHTS = ["ask", "decide", "admin"] as const;
export type Right = (typeof CALLER_RIGHTS)[number];

/** The caller of a request. The name is no secret, so it may occur in logs and stored runs; it owns the stored data. */
export interface Caller {
  readonly name: string;
  readonly can: readonly Right[];
}

/** The caller if keys do not distinguish callers. */
export const LOCAL_CALLER: Caller = { name: "local", can: CALLER_RIGHTS };

/** One chat completion: the request of `/v1/chat/completions` and of every turn of a run. */
export interface ChatRequest {
  /** The request's id: `x-request-id`, log lines and the run id of the exchanges that it causes. */
  readonly id: string;
  readonly caller: Caller;
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  /** Names of the only tools that may be called, of client and gateway; absent: all offered tools. */
  readonly allowedTools?: readonly string[] | undefined;
  /** `false`: at most one call may be emitted. `undefined`: the client did not set it. */
  readonly parallelToolCalls?: boolean | undefined;
  readonly sampling: Sampling;
  readonly output: OutputFormat;
  /** `x-postel-tool-mode`: a mode that the client pinned is never switched. */
  readonly pinnedToolMode?: ToolMode | undefined;
  /** True if the client streams the answer: emitted events cannot be taken back. */
  readonly stream?: boolean | undefined;
  /** Fast path that emits text before it is parsed; only for a streamed completion whose request is not stored. */
  readonly ahead?: TextFastLane | undefined;
  /**
   * True if the answer is monitored although no client streams it: an answer that loops is cut, a silent one is abandoned.
   * An upstream that supports streaming is then asked to stream.
   */
  readonly watched?: boolean | undefined;
  /** `x-postel-on-invalid`: overrides the model's profile. */
  readonly onInvalid?: OnInvalid | undefined;
  /** `x-postel-parse: off`: the model's text reaches the client unchanged, whatever its profile says. */
  readonly parse?: "off" | undefined;
  /** Fields of the wire that Postel does not model (`logprobs`, `reasoning_effort`, `user` …), sent to the upstream unchanged. */
  readonly passthrough: JsonObject;
}

/** The limits of an agent run. */
export interface RunLimits {
  /** Maximum number of model turns, 1–100. */
  readonly maxTurns: number;
  /** Milliseconds for the complete run. */
  readonly timeoutMs: number;
  /** Maximum number of tool calls that the gateway runs in the run. */
  readonly maxCalls: number;
  /** Maximum number of tokens of all prompts and answers of the run, as counted by the upstream or estimated. */
  readonly totalTokens: number;
  /** Maximum cost of the run, in the currency of the model's prices; absent: unlimited. */
  readonly maxMoney?: number | undefined;
}

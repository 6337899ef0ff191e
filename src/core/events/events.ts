// Defines the events that flow through the gateway: model → turn → run. Streams of events never throw; a failure is an event.

import type { Failure } from "../failures.ts";
import type { JsonObject, JsonValue, ToolCall, ToolMode } from "../messages.ts";
import type { ContextWindow } from "../models/capabilities.ts";
import type { Interrupt } from "../runs/interrupts.ts";
import type { RunOutcome } from "../runs/outcomes.ts";
import type { Citation, ToolCitation } from "./citations.ts";
import type { FormatIssue } from "./issues.ts";

/** Tokens as the upstream counted them, summed over attempts. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  /** Further details of the upstream (`prompt_tokens_details` …), unchanged. */
  readonly details?: JsonObject | undefined;
}

/** Usage of a run, including its nested runs. */
export interface Spent {
  /** Tokens of prompts and answers. */
  readonly tokens: number;
  /** Number of tool calls that the gateway has run. */
  readonly calls: number;
  /** In the currency of the prices; absent if no model of the run has prices. */
  readonly money?: number | undefined;
}

/** Upstream fields that Postel does not model, with their level. */
export interface Extra {
  readonly level: "chunk" | "choice" | "delta";
  readonly fields: JsonObject;
}

/** An event of an answer, as the parser and an attempt emit it. */
export type AnswerEvent =
  | { readonly type: "text"; readonly text: string; readonly extra?: readonly Extra[] | undefined }
  | { readonly type: "reasoning"; readonly text: string }
  /** A complete, validated and final call. */
  | { readonly type: "call"; readonly call: ToolCall }
  | { readonly type: "issue"; readonly issue: FormatIssue };

/** An event of a `ModelClient`. Exactly one `end` or `failed` closes a stream. */
export type ModelEvent =
  | ModelOpened
  | { readonly type: "text"; readonly text: string; readonly extra?: readonly Extra[] | undefined }
  | { readonly type: "reasoning"; readonly text: string }
  | {
      readonly type: "call-fragment";
      readonly index: number;
      readonly id?: string | undefined;
      readonly name?: string | undefined;
      readonly arguments?: string | undefined;
      /** Further fields of the fragment; see `ToolCall.extra`. */
      readonly extra?: JsonObject | undefined;
    }
  | ModelEnd
  | { readonly type: "failed"; readonly failure: Failure };

export interface ModelOpened {
  readonly type: "opened";
  readonly note?: string | undefined;
  /** Number of transport retries, and of adapted requests that were sent again. */
  readonly retries: number;
  /** Fields of the request that were adapted or left out, because the upstream does not accept them. */
  readonly mended?: readonly string[] | undefined;
  /** Tools that the model was shown under other names than the request's. */
  readonly renamed?: readonly RenamedTool[] | undefined;
}

export interface RenamedTool {
  /** The name in the request. */
  readonly name: string;
  /** The name that the model was shown. */
  readonly shown: string;
}

export interface ModelEnd {
  readonly type: "end";
  /** A value of `FINISH_REASONS` if the upstream's means the same, else verbatim. */
  readonly finishReason: string | null;
  /** The upstream's own value, if it differs. */
  readonly stated?: string | null | undefined;
  readonly usage?: Usage | undefined;
  /** True if the upstream reported no usage and it was estimated from characters. */
  readonly usageEstimated?: boolean | undefined;
  /** Fields of the request that the upstream accepted and ignored. */
  readonly mended?: readonly string[] | undefined;
}

/** Finish reasons of a turn, with the values of OpenAI's chat completions (decisions/0035). */
export const FINISH_REASONS = ["stop", "length", "tool_calls", "content_filter"] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

/** An event of one model turn. Exactly one `turn-end` or `turn-failed` closes it. */
export type TurnEvent =
  | {
      readonly type: "turn-start";
      /** The model that is asked, by the name that its upstream knows. */
      readonly model: string;
      readonly toolMode: ToolMode;
      readonly row: string;
      readonly note?: string | undefined;
      /** Repairs of the history before it was sent, as stable codes. */
      readonly historyRepairs?: readonly string[] | undefined;
    }
  | { readonly type: "text-delta"; readonly text: string; readonly extra?: readonly Extra[] | undefined }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "tool-call"; readonly call: ToolCall }
  | { readonly type: "format-issue"; readonly issue: FormatIssue }
  | { readonly type: "attempt"; readonly n: number; readonly reason: string }
  | TurnEnd
  | { readonly type: "turn-failed"; readonly failure: Failure };

export interface TurnEnd {
  readonly type: "turn-end";
  readonly finishReason: FinishReason;
  /** The upstream's value, verbatim; `null` if there was none. */
  readonly upstreamFinishReason: string | null;
  /** The sum over all attempts; absent if no upstream reported any. */
  readonly usage?: Usage | undefined;
  /** True if the usage of an attempt is unknown. */
  readonly usagePartial: boolean;
  /** True if the usage of an attempt was estimated from characters. */
  readonly usageEstimated?: boolean | undefined;
  /** Fields of the request that were adapted or left out, each once. */
  readonly mended?: readonly string[] | undefined;
  /** Number of model calls that were opened. */
  readonly attempts: number;
  /** Number of transport retries and mode switches. */
  readonly retries: number;
}

/** The output that was extracted from a run's work, or the reason why there is none. */
export type Extraction = { readonly output: JsonValue } | { readonly missing: string };

/** An event about fitting a conversation into the model's context. */
export type ContextEvent =
  /** The next prompt is near the limit of the model's context, or beyond it (`warning`). Emitted once per crossing. */
  | {
      readonly type: "context-warning";
      readonly level: "info" | "warning";
      /** Tokens of the prompt. */
      readonly tokens: number;
      readonly window: ContextWindow;
    }
  /** The prompt was shortened to fit. */
  | {
      readonly type: "context-trimmed";
      /** Number of dropped messages. */
      readonly messages: number;
      /** Number of shortened results. */
      readonly shortened: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** A summary has replaced earlier messages; with a `failure` nothing has changed. */
  | {
      readonly type: "summary";
      readonly model: string;
      /** Number of messages that it replaces. */
      readonly messages: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly failure?: Failure | undefined;
    };

/** An event of an agent run: the events of its turns and its own. */
export type RunEvent =
  | TurnEvent
  | { readonly type: "run-start"; readonly runId: string }
  /**
   * The run was resumed after its process ended. Events of turn number `turn` (from 1) since the last turn's end are void:
   * the model is asked again. Absent: the model's answer stands, and the turn's calls continue.
   */
  | { readonly type: "run-resumed"; readonly turn?: number | undefined }
  | { readonly type: "tool-start"; readonly call: ToolCall }
  | {
      readonly type: "tool-result";
      readonly callId: string;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
      readonly sources?: readonly Citation[] | undefined;
    }
  /** The call with this id has its result; its work continues as an async task. */
  | { readonly type: "task-start"; readonly task: string; readonly name: string }
  /** The outcome of a task, which the model reads next. */
  | {
      readonly type: "task-end";
      readonly task: string;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
      readonly sources?: readonly Citation[] | undefined;
    }
  /** The model's plan before it works. */
  | { readonly type: "plan"; readonly text: string }
  /** Result of a reflection on the answer; an answer that is not confirmed is revised. */
  | { readonly type: "reflection"; readonly confirmed: boolean; readonly text: string }
  | ({ readonly type: "extraction" } & Extraction)
  /** A hand-off: another agent continues the run. */
  | { readonly type: "handoff"; readonly from: string; readonly to: string; readonly reason?: string | undefined }
  /** An event of a nested run, which is the work of the call with this id. Text is left out. */
  | { readonly type: "nested"; readonly callId: string; readonly agent: string; readonly event: RunEvent }
  | ContextEvent
  /** The run waits for an approver or a user. A `tool-call` with the interrupt's id follows, for the client. */
  | { readonly type: "interrupt"; readonly interrupt: Interrupt }
  | {
      readonly type: "run-end";
      readonly outcome: RunOutcome;
      readonly turns: number;
      /** Response of a workflow, if there is one; absent for other runs. */
      readonly response?: JsonValue | undefined;
      /** Sources of all results of the run, each once, in the order of arrival. */
      readonly sources?: readonly ToolCitation[] | undefined;
      /** Usage of all turns so far. */
      readonly spent?: Spent | undefined;
      /** See `RunState.untrusted`. */
      readonly untrusted?: true | undefined;
    };

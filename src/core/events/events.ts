// The closed unions that flow through the gateway: model → turn → run. Streams of events never throw; a failure is an event.

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
  /** The upstream's further details (`prompt_tokens_details` …), as they came. */
  readonly details?: JsonObject | undefined;
}

/** What a run has used, its nested runs included. */
export interface Spent {
  /** Of prompts and answers. */
  readonly tokens: number;
  /** Calls of tools that the gateway has run. */
  readonly calls: number;
  /** In the currency of the prices; absent where nothing that was asked has prices. */
  readonly money?: number | undefined;
}

/** Upstream fields that Postel does not model, with the level they stood on. */
export interface Extra {
  readonly level: "chunk" | "choice" | "delta";
  readonly fields: JsonObject;
}

/** What an answer is made of, as the parser and an attempt say it; turns and runs say the same in words of their own. */
export type AnswerEvent =
  | { readonly type: "text"; readonly text: string; readonly extra?: readonly Extra[] | undefined }
  | { readonly type: "reasoning"; readonly text: string }
  /** Complete, fitted and final. */
  | { readonly type: "call"; readonly call: ToolCall }
  | { readonly type: "issue"; readonly issue: FormatIssue };

/** What a `ModelClient` yields. Exactly one `end` or `failed` closes a stream. */
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
      /** What the fragment says beside this; see `ToolCall.extra`. */
      readonly extra?: JsonObject | undefined;
    }
  | ModelEnd
  | { readonly type: "failed"; readonly failure: Failure };

export interface ModelOpened {
  readonly type: "opened";
  readonly note?: string | undefined;
  /** Transport retries, and requests that were mended and sent again. */
  readonly retries: number;
  /** Fields of the request that the upstream does not take as they were asked, so that they went up otherwise or not at all. */
  readonly mended?: readonly string[] | undefined;
  /** The tools that the model was shown under other names than the request's, and calls by them. */
  readonly renamed?: readonly RenamedTool[] | undefined;
}

export interface RenamedTool {
  /** The name that the request gave. */
  readonly name: string;
  /** The name that the model was shown. */
  readonly shown: string;
}

export interface ModelEnd {
  readonly type: "end";
  /** In the word of `FINISH_REASONS` where the upstream's means the same, else verbatim. */
  readonly finishReason: string | null;
  /** The upstream's own word, where that is another. */
  readonly stated?: string | null | undefined;
  readonly usage?: Usage | undefined;
  /** True where the upstream said no usage and it was estimated from characters. */
  readonly usageEstimated?: boolean | undefined;
  /** Fields of the request that the upstream took and did not heed. */
  readonly mended?: readonly string[] | undefined;
}

/** How a turn may end. The words are those of OpenAI's chat completions, which upstreams and logs have too (decisions/0035). */
export const FINISH_REASONS = ["stop", "length", "tool_calls", "content_filter"] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

/** What one model turn yields, whichever agent took it. Exactly one `turn-end` or `turn-failed` closes it. */
export type TurnEvent =
  | {
      readonly type: "turn-start";
      /** The model that is asked, by the name that its upstream knows. */
      readonly model: string;
      readonly toolMode: ToolMode;
      readonly row: string;
      readonly note?: string | undefined;
      /** What of the history was mended before it went up, as stable codes. */
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
  /** What the upstream said, verbatim; `null` where it said nothing. */
  readonly upstreamFinishReason: string | null;
  /** The sum over all attempts; absent where no upstream said any. */
  readonly usage?: Usage | undefined;
  /** True where an attempt ended of whose usage nothing is known. */
  readonly usagePartial: boolean;
  /** True where the usage of an attempt was estimated from characters. */
  readonly usageEstimated?: boolean | undefined;
  /** Fields of the request that went up otherwise than asked, or not at all, each once. */
  readonly mended?: readonly string[] | undefined;
  /** Model calls that were opened. */
  readonly attempts: number;
  /** Transport retries and mode switches. */
  readonly retries: number;
}

/** What was read out of a run's work by the schema of its output, or why nothing was. */
export type Extraction = { readonly output: JsonValue } | { readonly missing: string };

/** What was done so that a conversation fits what its model can read. */
export type ContextEvent =
  /** The next prompt comes near the model's context, or beyond it (`warning`): told once a crossing. */
  | {
      readonly type: "context-warning";
      readonly level: "info" | "warning";
      /** Of the prompt. */
      readonly tokens: number;
      readonly window: ContextWindow;
    }
  /** The prompt was made to fit. */
  | {
      readonly type: "context-trimmed";
      /** How many were left out. */
      readonly messages: number;
      /** How many results were shortened. */
      readonly shortened: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** A model was asked to write down what was said before, in its place; with a `failure` nothing has changed. */
  | {
      readonly type: "summary";
      readonly model: string;
      /** How many it stands for. */
      readonly messages: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly failure?: Failure | undefined;
    };

/** What an agent run yields: every turn's events and the run's own. */
export type RunEvent =
  | TurnEvent
  | { readonly type: "run-start"; readonly runId: string }
  /**
   * The run goes on after its process had ended. What was told since the last turn's end of the turn of this number, from 1, counts no
   * more: the model is asked for it anew. Absent: what the model said of its turn stands, and the turn's calls go on.
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
  /** The call of this id has its result; its work goes on beside the turns. */
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
  /** What the model means to do, before it works. */
  | { readonly type: "plan"; readonly text: string }
  /** What a look at the answer came to; one that is not confirmed is worked on once more. */
  | { readonly type: "reflection"; readonly confirmed: boolean; readonly text: string }
  | ({ readonly type: "extraction" } & Extraction)
  /** Another agent goes on with the run. */
  | { readonly type: "handoff"; readonly from: string; readonly to: string; readonly reason?: string | undefined }
  /** What a run of another agent tells that goes on within this one, as what the call of this id does; no words. */
  | { readonly type: "nested"; readonly callId: string; readonly agent: string; readonly event: RunEvent }
  | ContextEvent
  /** The run waits for a person. What its client is shown of that follows as a `tool-call` of the interrupt's id. */
  | { readonly type: "interrupt"; readonly interrupt: Interrupt }
  | {
      readonly type: "run-end";
      readonly outcome: RunOutcome;
      readonly turns: number;
      /** What a workflow gives, so far as it came to that; absent of any other run. */
      readonly response?: JsonValue | undefined;
      /** What the results of the whole run rest on, each once, in the order in which they came. */
      readonly sources?: readonly ToolCitation[] | undefined;
      /** Of all turns so far. */
      readonly spent?: Spent | undefined;
      /** See `RunState.untrusted`. */
      readonly untrusted?: true | undefined;
    };

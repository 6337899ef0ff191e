// Defines the state of an agent run as plain JSON, and the decisions that advance it.

import type { WorkflowRun } from "../config/workflows.ts";
import type { Citation } from "../events/citations.ts";
import type { FinishReason, TurnEnd } from "../events/events.ts";
import type { FormatIssue } from "../events/issues.ts";
import type { Failure } from "../failures.ts";
import type { ImagePart, JsonObject, Message, ToolCall, ToolMode } from "../messages.ts";
import type { Prices } from "../models/capabilities.ts";
import type { ChatRequest } from "../requests.ts";
import type { Interrupt } from "./interrupts.ts";
import type { RunStop } from "./outcomes.ts";

/** Everything that a run needs to continue in any process: `JSON.parse(JSON.stringify(state))` is the same run. */
export interface RunState {
  /** Unique among all runs. */
  readonly id: string;
  readonly agent: string;
  /** The requested action of the agent; absent: none. */
  readonly action?: string | undefined;
  /** The session to which the run adds a turn. */
  readonly sessionId?: string | undefined;
  /** Absent: `agent`. */
  readonly mode?: "normal" | undefined;
  /** The workflow that the run executes. */
  readonly workflow?: WorkflowRun | undefined;
  /** False if no approver is available: calls that need one are refused, and the model is told so. */
  readonly interactive: boolean;
  /** The complete request as it was accepted; `model` is the resolved one, `tools` are the client's own. */
  readonly request: ChatRequest;
  /** Names of the tools that the gateway runs itself. */
  readonly gatewayTools: readonly string[];
  /** Maximum number of model turns. */
  readonly maxTurns: number;
  /** Maximum number of calls that the gateway runs; absent if it has no tools. */
  readonly maxCalls?: number | undefined;
  /** Number of tokens after which no further turn follows a turn's calls; absent if there are no gateway tools. */
  readonly totalTokens?: number | undefined;
  /** Maximum cost of the run; absent: unlimited. */
  readonly maxMoney?: number | undefined;
  /** Prices of its model, if known. */
  readonly prices?: Prices | undefined;
  /** Epoch milliseconds; absent: no deadline. */
  readonly deadline?: number | undefined;
  /** Milliseconds that a waiting run had left; its new `deadline` is computed from them when it is resumed. */
  readonly leftMs?: number | undefined;
  /** All messages so far, tool results included. */
  readonly messages: readonly Message[];
  /** Number of model turns so far. */
  readonly turn: number;
  /** Tokens of the prompts and answers of all turns. */
  readonly tokens: number;
  /** Cost of all turns; absent if unknown. */
  readonly money?: number | undefined;
  /** The upstream's count of the last prompt; absent if it reported none, or if another upstream is asked now. */
  readonly counted?: CountedPrompt | undefined;
  /** Number of calls that nested runs have run. */
  readonly nestedCalls?: number | undefined;
  /** The calls that the gateway has run, in order, with their results; repeated calls that were not run again are left out. */
  readonly executed: readonly ExecutedCall[];
  /** True once visible text was sent to the client; reset when the run waits. */
  readonly sentText: boolean;
  /** True once the model has read an untrusted tool result, or an untrusted history. */
  readonly untrusted?: true | undefined;
  /** The calls that approvers rejected. Absent: none. */
  readonly rejections?: readonly Rejection[] | undefined;
  /** Nesting depth; absent: 0. */
  readonly depth?: number | undefined;
  /** The ids of the calls around this nested run, outermost first, separated by `/`; absent: it is not nested. */
  readonly within?: string | undefined;
  /** Tool mode of the last turn, so that tools that the upstream refused are not sent again. Absent before the first turn. */
  readonly toolMode?: ToolMode | undefined;
  /** The turn whose calls are being settled; absent between turns. */
  readonly open?: PendingTurn | undefined;
  /** Async tasks that are running, or whose outcome the model has not read. */
  readonly tasks?: readonly OpenTask[] | undefined;
  /** Phase of the next turn; absent: the work. */
  readonly phase?: RunPhase | undefined;
  /** True once a turn was spent on a plan. */
  readonly planned?: true | undefined;
  /** `due`: a reflection on the answer follows; absent: none does. */
  readonly reflection?: "due" | "done" | undefined;
  /** JSON Schema of the output that is extracted after the final answer. */
  readonly extraction?: JsonObject | undefined;
}

/** A call that an approver rejected. */
export interface Rejection {
  /** SHA-256, hex, of the call's effect: see `hashEffect`. */
  readonly deed: string;
  /** True once new information came: a reason with the rejection, a user's answer, or the effect of another call. */
  readonly reconsidered?: true | undefined;
}

/** An async task: a call that got its id as an immediate result. */
export interface OpenTask {
  readonly call: ToolCall;
  /** Absent while the task runs. */
  readonly outcome?: ToolResult | undefined;
}

/** An extra turn of a run. Phases after the answer store its finish reason. */
export type RunPhase =
  | { readonly type: "plan" }
  | { readonly type: "reflect" | "extract"; readonly finishReason: FinishReason };
/** A prompt's tokens as its upstream counted them, and its characters as the gateway counts them. */
export interface CountedPrompt {
  readonly chars: number;
  readonly tokens: number;
}

/** A turn of which not all calls have results. */
export interface PendingTurn {
  /** The gateway's calls without a result that do not wait for an approver, in order. */
  readonly execute: readonly ToolCall[];
  /** Calls with a result; the model reads them once all calls have one. */
  readonly settled: readonly SettledCall[];
  /** Calls that wait for an approver. */
  readonly waiting: readonly WaitingCall[];
  /** States of the nested runs of calls in `execute`. */
  readonly nested?: readonly NestedRun[] | undefined;
  /** Ids of the calls whose arguments an approver wrote. */
  readonly edited?: readonly string[] | undefined;
  /** The client's calls that were not emitted yet. */
  readonly clientCalls: readonly ToolCall[];
  /** True if the client's calls are emitted next, instead of another turn. */
  readonly handsOver: boolean;
  /** The turn's end; absent once it was emitted. */
  readonly end?: TurnEnd | undefined;
  /** Tokens of the turn's prompts and answers. */
  readonly tokens: number;
  /** Cost of the turn; absent if unknown. */
  readonly money?: number | undefined;
}

/** A nested run, which is the work of one call. */
export interface NestedRun {
  readonly call: ToolCall;
  /** It has the id of the outer run. */
  readonly state: RunState;
}

export interface ExecutedCall {
  readonly call: ToolCall;
  readonly result: ToolResult;
}

export interface SettledCall extends ExecutedCall {
  /** False if the result is that of an equal call, or says that the call was refused. */
  readonly ran: boolean;
}

export interface WaitingCall {
  readonly call: ToolCall;
  readonly interrupt: Interrupt;
}

/** Result of a call, or the reason why there is none. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  /** Text for the model. */
  readonly content: string;
  readonly isError: boolean;
  /** True if the gateway wrote `content` itself. */
  readonly isFromGateway?: true | undefined;
  /** The images that `content` mentions: for models with vision only, and not for later calls. */
  readonly images?: readonly ImagePart[] | undefined;
  /** The complete text of a truncated `content`, as far as it is stored; not sent to the client. */
  readonly whole?: string | undefined;
  /** Sources that the tool states for its result. */
  readonly sources?: readonly Citation[] | undefined;
}

/** A structured call that must not be emitted, with the id under which the model is told so. */
export interface RefusedCall {
  readonly issue: FormatIssue;
  readonly id: string;
  /** As the model wrote it: the name may be unknown and the arguments unreadable. */
  readonly name: string;
  readonly arguments: string;
  /** See `ToolCall.extra`. */
  readonly extra?: JsonObject | undefined;
}

/** Collected result of one model call: the input of `decideAttempt`. */
export interface AttemptResult {
  /** Text and the raw spans of issues in the model's order, for quoting in a correction. */
  readonly said: string;
  /** True if there is visible text that belongs to no issue. */
  readonly spoke: boolean;
  /** True if there is visible content other than text and calls: a refusal, an image, audio. */
  readonly showed: boolean;
  /** True if the model refused to answer, in the wire's own field. */
  readonly declined: boolean;
  /** Reasoning and provider fields; some upstreams require them in a history with the calls. */
  readonly beside?: Pick<Message, "reasoning" | "extra"> | undefined;
  /** Calls that were emitted. */
  readonly calls: readonly ToolCall[];
  readonly issues: readonly FormatIssue[];
  readonly refused: readonly RefusedCall[];
  /** Reason why the text does not match the required output; absent if it does, or if there are calls. */
  readonly invalidOutput?: string | undefined;
  /** Reason to believe that the upstream dropped the tools, if none was called. */
  readonly toolsDropped?: string | undefined;
  /** The upstream's value, verbatim. */
  readonly finishReason: string | null;
  readonly failure?: Failure | undefined;
}

/** The part of an accepted attempt that the client gets: its text and the valid calls; its raw text, including unreadable calls; or its structured calls unchanged. */
export type Acceptance = "answer" | "words" | "calls-as-they-came";

export type AttemptDecision =
  | { readonly type: "accept"; readonly as: Acceptance }
  | {
      readonly type: "ask-again";
      readonly reason: string;
      readonly correction: readonly Message[];
      /** True if only the format of the final answer was wrong: the model is asked again without tools. */
      readonly withoutTools: boolean;
      /** True if a call of an offered tool failed: the model must make it again. */
      readonly callAgain: boolean;
    }
  /** There was neither a call nor text: the model is asked for the answer. */
  | { readonly type: "ask-for-answer"; readonly reason: string }
  /** The same request is sent by the next route of the model. */
  | { readonly type: "next-route"; readonly reason: string }
  | { readonly type: "fail"; readonly failure: Failure };

export type NextStep =
  | { readonly type: "run-again"; readonly execute: readonly ToolCall[] }
  | { readonly type: "hand-over"; readonly calls: readonly ToolCall[]; readonly execute: readonly ToolCall[] }
  | { readonly type: "final-answer" }
  /** The turn had neither a call nor text. */
  | { readonly type: "no-answer" }
  | { readonly type: "stop"; readonly outcome: RunStop };

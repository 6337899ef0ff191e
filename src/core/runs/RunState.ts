// The state of an agent run as plain JSON, and the closed decisions that move it on.

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

/** All that a run needs to go on, in this process or another: `JSON.parse(JSON.stringify(state))` is the same run. */
export interface RunState {
  /** No two runs share it. */
  readonly id: string;
  readonly agent: string;
  /** What of its agent is asked; absent: nothing by name. */
  readonly action?: string | undefined;
  /** The session that it is a turn of. */
  readonly sessionId?: string | undefined;
  /** Absent: `agent`. */
  readonly mode?: "normal" | undefined;
  /** The workflow that it is. */
  readonly workflow?: WorkflowRun | undefined;
  /** False where whoever could decide is not there: what needs a person is refused, and the model is told so. */
  readonly interactive: boolean;
  /** The whole request as it was accepted; `model` is the one that is asked, `tools` are the client's own. */
  readonly request: ChatRequest;
  /** Names of the tools that the gateway runs itself. */
  readonly gatewayTools: readonly string[];
  /** Model turns that may be taken. */
  readonly maxTurns: number;
  /** Calls that the gateway may run; absent where it has no tools. */
  readonly maxCalls?: number | undefined;
  /** Tokens after which no further turn follows a turn's calls; absent where it has no tools. */
  readonly totalTokens?: number | undefined;
  /** What the run may cost; absent: whatever it costs. */
  readonly maxMoney?: number | undefined;
  /** What its model costs, where that is known. */
  readonly prices?: Prices | undefined;
  /** Epoch milliseconds; absent: the run may take as long as its upstreams do. */
  readonly deadline?: number | undefined;
  /** Milliseconds that a run which waits for a person had left; a new `deadline` follows from them when it goes on. */
  readonly leftMs?: number | undefined;
  /** Everything said so far, tool results included. */
  readonly messages: readonly Message[];
  /** Model turns taken. */
  readonly turn: number;
  /** Tokens of all turns' prompts and answers. */
  readonly tokens: number;
  /** What all turns have cost; absent where that is not known. */
  readonly money?: number | undefined;
  /** What the upstream counted of the last prompt; absent where it said nothing, or has another to count. */
  readonly counted?: CountedPrompt | undefined;
  /** Calls that runs inside this one have run. */
  readonly nestedCalls?: number | undefined;
  /** The calls that the gateway has run, in their order, each with what it brought; an equal one that was told again is not among them. */
  readonly executed: readonly ExecutedCall[];
  /** True once visible text was sent to the run's reader; a run that waited has a new one. */
  readonly sentText: boolean;
  /** True once the model has read a result that was written by somebody outside of the gateway, or a history in which somebody did. */
  readonly untrusted?: true | undefined;
  /** The calls that approvers rejected. Absent: none. */
  readonly rejections?: readonly Rejection[] | undefined;
  /** How many runs it goes on within; absent: none. */
  readonly depth?: number | undefined;
  /** The ids of the calls that it is the work of, the outermost first, with `/` between them; absent: nothing called it. */
  readonly within?: string | undefined;
  /** How the model was asked in the last turn: tools that its upstream has refused once are not sent again. Absent before the first. */
  readonly toolMode?: ToolMode | undefined;
  /** The turn that the gateway is about; absent between turns. */
  readonly open?: PendingTurn | undefined;
  /** Calls whose work goes on beside the turns, or whose outcome the model has not read. */
  readonly tasks?: readonly OpenTask[] | undefined;
  /** What the next turn is for; absent: the work. */
  readonly phase?: RunPhase | undefined;
  /** True once a turn was spent on a plan. */
  readonly planned?: true | undefined;
  /** Whether the answer is looked at before it counts; absent: it is not. */
  readonly reflection?: "due" | "done" | undefined;
  /** JSON Schema of what is read out of the work once it has ended by itself. */
  readonly extraction?: JsonObject | undefined;
}

/** A call that an approver rejected. */
export interface Rejection {
  /** SHA-256, hex, of what the call would do: see `hashEffect`. */
  readonly deed: string;
  /** True once something has come since: words with the rejection, an answer of a person, or the effect of another call. */
  readonly reconsidered?: true | undefined;
}

/** A call that had its id as its result at once. */
export interface OpenTask {
  readonly call: ToolCall;
  /** Absent while it goes on. */
  readonly outcome?: ToolResult | undefined;
}

/** A turn of a run that is none of its work; those that follow the answer keep how that one ended. */
export type RunPhase =
  | { readonly type: "plan" }
  | { readonly type: "reflect" | "extract"; readonly finishReason: FinishReason };
/** A prompt's tokens by its upstream's own count, and its characters by ours. */
export interface CountedPrompt {
  readonly chars: number;
  readonly tokens: number;
}

/** A turn whose model is done, and whose calls do not all have their results. */
export interface PendingTurn {
  /** The gateway's calls that have no result yet and wait for no person, in their order. */
  readonly execute: readonly ToolCall[];
  /** Those that have their result, which the model reads once all have. */
  readonly settled: readonly SettledCall[];
  /** Those that wait for a person. */
  readonly waiting: readonly WaitingCall[];
  /** Where the runs stand that calls among `execute` are. */
  readonly nested?: readonly NestedRun[] | undefined;
  /** Ids of the calls whose arguments are a person's. */
  readonly edited?: readonly string[] | undefined;
  /** The client's calls that it was not told yet. */
  readonly clientCalls: readonly ToolCall[];
  /** True where the client's calls follow, not another turn. */
  readonly handsOver: boolean;
  /** The turn's own end; absent once its reader was told it. */
  readonly end?: TurnEnd | undefined;
  /** Of the turn's prompts and answers. */
  readonly tokens: number;
  /** What it has cost; absent where that is not known. */
  readonly money?: number | undefined;
}

/** A run that goes on within another, as what one of its calls does. */
export interface NestedRun {
  readonly call: ToolCall;
  /** It has the id of the run around it. */
  readonly state: RunState;
}

export interface ExecutedCall {
  readonly call: ToolCall;
  readonly result: ToolResult;
}

export interface SettledCall extends ExecutedCall {
  /** False where the result is that of an equal call, or says that the call was refused. */
  readonly ran: boolean;
}

export interface WaitingCall {
  readonly call: ToolCall;
  readonly interrupt: Interrupt;
}

/** What a call brought, or why it brought nothing. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  /** What the model reads. */
  readonly content: string;
  readonly isError: boolean;
  /** True where the gateway worded `content` itself: no tool brought it. */
  readonly isFromGateway?: true | undefined;
  /** The images that `content` has words for: told to a model that sees, to no reader and to no later call. */
  readonly images?: readonly ImagePart[] | undefined;
  /** What `content` is the beginning of, so far as it is kept, where it was cut; no reader is told it. */
  readonly whole?: string | undefined;
  /** What the tool says its result rests on. */
  readonly sources?: readonly Citation[] | undefined;
}

/** A structured call that may not leave, with the id under which the model is told so. */
export interface RefusedCall {
  readonly issue: FormatIssue;
  readonly id: string;
  /** As the model wrote it: neither an offered name nor readable arguments are promised. */
  readonly name: string;
  readonly arguments: string;
  /** See `ToolCall.extra`. */
  readonly extra?: JsonObject | undefined;
}

/** What one model call gave, drained: the input of `decideAttempt`. */
export interface AttemptResult {
  /** Text and the raw spans of issues in the order of the model's text: what a correction quotes back. */
  readonly said: string;
  /** True where visible text came that is no issue's. */
  readonly spoke: boolean;
  /** True where something for its reader came beside text and calls: a refusal, a picture, a voice. */
  readonly showed: boolean;
  /** True where the model declined to answer, in the field that the wire has for it. */
  readonly declined: boolean;
  /** What came beside text and calls; upstreams may miss it in a history that quotes the calls. */
  readonly beside?: Pick<Message, "reasoning" | "extra"> | undefined;
  /** Calls that have left. */
  readonly calls: readonly ToolCall[];
  readonly issues: readonly FormatIssue[];
  readonly refused: readonly RefusedCall[];
  /** Why the text is not the output that was asked for; absent where it is, or where calls came. */
  readonly invalidOutput?: string | undefined;
  /** Why the model cannot have been shown the tools, where nothing came of them and the upstream's own count says so. */
  readonly toolsDropped?: string | undefined;
  /** What the upstream said, verbatim. */
  readonly finishReason: string | null;
  readonly failure?: Failure | undefined;
}

/**
 * What of an accepted attempt reaches the caller: its text and the calls that could be read; its own words, unreadable calls
 * among them; or its structured calls as they came.
 */
export type Acceptance = "answer" | "words" | "calls-as-they-came";

export type AttemptDecision =
  | { readonly type: "accept"; readonly as: Acceptance }
  | {
      readonly type: "ask-again";
      readonly reason: string;
      readonly correction: readonly Message[];
      /** True where only the form of the final answer was wrong: the model is asked for it alone, without tools. */
      readonly withoutTools: boolean;
      /** True where a call of an offered tool failed: nothing else is asked for now. */
      readonly callAgain: boolean;
    }
  /** It gave neither a call nor a word: the model is asked for the answer itself. */
  | { readonly type: "ask-for-answer"; readonly reason: string }
  /** The same is asked by the next of the model's routes. */
  | { readonly type: "next-route"; readonly reason: string }
  | { readonly type: "fail"; readonly failure: Failure };

export type NextStep =
  | { readonly type: "run-again"; readonly execute: readonly ToolCall[] }
  | { readonly type: "hand-over"; readonly calls: readonly ToolCall[]; readonly execute: readonly ToolCall[] }
  | { readonly type: "final-answer" }
  /** The turn gave neither a call nor a word. */
  | { readonly type: "no-answer" }
  | { readonly type: "stop"; readonly outcome: RunStop };

// The interface of an agent: one model call over a conversation, parsed into events.

import type { EventSink } from "../core/events/EventSink.ts";
import type { AnswerEvent, ModelEnd, ModelOpened } from "../core/events/events.ts";
import type { Failure } from "../core/failures.ts";
import type { Message, ToolMode, ToolSpec } from "../core/messages.ts";
import type { ChatRequest, OnInvalid } from "../core/requests.ts";
import type { ExecutedCall, RefusedCall } from "../core/runs/RunState.ts";
import type { TextAnswer } from "../models/ModelClient.ts";

/** The request of one model call: a chat request without the fields that only its caller and its route need. */
export type AttemptConversation = Omit<ChatRequest, "caller" | "model" | "pinnedToolMode"> & {
  /** True if the previous attempt began a call that failed, and this attempt must repeat it. */
  readonly callAgain?: boolean | undefined;
  /** Subset of `tools` that the model sees; absent: all of them. Calls of the other tools are parsed too, so that they do not reach the client as text. */
  readonly shownTools?: readonly ToolSpec[] | undefined;
  /** Ids of the calls that the gateway has run in this run; no new call gets one of them. Absent if the gateway runs no calls. */
  readonly executedIds?: readonly string[] | undefined;
  /** Texts besides `messages` that the model may quote a call from; absent: none. */
  readonly quotable?: Quotable | undefined;
  /** Names of the tools whose calls need an approval if the answer only quotes them; absent: none. */
  readonly askAboutQuotes?: ReadonlySet<string> | undefined;
};

export interface Quotable {
  /** The messages before any repair or omission; absent: `messages` of the conversation are unchanged. */
  readonly messages?: readonly Message[] | undefined;
  /** The calls that the run has made, with their complete results. */
  readonly executed?: readonly ExecutedCall[] | undefined;
  /** True if the model of another agent, or a workflow step, wrote the user's message. */
  readonly isDelegated?: boolean | undefined;
}

/** An event of one model call. Exactly one `end` or `failed` closes it. */
export type AttemptEvent =
  | ModelOpened
  | AnswerEvent
  /** Markup that no client sees, unless the raw model output is wanted. */
  | { readonly type: "dropped"; readonly raw: string }
  /** A structured call that does not match its tool's schema. */
  | { readonly type: "refused"; readonly refused: RefusedCall }
  | ModelEnd
  | { readonly type: "failed"; readonly failure: Failure };

export interface Agent {
  /** Name of the model, as its upstream knows it. */
  readonly model: string;
  readonly toolMode: ToolMode;
  /** The profile that determined how the model is asked. */
  readonly row: string;
  /** The format in which the model is corrected; absent if it calls tools through the field of the upstream wire. */
  readonly emulate?: string | undefined;
  /** Reaction to a call that never becomes valid, from the model's profile. */
  readonly onInvalid: OnInvalid;
  /** True if the model's output is passed on unchanged and unchecked (`parse: off`). */
  readonly untouched: boolean;
  /** Asks the model once. Resolves at the end of the answer or when `take` stops it. Throws the signal's reason, and what `take` throws. */
  attempt(conversation: AttemptConversation, signal: AbortSignal, take: EventSink<AttemptEvent>): Promise<void>;
  /**
   * Fast path of an attempt whose answer no client streams. Returns an answer of text alone, if the parser emits its text unchanged. Otherwise
   * returns a stream of the events that `attempt` would emit, which the caller reads exactly once. Absent: only `attempt`.
   */
  complete?(conversation: AttemptConversation, signal: AbortSignal): Promise<TextAnswer | AttemptStream>;
}

/** See `Agent.attempt`. */
export type AttemptStream = (take: EventSink<AttemptEvent>) => Promise<void>;

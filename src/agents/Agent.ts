// What an agent is: one model call over a conversation, read into calls. Knows no turn, no run and no tool's code.

import type { EventSink } from "../core/events/EventSink.ts";
import type { AnswerEvent, ModelEnd, ModelOpened } from "../core/events/events.ts";
import type { Failure } from "../core/failures.ts";
import type { Message, ToolMode, ToolSpec } from "../core/messages.ts";
import type { ChatRequest, OnInvalid } from "../core/requests.ts";
import type { ExecutedCall, RefusedCall } from "../core/runs/RunState.ts";
import type { WholeAnswer } from "../models/ModelClient.ts";

/** What a model is asked: a chat request without what only its caller and its route need. */
export type AttemptConversation = Omit<ChatRequest, "caller" | "model" | "pinnedToolMode"> & {
  /** True where the attempt before began a call that failed, and this one is to make it. */
  readonly callAgain?: boolean | undefined;
  /** Those of `tools` that the model is shown; absent: all of them. A call of another is read all the same, so that nobody else reads it. */
  readonly shownTools?: readonly ToolSpec[] | undefined;
  /** Ids of the calls that the gateway has run in this run: no further call gets one of them. Absent where it runs none. */
  readonly executedIds?: readonly string[] | undefined;
  /** What is known beside `messages` of the texts that the model may quote a call from; absent: nothing. */
  readonly quotable?: Quotable | undefined;
  /** Names of the tools of which a person is asked about a call that the answer only quotes; absent: nobody is asked. */
  readonly askAboutQuotes?: ReadonlySet<string> | undefined;
};

export interface Quotable {
  /** As they were before anything of them was repaired or left out; absent: as they are. */
  readonly messages?: readonly Message[] | undefined;
  /** The calls that the run has made, with their whole results. */
  readonly executed?: readonly ExecutedCall[] | undefined;
  /** True where another agent's model, or a step of a workflow, wrote the words of the user. */
  readonly isDelegated?: boolean | undefined;
}

/** What one model call yields. Exactly one `end` or `failed` closes it. */
export type AttemptEvent =
  | ModelOpened
  | AnswerEvent
  /** Markup that nobody sees, unless the model's own words are wanted. */
  | { readonly type: "dropped"; readonly raw: string }
  /** A structured call that does not fit. */
  | { readonly type: "refused"; readonly refused: RefusedCall }
  | ModelEnd
  | { readonly type: "failed"; readonly failure: Failure };

export interface Agent {
  /** The model that is asked, by the name that its upstream knows. */
  readonly model: string;
  readonly toolMode: ToolMode;
  /** The capability row that settled how the model is asked. */
  readonly row: string;
  /** The format family in which the model is corrected; absent where it calls through the wire's own field. */
  readonly emulate?: string | undefined;
  /** What the model's row says of a call that never becomes valid. */
  readonly onInvalid: OnInvalid;
  /** True where what the model gives is passed on as it came: it is held to nothing. */
  readonly untouched: boolean;
  /** Asks the model once, and resolves when its answer is over or `take` has had enough. Throws the signal's reason, and what `take` throws. */
  attempt(conversation: AttemptConversation, signal: AbortSignal, take: EventSink<AttemptEvent>): Promise<void>;
  /**
   * As `attempt`, for an answer that nobody reads as it comes: where it is words alone that pass as they are, they are given at once, else
   * what `attempt` would have given is told to whoever asks for it, which must be done, once. Absent: `attempt` alone.
   */
  whole?(conversation: AttemptConversation, signal: AbortSignal): Promise<WholeAnswer | AttemptStream>;
}

/** See `Agent.attempt`. */
export type AttemptStream = (take: EventSink<AttemptEvent>) => Promise<void>;

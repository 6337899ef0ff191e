// A wire: the form that requests, answers and failures have for one kind of client. Knows no wire's words and no upstream.

import type { LimitsConfig } from "../../core/config/configuration.ts";
import type { AnswerSummary, Collected } from "../../core/events/Collector.ts";
import type { RunEvent } from "../../core/events/events.ts";
import type { TextKind } from "../../core/events/TextFastLane.ts";
import type { Failure } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Clock } from "../../core/ports.ts";
import type { Caller, ChatRequest } from "../../core/requests.ts";
import type { HeaderOf } from "../validation/postelHeaders.ts";

/** The form of failures. */
export interface ErrorFormat {
  /** The body of a reply that says nothing but that it failed. */
  failureBody(cause: Failure, partial?: PartialAnswer): JsonObject;
}

export interface FrontApi extends ErrorFormat {
  /**
   * A promise only of a request that is too long to be read in one go.
   * @throws PostelError, a caller failure that names the field or header.
   */
  accept(body: unknown, header: HeaderOf, context: AcceptContext): Accepted | Promise<Accepted>;
  /** The field of the body, in the words of this wire, that brings or asks for what has no place in a conversation as text; absent where there is none. */
  unwritablePart(chat: ChatRequest): string | undefined;
}

/** What reading a request takes beside the request. */
export interface AcceptContext {
  readonly id: string;
  readonly caller: Caller;
  readonly limits: LimitsConfig;
  readonly clock: Pick<Clock, "now">;
  /**
   * True on the agent's routes: the gateway brings tools of its own, so a tool choice may name one that the body does not list, and
   * the run's own events travel in the stream.
   */
  readonly gatewayTools: boolean;
  /** Fields of the body that the route reads itself. */
  readonly routeFields: readonly string[];
}

export interface Accepted {
  readonly chat: ChatRequest;
  /** Answers that are wanted, each a turn of its own; absent: one. */
  readonly choices?: number | undefined;
  readonly answer: AnswerEncoder;
}

/** How one request is answered, in whichever of the two ways it asked for. */
export interface AnswerEncoder {
  /** The body of a whole answer, of one choice or several. */
  whole(choices: readonly [Collected, ...Collected[]]): JsonObject;
  /** Begins a streamed one. */
  stream(): StreamEncoder;
}

/**
 * Writes one answer as server-sent events: each text is whole events with their ends, or empty where the client is told nothing. What it
 * writes never lets a value end a line.
 */
export interface StreamEncoder {
  /** @param choice which of the answers they are of, from 0. */
  events(events: readonly RunEvent[], choice: number): string | Promise<string>;
  /** What `events` would write of these words, each an event of its own, if they came next in the one answer; undefined, as where this is absent, where that has to be written then. */
  words?(kind: TextKind, words: readonly string[]): string | undefined;
  /** What closes a stream that went well, of one choice or several. */
  end(choices: readonly [AnswerSummary, ...AnswerSummary[]]): string | Promise<string>;
  /** What closes a stream that failed after its status had left: it must not look whole. */
  failed(cause: Failure): string | Promise<string>;
}

/** What an answer had reached before it failed. */
export interface PartialAnswer {
  readonly content: string;
  readonly runId?: string | undefined;
}

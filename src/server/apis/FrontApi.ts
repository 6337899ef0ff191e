// The front API port: how requests, answers and failures are read and written for one kind of client.

import type { LimitsConfig } from "../../core/config/configuration.ts";
import type { AnswerSummary } from "../../core/events/AnswerSummary.ts";
import type { Collected } from "../../core/events/Collector.ts";
import type { RunEvent } from "../../core/events/events.ts";
import type { TextKind } from "../../core/events/TextFastLane.ts";
import type { Failure } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Clock } from "../../core/ports.ts";
import type { Caller, ChatRequest } from "../../core/requests.ts";
import type { HeaderOf } from "../validation/postelHeaders.ts";

/** The form of failures. */
export interface ErrorFormat {
  /** Body of a reply that reports only a failure. */
  failureBody(cause: Failure, partial?: PartialAnswer): JsonObject;
}

export interface FrontApi extends ErrorFormat {
  /** @throws PostelError, a caller failure that names the field or header. */
  accept(body: unknown, header: HeaderOf, context: AcceptContext): Promise<Accepted>;
  /** Name of the body field whose content cannot be written as text (such as audio or a file); undefined if there is none. */
  unwritablePart(chat: ChatRequest): string | undefined;
}

/** Context needed to read a request. */
export interface AcceptContext {
  readonly id: string;
  readonly caller: Caller;
  readonly limits: LimitsConfig;
  readonly clock: Pick<Clock, "now">;
  /**
   * True on the agent's routes: the gateway adds its own tools, so a tool choice may name one that the body does not list,
   * and the stream contains the run's own events.
   */
  readonly gatewayTools: boolean;
  /** Fields of the body that the route reads itself. */
  readonly routeFields: readonly string[];
}

export interface Accepted {
  readonly chat: ChatRequest;
  /** Number of choices, each a turn of its own; absent: one. */
  readonly choices?: number | undefined;
  readonly answer: AnswerEncoder;
}

/** Encodes the answer to one request, streaming or non-streaming. */
export interface AnswerEncoder {
  /** Body of a complete answer with one choice or several. */
  whole(choices: readonly [Collected, ...Collected[]]): JsonObject;
  /** Starts a streaming answer. */
  stream(): StreamEncoder;
}

/**
 * Writes one answer as server-sent events. Each text consists of complete events, or is empty if the client receives nothing.
 * No value may end a line.
 */
export interface StreamEncoder {
  /** @param choice index of the choice, from 0. */
  events(events: readonly RunEvent[], choice: number): string | Promise<string>;
  /**
   * Encodes text pieces as `events` would, one event each, if they came next in a single-choice answer. Returns undefined if
   * `events` has to be used; absent if the API has no fast path.
   */
  frameTexts?(kind: TextKind, words: readonly string[]): string | undefined;
  /** Text that closes a successful stream of one choice or several. */
  end(choices: readonly [AnswerSummary, ...AnswerSummary[]]): string | Promise<string>;
  /** Text that closes a stream that failed after its status was sent; the client must not take it for a complete answer. */
  failed(cause: Failure): string | Promise<string>;
}

/** The part of an answer that existed before it failed. */
export interface PartialAnswer {
  readonly content: string;
  readonly runId?: string | undefined;
}

// The port through which the gateway calls a model.

import type { EventSink } from "../core/events/EventSink.ts";
import type { ModelEvent, ModelOpened } from "../core/events/events.ts";
import type { TextFastLane } from "../core/events/TextFastLane.ts";
import type { JsonObject, Message, ToolChoice, ToolSpec } from "../core/messages.ts";
import type { ModelCapabilities } from "../core/models/capabilities.ts";
import type { OutputFormat, Sampling } from "../core/requests.ts";
import type { TextAnswer } from "./response/readTextAnswer.ts";

export interface ModelRequest {
  /** The id of the request or run that asks. */
  readonly run: string;
  readonly model: string;
  readonly messages: readonly Message[];
  /** Empty: the upstream gets no field that concerns tools. */
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  /** True if the tools are not sent, unless the upstream requires them for the calls of a history. */
  readonly toolsWithheld?: boolean | undefined;
  readonly parallelToolCalls?: boolean | undefined;
  readonly sampling: Sampling;
  readonly output: OutputFormat;
  /**
   * Schema that constrains the answer to a call, since only a call is allowed, if the upstream enforces schemas. No other form is requested
   * instead.
   */
  readonly callForm?: JsonObject | undefined;
  /** The conversation with instructions for the output's form, for an upstream that cannot enforce it. */
  readonly inWords?: readonly Message[] | undefined;
  /** Fields of the caller's request of which something was lost before it came here, as of messages in a prompt of text. */
  readonly lost?: readonly string[] | undefined;
  /** True if the caller reads a streaming answer. */
  readonly stream?: boolean | undefined;
  /** Fast path on which text may leave before it is parsed. */
  readonly ahead?: TextFastLane | undefined;
  /** True if the gateway observes the answer as a stream although the caller reads none. */
  readonly watched?: boolean | undefined;
  /** True for the gateway's own requests: never retried, never recorded. */
  readonly probe?: boolean | undefined;
  /** Fields of the wire that Postel does not model. They never override those it does. */
  readonly passthrough: JsonObject;
  readonly capabilities: ModelCapabilities;
}

export interface ModelClient {
  /**
   * Makes one model call and emits its events in batches, one for each read. The last event is exactly one `end` or `failed`, unless `take`
   * returned `enough`, which closes the connection. If the upstream refuses a part of the request, the failure is `upstream_refused` and
   * names the part in `details.refused`, a key of `ADAPTATIONS`. For the tools field it also has `details.toolsRefused === true`.
   * @throws the error of `take`, and no other.
   */
  stream(request: ModelRequest, signal: AbortSignal, take: EventSink<ModelEvent>): Promise<void>;
  /**
   * Makes one model call for a non-streaming consumer. A text-only answer is passed to `made` at once. For any other, `made` gets the
   * stream: nothing is requested twice, and the stream must be consumed once. The signal limits the time. Absent: only `stream`.
   * @param made converts the answer at once, without an extra promise.
   * @throws the error of `made`, and no other.
   */
  whole?<Made>(request: ModelRequest, signal: AbortSignal, made: WholeAnswerMapper<Made>): Promise<Made>;
}

/** A text-only answer with its end, which has a usage. */
export interface WholeAnswer extends TextAnswer {
  readonly opened: ModelOpened;
}

/** See `ModelClient.stream`. */
export type EventStream = (take: EventSink<ModelEvent>) => Promise<void>;

/** See `ModelClient.whole`. */
export type WholeAnswerMapper<Made> = (answer: WholeAnswer | EventStream) => Made;

/** Calls `whole` of a client, or `stream` if it has none. */
export function fetchWhole<Made>(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
  made: WholeAnswerMapper<Made>,
): Promise<Made> {
  return client.whole ? client.whole(request, signal, made) : streaming(client, request, signal, made);
}

async function streaming<Made>(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
  made: WholeAnswerMapper<Made>,
): Promise<Made> {
  return made((take) => client.stream(request, signal, take));
}

/** Returns a complete answer as a stream of one batch. */
export function toEventStream({ opened, said, end }: WholeAnswer): EventStream {
  return async (take) => {
    await take([opened, said, end]);
  };
}

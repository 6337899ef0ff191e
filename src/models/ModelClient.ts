// The port through which the gateway calls a model.

import type { EventSink } from "../core/events/EventSink.ts";
import type { ModelEvent, ModelOpened } from "../core/events/events.ts";
import type { TextFastLane } from "../core/events/TextFastLane.ts";
import type { JsonObject, Message, ToolChoice, ToolSpec } from "../core/messages.ts";
import type { ModelCapabilities } from "../core/models/capabilities.ts";
import type { OutputFormat, Sampling } from "../core/requests.ts";
import type { AnswerText } from "./response/readTextAnswer.ts";

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
   * Fast path of a call whose answer no client streams. Returns an answer of text alone. Any other answer, and any failure, is returned as a
   * stream, which the caller reads exactly once. Absent: only `stream`. Throws nothing.
   */
  complete?(request: ModelRequest, signal: AbortSignal): Promise<TextAnswer | EventStream>;
}

/** An answer of text alone, with its start and its end. */
export interface TextAnswer extends AnswerText {
  readonly opened: ModelOpened;
}

/** See `ModelClient.stream`. */
export type EventStream = (take: EventSink<ModelEvent>) => Promise<void>;

/** Calls `complete` of a client, or returns its `stream` if it has none. */
export async function completeCall(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<TextAnswer | EventStream> {
  return client.complete ? await client.complete(request, signal) : (take) => client.stream(request, signal, take);
}

/** Returns the answer as a stream; a text answer is one batch. */
export function toEventStream(answer: TextAnswer | EventStream): EventStream {
  if (typeof answer === "function") return answer;
  return async (take) => {
    await take([answer.opened, answer.said, answer.end]);
  };
}

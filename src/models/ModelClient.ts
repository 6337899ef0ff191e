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
  /** True where the tools do not go up, unless the upstream wants those of a history beside it. */
  readonly toolsWithheld?: boolean | undefined;
  readonly parallelToolCalls?: boolean | undefined;
  readonly sampling: Sampling;
  readonly output: OutputFormat;
  /**
   * A schema that the answer is held to because only a call will do, where the upstream enforces one; no other form is asked for
   * in its place.
   */
  readonly callForm?: JsonObject | undefined;
  /** The conversation with the output's form asked for in words, for an upstream that cannot be made to enforce it. */
  readonly inWords?: readonly Message[] | undefined;
  /** Fields of the caller's request of which something was lost before it came here, as of messages in a prompt of text. */
  readonly lost?: readonly string[] | undefined;
  /** True where the caller reads the answer as it comes. */
  readonly stream?: boolean | undefined;
  /** By which words may leave before they are read. */
  readonly ahead?: TextFastLane | undefined;
  /** True where it is watched as it comes though nobody reads it so. */
  readonly watched?: boolean | undefined;
  /** True for what the gateway asks of its own accord: never repeated, never recorded. */
  readonly probe?: boolean | undefined;
  /** Fields of the wire that Postel does not model; they never override those it does. */
  readonly passthrough: JsonObject;
  readonly capabilities: ModelCapabilities;
}

export interface ModelClient {
  /**
   * Makes one model call and gives its events in batches, each of what one read gave. Exactly one `end` or `failed` is the last of
   * them, unless `take` has said `enough`, which closes the connection. A failure that means "this upstream refuses a part of the
   * request" is `upstream_refused` and says which one in `details.refused`, a name of `MENDS`; that of the tools field has
   * `details.toolsRefused === true`.
   * @throws what `take` throws, and nothing else.
   */
  stream(request: ModelRequest, signal: AbortSignal, take: EventSink<ModelEvent>): Promise<void>;
  /**
   * Makes one model call whose answer nobody reads as it comes. Where it is words alone they are given at once, else what `stream` would
   * have given is told to whoever asks for it: nothing is asked twice, and it must be asked for, once. The signal bounds the time.
   * Absent: `stream` alone.
   * @param made what is made of it, at once and without a promise of its own.
   * @throws what `made` throws, and nothing else.
   */
  whole?<Made>(request: ModelRequest, signal: AbortSignal, made: WholeAnswerMapper<Made>): Promise<Made>;
}

/** An answer that is words alone and their end, which has a usage. */
export interface WholeAnswer extends TextAnswer {
  readonly opened: ModelOpened;
}

/** See `ModelClient.stream`. */
export type EventStream = (take: EventSink<ModelEvent>) => Promise<void>;

/** See `ModelClient.whole`. */
export type WholeAnswerMapper<Made> = (answer: WholeAnswer | EventStream) => Made;

/** `whole` of any client. */
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

/** A whole answer told as a stream of one batch. */
export function toEventStream({ opened, said, end }: WholeAnswer): EventStream {
  return async (take) => {
    await take([opened, said, end]);
  };
}

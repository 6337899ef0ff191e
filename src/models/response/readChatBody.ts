// Reads the bytes of a 200 answer as JSON chunks, by content type, within limits of size and time.

import { YieldBudget, yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import type { EventSink, SinkSignal } from "../../core/events/EventSink.ts";
import type { ModelEvent } from "../../core/events/events.ts";
import { isDeeperThan } from "../../core/json/jsonDepth.ts";
import { parseJson } from "../../core/json/parseJson.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import type { EgressResponse } from "../../core/ports.ts";
import { asObject } from "../looseJson.ts";
import type { ChatStreamState } from "./ChatStreamState.ts";
import type { EventTimeout } from "./EventTimeout.ts";
import { type FastLaneContext, FastLaneReader } from "./FastLaneReader.ts";
import type { ResponseLimits } from "./ResponseLimits.ts";
import { createProtocolError, SseEventSplitter, TURN_CHARS, type TurnOfEvents } from "./SseEventSplitter.ts";

/** Maximum nesting of objects and lists. No answer needs a tenth of it, and recursive functions of the gateway can go deeper. */
const MAX_DEPTH = 500;
/** Time to wait after `[DONE]` for the end of the response, so that the connection can be reused. Milliseconds. */
const DRAIN_MS = 100;

interface EventTimers {
  /** Milliseconds until the first progress of the answer. The caller has started the wait when the exchange was sent. */
  readonly firstEventMs: number;
  /** Milliseconds until the next progress. Comments and events without content are no progress. */
  readonly idleMs: number;
  /** Idle time until the first text of a stream that arrives for a non-streaming request; absent if a stream was requested. */
  readonly unaskedMs?: number | undefined;
}

export interface ChatReading {
  readonly deadline: EventTimeout;
  readonly timers: EventTimers;
  /** Counts what is read here. The chunk reader reports the content, and that is the progress. */
  readonly meter: Pick<ResponseLimits, "progress" | "readText" | "readEvents" | "readPart">;
  /**
   * Reads the chunks. `markDone` is called at the upstream's end marker: `[DONE]`, the end of a complete JSON document, or the marker of
   * its wire.
   */
  readonly exchange: Pick<ChatStreamState, "readLike" | "read" | "hasEvents" | "isAnswer" | "markDone">;
  /** Fast path on which text may leave before it is parsed here. */
  readonly lane?: FastLaneContext | undefined;
}

/**
 * Reads a chat completion: an event stream, or a JSON document, which is a stream of one chunk. The first character distinguishes them,
 * since small servers mislabel both. Emits the events of one turn, never an empty batch, including those before an error. Resolves at
 * the end, or with `enough`.
 * @throws PostelError `upstream_protocol_error` for another content type, an empty body, an event that is no JSON or is over
 * 1 MiB, or unlimited nesting; the meter's `upstream_answer_too_large`; the deadline's reason; errors of the exchange; the egress's
 * error for a broken connection; errors of `take`.
 */
export async function readChatBody(
  response: EgressResponse,
  reading: ChatReading,
  onEvents: EventSink<ModelEvent>,
): Promise<SinkSignal> {
  const bytes = response.body[Symbol.asyncIterator]();
  const { deadline, meter, exchange } = reading;
  try {
    const saysStream = checkContentType(response.headers["content-type"]);
    const { unaskedMs, firstEventMs } = reading.timers;
    if (saysStream && unaskedMs !== undefined) deadline.start(unaskedMs, FIRST);
    const text = new TextReader(bytes, reading);
    const start = await readStart(text, meter);
    const isDocument = start.startsWith("{") || start.startsWith("[");
    if (unaskedMs !== undefined && saysStream === isDocument)
      deadline.start(isDocument ? firstEventMs : unaskedMs, FIRST);
    if (isDocument) return await readWhole(await readDocument(start, text, reading), exchange, onEvents);
    const fastLane = reading.lane && response.setEarlyReader && new FastLaneReader(reading.lane, deadline);
    if (fastLane) response.setEarlyReader?.(fastLane.read);
    return await readStream(start, text, { meter, exchange, ahead: fastLane, onEvents });
  } finally {
    deadline.stop();
    // Not awaited: a connection that hangs must not delay the answer.
    void Promise.resolve(bytes.return?.()).catch(() => {});
  }
}

interface StreamReading extends Pick<ChatReading, "meter" | "exchange"> {
  readonly ahead: FastLaneReader | undefined;
  readonly onEvents: EventSink<ModelEvent>;
}

async function readStream(start: string, text: TextReader, reading: StreamReading): Promise<SinkSignal> {
  const { meter, exchange, ahead: fastLane, onEvents: take } = reading;
  const cutter = new SseEventSplitter();
  const pace = new YieldBudget(TURN_CHARS);
  for (let piece: string | undefined = start; ; piece = await readNext(text, piece, reading)) {
    const earlyEvents = fastLane?.takePending() ?? NOTHING;
    if (earlyEvents.length > 0 && (await take(earlyEvents)) === "enough") return "enough";
    const atEnd = piece === undefined;
    for (const turn of cutter.split(piece)) {
      if (pace.isDue(turn.cost)) await yieldToEventLoop();
      meter.readEvents(turn.events.length, turn.more);
      const to: TurnReading = { exchange, events: [], atEnd };
      // A long event is parsed in one turn, and its result is processed in another.
      const end = turn.cost > TURN_CHARS ? await readLongEvent(turn, to) : readTurn(turn, to);
      if (to.events.length > 0 && (await take(to.events)) === "enough") return "enough";
      if (end === "more") continue;
      if (end !== "done") throw end.error;
      exchange.markDone();
      await text.drain();
      return undefined;
    }
    cutter.check(atEnd);
    if (atEnd) return undefined;
  }
}

/** Reads the next piece of the stream. During the wait, text may leave on the fast path; it is reported before a failure. */
async function readNext(
  text: TextReader,
  piece: string | undefined,
  { ahead: fastLane, onEvents: take }: StreamReading,
): Promise<string | undefined> {
  if (!fastLane) return await text.next();
  try {
    fastLane.resetPending(piece);
    return await text.next();
  } catch (error) {
    const earlyEvents = fastLane.takePending();
    if (earlyEvents.length > 0) await take(earlyEvents);
    throw error;
  } finally {
    fastLane.resetPending();
  }
}

const NOTHING: readonly ModelEvent[] = [];

/** True for an event stream. Servers write either type for both forms. */
function checkContentType(header: string | undefined): boolean {
  const type = header?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "text/event-stream") return true;
  if (type === "" || type === "application/json" || type.endsWith("+json")) return false;
  throw createProtocolError(
    `answered 200 with ${type} instead of an event stream or JSON. Is its base URL an OpenAI API?`,
  );
}

const STREAMING = { stream: true };
/** Description of the first wait; see `EventTimeout.start`. */
export const FIRST = "word of its answer";
const FURTHER = "further word of its answer";

/** Decodes as it reads, counts, and runs the timer only while a read is awaited. */
class TextReader {
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #reading: ChatReading;
  readonly #decoder = new TextDecoder();
  /** Progress count at the last wait. */
  #progress = 0;

  constructor(bytes: AsyncIterator<Uint8Array>, reading: ChatReading) {
    this.#bytes = bytes;
    this.#reading = reading;
  }

  /** The next piece of text, undefined at the end. */
  next(): Promise<string | undefined> {
    const { deadline, timers, meter } = this.#reading;
    if (meter.progress === this.#progress) deadline.resume();
    else deadline.start(timers.idleMs, FURTHER);
    this.#progress = meter.progress;
    return deadline.read(this.#bytes, this.#came);
  }

  readonly #came = (readBytes: IteratorResult<Uint8Array>): string | undefined => {
    const { deadline, meter } = this.#reading;
    deadline.pause();
    const text = readBytes.done ? this.#decoder.decode() : this.#decoder.decode(readBytes.value, STREAMING);
    meter.readText(text);
    return readBytes.done && text === "" ? undefined : text;
  };

  /** Reads to the end of the connection, but not for long. */
  async drain(): Promise<void> {
    const { deadline } = this.#reading;
    deadline.start(DRAIN_MS, "end of connection");
    try {
      while (!(await deadline.next(this.#bytes)).done);
    } catch {
      // The answer is complete; how its connection ends changes nothing.
    } finally {
      deadline.stop();
    }
  }
}

/** Returns text up to the first piece with more than white space. */
async function readStart(text: TextReader, meter: ChatReading["meter"]): Promise<string> {
  for (;;) {
    const piece = await text.next();
    if (piece === undefined) throw createProtocolError("answered 200 with an empty body.");
    const start = piece.trimStart();
    if (start !== "") return start;
    meter.readEvents(0);
  }
}

async function readDocument(
  start: string,
  text: TextReader,
  { meter, exchange }: Pick<ChatReading, "meter" | "exchange">,
): Promise<JsonObject> {
  const pieces = [start];
  for (let piece = await text.next(); piece !== undefined; piece = await text.next()) {
    // Proxies send white space to keep a connection open although the answer does not progress.
    if (piece.trim() !== "") meter.readPart();
    meter.readEvents(0);
    pieces.push(piece);
  }
  const joined = pieces.join("");
  const document = joined.length > TURN_CHARS ? await parseInTurns(joined) : parseObject(joined);
  if (!document) throw createProtocolError("answered 200 with a body that looks like JSON and is none, or was cut.");
  if (!exchange.isAnswer(document)) {
    throw createProtocolError("answered 200 with JSON that is no answer. Is its base URL that of its `wire`?");
  }
  return document;
}

async function readWhole(
  document: JsonObject,
  exchange: ChatReading["exchange"],
  onEvents: EventSink<ModelEvent>,
): Promise<SinkSignal> {
  const events: ModelEvent[] = [];
  const end = tryToRead(() => exchange.read(document, events));
  const signal = events.length > 0 ? await onEvents(events) : undefined;
  if (end !== "more") throw end.error;
  exchange.markDone();
  return signal;
}

/** End of a batch: more follows, the upstream ended the answer, or it broke off. */
type EndOfTurn = "more" | "done" | Broken;

interface Broken {
  readonly error: unknown;
}

interface TurnReading {
  readonly exchange: ChatReading["exchange"];
  readonly events: ModelEvent[];
  readonly atEnd: boolean;
}

/** Data that was read before an error is still delivered. */
function tryToRead(readBytes: () => void): "more" | Broken {
  try {
    readBytes();
    return "more";
  } catch (error) {
    return { error };
  }
}

/** Parses the completed events and reads them. */
function readTurn({ events }: TurnOfEvents, to: TurnReading): EndOfTurn {
  try {
    for (const { event, data } of events) {
      const like = event === "error" ? undefined : to.exchange.readLike(data);
      if (like) {
        to.events.push(like);
        continue;
      }
      const text = data.trim();
      if (text === "[DONE]") return "done";
      if (text !== "") readChunk(parseObject(text), { event, text }, to);
      if (to.exchange.hasEvents) return "done";
    }
    return "more";
  } catch (error) {
    return { error };
  }
}

async function readLongEvent({ events }: TurnOfEvents, to: TurnReading): Promise<EndOfTurn> {
  const { event, data = "" } = events[0] ?? {};
  const text = data.trim();
  if (text === "[DONE]") return "done";
  let value: JsonObject | undefined;
  const outcome = tryToRead(() => {
    value = text === "" ? undefined : parseObject(text);
  });
  if (outcome !== "more" || text === "") return outcome;
  await yieldToEventLoop();
  const chunk = tryToRead(() => readChunk(value, { event, text }, to));
  return chunk === "more" && to.exchange.hasEvents ? "done" : chunk;
}

/**
 * An invalid JSON event at the end of the connection was cut; that is no protocol error.
 * @throws PostelError `upstream_protocol_error` for one before that; errors of the exchange.
 */
function readChunk(
  value: JsonObject | undefined,
  { event, text }: { readonly event: string | undefined; readonly text: string },
  { exchange, events: said, atEnd }: TurnReading,
): void {
  if (event === "error") exchange.read(value?.error ? value : { error: value ?? text }, said);
  else if (value) exchange.read(value, said, text);
  else if (!atEnd) throw createProtocolError("sent an event that is no JSON object.");
}

/** Joining a long document, parsing it and processing its result take one turn each. */
async function parseInTurns(text: string): Promise<JsonObject | undefined> {
  await yieldToEventLoop();
  const document = parseObject(text);
  await yieldToEventLoop();
  return document;
}

function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  // The text of a value that is nested as deep has two characters a level at the least.
  if (text.length > 2 * MAX_DEPTH && isDeeperThan(value, MAX_DEPTH))
    throw createProtocolError(`sent JSON that is nested more than ${MAX_DEPTH} levels deep.`);
  return asObject(Array.isArray(value) ? (value as readonly JsonValue[])[0] : value);
}

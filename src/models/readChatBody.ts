// The bytes of a 200 answer as parsed JSON chunks, by its content type. Knows SSE and limits; refuses to know what a chunk says.
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { failure, PostelError } from "../core/failures.ts";
import { loopTurn } from "../core/loopTurn.ts";
import type { JsonObject, JsonValue } from "../core/messages.ts";
import { Pace } from "../core/Pace.ts";
import type { EgressResponse } from "../core/ports.ts";
import type { AnswerMeter } from "./AnswerMeter.ts";
import type { EventDeadline } from "./EventDeadline.ts";
import { isDeeperThan, jsonIn, objectIn } from "./wireJson.ts";

/** Characters of one event of a stream, its lines joined: 1 MiB. */
const MAX_EVENT_CHARS = 1_048_576;
/** Objects and lists in one another. No answer needs a tenth of it, and nothing of ours that walks a value goes as deep as it could. */
const MAX_DEPTH = 500;
/** How long the end of a connection is waited for after `[DONE]`, so that it can be used again. Milliseconds. */
const DRAIN_MS = 100;

/**
 * Characters of events that are parsed and handed on in one turn of the event loop, and what an event costs beside its own. A
 * connection that is read faster than it is worked off gives everything it has without a turn in between.
 */
const TURN_CHARS = 65_536;
const EVENT_COST = 128;

/** What one turn of reading gave. */
export interface ChatBatch {
  readonly chunks: readonly JsonObject[];
  /** True once the upstream has said that this was all: `[DONE]`, or the end of a whole JSON document. */
  readonly done: boolean;
}

interface EventTimers {
  /** Milliseconds until the answer gets on for the first time; the caller has started it when the exchange was sent. */
  readonly firstEventMs: number;
  /** Milliseconds after which it must have got on again. Comments, and events that say nothing, are silence. */
  readonly idleMs: number;
}

export interface ChatReading {
  readonly deadline: EventDeadline;
  readonly timers: EventTimers;
  /** Counts what is read here; whoever reads the chunks tells it what they say, and by that the time is measured. */
  readonly meter: Pick<AnswerMeter, "progress" | "readText" | "readEvents" | "readPart">;
}

/**
 * Reads a chat completion: an event stream, or a JSON document, which is a stream of one chunk. A document is told from a
 * stream by its first character, since small servers mislabel both.
 * @throws PostelError `upstream_protocol_error` for another content type, an empty body, an event that is no JSON or is over
 * 1 MiB, values nested without end; the meter's `upstream_answer_too_large`; the deadline's reason; what the egress says of a
 * broken connection.
 */
export async function* readChatBody(
  response: EgressResponse,
  reading: ChatReading,
): AsyncGenerator<ChatBatch, void, undefined> {
  const bytes = response.body[Symbol.asyncIterator]();
  const { deadline, meter } = reading;
  try {
    checkContentType(response.headers["content-type"]);
    const text = new TextReader(bytes, reading);
    const start = await readStart(text, meter);
    if (start.startsWith("{") || start.startsWith("[")) yield await readDocument(start, text, meter);
    else yield* readEvents(start, text, meter);
  } finally {
    deadline.stop();
    // Not awaited: a connection that hangs must not hold the answer.
    void Promise.resolve(bytes.return?.()).catch(() => {});
  }
}

function checkContentType(header: string | undefined): void {
  const type = header?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "" || type === "text/event-stream" || type === "application/json" || type.endsWith("+json")) return;
  throw protocolError(`answered 200 with ${type} instead of an event stream or JSON. Is its base URL an OpenAI API?`);
}

/** Decodes as it reads, counts, and times only while somebody waits. */
class TextReader {
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #reading: ChatReading;
  readonly #decoder = new TextDecoder();
  /** How often the answer had got on when it was last waited for. */
  #progress = 0;

  constructor(bytes: AsyncIterator<Uint8Array>, reading: ChatReading) {
    this.#bytes = bytes;
    this.#reading = reading;
  }

  /** The next piece of text, undefined at the end. */
  async next(): Promise<string | undefined> {
    const { deadline, timers, meter } = this.#reading;
    if (meter.progress === this.#progress) deadline.resume();
    else deadline.start(timers.idleMs, "further word of its answer");
    this.#progress = meter.progress;
    const read = await deadline.next(this.#bytes);
    deadline.pause();
    const text = read.done ? this.#decoder.decode() : this.#decoder.decode(read.value, { stream: true });
    meter.readText(text);
    return read.done && text === "" ? undefined : text;
  }

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

/** Text up to the first piece that holds more than white space. */
async function readStart(text: TextReader, meter: ChatReading["meter"]): Promise<string> {
  for (;;) {
    const piece = await text.next();
    if (piece === undefined) throw protocolError("answered 200 with an empty body.");
    const start = piece.trimStart();
    if (start !== "") return start;
    meter.readEvents(0);
  }
}

async function readDocument(start: string, text: TextReader, meter: ChatReading["meter"]): Promise<ChatBatch> {
  const pieces = [start];
  for (let piece = await text.next(); piece !== undefined; piece = await text.next()) {
    // White space is how proxies keep a connection open behind which nothing gets on.
    if (piece.trim() !== "") meter.readPart();
    meter.readEvents(0);
    pieces.push(piece);
  }
  const document = parseObject(pieces.join(""));
  if (!document) throw protocolError("answered 200 with a body that looks like JSON and is none, or was cut.");
  if (!document.error && (!Array.isArray(document.choices) || document.choices.length === 0)) {
    throw protocolError("answered 200 with JSON that has no `choices`. Is its base URL an OpenAI API?");
  }
  return { chunks: [document], done: true };
}

async function* readEvents(
  start: string,
  text: TextReader,
  meter: ChatReading["meter"],
): AsyncGenerator<ChatBatch, void, undefined> {
  const pending: EventSourceMessage[] = [];
  let overflow = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (event) => pending.push(event),
    onError: (error) => {
      overflow ||= error.type === "max-buffer-size-exceeded";
    },
  });
  const pace = new Pace(TURN_CHARS);
  let any = false;
  let piece: string | undefined = start;
  for (;;) {
    // The blank line ends an event that the upstream did not end before it closed; many leave it out after `[DONE]`.
    parser.feed(piece ?? "\n\n");
    let more = pending.length;
    for (const { events, cost } of turnsOf(pending.splice(0))) {
      if (pace.due(cost)) await loopTurn();
      const batch = takeEvents(events, piece === undefined);
      // To parse a long event was one turn's work; what is made of it is another's.
      if (cost > TURN_CHARS) await loopTurn();
      any ||= batch.events > 0;
      more -= events.length;
      meter.readEvents(batch.events, more);
      if (batch.done) await text.drain();
      if (batch.chunks.length > 0 || batch.done) yield batch;
      if (batch.done) return;
      if (batch.fault) throw protocolError(batch.fault);
    }
    if (overflow) throw protocolError(`sent a line or an event of more than ${MAX_EVENT_CHARS} characters.`);
    if (piece === undefined) break;
    piece = await text.next();
  }
  if (!any) throw protocolError("answered 200 with a body that holds no event.");
}

interface TurnOfEvents {
  readonly events: readonly EventSourceMessage[];
  readonly cost: number;
}

/** One turn at the least, though nothing was completed: what was read is counted all the same. */
function* turnsOf(events: readonly EventSourceMessage[]): Generator<TurnOfEvents, void, undefined> {
  let taken: EventSourceMessage[] = [];
  let cost = 0;
  for (const event of events) {
    const more = event.data.length + EVENT_COST;
    if (taken.length > 0 && cost + more > TURN_CHARS) {
      yield { events: taken, cost };
      taken = [];
      cost = 0;
    }
    taken.push(event);
    cost += more;
  }
  yield { events: taken, cost };
}

interface TakenEvents extends ChatBatch {
  readonly events: number;
  readonly fault?: string | undefined;
}

/** Parses what was completed. At the end of the connection an event that is no JSON was cut, which is no fault of its form. */
function takeEvents(events: readonly EventSourceMessage[], atEnd: boolean): TakenEvents {
  const chunks: JsonObject[] = [];
  for (const { event, data } of events) {
    const trimmed = data.trim();
    if (trimmed === "[DONE]") return { chunks, done: true, events: events.length };
    if (trimmed === "") continue;
    const value = parseObject(trimmed);
    if (event === "error") chunks.push(value?.error ? value : { error: value ?? trimmed });
    else if (value) chunks.push(value);
    else if (!atEnd)
      return { chunks, done: false, events: events.length, fault: "sent an event that is no JSON object." };
  }
  return { chunks, done: false, events: events.length };
}

function parseObject(text: string): JsonObject | undefined {
  const value = jsonIn(text);
  // The text of a value that is nested as deep has two characters a level at the least.
  if (text.length > 2 * MAX_DEPTH && isDeeperThan(value, MAX_DEPTH))
    throw protocolError(`sent JSON that is nested more than ${MAX_DEPTH} levels deep.`);
  return objectIn(Array.isArray(value) ? (value as readonly JsonValue[])[0] : value);
}

function protocolError(what: string): PostelError {
  return new PostelError(failure("upstream_protocol_error", `The upstream ${what}`));
}

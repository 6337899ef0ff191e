// The bytes of a 200 answer as parsed JSON chunks, by its content type. Knows SSE and limits; refuses to know what a chunk says.
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { failure, PostelError } from "../core/failures.ts";
import type { JsonObject, JsonValue } from "../core/messages.ts";
import type { EgressResponse } from "../core/ports.ts";
import type { EventDeadline } from "./EventDeadline.ts";

/** Characters of one event of a stream, its lines joined: 1 MiB. */
const MAX_EVENT_CHARS = 1_048_576;
/** Characters of an answer that is one JSON document: 8 MiB. */
const MAX_DOCUMENT_CHARS = 8_388_608;
/** How long the end of a connection is waited for after `[DONE]`, so that it can be used again. Milliseconds. */
const DRAIN_MS = 100;

/** What one read of the connection gave. */
export interface ChatBatch {
  readonly chunks: readonly JsonObject[];
  /** True once the upstream has said that this was all: `[DONE]`, or the end of a whole JSON document. */
  readonly done: boolean;
}

export interface EventTimers {
  /** Milliseconds until the first event; the caller has started it when the exchange was sent. */
  readonly firstEventMs: number;
  /** Milliseconds between two events. Comments are no events. */
  readonly idleMs: number;
}

/**
 * Reads a chat completion: an event stream, or a JSON document, which is a stream of one chunk. A document is told from a
 * stream by its first character, since small servers mislabel both.
 * @throws PostelError `upstream_protocol_error` for another content type, an empty body, an event that is no JSON, an event
 * over 1 MiB or a document over 8 MiB; the deadline's reason; what the egress says of a broken connection.
 */
export async function* readChatBody(
  response: EgressResponse,
  deadline: EventDeadline,
  timers: EventTimers,
): AsyncGenerator<ChatBatch, void, undefined> {
  const bytes = response.body[Symbol.asyncIterator]();
  try {
    checkContentType(response.headers["content-type"]);
    const text = new TextReader(bytes, deadline, timers);
    const start = await readStart(text);
    if (start.startsWith("{") || start.startsWith("[")) yield await readDocument(start, text);
    else yield* readEvents(start, text);
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

/** Decodes as it reads, and times only while somebody waits. */
class TextReader {
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #deadline: EventDeadline;
  readonly #timers: EventTimers;
  readonly #decoder = new TextDecoder();
  #any = false;

  constructor(bytes: AsyncIterator<Uint8Array>, deadline: EventDeadline, timers: EventTimers) {
    this.#bytes = bytes;
    this.#deadline = deadline;
    this.#timers = timers;
  }

  /** The next piece of text, undefined at the end. */
  async next(): Promise<string | undefined> {
    if (!this.#deadline.running) {
      if (this.#any) this.#deadline.start(this.#timers.idleMs, "further event");
      else this.#deadline.start(this.#timers.firstEventMs, "event");
    }
    const read = await this.#deadline.next(this.#bytes);
    if (!read.done) return this.#decoder.decode(read.value, { stream: true });
    const rest = this.#decoder.decode();
    return rest === "" ? undefined : rest;
  }

  /** An event came: the next wait is timed anew. */
  sawEvent(): void {
    this.#any = true;
    this.#deadline.stop();
  }

  /** Reads to the end of the connection, but not for long. */
  async drain(): Promise<void> {
    this.#deadline.start(DRAIN_MS, "end of connection");
    try {
      while (!(await this.#deadline.next(this.#bytes)).done);
    } catch {
      // The answer is complete; how its connection ends changes nothing.
    } finally {
      this.#deadline.stop();
    }
  }
}

/** Text up to the first piece that holds more than white space. */
async function readStart(text: TextReader): Promise<string> {
  for (;;) {
    const piece = await text.next();
    if (piece === undefined) throw protocolError("answered 200 with an empty body.");
    const start = piece.trimStart();
    if (start !== "") return start;
  }
}

async function readDocument(start: string, text: TextReader): Promise<ChatBatch> {
  const pieces = [start];
  let length = start.length;
  for (let piece = await text.next(); piece !== undefined; piece = await text.next()) {
    text.sawEvent();
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_DOCUMENT_CHARS)
      throw protocolError(`sent a JSON answer of more than ${MAX_DOCUMENT_CHARS} characters.`);
  }
  const document = parseObject(pieces.join(""));
  if (!document) throw protocolError("answered 200 with a body that looks like JSON and is none, or was cut.");
  if (!document.error && (!Array.isArray(document.choices) || document.choices.length === 0)) {
    throw protocolError("answered 200 with JSON that has no `choices`. Is its base URL an OpenAI API?");
  }
  return { chunks: [document], done: true };
}

async function* readEvents(start: string, text: TextReader): AsyncGenerator<ChatBatch, void, undefined> {
  const pending: EventSourceMessage[] = [];
  let overflow = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (event) => pending.push(event),
    onError: (error) => {
      overflow ||= error.type === "max-buffer-size-exceeded";
    },
  });
  let any = false;
  let piece: string | undefined = start;
  for (;;) {
    // The blank line ends an event that the upstream did not end before it closed; many leave it out after `[DONE]`.
    parser.feed(piece ?? "\n\n");
    const batch = takeEvents(pending, piece === undefined);
    if (batch.events > 0) {
      any = true;
      text.sawEvent();
    }
    if (batch.done) await text.drain();
    if (batch.chunks.length > 0 || batch.done) yield batch;
    if (batch.done) return;
    if (batch.fault) throw protocolError(batch.fault);
    if (overflow) throw protocolError(`sent a line or an event of more than ${MAX_EVENT_CHARS} characters.`);
    if (piece === undefined) break;
    piece = await text.next();
  }
  if (!any) throw protocolError("answered 200 with a body that holds no event.");
}

interface TakenEvents extends ChatBatch {
  readonly events: number;
  readonly fault?: string | undefined;
}

/** Parses what one read completed. At the end of the connection an event that is no JSON was cut, which is no fault of its form. */
function takeEvents(pending: EventSourceMessage[], atEnd: boolean): TakenEvents {
  const events = pending.splice(0);
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
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  const first = Array.isArray(value) ? (value as readonly JsonValue[])[0] : value;
  return typeof first === "object" && first !== null && !Array.isArray(first) ? (first as JsonObject) : undefined;
}

function protocolError(what: string): PostelError {
  return new PostelError(failure("upstream_protocol_error", `The upstream ${what}`));
}

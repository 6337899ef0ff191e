// State of one 200 answer while its chunks arrive: when it opened, if it is complete, and its errors. Reads no bytes.
import type { ModelEnd, ModelEvent } from "../../core/events/events.ts";
import type { TextKind } from "../../core/events/TextFastLane.ts";
import { createFailure, type Failure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { WireAnswer } from "../wires/UpstreamWire.ts";
import { ChunkReader } from "./ChunkReader.ts";
import { ChunkTemplate } from "./ChunkTemplate.ts";
import type { ResponseLimits } from "./ResponseLimits.ts";
import { extractChunkError, extractErrorMessage } from "./upstreamFailure.ts";

/** Characters of a foreign finish reason in a message. */
const REASON_CHARS = 64;
/** Number of consecutive unused patterns after which an upstream counts as one whose chunks all differ. */
const MAX_UNUSED = 4;

export interface ExchangeOptions {
  readonly opened: ModelEvent;
  /** Converts an error inside the answer to a failure. */
  readonly refuse: (status: number, body: string) => Failure;
  readonly meter: Pick<ResponseLimits, "progress" | "addEvent">;
  /** True if a chunk that differs from the last one in its text alone is read without a JSON parser (fast path). */
  readonly usesTemplates: boolean;
  /** Converts documents to chunks of the chat wire; absent if the upstream sends them. */
  readonly wire?: WireAnswer | undefined;
}

export class ChatStreamState {
  readonly #reader = new ChunkReader();
  /** The last chunk, if it had one event alone: its text until another comes, then its pattern. */
  #last: { readonly data: string; readonly event: ModelEvent } | undefined;
  #pattern: ChunkTemplate | undefined;
  #unusedPatterns = 0;
  readonly #refuse: ExchangeOptions["refuse"];
  readonly #meter: ExchangeOptions["meter"];
  readonly #usesTemplates: boolean;
  readonly #wire: WireAnswer | undefined;
  #opened: ModelEvent | undefined;
  #recovered = false;
  #complete = false;
  #done = false;

  constructor(options: ExchangeOptions) {
    this.#opened = options.opened;
    this.#refuse = options.refuse;
    this.#meter = options.meter;
    this.#usesTemplates = options.usesTemplates;
    this.#wire = options.wire;
  }

  /** True once the upstream has given a finish reason and all data before it was read. */
  get finished(): boolean {
    return this.#complete;
  }

  /** The field in which the model sent reasoning. */
  get reasoningField(): string | undefined {
    return this.#reader.reasoningField;
  }

  /** True once the upstream has marked the end of its answer. */
  get hasEvents(): boolean {
    return this.#wire?.done ?? false;
  }

  /** Returns true if the document is an answer of the wire. */
  isAnswer(document: JsonObject): boolean {
    if (document.error) return true;
    if (this.#wire) return this.#wire.isAnswer(document);
    return Array.isArray(document.choices) && document.choices.length > 0;
  }

  /** Marks the end of the upstream's answer. */
  markDone(): void {
    this.#done = true;
  }

  /**
   * Returns the only event of a chunk that differs from the last one in its text alone, without a JSON parser; undefined if it must be parsed.
   * @throws PostelError for an answer that is too large.
   */
  readLike(data: string): ModelEvent | undefined {
    if (this.#last) this.#learn(this.#last.data, this.#last.event);
    const event = this.#pattern?.read(data);
    if (!event) return undefined;
    this.#unusedPatterns = 0;
    this.#meter.addEvent(event);
    return event;
  }

  /** Kind of text in chunks that differ from the last one only in their text; undefined if the last chunk had none. */
  get wordsKind(): TextKind | undefined {
    if (this.#last) this.#learn(this.#last.data, this.#last.event);
    return this.#pattern?.kind;
  }

  /** Returns the text of such a chunk in `text`. Counts nothing: the code that emits it does. */
  extractText(text: string, from: number, to: number): string | undefined {
    const words = this.#pattern?.extractText(text, from, to);
    if (words !== undefined) this.#unusedPatterns = 0;
    return words;
  }

  /**
   * Adds the chunk's events to `events`, including those before an error.
   * @param data the text of the chunk, if similar chunks may follow.
   * @throws PostelError for an error object inside the stream, and for an answer that is too large.
   */
  read(chunk: JsonObject, events: ModelEvent[], data?: string): void {
    this.#pattern = undefined;
    this.#last = undefined;
    if (this.#recovered) return;
    const error = extractChunkError(chunk);
    if (!error && this.#wire) {
      for (const own of this.#wire.read(chunk)) this.#addEvents(this.#reader.read(own), events);
      return;
    }
    const answer = error && !this.#reader.sawCall ? extractErrorMessage(error.body) : undefined;
    if (error && answer === undefined) throw new PostelError(this.#refuse(error.status, error.body));
    if (answer !== undefined) this.#recovered = true;
    const said: readonly ModelEvent[] =
      answer === undefined ? this.#reader.read(chunk) : [{ type: "text", text: answer }];
    this.#addEvents(said, events);
    const { finishReason } = this.#reader;
    if (
      !this.#usesTemplates ||
      data === undefined ||
      this.#complete ||
      finishReason !== null ||
      this.#unusedPatterns >= MAX_UNUSED
    )
      return;
    const [event] = said;
    if (event && said.length === 1) this.#last = { data, event };
  }

  /**
   * @throws PostelError `upstream_truncated` if the connection ended without an end marker, or with that marker alone;
   * `upstream_error` if the upstream reports that it broke the answer off.
   */
  end(): readonly ModelEvent[] {
    const failed = this.#recovered ? undefined : this.#failure();
    if (failed) throw new PostelError(failed);
    const events: ModelEvent[] = [];
    this.#open(events);
    const { usage } = this.#reader;
    const end: ModelEnd = this.#recovered ? { type: "end", finishReason: "stop" } : this.#reader.end;
    events.push({ ...end, ...(usage && { usage }) });
    return events;
  }

  #addEvents(said: readonly ModelEvent[], events: ModelEvent[]): void {
    this.#open(events);
    for (const event of said) {
      this.#meter.addEvent(event);
      events.push(event);
    }
    const { finishReason, brokeOff } = this.#reader;
    this.#complete = this.#recovered || (finishReason !== null && !brokeOff);
  }

  /** Runs only when another chunk arrives: the first text of an answer must not wait for it. */
  #learn(data: string, event: ModelEvent): void {
    this.#last = undefined;
    this.#pattern = ChunkTemplate.of(data, event);
    if (this.#pattern) this.#unusedPatterns += 1;
  }

  #failure(): Failure | undefined {
    const { finishReason, brokeOff } = this.#reader;
    if (brokeOff) {
      const message = `The upstream broke its answer off: it gave ${JSON.stringify(finishReason?.slice(0, REASON_CHARS))} as its finish reason.`;
      return createFailure("upstream_error", message);
    }
    if (this.finished) return undefined;
    if (!this.#done) {
      const message =
        "The upstream closed the connection in the middle of its answer: neither a finish reason nor [DONE] came.";
      return createFailure("upstream_truncated", message);
    }
    if (this.#meter.progress > 0) return undefined;
    const message = "The upstream ended its answer before it had said anything: no text, no call and no finish reason.";
    return createFailure("upstream_truncated", message);
  }

  #open(events: ModelEvent[]): void {
    if (!this.#opened) return;
    events.push(this.#opened);
    this.#opened = undefined;
  }
}

// One 200 answer while its chunks come in: when it opened, whether it is complete, what an error inside it means. Reads no bytes.
import type { ModelEnd, ModelEvent } from "../core/events.ts";
import { type Failure, failure, PostelError } from "../core/failures.ts";
import type { JsonObject } from "../core/messages.ts";
import type { AnswerMeter } from "./AnswerMeter.ts";
import { ChunkReader } from "./ChunkReader.ts";
import { answerIn, errorIn } from "./upstreamFailure.ts";

/** Characters of a foreign finish reason in a message. */
const REASON_CHARS = 64;

export interface ExchangeOptions {
  readonly opened: ModelEvent;
  /** What an error inside the answer means. */
  readonly refuse: (status: number, body: string) => Failure;
  readonly meter: Pick<AnswerMeter, "progress" | "said">;
}

export class ChatExchange {
  readonly #reader = new ChunkReader();
  readonly #refuse: ExchangeOptions["refuse"];
  readonly #meter: ExchangeOptions["meter"];
  #opened: ModelEvent | undefined;
  #recovered = false;
  #complete = false;
  #done = false;

  constructor(options: ExchangeOptions) {
    this.#opened = options.opened;
    this.#refuse = options.refuse;
    this.#meter = options.meter;
  }

  /** True once the upstream has given a finish reason, and all that it said before that has been read. */
  get finished(): boolean {
    return this.#complete;
  }

  /** The field in which the model was heard to think. */
  get reasoningField(): string | undefined {
    return this.#reader.reasoningField;
  }

  /** The upstream said that this was all. */
  markDone(): void {
    this.#done = true;
  }

  /** @throws PostelError for an error object inside the stream, and for an answer that is too large. */
  *read(chunk: JsonObject): Generator<ModelEvent, void, undefined> {
    if (this.#recovered) return;
    const error = errorIn(chunk);
    const answer = error && !this.#reader.sawCall ? answerIn(error.body) : undefined;
    if (error && answer === undefined) throw new PostelError(this.#refuse(error.status, error.body));
    yield* this.#open();
    if (answer !== undefined) this.#recovered = true;
    const events: readonly ModelEvent[] =
      answer === undefined ? this.#reader.read(chunk) : [{ type: "text", text: answer }];
    for (const event of events) {
      this.#meter.said(event);
      yield event;
    }
    const { finishReason, brokeOff } = this.#reader;
    this.#complete = this.#recovered || (finishReason !== null && !brokeOff);
  }

  /**
   * @throws PostelError `upstream_truncated` where the connection ended with no word that this was all, or with that word alone;
   * `upstream_error` where the upstream says that it broke the answer off.
   */
  *end(): Generator<ModelEvent, void, undefined> {
    const failed = this.#recovered ? undefined : this.#failure();
    if (failed) throw new PostelError(failed);
    yield* this.#open();
    const { usage } = this.#reader;
    const end: ModelEnd = this.#recovered ? { type: "end", finishReason: "stop" } : this.#reader.end;
    yield { ...end, ...(usage && { usage }) };
  }

  #failure(): Failure | undefined {
    const { finishReason, brokeOff } = this.#reader;
    if (brokeOff) {
      const message = `The upstream broke its answer off: it gave ${JSON.stringify(finishReason?.slice(0, REASON_CHARS))} as its finish reason.`;
      return failure("upstream_error", message);
    }
    if (this.finished) return undefined;
    if (!this.#done) {
      const message =
        "The upstream closed the connection in the middle of its answer: neither a finish reason nor [DONE] came.";
      return failure("upstream_truncated", message);
    }
    if (this.#meter.progress > 0) return undefined;
    const message = "The upstream ended its answer before it had said anything: no text, no call and no finish reason.";
    return failure("upstream_truncated", message);
  }

  *#open(): Generator<ModelEvent, void, undefined> {
    if (!this.#opened) return;
    yield this.#opened;
    this.#opened = undefined;
  }
}

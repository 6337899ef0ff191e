// One 200 answer while its chunks come in: when it opened, whether it is complete, what an error inside it means. Reads no bytes.
import type { ModelEvent } from "../core/events.ts";
import { type Failure, failure, PostelError } from "../core/failures.ts";
import type { JsonObject } from "../core/messages.ts";
import { ChunkReader } from "./ChunkReader.ts";
import { answerIn, errorIn } from "./upstreamFailure.ts";

export class ChatExchange {
  readonly #reader = new ChunkReader();
  readonly #refuse: (status: number, body: string) => Failure;
  #opened: ModelEvent | undefined;
  #recovered = false;
  #done = false;

  constructor(options: { readonly opened: ModelEvent; readonly refuse: (status: number, body: string) => Failure }) {
    this.#opened = options.opened;
    this.#refuse = options.refuse;
  }

  /** True once the upstream has given a finish reason. */
  get finished(): boolean {
    return this.#recovered || this.#reader.finishReason !== null;
  }

  /** The field in which the model was heard to think. */
  get reasoningField(): string | undefined {
    return this.#reader.reasoningField;
  }

  /** The upstream said that this was all. */
  markDone(): void {
    this.#done = true;
  }

  /** @throws PostelError for an error object inside the stream. */
  *read(chunk: JsonObject): Generator<ModelEvent, void, undefined> {
    if (this.#recovered) return;
    const error = errorIn(chunk);
    const answer = error && !this.#reader.sawCall ? answerIn(error.body) : undefined;
    if (error && answer === undefined) throw new PostelError(this.#refuse(error.status, error.body));
    yield* this.#open();
    if (answer === undefined) yield* this.#reader.read(chunk);
    else {
      this.#recovered = true;
      yield { type: "text", text: answer };
    }
  }

  /** @throws PostelError `upstream_truncated` where the connection ended with no word that this was all. */
  *end(): Generator<ModelEvent, void, undefined> {
    if (!this.finished && !this.#done) {
      const message =
        "The upstream closed the connection in the middle of its answer: neither a finish reason nor [DONE] came.";
      throw new PostelError(failure("upstream_truncated", message));
    }
    yield* this.#open();
    const { usage, finishReason } = this.#reader;
    yield { type: "end", finishReason: this.#recovered ? "stop" : finishReason, ...(usage && { usage }) };
  }

  *#open(): Generator<ModelEvent, void, undefined> {
    if (!this.#opened) return;
    yield this.#opened;
    this.#opened = undefined;
  }
}

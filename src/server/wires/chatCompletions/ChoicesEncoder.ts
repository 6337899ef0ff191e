// The streamed answer of one choice or several: their chunks as they come, and what closes all of them together. Knows no HTTP.
import { joinOutlines, type Outline } from "../../../core/collect.ts";
import type { RunEvent } from "../../../core/events.ts";
import type { Failure } from "../../../core/failures.ts";
import type { JsonObject } from "../../../core/messages.ts";
import type { WordsKind } from "../../../core/WordsAhead.ts";
import { postelBlock } from "../../postelBlock.ts";
import type { StreamEncoder } from "../Wire.ts";
import { CHUNK, ChunkEncoder, type ChunkOptions, framed } from "./ChunkEncoder.ts";
import { type AnswerFrame, outputField, wireUsage } from "./completion.ts";
import { errorBody } from "./errorBody.ts";

export interface StreamOptions extends Omit<ChunkOptions, "index"> {
  readonly choices: number;
  /** The caller asked for the model's own text in issues. */
  readonly raw: boolean;
}

export class ChoicesEncoder implements StreamEncoder {
  readonly #frame: AnswerFrame;
  readonly #options: StreamOptions;
  readonly #choices: readonly ChunkEncoder[];

  constructor(frame: AnswerFrame, options: StreamOptions) {
    this.#frame = frame;
    this.#options = options;
    this.#choices = Array.from(
      { length: options.choices },
      (_, index) => new ChunkEncoder(frame, { ...options, index }),
    );
  }

  events(events: readonly RunEvent[], choice: number): string | Promise<string> {
    return this.#choices[choice]?.events(events) ?? "";
  }

  words(kind: WordsKind, words: readonly string[]): string | undefined {
    return this.#choices[0]?.words(kind, words);
  }

  /** The finish reason of each choice, the `postel` block beside the last, and the usage of all where it was asked for. */
  async end(outlines: readonly [Outline, ...Outline[]]): Promise<string> {
    const outline = joinOutlines(outlines);
    const postel = postelBlock(outline, this.#options.raw);
    const closing = this.#choices.map((choice, index): JsonObject => {
      const finish = choice.finish(outlines[index] ?? outline);
      return index === this.#choices.length - 1 ? { ...finish, ...outputField(outline), postel } : finish;
    });
    const usage = outline.end?.usage;
    const counted = { ...this.#frame, object: CHUNK, choices: [], usage: usage ? wireUsage(usage) : null };
    return `${await framed(this.#options.usage ? [...closing, counted] : closing)}data: [DONE]\n\n`;
  }

  /** Without `[DONE]`, which would say that the answer is whole. */
  async failed(cause: Failure): Promise<string> {
    return await framed([errorBody(cause)]);
  }
}

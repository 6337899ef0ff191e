// The streamed answer of one choice or several: their chunks as they come, and what closes all of them together. Knows no HTTP.
import { joinOutlines, type Outline } from "../../../core/collect.ts";
import type { RunEvent, Usage } from "../../../core/events.ts";
import type { Failure } from "../../../core/failures.ts";
import type { JsonObject } from "../../../core/messages.ts";
import type { WordsKind } from "../../../core/WordsAhead.ts";
import { postelBlock } from "../../postelBlock.ts";
import type { StreamEncoder } from "../Wire.ts";
import { CHUNK, ChunkEncoder, type ChunkOptions, framed } from "./ChunkEncoder.ts";
import { type AnswerFrame, outputField, wireUsage } from "./completion.ts";
import { errorBody } from "./errorBody.ts";

export interface StreamOptions extends ChunkOptions {
  readonly choices: number;
  /** The caller asked for the model's own text in issues. */
  readonly raw: boolean;
}

const DONE = "data: [DONE]\n\n";

export class ChoicesEncoder implements StreamEncoder {
  readonly #frame: AnswerFrame;
  readonly #options: StreamOptions;
  readonly #choices: readonly ChunkEncoder[];

  constructor(frame: AnswerFrame, options: StreamOptions) {
    this.#frame = frame;
    this.#options = options;
    const choices = [new ChunkEncoder(frame, 0, options)];
    while (choices.length < options.choices) choices.push(new ChunkEncoder(frame, choices.length, options));
    this.#choices = choices;
  }

  events(events: readonly RunEvent[], choice: number): string | Promise<string> {
    return this.#choices[choice]?.events(events) ?? "";
  }

  words(kind: WordsKind, words: readonly string[]): string | undefined {
    return this.#choices[0]?.words(kind, words);
  }

  /** The finish reason of each choice, the `postel` block beside the last, and the usage of all where it was asked for. */
  end(outlines: readonly [Outline, ...Outline[]]): string | Promise<string> {
    const outline = joinOutlines(outlines);
    const closing = this.#choices.map((choice, index) => choice.finish(outlines[index] ?? outline));
    const postel = postelBlock(outline, this.#options.raw);
    closing.push({ ...closing.pop(), ...outputField(outline), postel });
    if (this.#options.usage) closing.push(this.#counted(outline.end?.usage));
    const written = framed(closing);
    return typeof written === "string" ? written + DONE : written.then((text) => text + DONE);
  }

  /** Without `[DONE]`, which would say that the answer is whole. */
  failed(cause: Failure): string | Promise<string> {
    return framed([errorBody(cause)]);
  }

  #counted(usage: Usage | undefined): JsonObject {
    return { ...this.#frame, object: CHUNK, choices: [], usage: usage ? wireUsage(usage) : null };
  }
}

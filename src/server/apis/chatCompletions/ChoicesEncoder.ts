// Streams an answer of one choice or several: the chunks of each choice, then the closing chunks of all.
import { type AnswerSummary, mergeSummaries } from "../../../core/events/AnswerSummary.ts";
import type { RunEvent, Usage } from "../../../core/events/events.ts";
import type { TextKind } from "../../../core/events/TextFastLane.ts";
import type { Failure } from "../../../core/failures.ts";
import type { JsonObject } from "../../../core/messages.ts";
import { buildPostelBlock } from "../../messages/postelBlock.ts";
import type { StreamEncoder } from "../FrontApi.ts";
import { CHUNK, ChunkEncoder, type ChunkOptions, frameChunks } from "./ChunkEncoder.ts";
import { type AnswerFrame, buildOutputField, wireUsage } from "./completion.ts";
import { buildErrorBody } from "./errorBody.ts";

export interface StreamOptions extends ChunkOptions {
  readonly choices: number;
  /** True if the client asked for the model's own text in issues. */
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

  frameTexts(kind: TextKind, texts: readonly string[]): string | undefined {
    return this.#choices[0]?.frameTexts(kind, texts);
  }

  /**
   * Writes the finish reason of each choice, the `postel` block with the last one, and the total usage if the client asked
   * for it.
   */
  end(outlines: readonly [AnswerSummary, ...AnswerSummary[]]): string | Promise<string> {
    const outline = mergeSummaries(outlines);
    const closing = this.#choices.map((choice, index) => choice.finish(outlines[index] ?? outline));
    const postel = buildPostelBlock(outline, this.#options.raw);
    closing.push({ ...closing.pop(), ...buildOutputField(outline), postel });
    if (this.#options.usage) closing.push(this.#usageJson(outline.end?.usage));
    const frame = frameChunks(closing);
    return typeof frame === "string" ? frame + DONE : frame.then((text) => text + DONE);
  }

  /** Omits `[DONE]`, which would mark the answer as complete. */
  failed(cause: Failure): string | Promise<string> {
    return frameChunks([buildErrorBody(cause)]);
  }

  #usageJson(usage: Usage | undefined): JsonObject {
    return { ...this.#frame, object: CHUNK, choices: [], usage: usage ? wireUsage(usage) : null };
  }
}

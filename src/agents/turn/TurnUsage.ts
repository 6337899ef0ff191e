// Sums the usage of a turn's attempts and creates the turn's end.

import type { FinishReason, ModelEnd, ModelOpened, TurnEnd, Usage } from "../../core/events/events.ts";
import { addUsage } from "../../core/events/turnEnds.ts";

export class TurnUsage {
  #attempts = 0;
  #retries = 0;
  #usage: Usage | undefined;
  #partial = false;
  #estimated = false;
  /** The upstream's finish reason, if it differs from the one that counts. */
  #stated: string | null | undefined;
  readonly #mended: string[] = [];

  /** Number of model calls that were opened. */
  get attempts(): number {
    return this.#attempts;
  }

  opened({ retries, mended = [] }: ModelOpened): void {
    this.#attempts += 1;
    this.#retries += retries;
    this.#addMended(mended);
  }

  rerouted(): void {
    this.#retries += 1;
  }

  addEnd({ usage, usageEstimated, stated, mended = [] }: ModelEnd): void {
    this.#addMended(mended);
    this.#stated = stated;
    this.#usage = addUsage(this.#usage, usage);
    if (!usage) this.#partial = true;
    if (usageEstimated) this.#estimated = true;
  }

  /** @param called true if a call was emitted. */
  end(upstream: string | null, called: boolean): TurnEnd {
    return {
      type: "turn-end",
      finishReason: finishReason(upstream, called),
      upstreamFinishReason: this.#stated ?? upstream,
      usage: this.#usage,
      usagePartial: this.#partial,
      attempts: this.#attempts,
      retries: this.#retries,
      ...(this.#estimated && { usageEstimated: true }),
      ...(this.#mended.length > 0 && { mended: this.#mended }),
    };
  }

  #addMended(fields: readonly string[]): void {
    for (const field of fields) if (!this.#mended.includes(field)) this.#mended.push(field);
  }
}

/** `tool_calls` if and only if a call was emitted; `length` and `content_filter` are never hidden; otherwise `stop`. */
function finishReason(upstream: string | null, called: boolean): FinishReason {
  if (called) return "tool_calls";
  return upstream === "length" || upstream === "content_filter" ? upstream : "stop";
}

export function endWithoutUsage(finishReason: TurnEnd["finishReason"]): TurnEnd {
  return {
    type: "turn-end",
    finishReason,
    upstreamFinishReason: null,
    usagePartial: false,
    attempts: 0,
    retries: 0,
  };
}

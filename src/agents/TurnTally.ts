// Counts what the attempts of a turn cost, and writes the turn's end. Knows no text and decides nothing.
import { addUsage } from "../core/collect.ts";
import type { FinishReason, TurnEnd, Usage } from "../core/events.ts";

export class TurnTally {
  #attempts = 0;
  #retries = 0;
  #usage: Usage | undefined;
  #partial = false;

  /** Model calls that were opened. */
  get attempts(): number {
    return this.#attempts;
  }

  opened(retries: number): void {
    this.#attempts += 1;
    this.#retries += retries;
  }

  switched(): void {
    this.#retries += 1;
  }

  ended(usage: Usage | undefined): void {
    this.#usage = addUsage(this.#usage, usage);
    if (!usage) this.#partial = true;
  }

  /** @param called whether a call has left to whoever takes the turn's events. */
  end(upstreamFinishReason: string | null, called: boolean): TurnEnd {
    return {
      type: "turn-end",
      finishReason: finishReason(upstreamFinishReason, called),
      upstreamFinishReason,
      usage: this.#usage,
      usagePartial: this.#partial,
      attempts: this.#attempts,
      retries: this.#retries,
    };
  }
}

/** `tool_calls` if and only if a call leaves; a limit that was hit is never hidden; every other valid end is `stop`. */
function finishReason(upstream: string | null, called: boolean): FinishReason {
  if (called) return "tool_calls";
  return upstream === "length" || upstream === "content_filter" ? upstream : "stop";
}

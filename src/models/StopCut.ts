// Ends a model's answer at the first of the caller's stop texts, where the upstream will not. Knows no upstream.
import type { ModelEvent } from "../core/events.ts";

/**
 * Lets the events through up to the first stop text in the visible text, which itself is left out; then comes the end, with the
 * reason `stop`. A text that may still become a stop text is held.
 */
export class StopCut {
  readonly #stops: readonly string[];
  #held = "";
  #isOver = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  /** True once a stop text was found: nothing that follows is wanted, and the upstream's answer can be closed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  push(events: readonly ModelEvent[]): readonly ModelEvent[] {
    const kept: ModelEvent[] = [];
    for (const event of events) {
      if (this.#isOver) break;
      if (event.type === "text") this.#pushText(event, kept);
      else {
        if (this.#held !== "" && (event.type === "end" || event.type === "failed")) {
          kept.push({ type: "text", text: this.#held });
        }
        kept.push(event);
      }
    }
    return kept;
  }

  #pushText(event: Extract<ModelEvent, { type: "text" }>, kept: ModelEvent[]): void {
    const text = this.#held + event.text;
    const at = firstOf(this.#stops, text);
    if (at === -1) {
      this.#held = text.slice(text.length - heldLength(this.#stops, text));
      kept.push({ ...event, text: text.slice(0, text.length - this.#held.length) });
      return;
    }
    if (at > 0) kept.push({ type: "text", text: text.slice(0, at) });
    kept.push({ type: "end", finishReason: "stop" });
    this.#isOver = true;
  }
}

function firstOf(stops: readonly string[], text: string): number {
  const places = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return places.length > 0 ? Math.min(...places) : -1;
}

/** How much of the text's end is the beginning of a stop text. */
function heldLength(stops: readonly string[], text: string): number {
  return Math.max(0, ...stops.map((stop) => overlap(text, stop)));
}

function overlap(text: string, stop: string): number {
  let length = Math.min(text.length, stop.length - 1);
  while (length > 0 && !stop.startsWith(text.slice(text.length - length))) length -= 1;
  return length;
}

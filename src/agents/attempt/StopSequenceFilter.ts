// Ends a model's answer at the first stop text of the client in the visible text.
import type { AttemptEvent } from "../Agent.ts";
import { stripLogprobs } from "./stripLogprobs.ts";

/**
 * Passes events up to the first stop text in the visible text, which is left out. The end follows, with the reason
 * `stop`. Text that may become a stop text is buffered. The filter runs after the parser, so that it never cuts a call.
 */
export class StopSequenceFilter {
  readonly #stops: readonly string[];
  #held = "";
  #isOver = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  /** True once a stop text was found; the upstream call can then be closed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  push(events: readonly AttemptEvent[]): readonly AttemptEvent[] {
    const kept: AttemptEvent[] = [];
    for (const event of events) {
      if (this.#isOver) this.#pushBehind(event, kept);
      else if (event.type === "text") this.#pushText(event, kept);
      else {
        // A stop text never spans a call.
        if (event.type !== "reasoning") this.#release(kept);
        kept.push(event);
      }
    }
    return kept;
  }

  #pushBehind(event: AttemptEvent, kept: AttemptEvent[]): void {
    for (const counted of behind(event)) kept.push(counted);
  }

  #release(kept: AttemptEvent[]): void {
    if (this.#held !== "") kept.push({ type: "text", text: this.#held });
    this.#held = "";
  }

  #pushText(event: Extract<AttemptEvent, { type: "text" }>, kept: AttemptEvent[]): void {
    const text = this.#held + event.text;
    const at = findFirstStop(this.#stops, text);
    if (at === -1) {
      this.#held = text.slice(text.length - heldLength(this.#stops, text));
      kept.push({ ...event, text: text.slice(0, text.length - this.#held.length) });
      return;
    }
    if (at > 0) kept.push({ type: "text", text: text.slice(0, at) });
    this.#pushBehind(event, kept);
    this.#held = "";
    this.#isOver = true;
  }
}

/** Events that pass after a stop text: structured calls, provider fields and the usage. */
function behind(event: AttemptEvent): readonly AttemptEvent[] {
  switch (event.type) {
    case "text": {
      const extra = stripLogprobs(event.extra ?? []);
      return extra.length > 0 ? [{ type: "text", text: "", extra }] : [];
    }
    case "end":
      return [{ ...event, finishReason: "stop", stated: undefined }];
    case "failed":
      return [{ type: "end", finishReason: "stop" }];
    case "call":
      return event.call.origin === "native" ? [event] : [];
    case "refused":
      return [event];
    default:
      return [];
  }
}

function findFirstStop(stops: readonly string[], text: string): number {
  const places = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return places.length > 0 ? places.reduce((first, at) => Math.min(first, at)) : -1;
}

/** Length of the longest suffix of the text that is a prefix of a stop text. */
function heldLength(stops: readonly string[], text: string): number {
  return stops.reduce((longest, stop) => Math.max(longest, overlap(text, stop)), 0);
}

function overlap(text: string, stop: string): number {
  let length = Math.min(text.length, stop.length - 1);
  while (length > 0 && !stop.startsWith(text.slice(text.length - length))) length -= 1;
  return length;
}

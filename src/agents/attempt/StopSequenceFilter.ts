// Ends a model's answer at the first stop text of the client in the visible text.
import type { AttemptEvent } from "../Agent.ts";
import { stripLogprobs } from "./stripLogprobs.ts";

/**
 * Passes events up to the first stop text in the visible text, which is left out. The end follows, with the reason
 * `stop`. Text that may become a stop text is buffered. The filter runs after the parser, so that it never cuts a call.
 */
export class StopSequenceFilter {
  readonly #stops: readonly string[];
  #heldText = "";
  #isOver = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  /** True once a stop text was found; the upstream call can then be closed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  push(events: readonly AttemptEvent[]): readonly AttemptEvent[] {
    const released: AttemptEvent[] = [];
    for (const event of events) {
      if (this.#isOver) this.#pushFollowing(event, released);
      else if (event.type === "text") this.#pushText(event, released);
      else {
        // A stop text never spans a call.
        if (event.type !== "reasoning") this.#release(released);
        released.push(event);
      }
    }
    return released;
  }

  #pushFollowing(event: AttemptEvent, released: AttemptEvent[]): void {
    for (const equalCalls of splitFollowing(event)) released.push(equalCalls);
  }

  #release(released: AttemptEvent[]): void {
    if (this.#heldText !== "") released.push({ type: "text", text: this.#heldText });
    this.#heldText = "";
  }

  #pushText(event: Extract<AttemptEvent, { type: "text" }>, released: AttemptEvent[]): void {
    const text = this.#heldText + event.text;
    const at = findFirstStop(this.#stops, text);
    if (at === -1) {
      this.#heldText = text.slice(text.length - heldLength(this.#stops, text));
      released.push({ ...event, text: text.slice(0, text.length - this.#heldText.length) });
      return;
    }
    if (at > 0) released.push({ type: "text", text: text.slice(0, at) });
    this.#pushFollowing(event, released);
    this.#heldText = "";
    this.#isOver = true;
  }
}

/** Events that pass after a stop text: structured calls, provider fields and the usage. */
function splitFollowing(event: AttemptEvent): readonly AttemptEvent[] {
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
  const positions = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return positions.length > 0 ? positions.reduce((first, at) => Math.min(first, at)) : -1;
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

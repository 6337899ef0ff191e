// Limits the number of events that are processed before the event loop gets a turn, by their cost.
import type { ModelEvent } from "../../core/events/events.ts";

/** Number of events between two turns of the event loop. A read of 64 KiB seldom has more. */
const EVENTS_A_SLICE = 256;
/** Characters of arguments that count as much as an event: each is looked at. */
const CHARS_OF_AN_EVENT = 256;

export class ModelEventBatch {
  #used = 0;

  /**
   * Returns the end of the events from `from` on that can be processed now; `from` itself if the event loop gets a turn first. A batch that
   * fits into one slice is not split.
   */
  findEnd(events: readonly ModelEvent[], from: number): number {
    let end = from;
    let used = this.#used;
    for (; end < events.length && used < EVENTS_A_SLICE; end += 1) used += measureEvent(events[end]);
    const isDue = end < events.length && this.#used > 0;
    this.#used = isDue ? 0 : used;
    return isDue ? from : end;
  }
}

function measureEvent(event: ModelEvent | undefined): number {
  const chars = event?.type === "call-fragment" ? (event.arguments?.length ?? 0) : 0;
  return 1 + chars / CHARS_OF_AN_EVENT;
}

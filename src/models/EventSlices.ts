// How many of an answer's events are worked off in one go. Knows what an event costs; takes no turn of the event loop itself.
import type { ModelEvent } from "../core/events.ts";

/** Between two turns of the event loop: to hand events on gives nobody else a turn. A read of 64 KiB seldom holds more. */
const EVENTS_A_SLICE = 256;
/** Characters of arguments that count as much as an event: each is looked at. */
const CHARS_OF_AN_EVENT = 256;

export class EventSlices {
  #spent = 0;

  /** True where the slice that was begun is full, so that the loop takes a turn before the next. */
  get isFull(): boolean {
    return this.#spent >= EVENTS_A_SLICE;
  }

  /** The end of the slice that goes on, or begins, with the event at `from`. */
  endOf(events: readonly ModelEvent[], from: number): number {
    if (this.isFull) this.#spent = 0;
    let end = from;
    for (; end < events.length && !this.isFull; end += 1) this.#spent += costOf(events[end]);
    return end;
  }
}

function costOf(event: ModelEvent | undefined): number {
  const chars = event?.type === "call-fragment" ? (event.arguments?.length ?? 0) : 0;
  return 1 + chars / CHARS_OF_AN_EVENT;
}

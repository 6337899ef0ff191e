// How a stream of events is handed on: pushed, in batches, each of what one read gave. Knows no event.

/** `enough`: nothing more is wanted, and whoever gives leaves off where it gets its events from. */
export type SinkSignal = "enough" | undefined;

/** Takes the events of one batch, in their order. A promise: no more is given until it is kept. What it throws is the taker's own fault. */
export type EventSink<Event> = (events: readonly Event[]) => SinkSignal | Promise<SinkSignal>;

/** Gathers what is to be handed on together. */
export class EventBuffer<Event> {
  readonly #take: EventSink<Event>;
  #ready: Event[] = [];
  #enough = false;

  constructor(take: EventSink<Event>) {
    this.#take = take;
  }

  /** What goes with the next batch: whoever has something to say puts it in here. */
  get ready(): Event[] {
    return this.#ready;
  }

  /** True once the taker has had enough. */
  get enough(): boolean {
    return this.#enough;
  }

  hand(): SinkSignal | Promise<SinkSignal> {
    if (this.#enough) return "enough";
    const events = this.#ready;
    if (events.length === 0) return undefined;
    this.#ready = [];
    const said = this.#take(events);
    return said instanceof Promise ? said.then((later) => this.#heard(later)) : this.#heard(said);
  }

  #heard(said: SinkSignal): SinkSignal {
    this.#enough ||= said === "enough";
    return said;
  }
}

// Defines how events are passed on: pushed, in batches of one read each.

/** `enough`: no more events are wanted, and the producer stops. */
export type SinkSignal = "enough" | undefined;

/** Takes the events of one batch, in order. If it returns a promise, the producer waits for it (back-pressure). It may throw; the producer does not catch it. */
export type EventSink<Event> = (events: readonly Event[]) => SinkSignal | Promise<SinkSignal>;

/** Buffers events for the next batch. */
export class EventBuffer<Event> {
  readonly #take: EventSink<Event>;
  #ready: Event[] = [];
  #enough = false;

  constructor(take: EventSink<Event>) {
    this.#take = take;
  }

  /** Events of the next batch; producers append to it. */
  get ready(): Event[] {
    return this.#ready;
  }

  /** True once the sink has signalled `enough`. */
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

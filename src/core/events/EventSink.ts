// Defines how events are passed on: pushed, in batches of one read each.

/** `enough`: no more events are wanted, and the producer stops. */
export type SinkSignal = "enough" | undefined;

/** Takes the events of one batch, in order. If it returns a promise, the producer waits for it (back-pressure). It may throw; the producer does not catch it. */
export type EventSink<Event> = (events: readonly Event[]) => SinkSignal | Promise<SinkSignal>;

/** Buffers events for the next batch. */
export class EventBuffer<Event> {
  readonly #sink: EventSink<Event>;
  #ready: Event[] = [];
  #isDone = false;

  constructor(sink: EventSink<Event>) {
    this.#sink = sink;
  }

  /** Events of the next batch; producers append to it. */
  get ready(): Event[] {
    return this.#ready;
  }

  /** True once the sink has signalled `enough`. */
  get isDone(): boolean {
    return this.#isDone;
  }

  flush(): SinkSignal | Promise<SinkSignal> {
    if (this.#isDone) return "enough";
    const events = this.#ready;
    if (events.length === 0) return undefined;
    this.#ready = [];
    const signal = this.#sink(events);
    return signal instanceof Promise ? signal.then((signal) => this.#recordSignal(signal)) : this.#recordSignal(signal);
  }

  #recordSignal(signal: SinkSignal): SinkSignal {
    this.#isDone ||= signal === "enough";
    return signal;
  }
}

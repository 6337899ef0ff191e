// Delivers events in slices of the event loop, and distinguishes errors of the consumer from errors of the upstream.

import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import type { EventSink, SinkSignal } from "../../core/events/EventSink.ts";
import type { ModelEvent } from "../../core/events/events.ts";
import { ModelEventBatch } from "./ModelEventBatch.ts";

export class SlicedSink {
  readonly #onEvents: EventSink<ModelEvent>;
  readonly #slices = new ModelEventBatch();
  #thrown: { readonly error: unknown } | undefined;

  constructor(onEvents: EventSink<ModelEvent>) {
    this.#onEvents = onEvents;
  }

  readonly onEvents: EventSink<ModelEvent> = (events) => {
    try {
      const end = this.#slices.findEnd(events, 0);
      const said = end === events.length ? this.#onEvents(events) : this.#inTurns(events, end);
      return said instanceof Promise ? said.catch(this.#storeError) : said;
    } catch (error) {
      return this.#storeError(error);
    }
  };

  /** Returns true for an error that the consumer threw. */
  threw(error: unknown): boolean {
    return this.#thrown !== undefined && this.#thrown.error === error;
  }

  async #inTurns(events: readonly ModelEvent[], first: number): Promise<SinkSignal> {
    for (let from = 0, end = first; from < events.length; end = this.#slices.findEnd(events, from)) {
      if (end === from) await yieldToEventLoop();
      else if ((await this.#onEvents(events.slice(from, end))) === "enough") return "enough";
      from = end;
    }
    return undefined;
  }

  readonly #storeError = (error: unknown): never => {
    this.#thrown = { error };
    throw error;
  };
}

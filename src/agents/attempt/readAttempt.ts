// Converts one model stream to attempt events: parses text and assembles call fragments.

import { YIELD, yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import { EventBuffer, type EventSink, type SinkSignal } from "../../core/events/EventSink.ts";
import type { ModelEnd, ModelEvent, ModelOpened } from "../../core/events/events.ts";
import { createFailure } from "../../core/failures.ts";
import type { AttemptEvent } from "../Agent.ts";
import { AttemptReader, type AttemptReading, type AttemptSteps } from "./AttemptReader.ts";
import { PassthroughReader } from "./PassthroughReader.ts";
import { StopSequenceFilter } from "./StopSequenceFilter.ts";
import { restoreToolNames } from "./toolAliases.ts";

/** Maximum number of events emitted in one event-loop tick, because each costs its consumer time. */
const EVENTS_A_TURN = 256;

/**
 * Reads one model call to its end, or until it repeats a call too often. Yields to the event loop between slices of long
 * work. Throws the signal's reason, and what `ask` and `take` throw.
 */
export async function readAttempt(
  streamModel: (take: EventSink<ModelEvent>) => Promise<void>,
  reading: AttemptReading,
  onEvents: EventSink<AttemptEvent>,
): Promise<void> {
  // Removes the reader of the previous attempt.
  if (reading.ahead) reading.ahead.reader = undefined;
  if (reading.parse === "off") {
    const { usedIds, ownIds } = reading;
    const reader = new PassthroughReader(reading.text.ids, ownIds ? usedIds : undefined);
    return await new AttemptInProgress(reader, reading, onEvents).readCalls(streamModel);
  }
  const reader = new AttemptReader(reading);
  if (reading.ahead) reading.ahead.reader = reader;
  try {
    await new AttemptInProgress(reader, reading, onEvents).readCalls(streamModel);
  } finally {
    if (reader.parseMs !== undefined) reading.onParsed?.(reader.parseMs);
  }
}

class AttemptInProgress {
  readonly #reader: AttemptReader | PassthroughReader;
  readonly #reading: Pick<AttemptReading, "signal" | "stop">;
  readonly #stopFilter: StopSequenceFilter | undefined;
  readonly #outbox: EventBuffer<AttemptEvent>;
  /** The request's tool names by the names that the model was shown; absent if they are equal. */
  #ownNames: ReadonlyMap<string, string> | undefined;
  #isOver = false;
  /** True once a stop text was found and the answer is being ended there. */
  #isStopped = false;

  constructor(
    reader: AttemptReader | PassthroughReader,
    reading: Pick<AttemptReading, "signal" | "stop">,
    onEvents: EventSink<AttemptEvent>,
  ) {
    this.#reader = reader;
    this.#reading = reading;
    this.#stopFilter = reading.stop && new StopSequenceFilter(reading.stop.texts);
    this.#outbox = new EventBuffer((events) => onEvents(this.#named(events)));
  }

  async readCalls(streamModel: (take: EventSink<ModelEvent>) => Promise<void>): Promise<void> {
    await streamModel((events) => this.#push(events, 0));
    if (this.#isOver) return;
    this.#outbox.ready.push({ type: "failed", failure: UNENDED });
    await this.#outbox.flush();
  }

  /** Processes the events from index `from` on. */
  #push(events: readonly ModelEvent[], from: number): SinkSignal | Promise<SinkSignal> {
    for (let at = from; at < events.length && !this.#isOver; at += 1) {
      const event = events[at];
      const steps = event && this.#read(event);
      if (steps && !this.#advance(steps)) return this.#runSteps(steps, events, at + 1);
    }
    return this.#hand();
  }

  /** Returns the remaining steps if an event may take long. */
  #read(event: ModelEvent): AttemptSteps | undefined {
    const reader = this.#reader;
    switch (event.type) {
      case "opened":
        this.#open(event);
        return undefined;
      case "reasoning":
        reader.splitUpstream = true;
        this.#outbox.ready.push(event);
        return undefined;
      case "text": {
        const steps = reader.text(event.text, event.extra, this.#outbox.ready);
        return steps || reader.ranAway ? this.#unlessRunaway(steps) : undefined;
      }
      case "call-fragment":
        reader.fragment(event);
        return reader.ranAway ? this.#unlessRunaway() : undefined;
      case "end":
        return this.#last(reader.end(event.finishReason), event);
      case "failed":
        return this.#last(reader.endCut(), event);
      default:
        return event satisfies never;
    }
  }

  #open(event: ModelOpened): void {
    const { renamed = [] } = event;
    if (renamed.length > 0) {
      this.#reader.rename(renamed);
      this.#ownNames = new Map(renamed.map(({ name, shown }) => [shown, name]));
    }
    this.#outbox.ready.push(event);
  }

  #named(events: readonly AttemptEvent[]): readonly AttemptEvent[] {
    const ownExtra = this.#ownNames;
    return ownExtra ? events.map((event) => restoreToolNames(event, ownExtra)) : events;
  }

  /** The remaining steps. Ends an answer that repeats a call without end, to stop its cost. */
  *#unlessRunaway(steps?: AttemptSteps): AttemptSteps {
    if (steps) yield* steps;
    if (this.#reader.ranAway) yield* this.#last(this.#reader.end(null), { type: "end", finishReason: null });
  }

  *#last(steps: AttemptSteps, end: AttemptEvent): AttemptSteps {
    yield* steps;
    this.#isOver = true;
    yield end;
  }

  /** True once all steps are done; false if an event-loop tick is due. */
  #advance(steps: AttemptSteps): boolean {
    for (let step = steps.next(); !step.done; step = steps.next()) {
      if (step.value === YIELD) return false;
      this.#outbox.ready.push(step.value);
      if (this.#outbox.ready.length >= EVENTS_A_TURN) return false;
    }
    return true;
  }

  async #runSteps(steps: AttemptSteps, events: readonly ModelEvent[], from: number): Promise<SinkSignal> {
    do {
      if ((await this.#hand()) === "enough") return "enough";
      await yieldToEventLoop(this.#reading.signal);
    } while (!this.#advance(steps));
    return await this.#push(events, from);
  }

  #hand(): SinkSignal | Promise<SinkSignal> {
    const { stop } = this.#reading;
    if (this.#stopFilter && stop) {
      const { ready } = this.#outbox;
      for (const event of this.#stopFilter.push(ready.splice(0))) ready.push(event);
      if (this.#stopFilter.isOver && !this.#isOver && !this.#isStopped) return this.#stop(stop.end);
    }
    return this.#flushEvents();
  }

  async #stop(end: () => Promise<ModelEnd>): Promise<SinkSignal> {
    this.#isStopped = true;
    if ((await this.#flushEvents()) === "enough") return "enough";
    return await this.#push([await end()], 0);
  }

  #flushEvents(): SinkSignal | Promise<SinkSignal> {
    const signal = this.#outbox.flush();
    if (!this.#isOver) return signal;
    return signal instanceof Promise ? signal.then(() => "enough" as const) : "enough";
  }
}

const UNENDED = createFailure("internal_error", "The model's stream ended without saying how.");

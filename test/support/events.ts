// Events that are pushed in batches, read one by one, and the other way round: so that a test says what comes, and not how.
import { type Collected, Collector } from "../../src/core/events/Collector.ts";
import type { EventSink, SinkSignal } from "../../src/core/events/EventSink.ts";
import type { RunEvent } from "../../src/core/events/events.ts";

/** A batch counts as taken when all of it was read; whoever leaves the loop has had enough. */
export async function* pulled<Event>(
  ask: (take: EventSink<Event>) => Promise<void>,
): AsyncGenerator<Event, void, undefined> {
  let batch = Promise.withResolvers<readonly Event[] | undefined>();
  let taken: ((said: SinkSignal) => void) | undefined;
  const asking = ask((events) => {
    batch.resolve(events);
    return new Promise((resolve) => {
      taken = resolve;
    });
  }).then(
    () => batch.resolve(undefined),
    (error: unknown) => batch.reject(error),
  );
  try {
    for (;;) {
      const events = await batch.promise;
      if (!events) return;
      batch = Promise.withResolvers();
      yield* events;
      taken?.(undefined);
    }
  } finally {
    taken?.("enough");
    batch.promise.catch(() => {});
    await asking;
  }
}

/** Each event is a batch of its own. */
export async function pushed<Event>(
  events: AsyncIterable<Event> | Iterable<Event>,
  take: EventSink<Event>,
): Promise<void> {
  for await (const event of events) if ((await take([event])) === "enough") return;
}

/** Everything that the events said. */
export async function collect(events: AsyncIterable<RunEvent>): Promise<Collected> {
  const collector = new Collector();
  for await (const event of events) collector.add(event);
  return collector.getCollected();
}

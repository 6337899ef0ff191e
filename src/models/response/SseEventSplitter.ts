// Splits the text of an event stream into events, in batches for one turn of the event loop. Parses no JSON.
import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser";
import { createFailure, PostelError } from "../../core/failures.ts";

/** Characters of one event of a stream, its lines joined: 1 MiB. */
const MAX_EVENT_CHARS = 1_048_576;
/**
 * Characters of events that are parsed and emitted in one turn of the event loop, and the cost of an event in addition to its own. If a
 * connection delivers faster than the events are processed, it would give all its data without a turn in between.
 */
export const TURN_CHARS = 65_536;
const EVENT_COST = 32;

export interface TurnOfEvents {
  readonly events: readonly EventSourceMessage[];
  /** In the unit of `TURN_CHARS`: more than that is one long event alone. */
  readonly cost: number;
  /** Number of further events that the same piece completed. */
  readonly more: number;
}

export class SseEventSplitter {
  readonly #parser: EventSourceParser;
  #completed: EventSourceMessage[] = [];
  #overflow = false;
  #hasEvents = false;

  constructor() {
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_CHARS,
      onEvent: (event) => this.#completed.push(event),
      onError: (error) => {
        this.#overflow ||= error.type === "max-buffer-size-exceeded";
      },
    });
  }

  /** Returns the events that the next piece completed, as at least one batch. `undefined` marks the end of the text. */
  split(piece: string | undefined): readonly TurnOfEvents[] {
    // The blank line ends an event that the upstream did not end before it closed; many leave it out after `[DONE]`.
    this.#parser.feed(piece ?? "\n\n");
    const events = this.#completed;
    this.#completed = [];
    this.#hasEvents ||= events.length > 0;
    return splitBatches(events);
  }

  /** @throws PostelError `upstream_protocol_error` for a line or an event over 1 MiB, and for a complete text without an event. */
  check(atEnd: boolean): void {
    if (this.#overflow)
      throw createProtocolError(`sent a line or an event of more than ${MAX_EVENT_CHARS} characters.`);
    if (atEnd && !this.#hasEvents) throw createProtocolError("answered 200 with a body that holds no event.");
  }
}

function splitBatches(events: readonly EventSourceMessage[]): readonly TurnOfEvents[] {
  const [only] = events;
  if (only && events.length === 1) return [{ events, cost: only.data.length + EVENT_COST, more: 0 }];
  const turns: TurnOfEvents[] = [];
  let from = 0;
  let cost = 0;
  for (const [at, { data }] of events.entries()) {
    const chunk = data.length + EVENT_COST;
    if (at > from && cost + chunk > TURN_CHARS) {
      turns.push({ events: events.slice(from, at), cost, more: events.length - at });
      from = at;
      cost = 0;
    }
    cost += chunk;
  }
  turns.push({ events: from === 0 ? events : events.slice(from), cost, more: 0 });
  return turns;
}

export function createProtocolError(problem: string): PostelError {
  return new PostelError(createFailure("upstream_protocol_error", `The upstream ${problem}`));
}

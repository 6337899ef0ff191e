// Notices that an upstream gave none of the log-probabilities that it was asked for. Judges no number.
import type { ModelEvent } from "../core/events.ts";
import type { JsonObject } from "../core/messages.ts";

export class LogprobsWatch {
  #spoke = false;
  #heard = false;

  /** Undefined where nobody asks for them. */
  static of({ logprobs }: JsonObject): LogprobsWatch | undefined {
    return logprobs === true ? new LogprobsWatch() : undefined;
  }

  /** The same events; the end of an answer with words and without one log-probability says so. */
  push(events: readonly ModelEvent[]): readonly ModelEvent[] {
    for (const event of events) {
      if (event.type !== "text") continue;
      this.#spoke ||= event.text !== "";
      this.#heard ||= event.extra?.some(({ fields }) => fields.logprobs !== undefined) ?? false;
    }
    if (this.#heard || !this.#spoke) return events;
    return events.map((event) => (event.type === "end" ? { ...event, mended: ["logprobs"] } : event));
  }
}

// What of an attempt's text and reasoning may leave, and when: at once, at the end of the turn, or not at all. Decides no calls.
import type { Extra, TurnEvent } from "../core/events.ts";
import { withoutLogprobs } from "./withoutLogprobs.ts";

/** Between what was sent before and what is accepted later. */
export const TEXT_BREAK = "\n\n";

interface Held {
  text: string;
  reasoning: string;
  readonly extra: Extra[];
}

export class TurnOutlet {
  /** True where the output has a schema: its text leaves once, at the end of the turn. */
  readonly #bound: boolean;
  #repeated = false;
  #sentText = false;
  #sentReasoning = false;
  #held: Held = nothing();

  constructor(bound: boolean) {
    this.#bound = bound;
  }

  /** True once a visible character of content has left. */
  get sentText(): boolean {
    return this.#sentText;
  }

  /** The text that waits. */
  get heldText(): string {
    return this.#held.text;
  }

  /** A further attempt begins: what waits of the one before is moot, and what comes waits. */
  askAgain(): void {
    this.#repeated = true;
    this.#held = nothing();
  }

  text(text: string, extra: readonly Extra[] | undefined): readonly TurnEvent[] {
    if (!this.#repeated && !this.#bound) return [this.#send(text, extra)];
    this.#held.text += text;
    this.#held.extra.push(...(extra ?? []));
    return [];
  }

  reasoning(text: string): readonly TurnEvent[] {
    if (this.#repeated) {
      this.#held.reasoning += text;
      return [];
    }
    this.#sentReasoning = true;
    return [{ type: "reasoning-delta", text }];
  }

  /** The attempt is accepted. A call makes moot what was said on the way to it after the model was asked again. */
  release(withCalls: boolean): readonly TurnEvent[] {
    const { text, reasoning, extra } = this.#held;
    this.#held = nothing();
    if (withCalls && this.#repeated) return [];
    const events: TurnEvent[] = [];
    if (reasoning.trim() !== "") {
      events.push({ type: "reasoning-delta", text: this.#sentReasoning ? TEXT_BREAK + reasoning : reasoning });
    }
    if (text.trim() !== "") {
      // Log-probabilities are of the model's own characters, which the form of a bound answer may not have kept.
      const kept = this.#bound ? withoutLogprobs(extra) : extra;
      events.push(this.#send(this.#sentText ? TEXT_BREAK + text : text, kept.length > 0 ? kept : undefined));
    }
    return events;
  }

  /** Puts the normalised answer in the place of the text that waits. */
  replaceHeld(text: string): void {
    this.#held.text = text;
  }

  #send(text: string, extra: readonly Extra[] | undefined): TurnEvent {
    if (text.trim() !== "") this.#sentText = true;
    return { type: "text-delta", text, ...(extra && { extra }) };
  }
}

function nothing(): Held {
  return { text: "", reasoning: "", extra: [] };
}

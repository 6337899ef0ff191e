// What of a turn's text and reasoning may leave, and when: as it comes, with the attempt that is accepted, or not at all. Decides no calls.
import type { Extra, TurnEvent } from "../core/events.ts";
import type { AcceptedAs } from "../core/run.ts";
import { withoutLogprobs } from "./withoutLogprobs.ts";

export interface OutletOptions {
  /** True where the caller reads as the text comes, and nothing can be taken back. */
  readonly live: boolean;
  /** True where the output has a schema: its text leaves once, at the end of the turn, and only without calls. */
  readonly bound: boolean;
}

/** The texts of two attempts are never joined: where one has left for good, no later one follows. */
export class TurnOutlet {
  readonly #options: OutletOptions;
  #reasoning: Channel;
  #text: Channel;
  /** The model's own words that are no text of an answer: unreadable calls. */
  #unreadable: { readonly at: number; readonly raw: string }[] = [];
  #extra: Extra[] = [];

  constructor(options: OutletOptions) {
    this.#options = options;
    this.#reasoning = new Channel(options.live);
    this.#text = new Channel(options.live && !options.bound);
  }

  /** True once visible text of an earlier attempt has left. */
  get textSent(): boolean {
    return this.#text.spent;
  }

  /** The text that waits. */
  get heldText(): string {
    return this.#text.held;
  }

  text(text: string, extra: readonly Extra[] | undefined): readonly TurnEvent[] {
    if (this.#text.add(text)) return [{ type: "text-delta", text, ...(extra && { extra }) }];
    this.#extra.push(...(extra ?? []));
    return [];
  }

  reasoning(text: string): readonly TurnEvent[] {
    return this.#reasoning.add(text) ? [{ type: "reasoning-delta", text }] : [];
  }

  /** A call that cannot leave stands here. The attempt may have to be made again, so its further text waits. */
  unreadable(raw: string): void {
    this.#text.close();
    this.#unreadable.push({ at: this.#text.held.length, raw });
  }

  /** A further attempt begins: what waits of the one before is moot. */
  askAgain(): void {
    this.#text.restart();
    this.#reasoning.restart();
    this.#unreadable = [];
    this.#extra = [];
  }

  /** The attempt is accepted: what waits of it leaves. */
  release(as: AcceptedAs, withCalls: boolean): readonly TurnEvent[] {
    const { bound } = this.#options;
    const reasoning = this.#reasoning.spent ? "" : this.#reasoning.held;
    const kept = !this.#text.spent && !(bound && withCalls);
    const text = kept ? this.#waiting(as) : "";
    // Log-probabilities are of the model's own characters, which the form of a bound answer may not have kept.
    const extra = bound || !kept ? withoutLogprobs(this.#extra) : this.#extra;
    return [
      ...(reasoning === "" ? [] : [{ type: "reasoning-delta", text: reasoning } as const]),
      ...(text === "" && extra.length === 0
        ? []
        : [
            {
              type: "text-delta",
              text,
              ...(extra.length > 0 && { extra }),
            } as const,
          ]),
    ];
  }

  /** The turn fails: what was known of its answer still reaches a caller who reads no stream. */
  abandon(): readonly TurnEvent[] {
    return this.#options.live ? [] : this.release("answer", false);
  }

  /** Puts the normalised answer in the place of the text that waits. */
  replaceHeld(text: string): void {
    this.#text.held = text;
  }

  #waiting(as: AcceptedAs): string {
    const { held } = this.#text;
    if (as !== "words") return held;
    const ends = [...this.#unreadable.slice(1).map(({ at }) => at), held.length];
    const start = held.slice(0, this.#unreadable[0]?.at ?? held.length);
    return start + this.#unreadable.map(({ at, raw }, index) => raw + held.slice(at, ends[index])).join("");
  }
}

/** One of the two kinds of text: it flows until it is closed, then it is held. */
class Channel {
  held = "";
  #flowing: boolean;
  #sent = false;
  #spent = false;

  constructor(flowing: boolean) {
    this.#flowing = flowing;
  }

  /** True once something visible of an earlier attempt has left. */
  get spent(): boolean {
    return this.#spent;
  }

  /** True where the text leaves at once. */
  add(text: string): boolean {
    if (!this.#flowing) {
      this.held += text;
      return false;
    }
    this.#sent ||= text.trim() !== "";
    return true;
  }

  close(): void {
    this.#flowing = false;
  }

  restart(): void {
    this.close();
    this.held = "";
    this.#spent = this.#sent;
  }
}

// What of a turn's text and reasoning may leave, and when: as it comes, with the attempt that is accepted, or not at all. Decides no calls.
import { ExtraAccumulator } from "../../core/events/ExtraAccumulator.ts";
import type { Extra, TurnEvent } from "../../core/events/events.ts";
import { TextAccumulator } from "../../core/events/TextAccumulator.ts";
import type { Acceptance } from "../../core/runs/RunState.ts";
import { stripLogprobs } from "../attempt/stripLogprobs.ts";

export interface OutletOptions {
  /** True where the caller reads as the text comes, and nothing can be taken back. */
  readonly live: boolean;
  /** True where the output has a schema: its text leaves once, at the end of the turn, and only without calls. */
  readonly bound: boolean;
}

/** The texts of two attempts are never joined: where one has left for good, no later one follows. */
export class TurnOutputBuffer {
  readonly #options: OutletOptions;
  #reasoning: Channel;
  #text: Channel;
  /** The text that waits with all that the model wrote around it, from the first call on that cannot leave. */
  readonly #words = new TextAccumulator();
  #broken = false;
  readonly #extra = new ExtraAccumulator();

  constructor(options: OutletOptions) {
    this.#options = options;
    this.#reasoning = new Channel(options.live);
    this.#text = new Channel(options.live && !options.bound);
  }

  /** True once visible text of an earlier attempt has left. */
  get textSent(): boolean {
    return this.#text.spent;
  }

  /** True once visible text has left. */
  get textLeft(): boolean {
    return this.#text.sent;
  }

  /** The text that waits. */
  get heldText(): string {
    return this.#text.held;
  }

  /** True where the text leaves at once. */
  text(text: string, extra: readonly Extra[] | undefined): boolean {
    if (this.#text.add(text)) return true;
    this.#words.add(text);
    this.#extra.add(extra);
    return false;
  }

  /** True where the reasoning leaves at once. */
  reasoning(text: string): boolean {
    return this.#reasoning.add(text);
  }

  /** A call that cannot leave stands here. The attempt may have to be made again, so its further text waits. */
  unreadable(raw: string): void {
    this.#text.close();
    this.#broken = true;
    this.#words.add(raw);
  }

  /** Markup behind a call that cannot leave is part of the model's own words: its closing mark. */
  dropped(raw: string): void {
    if (this.#broken) this.#words.add(raw);
  }

  /** A further attempt begins: what waits of the one before is moot. */
  askAgain(): void {
    this.#text.restart();
    this.#reasoning.restart();
    this.#forget();
  }

  /** The same is asked of the model in another way: as if nothing had been asked yet, but where something has left. */
  takeNextRoute(): void {
    this.#text.startOver();
    this.#reasoning.startOver();
    this.#forget();
  }

  #forget(): void {
    this.#words.clear();
    this.#broken = false;
    this.#extra.clear();
  }

  /** The attempt is accepted: what waits of it leaves. */
  release(as: Acceptance, withCalls: boolean): readonly TurnEvent[] {
    const { bound } = this.#options;
    const reasoning = this.#reasoning.spent ? "" : this.#reasoning.held;
    const kept = !this.#text.spent && !(bound && withCalls);
    const waiting = as === "words" ? this.#words.text : this.#text.held;
    const text = kept ? waiting : "";
    // Log-probabilities are of the model's own characters, which the form of a bound answer may not have kept.
    const waited = this.#extra.take();
    const extra = bound || !kept ? stripLogprobs(waited) : waited;
    const events: TurnEvent[] = [];
    if (reasoning !== "") events.push({ type: "reasoning-delta", text: reasoning });
    if (text !== "" || extra.length > 0) {
      events.push({ type: "text-delta", text, ...(extra.length > 0 && { extra }) });
    }
    return events;
  }

  /** The turn fails: what was known of its answer still reaches a caller who reads no stream. */
  abandon(): readonly TurnEvent[] {
    return this.#options.live ? [] : this.release("answer", false);
  }

  /** Puts the normalised answer in the place of the text that waits. */
  replaceHeld(text: string): void {
    this.#text.replaceHeld(text);
  }
}

/** One of the two kinds of text: it flows until it is closed, then it is held. */
class Channel {
  readonly #held = new TextAccumulator();
  #flowing: boolean;
  /** True once something visible has left. */
  sent = false;
  #spent = false;

  constructor(flowing: boolean) {
    this.#flowing = flowing;
  }

  /** True once something visible of an earlier attempt has left. */
  get spent(): boolean {
    return this.#spent;
  }

  get held(): string {
    return this.#held.text;
  }

  replaceHeld(text: string): void {
    this.#held.clear();
    this.#held.add(text);
  }

  /** True where the text leaves at once. */
  add(text: string): boolean {
    if (!this.#flowing) {
      this.#held.add(text);
      return false;
    }
    this.sent ||= text.trim() !== "";
    return true;
  }

  close(): void {
    this.#flowing = false;
  }

  restart(): void {
    this.close();
    this.#held.clear();
    this.#spent = this.sent;
  }

  startOver(): void {
    if (this.sent) this.restart();
    else this.#held.clear();
  }
}

// Buffers a turn's text and reasoning: each part is emitted at once, when the attempt is accepted, or never.
import { ExtraAccumulator } from "../../core/events/ExtraAccumulator.ts";
import type { Extra, TurnEvent } from "../../core/events/events.ts";
import { TextAccumulator } from "../../core/events/TextAccumulator.ts";
import type { Acceptance } from "../../core/runs/RunState.ts";
import { stripLogprobs } from "../attempt/stripLogprobs.ts";

export interface OutletOptions {
  /** True if the client reads a stream, so that emitted text cannot be taken back. */
  readonly live: boolean;
  /** True if the output has a schema: its text is emitted once, at the end of the turn, and only without calls. */
  readonly bound: boolean;
}

/** Texts of two attempts are never joined: once text was emitted, no text of a later attempt follows. */
export class TurnOutputBuffer {
  readonly #options: OutletOptions;
  #reasoning: Channel;
  #text: Channel;
  /** The buffered text, with the raw markup from the first refused call on. */
  readonly #words = new TextAccumulator();
  #broken = false;
  readonly #extra = new ExtraAccumulator();

  constructor(options: OutletOptions) {
    this.#options = options;
    this.#reasoning = new Channel(options.live);
    this.#text = new Channel(options.live && !options.bound);
  }

  /** True once visible text of an earlier attempt was emitted. */
  get textSent(): boolean {
    return this.#text.isEmitted;
  }

  /** True once visible text was emitted. */
  get textLeft(): boolean {
    return this.#text.isSent;
  }

  /** The buffered text. */
  get heldText(): string {
    return this.#text.heldText;
  }

  /** Returns true if the text is to be emitted at once. */
  text(text: string, extra: readonly Extra[] | undefined): boolean {
    if (this.#text.add(text)) return true;
    this.#words.add(text);
    this.#extra.add(extra);
    return false;
  }

  /** Returns true if the reasoning is to be emitted at once. */
  reasoning(text: string): boolean {
    return this.#reasoning.add(text);
  }

  /** Records a call that cannot be emitted. The attempt may be repeated, so further text is buffered. */
  unreadable(raw: string): void {
    this.#text.close();
    this.#broken = true;
    this.#words.add(raw);
  }

  /** Records markup after a refused call, which belongs to the model's raw output. */
  dropped(raw: string): void {
    if (this.#broken) this.#words.add(raw);
  }

  /** Starts a further attempt and drops the buffer of the previous one. */
  askAgain(): void {
    this.#text.restart();
    this.#reasoning.restart();
    this.#forget();
  }

  /** Starts over with the next route. If text was emitted already, it counts as a further attempt. */
  useNextRoute(): void {
    this.#text.startOver();
    this.#reasoning.startOver();
    this.#forget();
  }

  #forget(): void {
    this.#words.clear();
    this.#broken = false;
    this.#extra.clear();
  }

  /** Returns the buffered events of the accepted attempt. */
  release(as: Acceptance, hasCalls: boolean): readonly TurnEvent[] {
    const { bound } = this.#options;
    const reasoning = this.#reasoning.isEmitted ? "" : this.#reasoning.heldText;
    const isKept = !this.#text.isEmitted && !(bound && hasCalls);
    const waiting = as === "words" ? this.#words.text : this.#text.heldText;
    const text = isKept ? waiting : "";
    // Log-probabilities belong to the model's own characters, which normalising a bound answer may change.
    const heldExtra = this.#extra.take();
    const extra = bound || !isKept ? stripLogprobs(heldExtra) : heldExtra;
    const events: TurnEvent[] = [];
    if (reasoning !== "") events.push({ type: "reasoning-delta", text: reasoning });
    if (text !== "" || extra.length > 0) {
      events.push({ type: "text-delta", text, ...(extra.length > 0 && { extra }) });
    }
    return events;
  }

  /** Returns the buffered events of a failed turn, for a client that does not stream. */
  abandon(): readonly TurnEvent[] {
    return this.#options.live ? [] : this.release("answer", false);
  }

  /** Replaces the buffered text with the normalised answer. */
  replaceHeld(text: string): void {
    this.#text.replaceHeld(text);
  }
}

/** Buffer of one kind of text: it passes text on until it is closed, then it buffers. */
class Channel {
  readonly #heldText = new TextAccumulator();
  #flowing: boolean;
  /** True once visible text was emitted. */
  isSent = false;
  #isEmitted = false;

  constructor(flowing: boolean) {
    this.#flowing = flowing;
  }

  /** True once visible text of an earlier attempt was emitted. */
  get isEmitted(): boolean {
    return this.#isEmitted;
  }

  get heldText(): string {
    return this.#heldText.text;
  }

  replaceHeld(text: string): void {
    this.#heldText.clear();
    this.#heldText.add(text);
  }

  /** Returns true if the text is to be emitted at once. */
  add(text: string): boolean {
    if (!this.#flowing) {
      this.#heldText.add(text);
      return false;
    }
    this.isSent ||= text.trim() !== "";
    return true;
  }

  close(): void {
    this.#flowing = false;
  }

  restart(): void {
    this.close();
    this.#heldText.clear();
    this.#isEmitted = this.isSent;
  }

  startOver(): void {
    if (this.isSent) this.restart();
    else this.#heldText.clear();
  }
}

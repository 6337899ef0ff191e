// Prevents repeated reading: text that turned out to be no call is not examined as one again, so the time stays linear.
// Remembers the reasons for explanations.
import type { FormatIssue } from "../../core/events/issues.ts";
import type { Source } from "../scanner/Source.ts";
import type { ReleasedCandidate } from "./ParserEvent.ts";

/** Captures of one turn that may be read a second time. */
const SECOND_READINGS = 8;

/** Released candidates that are remembered: a hostile text has one a line. */
const REMEMBERED = 100;

interface Refusal {
  readonly family: string;
  readonly issue: FormatIssue;
}

export class BacktrackGuard {
  /** Candidates that are text again, for explanations only. */
  readonly released: ReleasedCandidate[] = [];
  readonly #source: Source;
  #refusedUntil = 0;
  #bracketsRefusedUntil = 0;
  #rereadCount = 0;
  /** Reason why fitting refused the candidates of the capture that starts at `at`. */
  #refusal: (Refusal & { readonly at: number }) | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Stores the issue of fitting for the candidates of the current capture. */
  setRefusal(formatId: string, issue: FormatIssue): void {
    this.#refusal = { at: this.#source.bufferStart, family: formatId, issue };
  }

  /** Refusal of the candidates of this capture, if fitting refused them. */
  get refusal(): Refusal | undefined {
    return this.#refusal?.at === this.#source.bufferStart ? this.#refusal : undefined;
  }

  /**
   * Refuses the buffered text from `start` to the cursor as a call, with the reason of fitting, else `why`. The cursor goes back, and no
   * call without a wrapper is looked for in the text again.
   */
  refuse(start: number, reason: string): void {
    const { refusal } = this;
    const source = this.#source;
    const length = this.released.length < REMEMBERED ? source.getAllBuffered().trimEnd().length : 0;
    const message = refusal?.issue.message ?? reason;
    if (length > 0) this.released.push({ at: source.bufferStart, length, family: refusal?.family, why: message });
    this.#refusedUntil = Math.max(this.#refusedUntil, source.offset);
    source.rewind(start);
  }

  /** Looks for no call without a wrapper before that offset. */
  refuseBefore(offset: number): void {
    this.#refusedUntil = offset;
  }

  /** True if no such call is looked for at the cursor. */
  get isRefused(): boolean {
    return this.#source.offset < this.#refusedUntil;
  }

  /** Up to the cursor no value is read by its brackets again: they did not balance. */
  refuseBrackets(): void {
    this.#bracketsRefusedUntil = this.#source.offset;
  }

  /** True if no value is read by its brackets at the cursor. */
  get areBracketsRefused(): boolean {
    return this.#source.offset < this.#bracketsRefusedUntil;
  }

  /** Counts a second reading of a capture without an end. Returns true if the turn may still make it. */
  countReread(): boolean {
    this.#rereadCount += 1;
    return this.#rereadCount <= SECOND_READINGS;
  }
}

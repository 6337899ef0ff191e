// Removes the wrapping of an answer: elements around it and labels before it. All other text stays.

import type { Tag } from "../scanner/Tag.ts";
import { ANSWER_WRAPPERS } from "../specs/lookupTables.ts";
import type { ParserState } from "../state/ParserState.ts";

export class FinalAnswerExtractor {
  /** A label has been taken off: the rest of the text is the answer. */
  labelled = false;
  readonly #turn: ParserState;
  /** Wrappers whose opener was dropped. */
  readonly #open = new Set<string>();

  constructor(turn: ParserState) {
    this.#turn = turn;
  }

  /** Handles an element's marker at the cursor: drops it if the model wraps complete answers in it, else passes it as text. */
  element(tag: Tag): void {
    const turn = this.#turn;
    const opens = !tag.closing && turn.shown === 0 && this.#wraps(tag.name);
    if (!opens && !(tag.closing && this.#open.delete(tag.name))) {
      turn.pass(tag.raw.length);
      return;
    }
    if (opens) this.#open.add(tag.name);
    turn.dropMark(tag.raw.length);
    turn.sink.enter("text");
  }

  /** Drops a label of `length` characters at the cursor. The text after it is the answer, whatever it looks like. */
  label(length: number): void {
    this.#turn.dropMark(length, "label");
    this.#turn.sink.enter("text");
    this.begin();
  }

  /** Marks the text that follows in the channel as the answer, or more of it. */
  begin(): void {
    const turn = this.#turn;
    this.labelled = true;
    turn.passLineStart();
    turn.guard.refuseUntil(Number.MAX_SAFE_INTEGER);
  }

  /** The answer is over: the model goes on with its work. */
  end(): void {
    this.labelled = false;
    this.#turn.guard.refuseUntil(this.#turn.source.offset);
  }

  #wraps(name: string): boolean {
    return (ANSWER_WRAPPERS.get(name) ?? []).some((family) => this.#turn.options.formats.includes(family));
  }
}

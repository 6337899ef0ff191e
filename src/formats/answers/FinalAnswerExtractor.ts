// Removes the wrapping of an answer: elements around it and labels before it. All other text stays.

import type { Tag } from "../scanner/Tag.ts";
import { ANSWER_WRAPPERS } from "../specs/lookupTables.ts";
import type { ParserState } from "../state/ParserState.ts";

export class FinalAnswerExtractor {
  /** A label has been taken off: the rest of the text is the answer. */
  isLabelled = false;
  readonly #state: ParserState;
  /** Wrappers whose opener was dropped. */
  readonly #openWrappers = new Set<string>();

  constructor(state: ParserState) {
    this.#state = state;
  }

  /** Handles an element's marker at the cursor: drops it if the model wraps complete answers in it, else passes it as text. */
  readElement(tag: Tag): void {
    const state = this.#state;
    const isOpener = !tag.isClosing && state.visibleCount === 0 && this.#isAnswerWrapper(tag.name);
    if (!isOpener && !(tag.isClosing && this.#openWrappers.delete(tag.name))) {
      state.writeNext(tag.raw.length);
      return;
    }
    if (isOpener) this.#openWrappers.add(tag.name);
    state.dropMarker(tag.raw.length);
    state.sink.enterChannel("text");
  }

  /** Drops a label of `length` characters at the cursor. The text after it is the answer, whatever it looks like. */
  dropLabel(length: number): void {
    this.#state.dropMarker(length, "label");
    this.#state.sink.enterChannel("text");
    this.beginAnswer();
  }

  /** Marks the text that follows in the channel as the answer, or more of it. */
  beginAnswer(): void {
    const state = this.#state;
    this.isLabelled = true;
    state.leaveLineStart();
    state.guard.refuseBefore(Number.MAX_SAFE_INTEGER);
  }

  /** The answer is over: the model goes on with its work. */
  endAnswer(): void {
    this.isLabelled = false;
    this.#state.guard.refuseBefore(this.#state.source.offset);
  }

  #isAnswerWrapper(name: string): boolean {
    return (ANSWER_WRAPPERS.get(name) ?? []).some((formatId) => this.#state.options.formats.includes(formatId));
  }
}

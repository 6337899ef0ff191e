// Walks the text of one turn: prose flows to its channel, quotations stay prose, and each mark goes to its grammar. What may begin at a
// character is told by tables of first characters, so that nobody is asked about a sentence (decisions/0050).

import { FinalAnswerExtractor } from "../answers/FinalAnswerExtractor.ts";
import { LEAD } from "../families/callTags.ts";
import { isMark, SIGNS } from "../families/marks.ts";
import { readGluedCall, writesGluedCalls } from "../forms/headed/gluedCalls.ts";
import { readRecipient, writesRecipients } from "../forms/headed/lineRecipients.ts";
import { readFlower, readTextStart, TEXT_OPENERS } from "../forms/headed/strippedHeaders.ts";
import { isAnswerPosition } from "../forms/shapes/answerPosition.ts";
import { readBareShape } from "../forms/shapes/bareShapes.ts";
import { mayName } from "../forms/shapes/callWords.ts";
import { CODE_ELEMENT, readCodeElement, writesCodeElements } from "../forms/wrapped/codeElement.ts";
import { readOfferedElement } from "../forms/wrapped/looseElements.ts";
import { BACKTICK, GREATER_THAN, LESS_THAN, LOWER_C, NEWLINE, OPEN_BRACE, OPEN_BRACKET } from "../text/codes.ts";
import { END, type Reading, StopTable, WAIT } from "../text/Source.ts";
import { peek, startsWith } from "../text/waiting.ts";
import { isBlank } from "../text/whiteSpace.ts";
import type { Turn } from "../turn/Turn.ts";
import { LineReader } from "./LineReader.ts";
import { MarkReader } from "./MarkReader.ts";
import { dropCutMark, markAt } from "./marks.ts";
import { passInlineCode } from "./quotation.ts";

/** First characters of marks that are no tags. */
const SIGN = new StopTable(SIGNS + LEAD.charAt(0));
/** With these a mark may begin: until it is read the cursor is still at the start of its line. */
const MARKS = `<${SIGNS}${LEAD.charAt(0)}✿`;
const MARK = new StopTable(MARKS);
const STOPS = `${MARKS}\`\n{`;
const TEXT = new StopTable(STOPS);
const NOTHING = new StopTable("");
const FLOWER = 0x273f;

export class ChannelReader {
  readonly #turn: Turn;
  readonly #stops: StopTable;
  readonly #marks: MarkReader;
  readonly #lines: LineReader;

  constructor(turn: Turn) {
    this.#turn = turn;
    // Models that write `call:…` without a mark glue it to the word before it.
    const glued = turn.offered.length > 0 && writesGluedCalls(turn);
    const more = (glued ? "c" : "") + (writesRecipients(turn) ? ">" : "");
    this.#stops = more === "" ? TEXT : new StopTable(STOPS + more);
    const answer = new FinalAnswerExtractor(turn);
    this.#marks = new MarkReader(turn, answer);
    this.#lines = new LineReader(turn, this.#marks, answer);
  }

  *read(): Reading<void> {
    const turn = this.#turn;
    const { reasoning } = this.#marks;
    if (turn.options.reasoningOpened) reasoning.begin();
    const first = yield* peek(turn.source);
    if (first === END) return;
    const prefilled = turn.wire?.reasoningStart;
    if (prefilled !== undefined && (yield* startsWith(turn.source, prefilled))) {
      turn.dropMark(prefilled.length);
      reasoning.begin();
    } else if (TEXT_OPENERS.has(first) || (yield* mayName(turn, first))) yield* readTextStart(turn);
    for (;;) {
      if (turn.source.pause()) yield;
      if (turn.rest) return yield* this.#dropRest(turn.rest);
      const more = reasoning.isOpen ? yield* reasoning.step() : yield* this.#textStep();
      if (!more) return;
    }
  }

  /** Reads on in the text channel; false at the end. */
  *#textStep(): Reading<boolean> {
    const turn = this.#turn;
    const { source } = turn;
    if (turn.lineStart) {
      const first = source.code();
      if (isBlank(first)) {
        let blanks = 1;
        while (isBlank(source.code(blanks))) blanks += 1;
        turn.pass(blanks);
        return true;
      }
      if (first !== WAIT && first !== END && ((yield* this.#lines.read(first)) || turn.rest)) return true;
    }
    turn.write(source.run(this.#stops));
    const code = source.code();
    if (code === END) return false;
    if (code === WAIT) yield;
    else {
      if (turn.lineStart && code !== NEWLINE && !MARK.has(code)) turn.leaveLine();
      if (!(yield* this.#stop(code))) turn.pass(1);
    }
    return true;
  }

  /** A character that may begin something in the middle of a line; false where it is text. */
  *#stop(code: number): Reading<boolean> {
    const turn = this.#turn;
    if (SIGN.has(code) && (yield* this.#marks.sign())) return true;
    switch (code) {
      case LESS_THAN:
        yield* this.#angle();
        return true;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        return yield* this.#midLine(code);
      case GREATER_THAN:
        return yield* readRecipient(turn, ">>>");
      case BACKTICK:
        yield* passInlineCode(turn);
        return true;
      case LOWER_C:
        return yield* readGluedCall(turn);
      case FLOWER:
        return turn.offered.length > 0 && (yield* readFlower(turn));
      default:
        return false;
    }
  }

  /** A bracket behind a label such as `Calls:` on the same line, for models that were asked to write calls as text. */
  *#midLine(code: number): Reading<boolean> {
    const turn = this.#turn;
    const labelled = turn.lastShown === ":" && turn.shownBefore !== '"';
    if (turn.offered.length === 0 || !labelled || turn.guard.isRefused || turn.lineStart) return false;
    return isAnswerPosition(turn, code === OPEN_BRACE ? "json" : "python") && (yield* readBareShape(turn));
  }

  *#angle(): Reading<void> {
    const turn = this.#turn;
    const { source } = turn;
    const atLine = turn.lineStart;
    const offered = (name: string): boolean => atLine && turn.offered.includes(name);
    const code = (name: string): boolean => atLine && name === CODE_ELEMENT && writesCodeElements(turn);
    const mark = yield* markAt(source, (name, prefix) => isMark(name, prefix) || offered(name) || code(name));
    if (mark === "cut" && dropCutMark(turn)) return;
    if (!mark || mark === "cut") {
      if (turn.offered.length > 0 && (yield* peek(source, 1)) === LOWER_C && (yield* readGluedCall(turn))) return;
      turn.pass(1);
      while ((yield* peek(source)) === LESS_THAN) turn.pass(1);
      return turn.leaveLine();
    }
    const { tag, role, raw } = mark;
    if (role || !tag) return yield* this.#marks.read(mark);
    if (code(tag.name) && (yield* readCodeElement(turn, tag))) return;
    if (tag.closing || !offered(tag.name) || !(yield* readOfferedElement(turn, tag))) turn.pass(raw.length);
  }

  *#dropRest(why: string): Reading<void> {
    const { source, sink } = this.#turn;
    sink.leave();
    sink.mark();
    for (;;) {
      const at = source.offset;
      const text = source.run(NOTHING);
      if (text !== "") sink.drop(text, at, why);
      if (source.code() === END) return;
      yield;
    }
  }
}

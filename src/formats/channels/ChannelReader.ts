// Walks the text of one turn: prose flows to its channel, quotations stay prose, and each mark or candidate goes to its grammar.

import { FinalAnswerExtractor } from "../answers/FinalAnswerExtractor.ts";
import { isMark, roleOf } from "../families/marks.ts";
import { readGluedCall, writesGluedCalls } from "../forms/headed/gluedCalls.ts";
import { readRecipient, writesRecipients } from "../forms/headed/lineRecipients.ts";
import { readStrippedHeader } from "../forms/headed/strippedHeaders.ts";
import { LabelReader } from "../forms/labelled/LabelReader.ts";
import { isAnswerPosition } from "../forms/shapes/answerPosition.ts";
import { readBareShape } from "../forms/shapes/bareShapes.ts";
import { isWordStart } from "../forms/shapes/callWords.ts";
import { listNumber } from "../forms/shapes/joints.ts";
import { CODE_ELEMENT, readCodeElement, writesCodeElements } from "../forms/wrapped/codeElement.ts";
import { readOfferedElement } from "../forms/wrapped/looseElements.ts";
import {
  ASTERISK,
  BACKTICK,
  CLOSE_BRACKET,
  DIGIT_0,
  DIGIT_9,
  GREATER_THAN,
  LESS_THAN,
  MINUS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  SLASH,
  SPACE,
  TILDE,
} from "../text/codes.ts";
import { END, type Reading, StopTable, WAIT } from "../text/Source.ts";
import { readTagOrCut } from "../text/Tag.ts";
import { peek, startsWith } from "../text/waiting.ts";
import { isBlank } from "../text/whiteSpace.ts";
import { dropCutMark } from "../turn/cutMarks.ts";
import { fenceWidth, passFence, passInlineCode, passLine } from "../turn/quotation.ts";
import type { Turn } from "../turn/Turn.ts";
import { MarkReader } from "./MarkReader.ts";

const STOPS = "<[]`\n◁✿{";
const TEXT = new StopTable(STOPS);
const NOTHING = new StopTable("");
/** With these a mark may begin: until it is read the cursor is still at the start of its line. */
const MARK_STARTS = new StopTable("<[]◁✿");

export class ChannelReader {
  readonly #turn: Turn;
  readonly #stops: StopTable;
  readonly #react: LabelReader;
  /** The model writes lines that name whom a message is for. */
  readonly #recipients: boolean;
  readonly #marks: MarkReader;

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#recipients = writesRecipients(turn);
    // Models that write `call:…` without a mark glue it to the word before it.
    const glued = turn.offered.length > 0 && writesGluedCalls(turn);
    const more = (glued ? "c" : "") + (this.#recipients ? ">" : "");
    this.#stops = more === "" ? TEXT : new StopTable(STOPS + more);
    const answer = new FinalAnswerExtractor(turn);
    this.#react = new LabelReader(turn, answer);
    this.#marks = new MarkReader(turn, answer);
  }

  *read(): Reading<void> {
    const turn = this.#turn;
    if (turn.options.reasoningOpened) this.#marks.reasoning.begin();
    if ((yield* peek(turn.source)) === END) return;
    const prefilled = turn.wire?.reasoningStart;
    if (prefilled !== undefined && (yield* startsWith(turn.source, prefilled))) {
      turn.dropMark(prefilled.length);
      this.#marks.reasoning.begin();
    } else {
      yield* readStrippedHeader(turn, "start");
    }
    for (;;) {
      if (turn.source.pause()) yield;
      if (turn.rest) return yield* this.#dropRest(turn.rest);
      const more = this.#marks.reasoning.isOpen ? yield* this.#marks.reasoning.step() : yield* this.#textStep();
      if (!more) return;
    }
  }

  /** Reads on in the text channel; false at the end. */
  *#textStep(): Reading<boolean> {
    const turn = this.#turn;
    const { source } = turn;
    if (turn.lineStart) {
      const code = source.code();
      if (code === WAIT) {
        yield;
        return true;
      }
      if (code === END) return false;
      if (isBlank(code)) {
        let blanks = 1;
        while (isBlank(source.code(blanks))) blanks += 1;
        turn.pass(blanks);
        return true;
      }
      if (yield* this.#lineStart(code)) return true;
      if (this.#turn.rest) return true;
    }
    turn.write(source.run(this.#stops));
    const code = source.code();
    if (code === WAIT) {
      yield;
      return true;
    }
    if (code === END) return false;
    if (turn.lineStart && code !== NEWLINE && !MARK_STARTS.has(code)) {
      turn.leaveLine();
    }
    switch (code) {
      case LESS_THAN:
        yield* this.#angle();
        return true;
      case OPEN_BRACKET:
      case 0x25c1:
        if (!(yield* this.#marks.literal()) && !(yield* this.#midLine(code))) turn.pass(1);
        return true;
      case CLOSE_BRACKET:
        yield* this.#marks.lead();
        return true;
      case GREATER_THAN:
        if (!(yield* readRecipient(turn, ">>>"))) turn.pass(1);
        return true;
      case BACKTICK:
        yield* passInlineCode(turn);
        return true;
      case OPEN_BRACE:
        if (!(yield* this.#midLine(code))) turn.pass(1);
        return true;
      case 99:
        if (!(yield* readGluedCall(turn))) turn.pass(1);
        return true;
      case 0x273f:
        if (!(yield* readStrippedHeader(turn, "flower"))) turn.pass(1);
        return true;
      default:
        turn.pass(1);
        return true;
    }
  }

  /** The first visible character of a line: labels, fences, and shapes without marks. True where something was read. */
  *#lineStart(code: number): Reading<boolean> {
    const turn = this.#turn;
    if (turn.shown === 0 && code === 72 && (yield* this.#marks.reasoning.openBySentence())) return true;
    if (turn.offered.length === 0) return code === BACKTICK || code === TILDE ? yield* this.#fence(code) : false;
    const mayBegin = isWordStart(code) && !turn.guard.isRefused;
    if (mayBegin && (yield* readStrippedHeader(turn, "line"))) return true;
    if (yield* this.#react.read(code)) return true;
    if (code === GREATER_THAN) {
      if (!this.#recipients || !(yield* readRecipient(turn, ">>>"))) yield* passLine(turn);
      return true;
    }
    if (code === BACKTICK || code === TILDE) return yield* this.#fence(code);
    const bullet = turn.options.toolMode === "text" ? yield* this.#bullet(code) : 0;
    if (bullet > 0) {
      turn.passBullet(bullet);
      return true;
    }
    if (code === OPEN_BRACKET && (yield* this.#marks.literal())) return true;
    if (turn.guard.isRefused) return false;
    if (code === SLASH && (yield* peek(turn.source, 1)) === ASTERISK && isAnswerPosition(turn, "json"))
      return yield* readBareShape(turn);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (!isAnswerPosition(turn, code === OPEN_BRACE ? "json" : "python")) return false;
      return yield* readBareShape(turn);
    }
    if (isWordStart(code) && isAnswerPosition(turn, "python")) return yield* readBareShape(turn);
    return false;
  }

  /** The length of a list's bullet or number, behind which an item may be a call; 0 where none stands. */
  *#bullet(code: number): Reading<number> {
    if (code === MINUS || code === ASTERISK) return (yield* peek(this.#turn.source, 1)) === SPACE ? 2 : 0;
    return code >= DIGIT_0 && code <= DIGIT_9 ? yield* listNumber(this.#turn.source) : 0;
  }

  /** A bracket behind a label such as `Calls:` on the same line, for models that were asked to write calls as text. */
  *#midLine(code: number): Reading<boolean> {
    const turn = this.#turn;
    const labelled = turn.lastShown === ":" && turn.shownBefore !== '"';
    if (turn.offered.length === 0 || !labelled || turn.guard.isRefused || turn.lineStart) return false;
    if (!isAnswerPosition(turn, code === OPEN_BRACE ? "json" : "python")) return false;
    return yield* readBareShape(turn);
  }

  *#angle(): Reading<void> {
    const turn = this.#turn;
    const { source } = turn;
    const atLine = turn.lineStart;
    const offered = (name: string): boolean => atLine && turn.offered.includes(name);
    const code = (name: string): boolean => atLine && name === CODE_ELEMENT && writesCodeElements(turn);
    const tag = yield* readTagOrCut(source, (name, prefix) => isMark(name, prefix) || offered(name) || code(name));
    if (tag === "cut" && dropCutMark(turn)) return;
    if (!tag || tag === "cut") {
      if (turn.offered.length > 0 && (yield* readGluedCall(turn))) return;
      turn.pass(1);
      while ((yield* peek(source)) === LESS_THAN) turn.pass(1);
      turn.leaveLine();
      return;
    }
    const role = roleOf(tag);
    if (role) return yield* this.#marks.tag(role, tag);
    if (code(tag.name) && (yield* readCodeElement(turn, tag))) return;
    if (tag.closing || !offered(tag.name) || !(yield* readOfferedElement(turn, tag))) turn.pass(tag.raw.length);
  }

  /** A fence is a quotation, unless all it holds are calls and it stands where an answer stands. */
  *#fence(mark: number): Reading<boolean> {
    const turn = this.#turn;
    const width = yield* fenceWidth(turn, mark);
    const shape = width < 3 ? "python" : "fence";
    const candidate = turn.offered.length > 0 && !turn.guard.isRefused && isAnswerPosition(turn, shape);
    if (candidate && (yield* readBareShape(turn))) return true;
    if (width < 3) return false;
    yield* passFence(turn, mark, width);
    return true;
  }

  *#dropRest(why: string): Reading<void> {
    const { source, sink } = this.#turn;
    this.#turn.leave();
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

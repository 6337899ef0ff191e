// Who is asked about the first visible character of a line: labels, fences, quotations, and calls without marks. Knows no mark.

import type { FinalAnswerExtractor } from "../answers/FinalAnswerExtractor.ts";
import { readNameAndFence } from "../forms/headed/announcedCalls.ts";
import { readRecipient, writesRecipients } from "../forms/headed/lineRecipients.ts";
import { LINE_OPENERS } from "../forms/headed/strippedHeaders.ts";
import { LabelReader } from "../forms/labelled/LabelReader.ts";
import { isAnswerPosition } from "../forms/shapes/answerPosition.ts";
import { readBareShape } from "../forms/shapes/bareShapes.ts";
import { isWordStart } from "../forms/shapes/callWords.ts";
import { fenceWidth } from "../forms/shapes/fencedCalls.ts";
import { listNumber } from "../forms/shapes/joints.ts";
import { mayBeginCall } from "../forms/shapes/namedCalls.ts";
import {
  ASTERISK,
  BACKTICK,
  DIGIT_0,
  DIGIT_9,
  GREATER_THAN,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  SLASH,
  SPACE,
  TILDE,
} from "../text/codes.ts";
import type { Reading } from "../text/Source.ts";
import { peek } from "../text/waiting.ts";
import type { Turn } from "../turn/Turn.ts";
import type { MarkReader } from "./MarkReader.ts";
import { passFence, passLine } from "./quotation.ts";

export class LineReader {
  readonly #turn: Turn;
  readonly #marks: MarkReader;
  readonly #labels: LabelReader;
  /** The model writes lines that name whom a message is for. */
  readonly #recipients: boolean;

  constructor(turn: Turn, marks: MarkReader, answer: FinalAnswerExtractor) {
    this.#turn = turn;
    this.#marks = marks;
    this.#labels = new LabelReader(turn, answer);
    this.#recipients = writesRecipients(turn);
  }

  /** At the first visible character of a line: true where something was read. */
  *read(code: number): Reading<boolean> {
    const turn = this.#turn;
    const { reasoning } = this.#marks;
    if (turn.shown === 0 && reasoning.sentences.has(code) && (yield* reasoning.openBySentence())) return true;
    const isFence = code === BACKTICK || code === TILDE;
    if (turn.offered.length === 0) return isFence && (yield* this.#fence(code));
    if (isWordStart(code)) return yield* this.#word(code);
    if (this.#labels.firsts.has(code) && (yield* this.#labels.read(code))) return true;
    if (isFence) return yield* this.#fence(code);
    if (code === GREATER_THAN) {
      if (!this.#recipients || !(yield* readRecipient(turn, ">>>"))) yield* passLine(turn);
      return true;
    }
    const bullet = turn.options.toolMode === "text" ? yield* this.#bullet(code) : 0;
    if (bullet > 0) turn.passBullet(bullet);
    return bullet > 0 || (code === OPEN_BRACKET && (yield* this.#marks.sign())) || (yield* this.#bracket(code));
  }

  /** Openers in plain words, labels, and calls that begin with a word. */
  *#word(code: number): Reading<boolean> {
    const turn = this.#turn;
    const isFresh = !turn.guard.isRefused;
    for (const opener of isFresh ? (LINE_OPENERS.get(code) ?? []) : []) if (yield* opener(turn)) return true;
    const mayCall = isFresh && isAnswerPosition(turn, "python") && (yield* mayBeginCall(turn, code));
    const isFirst = turn.shown === 0 && turn.callCount === 0;
    if (mayCall && isFirst && !turn.guard.isRefused && (yield* readNameAndFence(turn))) return true;
    if (this.#labels.firsts.has(code) && (yield* this.#labels.read(code))) return true;
    return mayCall && !turn.guard.isRefused && (yield* readBareShape(turn));
  }

  /** Brackets, and a comment that may stand before them. */
  *#bracket(code: number): Reading<boolean> {
    const turn = this.#turn;
    const begins =
      code === OPEN_BRACE || code === OPEN_BRACKET || (code === SLASH && (yield* peek(turn.source, 1)) === ASTERISK);
    if (!begins || turn.guard.isRefused) return false;
    return isAnswerPosition(turn, code === OPEN_BRACKET ? "python" : "json") && (yield* readBareShape(turn));
  }

  /** The length of a list's bullet or number, behind which an item may be a call; 0 where none stands. */
  *#bullet(code: number): Reading<number> {
    if (code === MINUS || code === ASTERISK) return (yield* peek(this.#turn.source, 1)) === SPACE ? 2 : 0;
    return code >= DIGIT_0 && code <= DIGIT_9 ? yield* listNumber(this.#turn.source) : 0;
  }

  /** A fence is a quotation, unless all it holds are calls and it stands where an answer stands. */
  *#fence(mark: number): Reading<boolean> {
    const turn = this.#turn;
    const width = yield* fenceWidth(turn.source, mark);
    const shape = width < 3 ? "python" : "fence";
    const candidate = turn.offered.length > 0 && !turn.guard.isRefused && isAnswerPosition(turn, shape);
    if (candidate && (yield* readBareShape(turn))) return true;
    if (width < 3) return false;
    yield* passFence(turn, mark, width);
    return true;
  }
}

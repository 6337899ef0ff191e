// Reads the text of one turn: prose goes to its channel, quotations stay prose, and each marker goes to its grammar.
// Tables of first characters select the grammars, so that ordinary sentences cost no grammar call (decisions/0050).
import { FinalAnswerExtractor } from "../answers/FinalAnswerExtractor.ts";
import {
  LINE_OPENERS,
  OPENING_CHARACTERS,
  OPENING_TABLE,
  readFlower,
  readGluedCall,
  readNameAndFence,
  readRecipient,
  readTextStart,
  TEXT_OPENERS,
  writesGluedCalls,
  writesRecipients,
} from "../grammars/headed/lineStarts.ts";
import { ReactReader } from "../grammars/react/ReactReader.ts";
import { isAnswerPosition } from "../grammars/unmarked/acceptance.ts";
import { isWordStart, mayBeginCall, mayName, measureBullet } from "../grammars/unmarked/callTokens.ts";
import { measureFence, readBareShape } from "../grammars/unmarked/unmarkedCalls.ts";
import {
  CODE_ELEMENT,
  readCodeElement,
  readOfferedElement,
  writesCodeElements,
} from "../grammars/wrapped/unwrappedElements.ts";
import {
  ASTERISK,
  BACKTICK,
  GREATER_THAN,
  LESS_THAN,
  LOWER_C,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  SLASH,
  TILDE,
} from "../scanner/charCodes.ts";
import { flowUntil, matchesLiteral, peek } from "../scanner/combinators.ts";
import { END, type Parser, StopTable, WAIT } from "../scanner/Source.ts";
import { isBlank } from "../scanner/whitespace.ts";
import { LEAD } from "../specs/callTags.ts";
import { isMark, isNoMark, SIGNS } from "../specs/markers.ts";
import type { ParserState } from "../state/ParserState.ts";
import { MarkerReader } from "./MarkerReader.ts";
import { dropCutMark, matchChannelMarker } from "./markerAt.ts";
import { skipFence, skipInlineCode, skipLine } from "./quotations.ts";
import { REASONING_STOPS } from "./ReasoningReader.ts";

/** First characters of markers that are not tags. */
const SIGN = new StopTable(SIGNS + LEAD.charAt(0));
const STOPS = `${OPENING_CHARACTERS}\`\n{`;
const TEXT = new StopTable(STOPS);
const NOTHING = new StopTable("");
const FLOWER = 0x273f;
/** Maximum steps without a move of the cursor, such as refusals. A fault in a reader then costs one character's meaning and no endless loop. */
const STEPS_IN_PLACE = 8;

export class ChannelReader {
  readonly #turn: ParserState;
  readonly #stops: StopTable;
  readonly #marks: MarkerReader;
  readonly #labels: ReactReader;
  /** The model writes lines that name whom a message is for. */
  readonly #recipients: boolean;
  /** True while all text was passed on, and the next character is awaited with nothing open. */
  #waits = false;

  constructor(turn: ParserState) {
    this.#turn = turn;
    this.#recipients = writesRecipients(turn);
    // Models that write `call:…` without a marker may omit the space before it.
    const glued = turn.offered.length > 0 && writesGluedCalls(turn);
    const more = (glued ? "c" : "") + (this.#recipients ? ">" : "");
    this.#stops = more === "" ? TEXT : new StopTable(STOPS + more);
    const answer = new FinalAnswerExtractor(turn);
    this.#marks = new MarkerReader(turn, answer);
    this.#labels = new ReactReader(turn, answer);
  }

  /**
   * Returns true if this text would be emitted at once and unchanged: it comes in the middle of a line, and no character in it begins
   * anything. False if a reader must examine it.
   */
  passes(words: string): boolean {
    const { lineStart, rest, sink, offered } = this.#turn;
    if (!this.#waits || lineStart || rest || !sink.flows || this.#marks.reasoning.isOpen) return false;
    // A line end is written in two characters, of which the first waits for the second.
    if (words.endsWith("\r")) return false;
    for (let at = 0; at < words.length; at += 1) {
      const code = words.charCodeAt(at);
      if (!this.#stops.has(code)) continue;
      const glance = {
        code: (ahead = 0) => words.charCodeAt(at + ahead) || WAIT,
        ahead: (n: number) => words.slice(at, at + n),
      };
      if (code !== LESS_THAN || !isNoMark(glance, code)) return false;
      if (offered.length > 0 && words.charCodeAt(at + 1) === LOWER_C) return false;
    }
    return true;
  }

  *read(): Parser<void> {
    const turn = this.#turn;
    const { reasoning } = this.#marks;
    if (turn.options.reasoningOpened) reasoning.begin();
    const first = yield* peek(turn.source);
    if (first === END) return;
    const prefilled = turn.wire?.reasoningStart;
    if (prefilled !== undefined && (yield* matchesLiteral(turn.source, prefilled))) {
      turn.dropMark(prefilled.length);
      reasoning.begin();
    } else if (TEXT_OPENERS.has(first) || (turn.offered.length > 0 && (yield* mayName(turn, first)))) {
      yield* readTextStart(turn);
    }
    for (let stood = 0; ; ) {
      if (turn.source.pause()) yield;
      if (turn.rest) return yield* this.#dropRest(turn.rest);
      const { offset } = turn.source;
      const code = this.#flow();
      if (code === END) return;
      if (code === WAIT) {
        this.#waits = true;
        yield;
        this.#waits = false;
      } else if (reasoning.isOpen) yield* reasoning.step(code);
      else yield* this.#textStep();
      stood = code === WAIT || turn.source.offset !== offset ? 0 : stood + 1;
      if (stood > STEPS_IN_PLACE) turn.pass(1);
    }
  }

  /** Emits plain text without a generator. Returns the character that stops it: a line's start, one that may begin something, WAIT or END. */
  #flow(): number {
    const turn = this.#turn;
    const { source } = turn;
    const { isOpen } = this.#marks.reasoning;
    if (turn.lineStart && !isOpen) return source.code();
    for (let passed = 0; ; passed = 1) {
      turn.write(source.run(isOpen ? REASONING_STOPS : this.#stops, passed));
      const code = source.code();
      if (!(isOpen ? isNoMark(source, code) : this.#isText(code))) return code;
    }
  }

  /** Returns true if the character in the middle of a line, at which the text stops, begins nothing. */
  #isText(code: number): boolean {
    const { source, offered } = this.#turn;
    if (code === OPEN_BRACE) return !this.#mayBeLabelled(code);
    if (!isNoMark(source, code)) return false;
    return code === LESS_THAN ? offered.length === 0 || source.code(1) !== LOWER_C : !this.#mayBeLabelled(code);
  }

  /** Reads on in the text channel: at the start of a line, or at a character that may begin something. */
  *#textStep(): Parser<void> {
    const turn = this.#turn;
    const { source } = turn;
    if (turn.lineStart) {
      const first = source.code();
      if (isBlank(first)) {
        let blanks = 1;
        while (isBlank(source.code(blanks))) blanks += 1;
        return turn.pass(blanks);
      }
      if ((yield* this.#line(first)) || turn.rest) return;
      turn.write(source.run(this.#stops));
    }
    const code = source.code();
    if (code < 0) return;
    if (turn.lineStart && code !== NEWLINE && !OPENING_TABLE.has(code)) turn.passLineStart();
    if (!(yield* this.#stop(code))) turn.pass(1);
  }

  /** Reads a character that may begin something in the middle of a line. Returns false if it is text. */
  *#stop(code: number): Parser<boolean> {
    const turn = this.#turn;
    if (SIGN.has(code) && (yield* this.#marks.sign())) return true;
    switch (code) {
      case LESS_THAN:
        yield* this.#angle();
        return true;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        return !turn.lineStart && this.#mayBeLabelled(code) && (yield* readBareShape(turn));
      case GREATER_THAN:
        return yield* readRecipient(turn);
      case BACKTICK:
        yield* skipInlineCode(turn);
        return true;
      case LOWER_C:
        return yield* readGluedCall(turn);
      case FLOWER:
        return turn.offered.length > 0 && (yield* readFlower(turn));
      default:
        return false;
    }
  }

  /** Returns true if the bracket follows a label such as `Calls:` within a line. For models that were asked to write calls as text. */
  #mayBeLabelled(code: number): boolean {
    const turn = this.#turn;
    const labelled = turn.lastShown === ":" && turn.shownBefore !== '"';
    if (turn.offered.length === 0 || !labelled || turn.guard.isRefused) return false;
    return isAnswerPosition(turn, code === OPEN_BRACE ? "json" : "python");
  }

  *#angle(): Parser<void> {
    const turn = this.#turn;
    const { source } = turn;
    const atLine = turn.lineStart;
    const offered = (name: string): boolean => atLine && turn.offered.includes(name);
    const code = (name: string): boolean => atLine && name === CODE_ELEMENT && writesCodeElements(turn);
    const mark = yield* matchChannelMarker(
      source,
      (name, prefix) => isMark(name, prefix) || offered(name) || code(name),
    );
    if (mark === "cut" && dropCutMark(turn)) return;
    if (!mark || mark === "cut") {
      if (turn.offered.length > 0 && (yield* peek(source, 1)) === LOWER_C && (yield* readGluedCall(turn))) return;
      turn.pass(1);
      while ((yield* peek(source)) === LESS_THAN) turn.pass(1);
      turn.passLineStart();
      return;
    }
    const { tag, role, raw } = mark;
    if (role || !tag) return yield* this.#marks.read(mark);
    if (code(tag.name) && (yield* readCodeElement(turn, tag))) return;
    if (tag.closing || !offered(tag.name) || !(yield* readOfferedElement(turn, tag))) turn.pass(raw.length);
  }

  /** Reads the first visible character of a line. Returns true if something was read. */
  *#line(code: number): Parser<boolean> {
    const turn = this.#turn;
    const { reasoning } = this.#marks;
    if (turn.shown === 0 && reasoning.hasSentences && (yield* reasoning.openBySentence())) return true;
    const isFence = code === BACKTICK || code === TILDE;
    if (turn.offered.length === 0) return isFence && (yield* this.#fence(code));
    if (isWordStart(code)) return yield* this.#word(code);
    if (this.#labels.firsts.has(code) && (yield* this.#labels.read(code))) return true;
    if (isFence) return yield* this.#fence(code);
    if (code === GREATER_THAN) {
      if (!this.#recipients || !(yield* readRecipient(turn))) yield* skipLine(turn);
      return true;
    }
    const bullet = turn.options.toolMode === "text" ? yield* measureBullet(turn.source, code) : 0;
    if (bullet > 0) {
      turn.pass(bullet);
      turn.beginLine(true);
    }
    return bullet > 0 || (code === OPEN_BRACKET && (yield* this.#marks.sign())) || (yield* this.#bracket(code));
  }

  /** Reads openers in plain words, labels, and calls that begin with a word. */
  *#word(code: number): Parser<boolean> {
    const turn = this.#turn;
    const isFresh = !turn.guard.isRefused;
    for (const opener of isFresh ? (LINE_OPENERS.get(code) ?? []) : []) if (yield* opener(turn)) return true;
    const mayCall = isFresh && isAnswerPosition(turn, "python") && (yield* mayBeginCall(turn, code));
    const isFirst = turn.shown === 0 && turn.sink.callCount === 0;
    if (mayCall && isFirst && !turn.guard.isRefused && (yield* readNameAndFence(turn))) return true;
    if (this.#labels.firsts.has(code) && (yield* this.#labels.read(code))) return true;
    return mayCall && !turn.guard.isRefused && (yield* readBareShape(turn));
  }

  /** Brackets, and a comment that may stand before them. */
  *#bracket(code: number): Parser<boolean> {
    const turn = this.#turn;
    const begins =
      code === OPEN_BRACE || code === OPEN_BRACKET || (code === SLASH && (yield* peek(turn.source, 1)) === ASTERISK);
    if (!begins || turn.guard.isRefused) return false;
    return isAnswerPosition(turn, code === OPEN_BRACKET ? "python" : "json") && (yield* readBareShape(turn));
  }

  /** Reads a fence: a quotation, unless it contains only calls in the position of an answer. */
  *#fence(mark: number): Parser<boolean> {
    const turn = this.#turn;
    const width = yield* measureFence(turn.source, mark);
    const shape = width < 3 ? "python" : "fence";
    const candidate = turn.offered.length > 0 && !turn.guard.isRefused && isAnswerPosition(turn, shape);
    if (candidate && (yield* readBareShape(turn))) return true;
    if (width < 3) return false;
    yield* skipFence(turn, mark, width);
    return true;
  }

  *#dropRest(why: string): Parser<void> {
    const { source, sink } = this.#turn;
    sink.leave();
    sink.mark();
    sink.endMarkup();
    yield* flowUntil(source, NOTHING, (text) => sink.drop(text, source.offset - text.length, why));
  }
}

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
  readonly #state: ParserState;
  readonly #stops: StopTable;
  readonly #markers: MarkerReader;
  readonly #labels: ReactReader;
  /** The model writes lines that name whom a message is for. */
  readonly #writesRecipients: boolean;
  /** True while all text was passed on, and the next character is awaited with nothing open. */
  #isWaiting = false;

  constructor(state: ParserState) {
    this.#state = state;
    this.#writesRecipients = writesRecipients(state);
    // Models that write `call:…` without a marker may omit the space before it.
    const mayGlueCalls = state.callableNames.length > 0 && writesGluedCalls(state);
    const extraStops = (mayGlueCalls ? "c" : "") + (this.#writesRecipients ? ">" : "");
    this.#stops = extraStops === "" ? TEXT : new StopTable(STOPS + extraStops);
    const answer = new FinalAnswerExtractor(state);
    this.#markers = new MarkerReader(state, answer);
    this.#labels = new ReactReader(state, answer);
  }

  /**
   * Returns true if this text would be emitted at once and unchanged: it comes in the middle of a line, and no character in it begins
   * anything. False if a reader must examine it.
   */
  isPlainText(text: string): boolean {
    const { isAtLineStart, dropReason, sink, callableNames } = this.#state;
    if (!this.#isWaiting || isAtLineStart || dropReason || !sink.isFlowing || this.#markers.reasoning.isOpen)
      return false;
    // A line end is written in two characters, of which the first waits for the second.
    if (text.endsWith("\r")) return false;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (!this.#stops.has(code)) continue;
      const cursor = {
        code: (ahead = 0) => text.charCodeAt(at + ahead) || WAIT,
        peekText: (n: number) => text.slice(at, at + n),
      };
      if (code !== LESS_THAN || !isNoMark(cursor, code)) return false;
      if (callableNames.length > 0 && text.charCodeAt(at + 1) === LOWER_C) return false;
    }
    return true;
  }

  *read(): Parser<void> {
    const state = this.#state;
    const { reasoning } = this.#markers;
    if (state.options.reasoningOpened) reasoning.begin();
    const first = yield* peek(state.source);
    if (first === END) return;
    const reasoningStart = state.template?.reasoningStart;
    if (reasoningStart !== undefined && (yield* matchesLiteral(state.source, reasoningStart))) {
      state.dropMarker(reasoningStart.length);
      reasoning.begin();
    } else if (TEXT_OPENERS.has(first) || (state.callableNames.length > 0 && (yield* mayName(state, first)))) {
      yield* readTextStart(state);
    }
    for (let stepsInPlace = 0; ; ) {
      if (state.source.shouldPause()) yield;
      if (state.dropReason) return yield* this.#dropRest(state.dropReason);
      const { offset } = state.source;
      const code = this.#writePlainText();
      if (code === END) return;
      if (code === WAIT) {
        this.#isWaiting = true;
        yield;
        this.#isWaiting = false;
      } else if (reasoning.isOpen) yield* reasoning.step(code);
      else yield* this.#readTextStep();
      stepsInPlace = code === WAIT || state.source.offset !== offset ? 0 : stepsInPlace + 1;
      if (stepsInPlace > STEPS_IN_PLACE) state.writeNext(1);
    }
  }

  /** Emits plain text without a generator. Returns the character that stops it: a line's start, one that may begin something, WAIT or END. */
  #writePlainText(): number {
    const state = this.#state;
    const { source } = state;
    const { isOpen } = this.#markers.reasoning;
    if (state.isAtLineStart && !isOpen) return source.code();
    for (let charsToSkip = 0; ; charsToSkip = 1) {
      state.write(source.readUntilStop(isOpen ? REASONING_STOPS : this.#stops, charsToSkip));
      const code = source.code();
      if (!(isOpen ? isNoMark(source, code) : this.#isText(code))) return code;
    }
  }

  /** Returns true if the character in the middle of a line, at which the text stops, begins nothing. */
  #isText(code: number): boolean {
    const { source, callableNames } = this.#state;
    if (code === OPEN_BRACE) return !this.#isAfterLabel(code);
    if (!isNoMark(source, code)) return false;
    return code === LESS_THAN ? callableNames.length === 0 || source.code(1) !== LOWER_C : !this.#isAfterLabel(code);
  }

  /** Reads on in the text channel: at the start of a line, or at a character that may begin something. */
  *#readTextStep(): Parser<void> {
    const state = this.#state;
    const { source } = state;
    if (state.isAtLineStart) {
      const first = source.code();
      if (isBlank(first)) {
        let blanks = 1;
        while (isBlank(source.code(blanks))) blanks += 1;
        return state.writeNext(blanks);
      }
      if ((yield* this.#readLineStart(first)) || state.dropReason) return;
      state.write(source.readUntilStop(this.#stops));
    }
    const code = source.code();
    if (code < 0) return;
    if (state.isAtLineStart && code !== NEWLINE && !OPENING_TABLE.has(code)) state.leaveLineStart();
    if (!(yield* this.#readStop(code))) state.writeNext(1);
  }

  /** Reads a character that may begin something in the middle of a line. Returns false if it is text. */
  *#readStop(code: number): Parser<boolean> {
    const state = this.#state;
    if (SIGN.has(code) && (yield* this.#markers.readSign())) return true;
    switch (code) {
      case LESS_THAN:
        yield* this.#readAngleBracket();
        return true;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        return !state.isAtLineStart && this.#isAfterLabel(code) && (yield* readBareShape(state));
      case GREATER_THAN:
        return yield* readRecipient(state);
      case BACKTICK:
        yield* skipInlineCode(state);
        return true;
      case LOWER_C:
        return yield* readGluedCall(state);
      case FLOWER:
        return state.callableNames.length > 0 && (yield* readFlower(state));
      default:
        return false;
    }
  }

  /** Returns true if the bracket follows a label such as `Calls:` within a line. For models that were asked to write calls as text. */
  #isAfterLabel(code: number): boolean {
    const state = this.#state;
    const isLabelled = state.lastVisible === ":" && state.secondLastVisible !== '"';
    if (state.callableNames.length === 0 || !isLabelled || state.guard.isRefused) return false;
    return isAnswerPosition(state, code === OPEN_BRACE ? "json" : "python");
  }

  *#readAngleBracket(): Parser<void> {
    const state = this.#state;
    const { source } = state;
    const isAtLineStart = state.isAtLineStart;
    const isOfferedName = (name: string): boolean => isAtLineStart && state.callableNames.includes(name);
    const code = (name: string): boolean => isAtLineStart && name === CODE_ELEMENT && writesCodeElements(state);
    const marker = yield* matchChannelMarker(
      source,
      (name, prefix) => isMark(name, prefix) || isOfferedName(name) || code(name),
    );
    if (marker === "cut" && dropCutMark(state)) return;
    if (!marker || marker === "cut") {
      if (state.callableNames.length > 0 && (yield* peek(source, 1)) === LOWER_C && (yield* readGluedCall(state)))
        return;
      state.writeNext(1);
      while ((yield* peek(source)) === LESS_THAN) state.writeNext(1);
      state.leaveLineStart();
      return;
    }
    const { tag, role, raw } = marker;
    if (role || !tag) return yield* this.#markers.read(marker);
    if (code(tag.name) && (yield* readCodeElement(state, tag))) return;
    if (tag.isClosing || !isOfferedName(tag.name) || !(yield* readOfferedElement(state, tag)))
      state.writeNext(raw.length);
  }

  /** Reads the first visible character of a line. Returns true if something was read. */
  *#readLineStart(code: number): Parser<boolean> {
    const state = this.#state;
    const { reasoning } = this.#markers;
    if (state.visibleCount === 0 && reasoning.opensBySentence && (yield* reasoning.openBySentence())) return true;
    const isFence = code === BACKTICK || code === TILDE;
    if (state.callableNames.length === 0) return isFence && (yield* this.#readFence(code));
    if (isWordStart(code)) return yield* this.#readWord(code);
    if (this.#labels.firstCodes.has(code) && (yield* this.#labels.read(code))) return true;
    if (isFence) return yield* this.#readFence(code);
    if (code === GREATER_THAN) {
      if (!this.#writesRecipients || !(yield* readRecipient(state))) yield* skipLine(state);
      return true;
    }
    const bullet = state.options.toolMode === "text" ? yield* measureBullet(state.source, code) : 0;
    if (bullet > 0) {
      state.writeNext(bullet);
      state.beginLine(true);
    }
    return (
      bullet > 0 || (code === OPEN_BRACKET && (yield* this.#markers.readSign())) || (yield* this.#readBracket(code))
    );
  }

  /** Reads openers in plain words, labels, and calls that begin with a word. */
  *#readWord(code: number): Parser<boolean> {
    const state = this.#state;
    const isFresh = !state.guard.isRefused;
    for (const opener of isFresh ? (LINE_OPENERS.get(code) ?? []) : []) if (yield* opener(state)) return true;
    const mayCall = isFresh && isAnswerPosition(state, "python") && (yield* mayBeginCall(state, code));
    const isFirst = state.visibleCount === 0 && state.sink.callCount === 0;
    if (mayCall && isFirst && !state.guard.isRefused && (yield* readNameAndFence(state))) return true;
    if (this.#labels.firstCodes.has(code) && (yield* this.#labels.read(code))) return true;
    return mayCall && !state.guard.isRefused && (yield* readBareShape(state));
  }

  /** Brackets, and a comment that may stand before them. */
  *#readBracket(code: number): Parser<boolean> {
    const state = this.#state;
    const isPossibleStart =
      code === OPEN_BRACE || code === OPEN_BRACKET || (code === SLASH && (yield* peek(state.source, 1)) === ASTERISK);
    if (!isPossibleStart || state.guard.isRefused) return false;
    return isAnswerPosition(state, code === OPEN_BRACKET ? "python" : "json") && (yield* readBareShape(state));
  }

  /** Reads a fence: a quotation, unless it contains only calls in the position of an answer. */
  *#readFence(marker: number): Parser<boolean> {
    const state = this.#state;
    const width = yield* measureFence(state.source, marker);
    const shape = width < 3 ? "python" : "fence";
    const isCallPosition = state.callableNames.length > 0 && !state.guard.isRefused && isAnswerPosition(state, shape);
    if (isCallPosition && (yield* readBareShape(state))) return true;
    if (width < 3) return false;
    yield* skipFence(state, marker, width);
    return true;
  }

  *#dropRest(reason: string): Parser<void> {
    const { source, sink } = this.#state;
    sink.emitDeferredCalls();
    sink.dropGlue();
    sink.endMarkup();
    yield* flowUntil(source, NOTHING, (text) => sink.drop(text, source.offset - text.length, reason));
  }
}

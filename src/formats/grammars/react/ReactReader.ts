// State of labelled text over a turn: the last label decides the channel of the text after it. Reads no action itself.

import type { FinalAnswerExtractor } from "../../answers/FinalAnswerExtractor.ts";
import { BACKTICK, NEWLINE, OPEN_BRACKET } from "../../scanner/charCodes.ts";
import { matchesLiteral, measureWhile, peek, seekStop, skipBlanks } from "../../scanner/combinators.ts";
import { END, type Parser, StopTable } from "../../scanner/Source.ts";
import { isBlank } from "../../scanner/whitespace.ts";
import { getFormatForForm, WORD_THOUGHTS } from "../../specs/lookupTables.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { readBracketHeaders } from "../headed/HeadedReader.ts";
import { type LabelMark, readLabel } from "./labels.ts";
import { type Belief, namesAction, readAction } from "./readAction.ts";

const FAMILY = getFormatForForm("labelled-lines");
/** First characters of labels and of their decorations. */
const LABEL_STARTS = "TtAaOoFfPpEeRrQq*#`-思行观最";
const STARTS = new StopTable(LABEL_STARTS);
const WORD = "thought\n";
/** Start of a call after the bare word. */
const CALLS_BEGIN = ["call:", "<call:", "<ctrl42>", "```tool_code", "```python"];
const LINE = new StopTable("\n");
/** Maximum blanks after a label that are examined for the first visible character. */
const BLANKS_LIMIT = 256;

export class ReactReader {
  /** First characters of the lines that it reads if tools are offered. */
  readonly firstCodes: StopTable;
  readonly #state: ParserState;
  /** True if labels have a meaning: in text mode, and if the model is known to write them. */
  readonly #readsLabels: boolean;
  /** The format was asked for, or the model is known to leak it. */
  readonly #isTrusted: boolean;
  /** A label has been read that only this format writes. */
  #isActive = false;
  /** True if an action has been read: the model cannot know its result yet. */
  #hasActed = false;
  /** A thought has been read. */
  #isThinking = false;
  /** A fence around all of it was opened. */
  #isFenced = false;
  /** A section under a header has been read. */
  #isHeading = false;
  /** End of a thought without a label; -1 if there is none. */
  #thoughtEnd = -1;
  /** Before this offset no label was found that proves another. */
  #provenStart = 0;
  readonly #answer: FinalAnswerExtractor;

  constructor(state: ParserState, answer: FinalAnswerExtractor) {
    const { toolMode, emulate, formats } = state.options;
    this.#state = state;
    this.#answer = answer;
    this.#readsLabels = toolMode === "text" || formats.includes(FAMILY);
    this.#isTrusted = (toolMode === "text" && emulate === FAMILY) || formats.includes(FAMILY);
    const answerText = formats.some((format) => WORD_THOUGHTS.has(format)) ? [WORD, ...CALLS_BEGIN] : [];
    const firstCharacters = ["[", ...answerText].map((word) => word.charAt(0)).join("");
    this.firstCodes = state.mayCall
      ? new StopTable(this.#readsLabels ? firstCharacters + LABEL_STARTS : firstCharacters)
      : STARTS;
  }

  /** Reads a label at the first visible character of a line. Returns true if one was handled. */
  *read(code: number): Parser<boolean> {
    if (code === OPEN_BRACKET) return yield* this.#readSection();
    if (this.#state.source.offset === this.#thoughtEnd) this.#state.sink.enterChannel("text");
    if (code === 116 && (yield* this.#readWordThought())) return true;
    if (!this.#readsLabels || !STARTS.has(code)) return false;
    if (code === BACKTICK && (yield* this.#readFence())) return true;
    const marker = yield* readLabel(this.#state.source);
    return marker !== undefined && (yield* this.#readLabel(marker));
  }

  /** Reads a section's header, at the start of the answer or after other sections. */
  *#readSection(): Parser<boolean> {
    const { visibleCount, options } = this.#state;
    const isStart = visibleCount === 0 || options.toolMode === "text";
    if (!(this.#isHeading || isStart) || !(yield* readBracketHeaders(this.#state, this.#isHeading))) return false;
    this.#isHeading = true;
    return true;
  }

  /** Handles a label. Inside an answer it is text, unless the model continues its work or simulates the next round. */
  *#readLabel(marker: LabelMark): Parser<boolean> {
    const isInAnswer = this.#answer.isLabelled;
    const isPlayedTurn = isInAnswer ? this.#isTrusted || this.#isThinking : this.#isActive;
    switch (marker.label) {
      case "thought":
        return yield* isInAnswer ? this.#readThoughtInAnswer(marker) : this.#readThought(marker);
      case "action":
        return yield* this.#readAct(marker, isInAnswer ? "offered" : this.#acceptance);
      case "input":
        return !isInAnswer && (yield* this.#readInputAlone(marker));
      case "observation":
        return isPlayedTurn && (yield* this.#endTurn(marker, isInAnswer ? CONTINUED_ANSWER : PLAYS_TOOL));
      case "final":
      case "answer":
        return !isInAnswer && (yield* this.#readFinal(marker));
      case "question":
        return (
          isInAnswer &&
          (yield* this.#findProof(marker)) !== undefined &&
          (yield* this.#endTurn(marker, CONTINUED_ANSWER))
        );
      default:
        return marker.label satisfies never;
    }
  }

  /** Degree of trust in an action outside of an answer. */
  get #acceptance(): Belief {
    if (this.#isActive) return "begun";
    return this.#isTrusted ? "asked" : "fitting";
  }

  /** Reads the bare word on the first line. It is a thought only if a call follows it. */
  *#readWordThought(): Parser<boolean> {
    const { source, options, visibleCount } = this.#state;
    if (visibleCount > 0 || !options.formats.some((format) => WORD_THOUGHTS.has(format))) return false;
    if (!(yield* matchesLiteral(source, WORD))) return false;
    const start = source.offset;
    const maxOffset = start + options.captureChars;
    source.startBuffering();
    while (this.#thoughtEnd < 0 && source.offset < maxOffset) {
      const code = yield* seekStop(source, LINE, maxOffset);
      if (code === END || (yield* skipBlanks(source)) === END) break;
      for (const marker of CALLS_BEGIN) if (yield* matchesLiteral(source, marker)) this.#thoughtEnd = source.offset;
    }
    source.rewind(start);
    if (this.#thoughtEnd < 0) return false;
    this.#state.dropMarker(WORD.length, "label");
    this.#state.sink.enterChannel("reasoning");
    return true;
  }

  /** Handles a fence around the complete text, in which some prompts show their format: its markers are dropped. */
  *#readFence(): Parser<boolean> {
    const state = this.#state;
    const { source } = state;
    if (!(yield* matchesLiteral(source, "```"))) return false;
    if (this.#isFenced) {
      if ((yield* this.#measureToVisible(3)) !== END) return false;
      state.dropMarker(3);
      return true;
    }
    if (!this.#isTrusted || this.#isActive || state.visibleCount > 0) return false;
    const start = source.offset;
    source.startBuffering();
    const line = yield* seekStop(source, LINE, start + BLANKS_LIMIT);
    const length = source.offset - start;
    const next = line === NEWLINE && (yield* skipBlanks(source)) !== END ? yield* readLabel(source) : undefined;
    source.rewind(start);
    if (next?.label !== "thought" && next?.label !== "action") return false;
    this.#isFenced = true;
    state.dropMarker(length);
    state.beginLine();
    return true;
  }

  *#readThought(marker: LabelMark): Parser<boolean> {
    const { visibleCount, sink } = this.#state;
    const isCredible = this.#isActive || (this.#isTrusted && visibleCount === 0);
    if (!isCredible && !this.#isTrusted && (visibleCount > 0 || sink.callCount > 0)) return false;
    return (isCredible || (yield* this.#findProof(marker)) !== undefined) && this.#beginThought(marker);
  }

  *#readThoughtInAnswer(marker: LabelMark): Parser<boolean> {
    const next = yield* this.#findProof(marker);
    if (next === "action") return this.#beginThought(marker);
    return next !== undefined && (yield* this.#endTurn(marker, CONTINUED_ANSWER));
  }

  #beginThought({ length }: LabelMark): boolean {
    const { source, sink } = this.#state;
    if (this.#answer.isLabelled) this.#answer.endAnswer();
    // The blank after a later label separates its text from the thought before.
    const glue = !this.#isThinking || source.peekText(length).at(-1) !== " " ? 0 : 1;
    this.#state.dropMarker(length - glue, "label");
    sink.enterChannel("reasoning");
    this.#isActive = true;
    this.#isThinking = true;
    return true;
  }

  /** Returns the label after a thought or a question that confirms it: an action of this agent, or an answer. The text is buffered meanwhile. */
  *#findProof(marker: LabelMark): Parser<"action" | "final" | undefined> {
    const { source, options, callableNames } = this.#state;
    const start = source.offset;
    if (start < this.#provenStart) return undefined;
    const maxOffset = start + options.captureChars;
    let found: "action" | "final" | undefined;
    source.startBuffering();
    source.skip(marker.length);
    while (!found && source.offset < maxOffset) {
      const code = yield* seekStop(source, LINE, maxOffset);
      if (code === END || (yield* skipBlanks(source)) === END) break;
      const next = yield* readLabel(source);
      const from = source.offset;
      if (next?.label === "final" || next?.label === "answer") found = "final";
      else if (next?.label === "input" && callableNames.length === 1) found = "action";
      else if (next?.label === "action" && (yield* namesAction(this.#state, next))) found = "action";
      source.moveBack(from + 1);
    }
    if (!found) this.#provenStart = source.offset;
    source.rewind(start);
    return found;
  }

  /** Reads an action and sets the channel of the text after it. Returns false if it is text. */
  *#readAct(marker: LabelMark, acceptance: Belief, name?: string): Parser<boolean> {
    const { sink } = this.#state;
    const end = yield* readAction(this.#state, marker, acceptance, name);
    if (end === "text") return false;
    const isAsked = this.#isTrusted || this.#isActive;
    if (this.#answer.isLabelled) this.#answer.endAnswer();
    this.#isActive = true;
    if (end === "called") {
      this.#hasActed = true;
      // Text after an action is the model's own notes: its answer has a label.
      if (isAsked && sink.channel === "text") sink.enterChannel("reasoning");
      return true;
    }
    if (end !== "answered") sink.enterChannel("text");
    if (end !== "no-action") this.#answer.beginAnswer();
    return true;
  }

  /** Reads an input without its action: with a single tool it is unambiguous. */
  *#readInputAlone(marker: LabelMark): Parser<boolean> {
    const [onlyName, ...more] = this.#state.callableNames;
    if (!(this.#isTrusted || this.#isActive) || this.#hasActed || onlyName === undefined || more.length > 0)
      return false;
    return yield* this.#readAct(marker, "begun", onlyName);
  }

  *#readFinal(marker: LabelMark): Parser<boolean> {
    const isStart = marker.label === "final" && this.#isTrusted && this.#state.visibleCount === 0;
    if (!this.#isActive && !isStart) return false;
    if (this.#hasActed) return yield* this.#endTurn(marker, ANSWERS_EARLY);
    this.#isActive = true;
    this.#answer.dropLabel(marker.length);
    return true;
  }

  /** Drops the rest of the text, which is not the model's answer, and reports it if it has content. */
  *#endTurn(marker: LabelMark, message: string): Parser<boolean> {
    const state = this.#state;
    const at = state.source.offset;
    state.dropMarker(marker.length, "label");
    state.sink.enterChannel("text");
    state.dropRest(this.#answer.isLabelled ? "after-answer" : "after-action");
    if ((yield* this.#measureToVisible(0)) !== END)
      state.reportIssue({ code: "stray-mark", message, family: FAMILY, at });
    return true;
  }

  /** Returns the first visible character after `from` further ones. */
  *#measureToVisible(from: number): Parser<number> {
    const { source } = this.#state;
    return yield* peek(source, yield* measureWhile(source, isBlank, from, BLANKS_LIMIT - from));
  }
}

const PLAYS_TOOL = "The model wrote an observation itself; nobody gave it one, so that and what follows was dropped.";
const ANSWERS_EARLY = "The model answered before its action had a result; that answer was dropped.";
const CONTINUED_ANSWER = "The model continued after its final answer with another round, which was dropped.";

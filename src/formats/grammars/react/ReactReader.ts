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
  readonly firsts: StopTable;
  readonly #turn: ParserState;
  /** True if labels have a meaning: in text mode, and if the model is known to write them. */
  readonly #reads: boolean;
  /** The format was asked for, or the model is known to leak it. */
  readonly #trusted: boolean;
  /** A label has been read that only this format writes. */
  #active = false;
  /** True if an action has been read: the model cannot know its result yet. */
  #acted = false;
  /** A thought has been read. */
  #thinking = false;
  /** A fence around all of it was opened. */
  #fenced = false;
  /** A section under a header has been read. */
  #headed = false;
  /** End of a thought without a label; -1 if there is none. */
  #thoughtEnds = -1;
  /** Before this offset no label was found that proves another. */
  #provenFrom = 0;
  readonly #answer: FinalAnswerExtractor;

  constructor(turn: ParserState, answer: FinalAnswerExtractor) {
    const { toolMode, emulate, formats } = turn.options;
    this.#turn = turn;
    this.#answer = answer;
    this.#reads = toolMode === "text" || formats.includes(FAMILY);
    this.#trusted = (toolMode === "text" && emulate === FAMILY) || formats.includes(FAMILY);
    const words = formats.some((format) => WORD_THOUGHTS.has(format)) ? [WORD, ...CALLS_BEGIN] : [];
    const firsts = ["[", ...words].map((word) => word.charAt(0)).join("");
    this.firsts = turn.mayCall ? new StopTable(this.#reads ? firsts + LABEL_STARTS : firsts) : STARTS;
  }

  /** Reads a label at the first visible character of a line. Returns true if one was handled. */
  *read(code: number): Parser<boolean> {
    if (code === OPEN_BRACKET) return yield* this.#section();
    if (this.#turn.source.offset === this.#thoughtEnds) this.#turn.sink.enter("text");
    if (code === 116 && (yield* this.#wordThought())) return true;
    if (!this.#reads || !STARTS.has(code)) return false;
    if (code === BACKTICK && (yield* this.#fence())) return true;
    const mark = yield* readLabel(this.#turn.source);
    return mark !== undefined && (yield* this.#label(mark));
  }

  /** Reads a section's header, at the start of the answer or after other sections. */
  *#section(): Parser<boolean> {
    const { shown, options } = this.#turn;
    const begins = shown === 0 || options.toolMode === "text";
    if (!(this.#headed || begins) || !(yield* readBracketHeaders(this.#turn, this.#headed))) return false;
    this.#headed = true;
    return true;
  }

  /** Handles a label. Inside an answer it is text, unless the model continues its work or simulates the next round. */
  *#label(mark: LabelMark): Parser<boolean> {
    const inAnswer = this.#answer.labelled;
    const plays = inAnswer ? this.#trusted || this.#thinking : this.#active;
    switch (mark.label) {
      case "thought":
        return yield* inAnswer ? this.#thoughtInAnswer(mark) : this.#thought(mark);
      case "action":
        return yield* this.#act(mark, inAnswer ? "offered" : this.#belief);
      case "input":
        return !inAnswer && (yield* this.#lonelyInput(mark));
      case "observation":
        return plays && (yield* this.#over(mark, inAnswer ? GOES_ON : PLAYS_TOOL));
      case "final":
      case "answer":
        return !inAnswer && (yield* this.#final(mark));
      case "question":
        return inAnswer && (yield* this.#provenBy(mark)) !== undefined && (yield* this.#over(mark, GOES_ON));
      default:
        return mark.label satisfies never;
    }
  }

  /** Degree of trust in an action outside of an answer. */
  get #belief(): Belief {
    if (this.#active) return "begun";
    return this.#trusted ? "asked" : "fitting";
  }

  /** Reads the bare word on the first line. It is a thought only if a call follows it. */
  *#wordThought(): Parser<boolean> {
    const { source, options, shown } = this.#turn;
    if (shown > 0 || !options.formats.some((format) => WORD_THOUGHTS.has(format))) return false;
    if (!(yield* matchesLiteral(source, WORD))) return false;
    const start = source.offset;
    const until = start + options.captureChars;
    source.hold();
    while (this.#thoughtEnds < 0 && source.offset < until) {
      const code = yield* seekStop(source, LINE, until);
      if (code === END || (yield* skipBlanks(source)) === END) break;
      for (const mark of CALLS_BEGIN) if (yield* matchesLiteral(source, mark)) this.#thoughtEnds = source.offset;
    }
    source.rewind(start);
    if (this.#thoughtEnds < 0) return false;
    this.#turn.dropMark(WORD.length, "label");
    this.#turn.sink.enter("reasoning");
    return true;
  }

  /** Handles a fence around the complete text, in which some prompts show their format: its markers are dropped. */
  *#fence(): Parser<boolean> {
    const turn = this.#turn;
    const { source } = turn;
    if (!(yield* matchesLiteral(source, "```"))) return false;
    if (this.#fenced) {
      if ((yield* this.#visibleBehind(3)) !== END) return false;
      turn.dropMark(3);
      return true;
    }
    if (!this.#trusted || this.#active || turn.shown > 0) return false;
    const start = source.offset;
    source.hold();
    const line = yield* seekStop(source, LINE, start + BLANKS_LIMIT);
    const length = source.offset - start;
    const next = line === NEWLINE && (yield* skipBlanks(source)) !== END ? yield* readLabel(source) : undefined;
    source.rewind(start);
    if (next?.label !== "thought" && next?.label !== "action") return false;
    this.#fenced = true;
    turn.dropMark(length);
    turn.beginLine();
    return true;
  }

  *#thought(mark: LabelMark): Parser<boolean> {
    const { shown, sink } = this.#turn;
    const credible = this.#active || (this.#trusted && shown === 0);
    if (!credible && !this.#trusted && (shown > 0 || sink.callCount > 0)) return false;
    return (credible || (yield* this.#provenBy(mark)) !== undefined) && this.#think(mark);
  }

  *#thoughtInAnswer(mark: LabelMark): Parser<boolean> {
    const next = yield* this.#provenBy(mark);
    if (next === "action") return this.#think(mark);
    return next !== undefined && (yield* this.#over(mark, GOES_ON));
  }

  #think({ length }: LabelMark): boolean {
    const { source, sink } = this.#turn;
    if (this.#answer.labelled) this.#answer.end();
    // The blank after a later label separates its text from the thought before.
    const glue = !this.#thinking || source.ahead(length).at(-1) !== " " ? 0 : 1;
    this.#turn.dropMark(length - glue, "label");
    sink.enter("reasoning");
    this.#active = true;
    this.#thinking = true;
    return true;
  }

  /** Returns the label after a thought or a question that confirms it: an action of this agent, or an answer. The text is buffered meanwhile. */
  *#provenBy(mark: LabelMark): Parser<"action" | "final" | undefined> {
    const { source, options, offered } = this.#turn;
    const start = source.offset;
    if (start < this.#provenFrom) return undefined;
    const until = start + options.captureChars;
    let found: "action" | "final" | undefined;
    source.hold();
    source.skip(mark.length);
    while (!found && source.offset < until) {
      const code = yield* seekStop(source, LINE, until);
      if (code === END || (yield* skipBlanks(source)) === END) break;
      const next = yield* readLabel(source);
      const from = source.offset;
      if (next?.label === "final" || next?.label === "answer") found = "final";
      else if (next?.label === "input" && offered.length === 1) found = "action";
      else if (next?.label === "action" && (yield* namesAction(this.#turn, next))) found = "action";
      source.back(from + 1);
    }
    if (!found) this.#provenFrom = source.offset;
    source.rewind(start);
    return found;
  }

  /** Reads an action and sets the channel of the text after it. Returns false if it is text. */
  *#act(mark: LabelMark, belief: Belief, name?: string): Parser<boolean> {
    const { sink } = this.#turn;
    const end = yield* readAction(this.#turn, mark, belief, name);
    if (end === "text") return false;
    const asked = this.#trusted || this.#active;
    if (this.#answer.labelled) this.#answer.end();
    this.#active = true;
    if (end === "called") {
      this.#acted = true;
      // Text after an action is the model's own notes: its answer has a label.
      if (asked && sink.channel === "text") sink.enter("reasoning");
      return true;
    }
    if (end !== "answered") sink.enter("text");
    if (end !== "no-action") this.#answer.begin();
    return true;
  }

  /** Reads an input without its action: with a single tool it is unambiguous. */
  *#lonelyInput(mark: LabelMark): Parser<boolean> {
    const [only, ...more] = this.#turn.offered;
    if (!(this.#trusted || this.#active) || this.#acted || only === undefined || more.length > 0) return false;
    return yield* this.#act(mark, "begun", only);
  }

  *#final(mark: LabelMark): Parser<boolean> {
    const begins = mark.label === "final" && this.#trusted && this.#turn.shown === 0;
    if (!this.#active && !begins) return false;
    if (this.#acted) return yield* this.#over(mark, ANSWERS_EARLY);
    this.#active = true;
    this.#answer.label(mark.length);
    return true;
  }

  /** Drops the rest of the text, which is not the model's answer, and reports it if it has content. */
  *#over(mark: LabelMark, message: string): Parser<boolean> {
    const turn = this.#turn;
    const at = turn.source.offset;
    turn.dropMark(mark.length, "label");
    turn.sink.enter("text");
    turn.dropRest(this.#answer.labelled ? "after-answer" : "after-action");
    if ((yield* this.#visibleBehind(0)) !== END) turn.note({ code: "stray-mark", message, family: FAMILY, at });
    return true;
  }

  /** Returns the first visible character after `from` further ones. */
  *#visibleBehind(from: number): Parser<number> {
    const { source } = this.#turn;
    return yield* peek(source, yield* measureWhile(source, isBlank, from, BLANKS_LIMIT - from));
  }
}

const PLAYS_TOOL = "The model wrote an observation itself; nobody gave it one, so that and what follows was dropped.";
const ANSWERS_EARLY = "The model answered before its action had a result; that answer was dropped.";
const GOES_ON = "The model went on behind its final answer with a play of the next round, which was dropped.";

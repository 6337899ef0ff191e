// The state of labelled text over a turn: which label was last, and so what the text behind it is. How an action is read is react.ts.
import { END, type Reading, StopTable, seek } from "../Source.ts";
import { startsWith } from "../Tag.ts";
import { skipBlanks, type Turn } from "../Turn.ts";
import type { FinalAnswerExtractor } from "./FinalAnswerExtractor.ts";
import { readHeadedSection } from "./headedSections.ts";
import { type LabelMark, readLabel } from "./labels.ts";
import { readAction } from "./react.ts";

/** First characters of labels and of their decorations. */
const STARTS = new StopTable("TtAaOoFfPpEeRr*#`-思行观最");
const WORD = "thought\n";
/** Families whose models put the bare word before a call, and how such a call begins. */
const WORD_THOUGHTS: ReadonlySet<string> = new Set(["gemini-call-text", "gemini-tool-code"]);
const CALLS_BEGIN = ["call:", "<call:", "<ctrl42>", "```tool_code", "```python"];
const LINE = new StopTable("\n");

export class ReactReader {
  readonly #turn: Turn;
  /** The format was asked for, or the model is known to leak it. */
  readonly #trusted: boolean;
  /** A label has been read that only this format writes. */
  #active = false;
  /** Where a thought without a label ends, -1 where there is none. */
  #thoughtEnds = -1;
  readonly #answer: FinalAnswerExtractor;

  constructor(turn: Turn, answer: FinalAnswerExtractor) {
    const { toolMode, emulate, formats } = turn.options;
    this.#turn = turn;
    this.#answer = answer;
    this.#trusted = (toolMode === "text" && emulate === "react-text") || formats.includes("react-text");
  }

  /** At the first visible character of a line: true where a label was read and acted on. */
  *read(code: number): Reading<boolean> {
    if (code === 91) return yield* readHeadedSection(this.#turn);
    if (this.#turn.source.offset === this.#thoughtEnds) this.#turn.sink.enter("text");
    if (code === 116 && (yield* this.#wordThought())) return true;
    if (!STARTS.has(code)) return false;
    const mark = yield* readLabel(this.#turn.source);
    if (!mark) return false;
    if (this.#answer.labelled) return mark.label !== "final" && mark.label !== "answer" && this.#over("after-answer");
    switch (mark.label) {
      case "thought":
        return yield* this.#thought(mark);
      case "action":
        return yield* this.#action(mark);
      case "input":
        return yield* this.#lonelyInput(mark);
      case "observation":
        return this.#active && this.#over("after-action");
      case "final":
        return this.#final(mark, this.#trusted || this.#active);
      case "answer":
        return this.#final(mark, this.#active);
      default:
        return mark.label satisfies never;
    }
  }

  /** The bare word on the first line, which is a thought only where a call follows it. */
  *#wordThought(): Reading<boolean> {
    const { source, options, shown } = this.#turn;
    if (shown > 0 || !options.formats.some((format) => WORD_THOUGHTS.has(format))) return false;
    if (!(yield* startsWith(source, WORD))) return false;
    const start = source.offset;
    const until = start + options.captureChars;
    source.hold();
    while (this.#thoughtEnds < 0 && source.offset < until) {
      const code = yield* seek(source, LINE, until);
      if (code === END || (yield* skipBlanks(source)) === END) break;
      for (const mark of CALLS_BEGIN) if (yield* startsWith(source, mark)) this.#thoughtEnds = source.offset;
    }
    source.rewind(start);
    if (this.#thoughtEnds < 0) return false;
    this.#turn.dropMark(WORD.length, "label");
    this.#turn.sink.enter("reasoning");
    return true;
  }

  *#thought(mark: LabelMark): Reading<boolean> {
    const turn = this.#turn;
    if (!this.#trusted && !this.#active) {
      if (turn.shown > 0 || turn.callCount > 0 || !(yield* this.#labelsFollow(mark))) return false;
    }
    this.#active = true;
    turn.dropMark(mark.length, "label");
    turn.sink.enter("reasoning");
    return true;
  }

  /** Whether an action or an answer follows the thought: what makes it one. The text is held meanwhile. */
  *#labelsFollow(mark: LabelMark): Reading<boolean> {
    const { source } = this.#turn;
    const start = source.offset;
    const until = start + this.#turn.options.captureChars;
    source.hold();
    source.skip(mark.length);
    let found = false;
    while (!found && source.offset < until) {
      const code = yield* seek(source, LINE, until);
      if (code === END || (yield* skipBlanks(source)) === END) break;
      const next = yield* readLabel(this.#turn.source);
      found = next !== undefined && this.#proves(next);
      if (!found) source.skip(1);
    }
    source.rewind(start);
    return found;
  }

  /** Whether a label makes a thought of what stands before it. */
  #proves({ label }: LabelMark): boolean {
    return label === "input" ? this.#turn.offered.length === 1 : label !== "thought" && label !== "observation";
  }

  *#action(mark: LabelMark): Reading<boolean> {
    const trusted = this.#trusted || this.#active;
    const end = yield* readAction(this.#turn, mark, { trusted });
    if (end === "text") return false;
    this.#active = true;
    if (end === "answered") this.#over("after-answer");
    else if (end !== "no-action") this.#over("after-action");
    return true;
  }

  /** An input without its action: with a single tool there is no doubt what was meant. */
  *#lonelyInput(mark: LabelMark): Reading<boolean> {
    const [only, ...more] = this.#turn.offered;
    if (!(this.#trusted || this.#active) || only === undefined || more.length > 0) return false;
    const end = yield* readAction(this.#turn, mark, { trusted: true, name: only });
    if (end === "text") return false;
    this.#active = true;
    return this.#over("after-action");
  }

  #final(mark: LabelMark, credible: boolean): boolean {
    if (!credible) return false;
    this.#active = true;
    this.#answer.label(mark.length);
    return true;
  }

  /** What follows is the model playing the tool, or going on after its answer. */
  #over(why: "after-action" | "after-answer"): boolean {
    this.#turn.sink.enter("text");
    this.#turn.rest = why;
    return true;
  }
}

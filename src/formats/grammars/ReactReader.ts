// The state of labelled text over a turn: which label was last, and so what the text behind it is. How an action is read is react.ts.
import { END, type Reading, StopTable, WAIT } from "../Source.ts";
import { skipBlanks, type Turn } from "../Turn.ts";
import { type LabelMark, readAction, readLabel } from "./react.ts";

/** First characters of labels and of their decorations. */
const STARTS = new StopTable("TtAaOoFf*#`-思行观最");
const LINE = new StopTable("\n");

export class ReactReader {
  readonly #turn: Turn;
  /** The format was asked for, or the model is known to leak it. */
  readonly #trusted: boolean;
  /** A label has been read that only this format writes. */
  #active = false;
  #answering = false;

  constructor(turn: Turn) {
    const { toolMode, emulate, formats } = turn.options;
    this.#turn = turn;
    this.#trusted = (toolMode === "text" && emulate === "react-text") || formats.includes("react-text");
  }

  /** At the first visible character of a line: true where a label was read and acted on. */
  *read(code: number): Reading<boolean> {
    if (!STARTS.has(code)) return false;
    const mark = yield* readLabel(this.#turn);
    if (!mark) return false;
    if (this.#answering && mark.label !== "final") return this.#over("after-answer");
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
        return this.#final(mark);
      default:
        return mark.label satisfies never;
    }
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
      source.advance(LINE, until);
      const code = source.code();
      if (code === WAIT) {
        yield;
        continue;
      }
      if (code === END || (yield* skipBlanks(source)) === END) break;
      const next = yield* readLabel(this.#turn);
      found = next?.label === "action" || next?.label === "final";
      if (!found) source.skip(1);
    }
    source.rewind(start);
    return found;
  }

  *#action(mark: LabelMark): Reading<boolean> {
    const trusted = this.#trusted || this.#active;
    const end = yield* readAction(this.#turn, mark, { trusted });
    if (end === "text") return false;
    this.#active = true;
    if (end !== "no-action") this.#over("after-action");
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

  #final(mark: LabelMark): boolean {
    if (!this.#trusted && !this.#active) return false;
    this.#active = true;
    this.#answering = true;
    this.#turn.dropMark(mark.length, "label");
    this.#turn.sink.enter("text");
    this.#turn.lineStart = false;
    this.#turn.floor = Number.MAX_SAFE_INTEGER;
    return true;
  }

  /** What follows is the model playing the tool, or going on after its answer. */
  #over(why: "after-action" | "after-answer"): boolean {
    this.#turn.sink.enter("text");
    this.#turn.rest = why;
    return true;
  }
}

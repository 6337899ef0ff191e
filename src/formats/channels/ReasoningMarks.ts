// Which marks of reasoning this turn's model writes, and where one of them is believed. Reads no block.

import type { ReasoningRow } from "../families/reasoning.ts";
import { REASONING } from "../families/tables.ts";
import { NEWLINE } from "../text/codes.ts";
import { END, type Reading } from "../text/Source.ts";
import { peek } from "../text/waiting.ts";
import { isBlank } from "../text/whiteSpace.ts";
import type { Turn } from "../turn/Turn.ts";

/** White space behind a closer that is looked at to see whether it is alone on its line. */
const LINE_REST = 64;
const SENTENCE_ENDS = ".!?…。！？";

/** What a closer is whose block is not open: words of the answer, markup, or markup worth a remark. */
type LoneCloser = "text" | "markup" | "unopened";

export class ReasoningMarks {
  /** The rows whose marks the model is known to write. */
  readonly own: ReadonlySet<ReasoningRow>;
  readonly #turn: Turn;
  /** Rows with an opener that was words of the answer: so are their closers. */
  readonly #asText = new Set<ReasoningRow>();

  constructor(turn: Turn) {
    const row = REASONING.find(({ id }) => id === turn.options.reasoning?.marks);
    const ids = row ? [row.id, ...(row.also ?? [])] : [];
    this.own = new Set(REASONING.filter(({ id }) => ids.includes(id)));
    this.#turn = turn;
  }

  /** Whether an opener at the cursor opens a block; if not, it is text. */
  opens(row: ReasoningRow): boolean {
    const own = this.own.has(row);
    const believed = this.#atBeginning()
      ? own || row.everyModel === true
      : own && this.#turn.options.reasoning?.interleaved === true && this.#atSentence();
    if (!believed) this.#asText.add(row);
    return believed;
  }

  /** Whether a closer may end a block that the prompt opened: words that a prompt asks for do so only where the model writes them, or is unknown. */
  closesOpened(row: ReasoningRow): boolean {
    return row.section !== true || this.own.has(row) || this.own.size === 0;
  }

  /** What a closer of `length` characters at the cursor is; `closed` says that a block was closed before. */
  *loneCloser(row: ReasoningRow, length: number, closed: boolean): Reading<LoneCloser> {
    const { announced, sink } = this.#turn;
    if (this.#asText.has(row)) return "text";
    if (!sink.hasVisible && (closed || announced)) return "markup";
    const own = this.own.has(row);
    if ((own || (row.everyModel && this.#atBeginning())) && !closed) return "unopened";
    if (row.section && !own) return "text";
    return (yield* this.#aloneOnLine(length)) ? "unopened" : "text";
  }

  /** No visible character of a message precedes the cursor; behind a call, and at a heading that is believed, another one begins. */
  #atBeginning(): boolean {
    const { shown, sink } = this.#turn;
    if (this.#turn.isBehindCallOrHeading) return true;
    return shown === 0 && (sink.channel === "text" || !sink.hasVisible);
  }

  /** A block in the middle begins where a sentence could: a mark within one is spoken of. */
  #atSentence(): boolean {
    const { lineStart, behindBullet, lastShown, shownBefore } = this.#turn;
    return (lineStart && !behindBullet) || (SENTENCE_ENDS.includes(lastShown) && !/\d/.test(shownBefore));
  }

  *#aloneOnLine(length: number): Reading<boolean> {
    if (!this.#turn.lineStart || this.#turn.behindBullet) return false;
    for (let ahead = length; ahead < length + LINE_REST; ahead += 1) {
      const code = yield* peek(this.#turn.source, ahead);
      if (code === END || code === NEWLINE) return true;
      if (!isBlank(code)) return false;
    }
    return false;
  }
}

// Assesses all SQL texts of one call within one bound.
import type { Risk } from "../Risk.ts";
import { selectDialects } from "./dialects.ts";
import { assessStatement } from "./statementRisk.ts";

/** Maximum characters of SQL per call that are analysed; no approver could check more. */
const MOST_SQL = 40_000;
/** Maximum characters of SQL per call, counted once for each dialect reading: about 25 ms of CPU. */
const MOST_READ = 100_000;
/** Fixed cost of a text, in characters. */
const CHARS_PER_TEXT = 16;

export class StatementAssessor {
  readonly #known = new Map<string, Risk | undefined>();
  #chars = 0;
  #read = 0;

  /** True once a text was beyond the bound: from then on no new text is parsed. */
  get isSpent(): boolean {
    return this.#chars > MOST_SQL + CHARS_PER_TEXT || this.#read > MOST_READ;
  }

  /** The risk of a text of statements. A text above the limit is `unread`: it needs an approval and is not parsed. */
  assess(text: string): Risk | undefined {
    if (this.#known.has(text)) return this.#known.get(text);
    const found = this.#refuse(text) ?? assessStatement(text);
    this.#known.set(text, found);
    return found;
  }

  #refuse(text: string): Risk | undefined {
    this.#chars += text.length + CHARS_PER_TEXT;
    if (this.#chars > MOST_SQL + CHARS_PER_TEXT)
      return { rule: "unread", reason: `${this.#chars} characters of SQL are more than can be checked (${MOST_SQL})` };
    this.#read += text.length * selectDialects(text).length;
    return this.#read > MOST_READ
      ? { rule: "unread", reason: "databases would read the statements in more ways than can be checked" }
      : undefined;
  }
}

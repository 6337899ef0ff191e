// Assesses all SQL texts of one call within one bound.
import type { Risk } from "../Risk.ts";
import { selectDialects } from "./dialects.ts";
import { assessStatement } from "./statementRisk.ts";

/** Characters of SQL of one call that are checked; nobody would agree to more on sight. */
const MOST_SQL = 40_000;
/** Characters of SQL of one call, each as often as databases may read it differently: about 25 ms of CPU. */
const MOST_READ = 100_000;
/** A text costs as much as this many characters before its first one is read. */
const CHARS_PER_TEXT = 16;

export class StatementAssessor {
  readonly #known = new Map<string, Risk | undefined>();
  #chars = 0;
  #read = 0;

  /** True once a text was beyond the bound: from then on no new text is parsed. */
  get isSpent(): boolean {
    return this.#chars > MOST_SQL + CHARS_PER_TEXT || this.#read > MOST_READ;
  }

  /** The danger of a text of statements. One that is beyond the bound is `unread`: a person is asked, and the text is not parsed. */
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

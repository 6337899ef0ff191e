// A place in a Python text, the marks that can be taken there, and what had to be mended so far. Knows no grammar of values.
import { readName, readString, type StringRead, skipBlanks, skipSpace } from "./pythonLiterals.ts";

/**
 * How much is forgiven: nothing; quotes that nobody escaped and bare words that can only be strings; doubtful bare words
 * as well, where the rest of their call shows that it quotes nothing; any text without syntax of its own, for calls that stand in
 * quotes as a whole, whose writers leave the inner quotes away.
 */
export type Tolerance = "strict" | "tolerant" | "unquoted" | "bare";

export class PythonCursor {
  readonly text: string;
  readonly tolerance: Tolerance;
  at = 0;
  #repairs = new Set<string>();
  readonly #offered: readonly string[];

  constructor(text: string, tolerance: Tolerance, offered: readonly string[]) {
    this.text = text;
    this.tolerance = tolerance;
    this.#offered = offered.filter((name) => name !== "").sort((a, b) => b.length - a.length);
  }

  /** The repairs since the last time of asking. */
  takeRepairs(): readonly string[] {
    const repairs = [...this.#repairs];
    this.#repairs = new Set();
    return repairs;
  }

  noteRepairs(repairs: readonly string[]): void {
    for (const repair of repairs) this.#repairs.add(repair);
  }

  space(): void {
    this.at = skipSpace(this.text, this.at);
  }

  peek(): string {
    return this.text.charAt(this.at);
  }

  take(mark: string): boolean {
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  /** `=` or `:`, but no comparison. */
  takeAssign(): boolean {
    const sign = this.peek();
    if ((sign !== "=" && sign !== ":") || this.text[this.at + 1] === "=") return false;
    this.at++;
    return true;
  }

  /** `key =` or `key:`. */
  takeKeyword(): string | undefined {
    const word = readName(this.text, this.at);
    if (!word) return undefined;
    const start = this.at;
    this.at = skipBlanks(this.text, word.end);
    if (!this.takeAssign()) {
      this.at = start;
      return undefined;
    }
    if (word.escaped) this.noteRepairs(["markdown-escape"]);
    return word.name;
  }

  /** The name of a call and its `(`: an offered name first, longest first, else what Python would take for a name. */
  takeCallee(): string | undefined {
    for (const name of this.#offered) {
      if (this.text.startsWith(name, this.at) && this.#takeOpener(this.at + name.length)) return name;
    }
    const word = readName(this.text, this.at);
    if (!word || !this.#takeOpener(word.end)) return undefined;
    if (word.escaped) this.noteRepairs(["markdown-escape"]);
    return word.name;
  }

  /** The offered tool that a name means, a namespace before it left out. */
  offeredTool(name: string): string | undefined {
    return this.#offered.find((one) => one === name) ?? this.#offered.find((one) => name.endsWith(`.${one}`));
  }

  /** A string; unless the reading is strict, `closesAt` says which quote closes it. */
  takeString(closesAt: (after: number) => boolean): StringRead | undefined {
    const read = readString(this.text, this.at, this.tolerance === "strict" ? undefined : closesAt);
    if (!read) return undefined;
    this.at = read.end;
    this.noteRepairs(read.repairs);
    return read;
  }

  /** A quotation mark, whichever. */
  takeQuote(): boolean {
    if (!"'\"`".includes(this.peek()) || this.peek() === "") return false;
    this.at += 1;
    return true;
  }

  #takeOpener(at: number): boolean {
    const open = skipBlanks(this.text, at);
    if (this.text[open] !== "(") return false;
    this.at = open + 1;
    return true;
  }
}

// Writes the text of the answer to standard output, with one line break at the end.
import { type Output, writeText } from "../output/terminal.ts";

export class StdoutAnswer {
  readonly #output: Output;
  /** Line breaks that are written only if more text follows. */
  #pendingBlanks = "";
  #spoke = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** True if the cursor is after text. */
  get isOpen(): boolean {
    return this.#spoke;
  }

  add(text: string): void {
    const buffered = this.#pendingBlanks + text;
    const words = buffered.trimEnd().length;
    const lineEnds = buffered.slice(words).search(/[\r\n]/);
    const end = lineEnds < 0 ? buffered.length : words + lineEnds;
    this.#pendingBlanks = buffered.slice(end);
    if (end === 0) return;
    writeText(buffered.slice(0, end), this.#output);
    this.#spoke = true;
  }

  /** An empty answer writes no line. */
  end(): void {
    if (this.#spoke) writeText("\n", this.#output);
    this.#pendingBlanks = "";
    this.#spoke = false;
  }
}

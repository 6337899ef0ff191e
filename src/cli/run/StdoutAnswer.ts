// Writes the text of the answer to standard output, with one line break at the end.
import { type Output, writeText } from "../output/terminal.ts";

export class StdoutAnswer {
  readonly #output: Output;
  /** Line breaks that are written only if more text follows. */
  #held = "";
  #spoke = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** True if the cursor is after text. */
  get isOpen(): boolean {
    return this.#spoke;
  }

  add(text: string): void {
    const said = this.#held + text;
    const words = said.trimEnd().length;
    const lineEnds = said.slice(words).search(/[\r\n]/);
    const end = lineEnds < 0 ? said.length : words + lineEnds;
    this.#held = said.slice(end);
    if (end === 0) return;
    writeText(said.slice(0, end), this.#output);
    this.#spoke = true;
  }

  /** An empty answer writes no line. */
  end(): void {
    if (this.#spoke) writeText("\n", this.#output);
    this.#held = "";
    this.#spoke = false;
  }
}

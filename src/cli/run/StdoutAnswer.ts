// The answer on standard output: its words as they come, alone, and one end of a line behind the last. Knows no event.
import { type Output, writeText } from "../output/terminal.ts";

export class StdoutAnswer {
  readonly #output: Output;
  /** Ends of lines that are written only once more follows. */
  #held = "";
  #spoke = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** True where the cursor stands behind a word. */
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

  /** An answer of no words is no line either. */
  end(): void {
    if (this.#spoke) writeText("\n", this.#output);
    this.#held = "";
    this.#spoke = false;
  }
}

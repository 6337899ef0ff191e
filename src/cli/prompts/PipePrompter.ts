// Asks a user through a pipe or a dumb terminal: numbered lists, and one answer per line.
import type { Output } from "../output/terminal.ts";
import { sanitizeForTerminal, sanitizeLine } from "../output/terminal.ts";
import type { Choice, Editing, Prompter, Showing, Writing } from "./Prompter.ts";
import type { StdinLines } from "./StdinLines.ts";

export class PipePrompter implements Prompter {
  readonly #lines: StdinLines;
  readonly #output: Output;

  constructor(lines: StdinLines, output: Output) {
    this.#lines = lines;
    this.#output = output;
  }

  async choose({ message, options }: Choice): Promise<number | undefined> {
    this.#say(message, ...options.map((option, index) => `  ${index + 1}. ${sanitizeLine(option)}`));
    for (;;) {
      const line = await this.#answer(`Number from 1 to ${options.length}:`);
      if (line === undefined) return undefined;
      const number = /^\d+$/.test(line) ? Number(line) : 0;
      if (number >= 1 && number <= options.length) return number - 1;
      this.#say(`${JSON.stringify(line)} is none of them.`);
    }
  }

  async write({ message, optional = false }: Writing): Promise<string | undefined> {
    this.#say(message);
    for (;;) {
      const line = await this.#answer(">");
      if (line === undefined || optional || line !== "") return line;
      this.#say("A blank answer is none. Write one line.");
    }
  }

  async edit({ message }: Editing): Promise<string | undefined> {
    return await this.write({ message: `${message} In one line:` });
  }

  show({ title, text }: Showing): void {
    const lines = sanitizeForTerminal(text).split("\n");
    this.#say(`${title}:`, ...lines.map((line) => `  ${line}`));
  }

  async #answer(prompt: string): Promise<string | undefined> {
    this.#output.write(`${prompt} `);
    const line = await this.#lines.next();
    // Input of a pipe is not echoed, so the next output begins on a new line.
    if (!this.#output.isTTY || line === undefined) this.#output.write("\n");
    return line?.trim();
  }

  #say(...lines: readonly string[]): void {
    this.#output.write(`${lines.map(sanitizeForTerminal).join("\n")}\n`);
  }
}

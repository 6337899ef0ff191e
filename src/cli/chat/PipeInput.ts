// Reads messages from a pipe or a dumb terminal: one line each, unless it ends in `\`.

import type { Output } from "../output/terminal.ts";
import type { StdinLines } from "../prompts/StdinLines.ts";
import type { LineInput } from "./LineInput.ts";

export class PipeInput implements LineInput {
  readonly #source: StdinLines;
  readonly #output: Output;
  readonly #isPrompting: boolean;

  /** @param asks true if a user sees the prompt sign. */
  constructor(source: StdinLines, { output, isPrompting }: { readonly output: Output; readonly isPrompting: boolean }) {
    this.#source = source;
    this.#output = output;
    this.#isPrompting = isPrompting;
  }

  async read(sign: string): Promise<string | undefined> {
    if (this.#isPrompting) this.#output.write(sign);
    const parts: string[] = [];
    for (;;) {
      const line = await this.#source.next();
      if (line === undefined) return parts.length > 0 ? parts.join("\n") : undefined;
      if (!line.endsWith("\\")) return [...parts, line].join("\n");
      parts.push(line.slice(0, -1));
    }
  }

  recall(): void {
    // Piped input has no history.
  }
}

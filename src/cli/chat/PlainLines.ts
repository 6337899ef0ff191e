// Messages of a pipe, or of a terminal that can move no cursor: a line each, unless it ends in `\`. Knows no key.
import type { LineSource } from "../person/LineSource.ts";
import type { Output } from "../terminal.ts";
import type { Lines } from "./Lines.ts";

export class PlainLines implements Lines {
  readonly #source: LineSource;
  readonly #output: Output;
  readonly #asks: boolean;

  /** @param asks true where somebody sees the sign. */
  constructor(source: LineSource, { output, asks }: { readonly output: Output; readonly asks: boolean }) {
    this.#source = source;
    this.#output = output;
    this.#asks = asks;
  }

  async read(sign: string): Promise<string | undefined> {
    if (this.#asks) this.#output.write(sign);
    const parts: string[] = [];
    for (;;) {
      const line = await this.#source.next();
      if (line === undefined) return parts.length > 0 ? parts.join("\n") : undefined;
      if (!line.endsWith("\\")) return [...parts, line].join("\n");
      parts.push(line.slice(0, -1));
    }
  }

  recall(): void {
    // A line that was sent does not come back here.
  }
}

// Reads lines of standard input on demand.
import type { Readable } from "node:stream";
import { readLines } from "../output/readLines.ts";

/** Nothing is read before the first request; lines that were read early are buffered. */
export class StdinLines {
  readonly #input: Readable;
  readonly #batches: AsyncIterator<readonly string[], void>;
  readonly #read: string[] = [];
  #reading: Promise<boolean> | undefined;

  constructor(input: Readable) {
    this.#input = input;
    this.#batches = readLines(input);
  }

  /**
   * The next line without its line break. Undefined at the end of the input, and if `signal` aborts: then the next caller
   * gets the line. Not for concurrent use.
   */
  async next(signal?: AbortSignal): Promise<string | undefined> {
    while (this.#read.length === 0) {
      if (signal?.aborted) return undefined;
      this.#reading ??= this.#more();
      if (!(await unlessLeft(this.#reading, signal))) return undefined;
    }
    return this.#read.shift();
  }

  /** Nothing is waited for any more, so that the process can end. */
  close(): void {
    this.#input.destroy();
  }

  async #more(): Promise<boolean> {
    // A broken input counts as its end.
    const batch = await this.#batches.next().catch(() => undefined);
    this.#reading = undefined;
    if (!batch?.value) return false;
    for (const line of batch.value) this.#read.push(line);
    return true;
  }
}

/** Result of `work`; false if `signal` aborts first. */
async function unlessLeft(work: Promise<boolean>, signal: AbortSignal | undefined): Promise<boolean> {
  if (!signal) return await work;
  const { promise: left, resolve } = Promise.withResolvers<boolean>();
  const leave = () => resolve(false);
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work, left]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

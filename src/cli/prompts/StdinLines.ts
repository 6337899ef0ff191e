// Lines of standard input, one at a time, for whoever asks next. Knows no question.
import type { Readable } from "node:stream";
import { readLines } from "../output/readLines.ts";

/** Nothing is read before the first line is wanted; what was read and not wanted yet is kept. */
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
   * The next line, without its end; undefined at the end of the input, broken off or closed as it may be, and where `signal` aborts:
   * the line that comes then is for whoever asks next. Asked for once at a time.
   */
  async next(signal?: AbortSignal): Promise<string | undefined> {
    while (this.#read.length === 0) {
      if (signal?.aborted) return undefined;
      this.#reading ??= this.#more();
      if (!(await unlessLeft(this.#reading, signal))) return undefined;
    }
    return this.#read.shift()?.replace(/\r$/, "");
  }

  /** Nothing is waited for any more, so that the process can end. */
  close(): void {
    this.#input.destroy();
  }

  async #more(): Promise<boolean> {
    // An input that breaks off has nobody behind it any more.
    const batch = await this.#batches.next().catch(() => undefined);
    this.#reading = undefined;
    if (!batch?.value) return false;
    for (const line of batch.value) this.#read.push(line);
    return true;
  }
}

/** What `work` gives; false where `signal` aborts before. */
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

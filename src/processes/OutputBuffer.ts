// Collects the output of a program, up to a number of bytes.

type Stream = "stdout" | "stderr";

export class OutputBuffer {
  readonly #pieces: Record<Stream, Buffer[]> = { stdout: [], stderr: [] };
  #left: number;

  /** @param most bytes of both streams together. */
  constructor(most: number) {
    this.#left = most;
  }

  /** Stores as much as the limit allows. Returns false if that is not all of it. */
  add(stream: Stream, piece: Buffer): boolean {
    const kept = piece.subarray(0, this.#left);
    this.#pieces[stream].push(kept);
    this.#left -= kept.length;
    return kept.length === piece.length;
  }

  /** As UTF-8; bytes that are none, and a character that was cut, become U+FFFD. */
  texts(): Record<Stream, string> {
    const { stdout, stderr } = this.#pieces;
    return { stdout: Buffer.concat(stdout).toString("utf8"), stderr: Buffer.concat(stderr).toString("utf8") };
  }
}

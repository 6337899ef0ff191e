// Splits bytes into lines, each up to a number of bytes.

const LINE_FEED = 0x0a;

export class LineReader {
  readonly #most: number;
  readonly #onLine: (line: string) => void;
  #pieces: Buffer[] = [];
  #held = 0;

  /** @param most bytes of one line, its end not counted. */
  constructor(most: number, onLine: (line: string) => void) {
    this.#most = most;
    this.#onLine = onLine;
  }

  /** Reports each line that this piece ends, without its end. Returns false if one is too long: then no further line can be read. */
  add(piece: Buffer): boolean {
    let from = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, from)) {
      if (!this.#hold(piece.subarray(from, end))) return false;
      this.#tell();
      from = end + 1;
    }
    return this.#hold(piece.subarray(from));
  }

  /** Reports the last line if it has no end. */
  finish(): void {
    if (this.#held > 0) this.#tell();
  }

  #hold(piece: Buffer): boolean {
    this.#held += piece.length;
    if (this.#held > this.#most) {
      this.#pieces = [];
      return false;
    }
    if (piece.length > 0) this.#pieces.push(piece);
    return true;
  }

  #tell(): void {
    const [first, ...more] = this.#pieces;
    const line = (more.length === 0 ? first : Buffer.concat(this.#pieces))?.toString("utf8") ?? "";
    this.#pieces = [];
    this.#held = 0;
    this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  }
}

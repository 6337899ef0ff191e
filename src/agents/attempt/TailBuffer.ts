// Stores the last characters of a growing text.

export class TailBuffer {
  readonly #most: number;
  #pieces: string[] = [];
  #length = 0;

  /** @param most maximum number of UTF-16 units that `text` returns; at most twice as many are buffered. */
  constructor(most: number) {
    this.#most = most;
  }

  add(text: string): void {
    if (this.#most === 0 || text === "") return;
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length <= 2 * this.#most) return;
    const end = this.text;
    this.#pieces = [end];
    this.#length = end.length;
  }

  /** Never begins inside a surrogate pair. */
  get text(): string {
    const text = this.#pieces.join("");
    return text.length > this.#most ? text.slice(-this.#most).replace(/^[\uDC00-\uDFFF]/, "") : text;
  }
}

// Stores the last characters of a growing text.

export class TailBuffer {
  readonly #limit: number;
  #pieces: string[] = [];
  #length = 0;

  /** @param limit maximum number of UTF-16 units that `text` returns; at most twice as many are buffered. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    if (this.#limit === 0 || text === "") return;
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length <= 2 * this.#limit) return;
    const end = this.text;
    this.#pieces = [end];
    this.#length = end.length;
  }

  /** Never begins inside a surrogate pair. */
  get text(): string {
    const text = this.#pieces.join("");
    return text.length > this.#limit ? text.slice(-this.#limit).replace(/^[\uDC00-\uDFFF]/, "") : text;
  }
}

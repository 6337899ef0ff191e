// Joins the pieces of a text step by step, so that the end does not have to join a million of them.

/** Number of pieces and characters that are joined at once; a piece may itself be an unflattened string. */
const BLOCK = 1_024;
const BLOCK_CHARS = 65_536;

export class TextAccumulator {
  /** The first piece; most texts have only one. */
  #first = "";
  #blocks: string[] | undefined;
  #pieces: string[] | undefined;
  /** Number of characters of the pieces. */
  #chars = 0;

  add(piece: string): void {
    if (piece === "") return;
    if (this.#first === "") {
      this.#first = piece;
      return;
    }
    this.#pieces ??= [];
    this.#pieces.push(piece);
    this.#chars += piece.length;
    if (this.#pieces.length < BLOCK && this.#chars < BLOCK_CHARS) return;
    this.#blocks ??= [];
    this.#blocks.push(this.#pieces.join(""));
    this.#pieces = [];
    this.#chars = 0;
  }

  get text(): string {
    if (!this.#pieces) return this.#first;
    return [this.#first, ...(this.#blocks ?? []), ...this.#pieces].join("");
  }

  clear(): void {
    this.#first = "";
    this.#blocks = undefined;
    this.#pieces = undefined;
    this.#chars = 0;
  }
}

// A text that comes in pieces, put together as they come: no step at its end looks at a million of them. Knows no meaning.

/** Pieces, and characters of them, that are joined at once: a piece may be a text that the engine has not put together yet. */
const BLOCK = 1_024;
const BLOCK_CHARS = 65_536;

export class TextAccumulator {
  /** The first piece: most texts have no other. */
  #first = "";
  #blocks: string[] | undefined;
  #pieces: string[] | undefined;
  /** Characters of the pieces. */
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

// A text that comes in pieces, put together as they come: no step at its end looks at a million of them. Knows no meaning.

/** Pieces, and characters of them, that are joined at once: a piece may be a text that the engine has not put together yet. */
const BLOCK = 1_024;
const BLOCK_CHARS = 65_536;

export class TextFold {
  #blocks: string[] = [];
  #pieces: string[] = [];
  /** Characters of the pieces. */
  #chars = 0;

  add(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.#chars += piece.length;
    if (this.#pieces.length < BLOCK && this.#chars < BLOCK_CHARS) return;
    this.#blocks.push(this.#pieces.join(""));
    this.#pieces = [];
    this.#chars = 0;
  }

  get text(): string {
    const last = this.#pieces.length === 1 ? (this.#pieces[0] ?? "") : this.#pieces.join("");
    return this.#blocks.length === 0 ? last : [...this.#blocks, last].join("");
  }

  clear(): void {
    this.#blocks = [];
    this.#pieces = [];
    this.#chars = 0;
  }
}

// A text that comes in pieces, put together as they come: no step at its end looks at a million of them. Knows no meaning.

/** Pieces that are joined at once. */
const BLOCK = 1_024;

export class TextFold {
  #blocks: string[] = [];
  #pieces: string[] = [];

  add(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    if (this.#pieces.length < BLOCK) return;
    this.#blocks.push(this.#pieces.join(""));
    this.#pieces = [];
  }

  get text(): string {
    return this.#blocks.join("") + this.#pieces.join("");
  }

  clear(): void {
    this.#blocks = [];
    this.#pieces = [];
  }
}

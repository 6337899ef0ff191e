// Adjacent characters of a text that wait together.

/** Neighbouring characters, and where the first of them stands. */
export class TextSpan {
  text = "";
  #start = 0;

  append(text: string, start: number): void {
    if (this.text === "") this.#start = start;
    this.text += text;
  }

  /** Takes the first of them off. */
  take(length = this.text.length): readonly [text: string, at: number] {
    const firstCharacters = [this.text.slice(0, length), this.#start] as const;
    this.text = this.text.slice(length);
    this.#start += length;
    return firstCharacters;
  }

  /** Moves the first characters to the end of another span. */
  moveTo(other: TextSpan, length = this.text.length): void {
    if (length > 0) other.append(...this.take(length));
  }
}

// Adjacent characters of a text that wait together.

/** Neighbouring characters, and where the first of them stands. */
export class TextSpan {
  text = "";
  #at = 0;

  append(text: string, at: number): void {
    if (this.text === "") this.#at = at;
    this.text += text;
  }

  /** Takes the first of them off. */
  take(length = this.text.length): readonly [text: string, at: number] {
    const taken = [this.text.slice(0, length), this.#at] as const;
    this.text = this.text.slice(length);
    this.#at += length;
    return taken;
  }

  /** Moves the first characters to the end of another span. */
  moveTo(other: TextSpan, length = this.text.length): void {
    if (length > 0) other.append(...this.take(length));
  }
}

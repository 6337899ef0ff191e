// The incremental text under every grammar: a cursor over what has arrived. Knows no format.
//
// Grammars are generators that read forward and `yield` where the text has not come yet. They see characters and the end,
// never chunks, which is what makes every chunking give the same events.

/** A grammar in progress: it yields when it needs more text and returns what it read. */
export type Reading<T> = Generator<undefined, T, undefined>;

/** `code()` where the text goes on but has not arrived: yield, then ask again. */
export const WAIT = -2;
/** `code()` behind the last character of a finished text. */
export const END = -1;

export class Source {
  /** Characters looked at, for tests of linear time. */
  inspected = 0;
  /** Text from `#base` on; what lies before the cursor is dropped at the next append. */
  #window = "";
  #cursor = 0;
  #base = 0;
  #ended = false;
  /** Where the held span starts, and the part of it that has left the window: a rope, flattened once when it is taken. */
  #holdStart: number | undefined;
  #rope = "";

  /** The cursor: UTF-16 units from the start of the text. */
  get offset(): number {
    return this.#base + this.#cursor;
  }

  get holding(): boolean {
    return this.#holdStart !== undefined;
  }

  append(text: string): void {
    if (this.#cursor > 0) {
      if (this.#holdStart !== undefined) this.#rope += this.#window.slice(this.#ropeEnd() - this.#base, this.#cursor);
      this.#window = this.#window.slice(this.#cursor) + text;
      this.#base += this.#cursor;
      this.#cursor = 0;
    } else {
      this.#window += text;
    }
  }

  end(): void {
    this.#ended = true;
  }

  /** The UTF-16 code `ahead` characters behind the cursor, or WAIT, or END. */
  code(ahead = 0): number {
    const i = this.#cursor + ahead;
    if (i < this.#window.length) {
      this.inspected += 1;
      return this.#window.charCodeAt(i);
    }
    return this.#ended ? END : WAIT;
  }

  skip(characters: number): void {
    this.#cursor += characters;
  }

  /** Advances over the characters of the window for which `stops` is 0 and returns them. */
  run(stops: StopTable): string {
    const from = this.#cursor;
    const window = this.#window;
    let i = from;
    while (i < window.length && !stops.has(window.charCodeAt(i))) i += 1;
    this.inspected += i - from;
    this.#cursor = i;
    return from === 0 && i === window.length ? window : window.slice(from, i);
  }

  /** As `run`, for text that is held anyway: advances, but not beyond the offset `until`. */
  advance(stops: StopTable, until: number): void {
    const from = this.#cursor;
    const window = this.#window;
    const stop = Math.min(window.length, until - this.#base);
    let i = from;
    while (i < stop && !stops.has(window.charCodeAt(i))) i += 1;
    this.inspected += i - from;
    this.#cursor = i;
  }

  /** The next `characters` as text; they must have been seen with `code`. */
  ahead(characters: number): string {
    return this.#window.slice(this.#cursor, this.#cursor + characters);
  }

  /** Starts to hold at the cursor, so that what is read from here on can be taken or read again. */
  hold(): void {
    this.#holdStart = this.offset;
    this.#rope = "";
  }

  /** The held text up to the cursor, which stays held. */
  peekHeld(): string {
    return this.#heldText();
  }

  /** The held text up to the cursor; the hold goes on from here. */
  take(): string {
    const text = this.#heldText();
    this.hold();
    return text;
  }

  /** Ends the hold and returns its text. */
  release(): string {
    const text = this.#heldText();
    this.#holdStart = undefined;
    this.#rope = "";
    return text;
  }

  /** Goes back to `offset` within the held span and ends the hold. */
  rewind(offset: number): void {
    const start = this.#holdStart ?? this.offset;
    const text = this.#heldText() + this.#window.slice(this.#cursor);
    this.#window = text.slice(offset - start);
    this.#base = offset;
    this.#cursor = 0;
    this.#holdStart = undefined;
    this.#rope = "";
  }

  /** Goes back to `offset` within the held span, which stays held. */
  back(offset: number): void {
    const start = this.#holdStart ?? this.offset;
    const text = this.#heldText() + this.#window.slice(this.#cursor);
    this.#rope = text.slice(0, offset - start);
    this.#window = text.slice(offset - start);
    this.#base = offset;
    this.#cursor = 0;
  }

  get heldFrom(): number {
    return this.#holdStart ?? this.offset;
  }

  #ropeEnd(): number {
    return Math.max(this.#base, this.#holdStart ?? 0);
  }

  #heldText(): string {
    const from = this.#ropeEnd() - this.#base;
    return this.#rope + this.#window.slice(from, this.#cursor);
  }
}

/** A set of characters to stop at: a table for the common ones, a set for the rest. */
export class StopTable {
  readonly #table = new Uint8Array(256);
  readonly #rest = new Set<number>();

  constructor(characters: string) {
    for (let i = 0; i < characters.length; i += 1) {
      const code = characters.charCodeAt(i);
      if (code < 256) this.#table[code] = 1;
      else this.#rest.add(code);
    }
  }

  has(code: number): boolean {
    return code < 256 ? this.#table[code] === 1 : this.#rest.size > 0 && this.#rest.has(code);
  }
}

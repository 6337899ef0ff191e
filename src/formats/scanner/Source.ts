// The incremental text under every grammar: a cursor over the text that has arrived.
// Grammars are generators that read forward and `yield` where the text has not arrived yet. They see characters and the end,
// never chunks, so every chunking gives the same events. A long text is shown in slices, like further chunks, so that
// the process can do other work between two of them (decisions/0029).

/** A grammar in progress: it yields when it needs more text and returns what it read. */
export type Parser<T> = Generator<undefined, T, undefined>;

/** Result of `code()` if the text continues but is not shown yet: yield, then ask again. */
export const WAIT = -2;
/** Result of `code()` after the last character of a finished text. */
export const END = -1;

/** Characters that are shown at a time. */
const SLICE_CHARS = 4_096;

/** Looks at each of them after which a slice is long enough: some 5 ms. */
const SLICE_LOOKS = 8;

/** Divisor for the share of reread text that a spent slice still shows: enough for a reader to find its position. */
const SPENT_SHARE = 64;

export class Source {
  /** Characters looked at or handed out, to decoders above all; what those do with them tests of linear work count by themselves. */
  inspected = 0;
  readonly #sliceChars: number;
  /** Text from `#base` on; what lies before the cursor is dropped at the next append. */
  #window = "";
  #cursor = 0;
  /** End of the part of the window that readers may see. */
  #visibleEnd = 0;
  /** Work in addition to characters: the cost of calls and issues. */
  #extraWork = 0;
  /** The work done when the slice began. */
  #sliceStart = 0;
  #isPaused = false;
  #base = 0;
  #hasEnded = false;
  /** Start of the buffered span, and the part of it that has left the window. */
  #bufferedFrom: number | undefined;
  #bufferedPast = new Past();
  /** Characters for which the reader waits, if it advanced to the end of the window and asked for nothing else since. */
  #stops: StopTable | undefined;
  #stopsMaxOffset = 0;

  /** @param sliceChars characters that are shown at a time */
  constructor(sliceChars = SLICE_CHARS) {
    this.#sliceChars = sliceChars;
  }

  /** The cursor: UTF-16 units from the start of the text. */
  get offset(): number {
    return this.#base + this.#cursor;
  }

  append(text: string): void {
    if (this.#bufferedFrom !== undefined)
      this.#bufferedPast.append(this.#window.slice(Math.max(0, this.#bufferedFrom - this.#base), this.#cursor));
    this.#window = this.#window.slice(this.#cursor) + text;
    this.#base += this.#cursor;
    this.#visibleEnd -= this.#cursor;
    this.#cursor = 0;
    this.#showMore();
  }

  /** Returns true if the slice has used its share: the reader yields though it could go on. */
  shouldPause(): boolean {
    this.#isPaused = this.#isSliceSpent;
    return this.#isPaused;
  }

  /** Begins another slice and shows its text. Returns false if the reader waits for text that has not arrived. */
  nextSlice(): boolean {
    const hasMore = this.#isPaused || this.#visibleEnd < this.#window.length;
    this.#isPaused = false;
    if (hasMore) this.#sliceStart = this.inspected + this.#extraWork;
    this.#showMore();
    return hasMore;
  }

  /** Counts work towards the end of the slice, in looks at a character: about ten of them take a microsecond. */
  addWork(work: number): void {
    this.#extraWork += work;
  }

  get #isSliceSpent(): boolean {
    return this.inspected + this.#extraWork - this.#sliceStart >= SLICE_LOOKS * this.#sliceChars;
  }

  #showMore(): void {
    this.#visibleEnd = Math.min(this.#window.length, this.#visibleEnd + this.#sliceChars);
  }

  endText(): void {
    this.#hasEnded = true;
  }

  /**
   * Resumes the reader, unless it waits in `advance` and no stop character has arrived. Then the source advances itself,
   * so that a long string in small pieces costs no more than its characters.
   */
  resume(parser: Parser<unknown>): void {
    const isAtEnd = this.#hasEnded && this.#visibleEnd === this.#window.length;
    if (this.#stops && !isAtEnd) this.advance(this.#stops, this.#stopsMaxOffset);
    if (!this.#stops || isAtEnd) parser.next();
  }

  /** The reader waits for the character at the cursor, so the cursor must stay. Only `combinators.ts` calls it. */
  keepCursor(): void {
    this.#stops = undefined;
  }

  /** Returns the UTF-16 code `ahead` characters after the cursor, or WAIT, or END. */
  code(ahead = 0): number {
    const i = this.#cursor + ahead;
    if (i < this.#visibleEnd) {
      this.inspected += 1;
      return this.#window.charCodeAt(i);
    }
    if (ahead > 0) this.#stops = undefined;
    return this.#hasEnded && i >= this.#window.length ? END : WAIT;
  }

  skip(characters: number): void {
    this.#stops = undefined;
    this.#cursor += characters;
    if (this.#cursor > this.#visibleEnd) this.#visibleEnd = this.#cursor;
  }

  /** Advances over the characters that are shown for which `stops` is 0 and returns them; the first `passed`, which have been seen, are none. */
  readUntilStop(stops: StopTable, skipped = 0): string {
    this.#stops = undefined;
    const from = this.#cursor;
    const window = this.#window;
    const visibleEnd = this.#visibleEnd;
    let i = from + skipped;
    while (i < visibleEnd && !stops.has(window.charCodeAt(i))) i += 1;
    this.inspected += i - from;
    this.#cursor = i;
    return window.slice(from, i);
  }

  /** Like `run`, for text that is buffered anyway: advances, but not beyond the offset `until`. */
  advance(stops: StopTable, maxOffset: number): void {
    const from = this.#cursor;
    const window = this.#window;
    const stop = Math.min(this.#visibleEnd, maxOffset - this.#base);
    let i = from;
    while (i < stop && !stops.has(window.charCodeAt(i))) i += 1;
    this.inspected += i - from;
    this.#cursor = i;
    this.#stops = i === this.#visibleEnd && i < maxOffset - this.#base ? stops : undefined;
    this.#stopsMaxOffset = maxOffset;
  }

  /** The next `characters` as text; they must have been seen with `code`. */
  peekText(characters: number): string {
    return this.#window.slice(this.#cursor, this.#cursor + characters);
  }

  /** Returns the text from the cursor to the end, which has been seen. */
  getRest(): string {
    this.inspected += this.#window.length - this.#cursor;
    return this.#window.slice(this.#cursor);
  }

  /** Starts buffering at the cursor, so that later text can be taken or read again. */
  startBuffering(): void {
    this.#endBuffering();
    this.#bufferedFrom = this.offset;
  }

  /** Returns the buffered text between two offsets, or up to the cursor. Costs no more than its own length. */
  getBuffered(from: number, to = this.offset): string {
    this.inspected += to - from;
    const start = this.bufferStart;
    const inWindow = this.#window.slice(Math.max(from, this.#base) - this.#base, Math.max(to, this.#base) - this.#base);
    return from >= this.#base ? inWindow : this.#bufferedPast.slice(from - start, to - start) + inWindow;
  }

  /** Returns the buffered text up to the cursor, which stays buffered. */
  getAllBuffered(): string {
    return this.getBuffered(this.bufferStart);
  }

  /** Ends the buffering and returns its text. */
  endAndGetBuffered(): string {
    const text = this.getAllBuffered();
    this.#endBuffering();
    return text;
  }

  /** Goes back to `offset` within the buffered span and ends the buffering. */
  rewind(offset: number): void {
    this.moveBack(offset);
    this.#endBuffering();
  }

  /** Goes back to `offset` within the buffered span, which stays buffered. */
  moveBack(offset: number): void {
    if (offset < this.#base) {
      this.#window = this.#bufferedPast.cut(offset - this.bufferStart) + this.#window;
      this.#visibleEnd += this.#base - offset;
      this.#base = offset;
    }
    this.#cursor = offset - this.#base;
    // Text that is read again costs again: show no more of it at once than of new text, and little if the slice is spent.
    const share = this.#isSliceSpent ? Math.ceil(this.#sliceChars / SPENT_SHARE) : this.#sliceChars;
    this.#visibleEnd = Math.min(this.#visibleEnd, this.#cursor + share);
    this.#stops = undefined;
  }

  #endBuffering(): void {
    this.#bufferedFrom = undefined;
    this.#bufferedPast = new Past();
    this.#stops = undefined;
  }

  get bufferStart(): number {
    return this.#bufferedFrom ?? this.offset;
  }
}

/** Characters that pieces are joined to: a short slice then copies no more than that. */
const PIECE = 1024;

/** Text that grows at its end and is read in slices, without copies of the complete text. */
class Past {
  readonly #pieces: string[] = [];
  readonly #starts: number[] = [];
  #length = 0;

  append(text: string): void {
    const last = this.#pieces.at(-1);
    if (last !== undefined && last.length + text.length <= PIECE) {
      this.#pieces[this.#pieces.length - 1] = last + text;
    } else if (text !== "") {
      this.#pieces.push(text);
      this.#starts.push(this.#length);
    }
    this.#length += text.length;
  }

  slice(from: number, to: number): string {
    let first = this.#pieces.length - 1;
    while (first > 0 && (this.#starts[first] ?? 0) > from) first -= 1;
    let text = "";
    for (let i = first; i < this.#pieces.length && (this.#starts[i] ?? to) < to; i += 1) {
      const start = this.#starts[i] ?? 0;
      text += (this.#pieces[i] ?? "").slice(Math.max(0, from - start), to - start);
    }
    return text;
  }

  /** Shortens the text to `length` and returns the rest. */
  cut(length: number): string {
    const removed = this.slice(length, this.#length);
    while (this.#pieces.length > 0 && (this.#starts.at(-1) ?? 0) >= length) {
      this.#pieces.pop();
      this.#starts.pop();
    }
    const last = this.#pieces.pop();
    if (last !== undefined) this.#pieces.push(last.slice(0, length - (this.#starts.at(-1) ?? 0)));
    this.#length = length;
    return removed;
  }
}

/** A set of characters to stop at: a bit for each of the common ones, and the rest. */
export class StopTable {
  readonly #bits = new Uint8Array(32);
  #rest = "";

  constructor(characters: string) {
    for (const character of characters) {
      const code = character.charCodeAt(0);
      if (code < 256) this.#bits[code >> 3] = (this.#bits[code >> 3] ?? 0) | (1 << (code & 7));
      else this.#rest += character;
    }
  }

  has(code: number): boolean {
    if (code < 256) return ((this.#bits[code >> 3] ?? 0) & (1 << (code & 7))) !== 0;
    return this.#rest !== "" && this.#rest.includes(String.fromCharCode(code));
  }
}

// Collects the argument text of one call and detects its end. Each character is examined once.
import { isJson } from "../looseJson.ts";

/**
 * State of the text: before its value; inside brackets; in a bare word or a string; after the value; or invalid, because other text
 * follows the value.
 */
type Place = "before" | "inside" | "word" | "behind" | "lost";

/** A text in 160,000 pieces is joined once and tried once: whether it can be JSON is known from running totals. */
export class ArgumentBuffer {
  /** True once a piece came, even an empty one. */
  hasStarted = false;
  /** The concatenated pieces. */
  #joined = "";
  #last = "";
  #pieces = 0;
  /** True while each piece begins with the one before: snapshots that grow. */
  #growing = true;
  #place: Place = "before";
  #depth = 0;
  #inString = false;
  #escaped = false;
  #tried: boolean | undefined;

  add(piece: string): void {
    this.hasStarted = true;
    if (piece === "") return;
    this.#growing &&= piece.startsWith(this.#last);
    this.#joined += piece;
    this.#last = piece;
    this.#pieces += 1;
    this.#tried = undefined;
    for (let at = 0; at < piece.length && this.#place !== "lost"; at += 1) this.#step(piece.charCodeAt(at));
  }

  /** Returns true if the text equals all text collected so far. */
  equals(text: string): boolean {
    return text.length === this.#joined.length && text === this.#joined;
  }

  /** True if the collected pieces are valid JSON. */
  get isWhole(): boolean {
    const mayBe = this.#place === "behind" || (this.#place === "word" && !this.#inString);
    this.#tried ??= mayBe && isJson(this.#joined);
    return this.#tried;
  }

  /** Returns the concatenated pieces, unless only another reading gives JSON: a complete text repeated at the end, or growing snapshots. */
  read(): string {
    const last = this.#last;
    if (this.#pieces < 2 || this.isWhole) return this.#joined;
    if (this.#joined.length === 2 * last.length && this.#joined.startsWith(last)) return last;
    return this.#growing && isJson(last) ? last : this.#joined;
  }

  #step(code: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (code === BACKSLASH) this.#escaped = true;
      else if (code === QUOTE) this.#inString = false;
      return;
    }
    if (code === SPACE || (code >= TAB && code <= RETURN)) return;
    switch (this.#place) {
      case "before":
        this.#place = "word";
        this.#open(code);
        return;
      case "inside":
        this.#open(code);
        if ((code | CASE_BIT) === BRACE_CLOSE) this.#depth -= 1;
        if (this.#depth === 0) this.#place = "behind";
        return;
      case "word":
        if (code === QUOTE || (code | CASE_BIT) === BRACE_OPEN) this.#place = "lost";
        return;
      case "behind":
        this.#place = "lost";
        return;
      case "lost":
        return;
      default:
        this.#place satisfies never;
    }
  }

  #open(code: number): void {
    if (code === QUOTE) this.#inString = true;
    if ((code | CASE_BIT) !== BRACE_OPEN) return;
    this.#depth += 1;
    this.#place = "inside";
  }
}

const TAB = 0x09;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit alone. */
const CASE_BIT = 0x20;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

// Measures JSON text before it is parsed, and finds the position of a syntax error.
import { endOfString } from "../../core/json/jsonObjectText.ts";

/** Limits of a body, checked before it is parsed. */
export interface JsonBounds {
  /** Levels of brackets. */
  readonly depth: number;
  /** Keys of all objects. */
  readonly keys: number;
  /** Objects, arrays and the members of both. */
  readonly values: number;
}

export const UNBOUNDED: JsonBounds = {
  depth: Number.POSITIVE_INFINITY,
  keys: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
};

/**
 * Counts the depth, keys and values of a JSON text that is fed in pieces of any size. It reads each character once and does
 * not recurse. Invalid JSON is counted by its brackets, colons and commas; the parser rejects it later.
 */
export class JsonScan {
  readonly #bounds: JsonBounds;
  #depth = 0;
  #deepest = 0;
  #keys = 0;
  #values = 0;
  #inString = false;
  /** True if the previous piece ended in a backslash that escapes the next character. */
  #escaped = false;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  /** Number of keys, objects, arrays and members so far, which determines the parser's work. */
  get count(): number {
    return this.#keys + this.#values;
  }

  /** Counts of the text so far; `depth` is the maximum. */
  get holds(): JsonBounds {
    return { depth: this.#deepest, keys: this.#keys, values: this.#values };
  }

  /** True if the next character is directly in the outermost value and in no string. */
  get isOutermost(): boolean {
    return this.#depth === 1 && !this.#inString;
  }

  /** Counts a value that is part of the text and is not fed; otherwise like `feed`. */
  pass({ depth, keys, values }: JsonBounds): keyof JsonBounds | undefined {
    this.#deepest = Math.max(this.#deepest, this.#depth + depth);
    this.#keys += keys;
    this.#values += values;
    return this.#findExceeded(this.#deepest);
  }

  /** Feeds a piece; returns the first limit that the text so far exceeds, or `undefined`. */
  feed(piece: string): keyof JsonBounds | undefined {
    let at = this.#inString ? this.#endOfString(piece, 0) + 1 : 0;
    for (; at < piece.length; at += 1) {
      const code = piece.charCodeAt(at);
      if (code === QUOTE) at = this.#endOfString(piece, at + 1);
      else {
        const exceededLimit = this.#token(code);
        if (exceededLimit) return exceededLimit;
      }
    }
    return undefined;
  }

  #token(code: number): keyof JsonBounds | undefined {
    if (code === COLON) this.#keys++;
    else if (code === COMMA) this.#values++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#depth--;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      this.#depth++;
      this.#values++;
      if (this.#depth > this.#deepest) this.#deepest = this.#depth;
    } else return undefined;
    return this.#findExceeded(this.#depth);
  }

  #findExceeded(depth: number): keyof JsonBounds | undefined {
    if (depth > this.#bounds.depth) return "depth";
    if (this.#keys > this.#bounds.keys) return "keys";
    return this.#values > this.#bounds.values ? "values" : undefined;
  }

  /** The index of the string's end, found by its quotes; the length of a piece that ends before it. */
  #endOfString(piece: string, from: number): number {
    let start = this.#escaped ? from + 1 : from;
    for (let quote = piece.indexOf('"', start); quote >= 0; quote = piece.indexOf('"', start)) {
      this.#inString = countEscapes(piece, quote, start) % 2 === 1;
      this.#escaped = false;
      if (!this.#inString) return quote;
      start = quote + 1;
    }
    this.#inString = true;
    if (start <= piece.length) this.#escaped = countEscapes(piece, piece.length, start) % 2 === 1;
    return piece.length;
  }
}

/** Number of backslashes directly before `end`, from `start` on. */
function countEscapes(text: string, end: number, start: number): number {
  let at = end;
  while (at > start && text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
  return end - at;
}

/**
 * Position of a syntax error as `line 3 column 7`, or as much as is known. `message` is the text of the SyntaxError that
 * JSON.parse threw for `text`.
 */
export function findErrorPosition(text: string, message: string): string {
  if (text.length > MAX_SEARCHED) return NOT_LOOKED_FOR;
  const stated = /line \d+ column \d+/.exec(message);
  if (stated) return stated[0];
  if (/end of JSON input/.test(message)) return formatPosition(text, text.length);
  const at = firstStrayToken(text);
  return at === undefined ? NOT_LOOKED_FOR : formatPosition(text, at);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const NOT_LOOKED_FOR = "a place that was not looked for";

/**
 * Maximum number of characters in which the position of a fault is searched. Ten megabytes of line breaks took a third of a
 * second.
 */
const MAX_SEARCHED = 500_000;

/** Maximum number of tokens that the search examines. */
const MAX_TOKENS = 100_000;

/** V8 gives no position for "Unexpected token". It is the first token that is invalid, or invalid at its position. */
function firstStrayToken(text: string): number | undefined {
  const token = /[ \t\r\n]*(?:([{}[\]:,])|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|("))/y;
  const open: string[] = [];
  let expected = "value";
  let tokens = 0;
  for (let at = 0; at < text.length; at = token.lastIndex) {
    if (++tokens > MAX_TOKENS) return undefined;
    token.lastIndex = at;
    const found = token.exec(text);
    const start = found ? token.lastIndex - (found[1] ?? found[2] ?? '"').length : skipSpace(text, at);
    if (!found) return start;
    const kind = found[1] ?? (found[2] ? "literal" : "string");
    if (kind === "string") token.lastIndex = endOfString(text, start) + 1;
    const next = step(kind, expected, open);
    if (next === undefined) return start;
    expected = next;
  }
  return undefined;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++;
  return at;
}

/** The grammar of JSON as "expected token → next expected token"; `undefined` if the token is not allowed. */
function step(kind: string, expected: string, open: string[]): string | undefined {
  const isValueExpected = expected === "value" || expected === "value or ]";
  if (kind === "{" && isValueExpected) {
    open.push("{");
    return "key or }";
  }
  if (kind === "[" && isValueExpected) {
    open.push("[");
    return "value or ]";
  }
  if (kind === "literal" && isValueExpected) return "end";
  if (kind === "string" && isValueExpected) return "end";
  if (kind === "string" && expected.startsWith("key")) return "colon";
  if (kind === ":" && expected === "colon") return "value";
  if (kind === "," && expected === "end" && open.length > 0) return open.at(-1) === "{" ? "key" : "value";
  const closes =
    (expected === "end" && open.at(-1)) || (expected === "key or }" && "{") || (expected === "value or ]" && "[");
  if ((kind === "}" && closes === "{") || (kind === "]" && closes === "[")) {
    open.pop();
    return "end";
  }
  return undefined;
}

function formatPosition(text: string, at: number): string {
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", lineStart)) {
    line++;
    lineStart = next + 1;
  }
  return `line ${line} column ${at - lineStart + 1}`;
}

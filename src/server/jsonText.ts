// Looks at JSON text before and after the parser: how deep it nests, and where it broke. Knows no meaning of the values.
import { endOfString } from "../core/objectText.ts";

/** What a body may hold before anybody parses it. */
export interface JsonBounds {
  /** Levels of brackets. */
  readonly depth: number;
  /** Keys of all objects. */
  readonly keys: number;
  /** Objects, arrays and the members of both. */
  readonly values: number;
}

/**
 * Counts what a JSON text in UTF-8 holds, in pieces of any size. Looks at each byte once, recurses nowhere, and takes a text that is no JSON
 * for what its brackets, colons and commas say: the parser refuses it afterwards.
 */
export class JsonScan {
  readonly #bounds: JsonBounds;
  #depth = 0;
  #keys = 0;
  #values = 0;
  #inString = false;
  #escaped = false;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  /** Keys, objects, arrays and members so far: what the parser's work grows with. */
  get counted(): number {
    return this.#keys + this.#values;
  }

  /** The first bound that the text so far is beyond; `undefined` if none. */
  feed(bytes: Uint8Array): keyof JsonBounds | undefined {
    for (let at = 0; at < bytes.length; at++) {
      if (this.#inString) at = this.#string(bytes, at);
      else {
        const beyond = this.#token(bytes[at] ?? 0);
        if (beyond) return beyond;
      }
    }
    return undefined;
  }

  #token(byte: number): keyof JsonBounds | undefined {
    if (byte === QUOTE) this.#inString = true;
    else if (byte === COLON) this.#keys++;
    else if (byte === COMMA) this.#values++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth--;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#depth++;
      this.#values++;
    } else return undefined;
    if (this.#depth > this.#bounds.depth) return "depth";
    if (this.#keys > this.#bounds.keys) return "keys";
    return this.#values > this.#bounds.values ? "values" : undefined;
  }

  /** The index of the string's end, or of the last byte. */
  #string(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        return at;
      }
    }
    return bytes.length;
  }
}

/** Where `message`, the SyntaxError of JSON.parse for `text`, says the fault is, as `line 3 column 7`; else as much as is known. */
export function faultPosition(text: string, message: string): string {
  if (text.length > MAX_SEARCHED) return NOT_LOOKED_FOR;
  const stated = /line \d+ column \d+/.exec(message);
  if (stated) return stated[0];
  if (/end of JSON input/.test(message)) return positionOf(text, text.length);
  const at = firstStrayToken(text);
  return at === undefined ? NOT_LOOKED_FOR : positionOf(text, at);
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

/** Characters of a text in which a fault's place is looked for; ten megabytes of line breaks took a third of a second. */
const MAX_SEARCHED = 500_000;

/** Tokens that are looked at for a fault's place. */
const MAX_TOKENS = 100_000;

/** V8 gives no position for "Unexpected token": it is the first token that can stand nowhere, or not at its place. */
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

/** The grammar of JSON as "what may come now → what may come next"; `undefined` where the token may not. */
function step(kind: string, expected: string, open: string[]): string | undefined {
  const takesValue = expected === "value" || expected === "value or ]";
  if (kind === "{" && takesValue) {
    open.push("{");
    return "key or }";
  }
  if (kind === "[" && takesValue) {
    open.push("[");
    return "value or ]";
  }
  if (kind === "literal" && takesValue) return "end";
  if (kind === "string" && takesValue) return "end";
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

function positionOf(text: string, at: number): string {
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", lineStart)) {
    line++;
    lineStart = next + 1;
  }
  return `line ${line} column ${at - lineStart + 1}`;
}

// One strict JSON text with its one tree: where its values stand, so that they are taken verbatim, passed on and edited in place. Knows no schema and mends nothing.

import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DIGIT_0,
  DIGIT_9,
  DOT,
  LOWER_A,
  LOWER_Z,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  QUOTE,
} from "../text/codes.ts";
import { maxJsonDepth, maxJsonValues } from "./bodyLimits.ts";

type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** One value of the text: `text.slice(start, end)`. */
export interface JsonNode {
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
  /** In the order of the text, duplicates included; empty unless `kind` is `object`. */
  readonly members: readonly JsonMember[];
  /** Empty unless `kind` is `array`. */
  readonly elements: readonly JsonNode[];
}

export interface JsonMember {
  readonly key: string;
  /** The key with its quotes: `text.slice(keyStart, keyEnd)`. */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly value: JsonNode;
}

/** One value of a strict JSON text: its characters are `text.slice(node.start, node.end)`, others may stand around them. */
export interface ValueAt {
  readonly text: string;
  readonly node: JsonNode;
}

/** A whole text that was read as one value. */
export interface ValueText extends ValueAt {
  /** Short stable codes of what was mended; empty if nothing was. */
  readonly repairs: readonly string[];
}

/** True where `text` is strict JSON, whatever its depth. */
export function isStrictJson(text: string): boolean {
  if (BROKEN_START.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A bracket and what strict JSON never has behind it: an error with its stack costs more than many such bodies are long. */
const BROKEN_START = /^(?:\{\s*[^\s"}]|\[\s*[^\s"{[\]\-\dtfn])/;

/** The value that a text is; undefined where it is not strict JSON or deeper than `maxJsonDepth` or of more than `maxJsonValues`. */
export function readValue(text: string): ValueText | undefined {
  return isStrictJson(text) ? strictValue(text) : undefined;
}

/** As `readValue`, for a text that has been checked already, or written by a reader that writes nothing else. Linear, no recursion. */
export function strictValue(strictJson: string, repairs: readonly string[] = []): ValueText | undefined {
  const node = new SpanReader(strictJson).read();
  return node && { text: strictJson, node, repairs };
}

/** The characters of a value. */
export function sliceOf({ text, node }: ValueAt): string {
  return text.slice(node.start, node.end);
}

/** `{}`: what stands where a call gives no arguments. */
export const emptyObject: ValueText = {
  text: "{}",
  node: { kind: "object", start: 0, end: 2, members: [], elements: [] },
  repairs: [],
};

/** True for the strict JSON of an object that has no spans for nothing but the number of its values. Parses only what may be that. */
export function isOversizedObject(text: string): boolean {
  return /^\s*\{/.test(text) && mayBeOversized(text) && isStrictJson(text) && strictValue(text) === undefined;
}

/** Whether there may be too many values outside strings, and no level is too deep. */
function mayBeOversized(text: string): boolean {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      const end = stringEnd(text, at);
      if (end <= at) return false;
      at = end - 1;
    } else if (char === COMMA) values += 1;
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth -= 1;
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      values += 1;
      depth += 1;
      if (depth > maxJsonDepth) return false;
    }
  }
  return values > maxJsonValues;
}

/** The string that a `string` node stands for. */
export function stringAt(text: string, node: { readonly start: number; readonly end: number }): string {
  const inner = text.slice(node.start + 1, node.end - 1);
  return inner.includes("\\") ? String(JSON.parse(text.slice(node.start, node.end))) : inner;
}

/** The last member of that key, which is the one that counts. */
export function memberOf(node: JsonNode, key: string): JsonMember | undefined {
  return node.members.findLast((member) => member.key === key);
}

const noMembers: readonly JsonMember[] = [];
const noElements: readonly JsonNode[] = [];

interface OpenNode {
  readonly kind: "object" | "array";
  readonly start: number;
  end: number;
  readonly members: JsonMember[];
  readonly elements: JsonNode[];
  key: { readonly key: string; readonly keyStart: number; readonly keyEnd: number } | undefined;
}

/** Walks a text that is known to be valid, so it needs to look only at what tells values apart. */
class SpanReader {
  readonly #text: string;
  readonly #open: OpenNode[] = [];
  #at = 0;
  #root: JsonNode | undefined;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonNode | undefined {
    const text = this.#text;
    while (this.#at < text.length) {
      if (this.#values > maxJsonValues) return undefined;
      const char = text.charCodeAt(this.#at);
      if (char === QUOTE) this.#string();
      else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
        if (this.#open.length === maxJsonDepth) return undefined;
        const kind = char === OPEN_BRACE ? "object" : "array";
        this.#open.push({ kind, start: this.#at, end: 0, members: [], elements: [], key: undefined });
        this.#at++;
      } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
        this.#at++;
        this.#close();
      } else if (char === COMMA || char === COLON || char <= 0x20) this.#at++;
      else this.#literal(char);
    }
    return this.#root;
  }

  #string(): void {
    const start = this.#at;
    const end = stringEnd(this.#text, start);
    this.#at = end;
    const parent = this.#open.at(-1);
    if (parent?.kind === "object" && parent.key === undefined) {
      parent.key = { key: stringAt(this.#text, { start, end }), keyStart: start, keyEnd: end };
    } else this.#add({ kind: "string", start, end, members: noMembers, elements: noElements });
  }

  #literal(char: number): void {
    const start = this.#at;
    let end = start + 1;
    while (end < this.#text.length && isLiteralChar(this.#text.charCodeAt(end))) end++;
    this.#at = end;
    const kind = char === 0x6e ? "null" : char === 0x74 || char === 0x66 ? "boolean" : "number";
    this.#add({ kind, start, end, members: noMembers, elements: noElements });
  }

  #close(): void {
    const node = this.#open.pop();
    if (!node) return;
    node.end = this.#at;
    this.#add(node);
  }

  #add(node: JsonNode): void {
    this.#values++;
    const parent = this.#open.at(-1);
    if (!parent) this.#root = node;
    else if (parent.kind === "array") parent.elements.push(node);
    else if (parent.key) {
      parent.members.push({ ...parent.key, value: node });
      parent.key = undefined;
    }
  }
}

/** The index behind the closing quote of the well-formed string that opens at `start`. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let slash = at;
  while (text.charCodeAt(slash - 1) === BACKSLASH) slash--;
  return (at - slash) % 2 === 1;
}

/** Letters, digits, `+`, `-` and `.`: what numbers and the three words are made of. */
function isLiteralChar(char: number): boolean {
  return (
    (char >= DIGIT_0 && char <= DIGIT_9) ||
    (char >= LOWER_A && char <= LOWER_Z) ||
    char === DOT ||
    char === PLUS ||
    char === MINUS ||
    char === 0x45
  );
}

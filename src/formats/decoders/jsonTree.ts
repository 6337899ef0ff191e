// Parses strict JSON to a tree with the offsets of all values, so that they can be copied verbatim and edited in place.

import { endOfString } from "../../core/json/jsonObjectText.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DIGITS,
  LETTERS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from "../scanner/charCodes.ts";
import { StopTable } from "../scanner/Source.ts";
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

/** A complete text that was read as one value. */
export interface ValueText extends ValueAt {
  /** Stable codes of the repairs; empty if there were none. */
  readonly repairs: readonly string[];
}

/** Returns true if `text` is strict JSON of any depth. */
export function isStrictJson(text: string): boolean {
  if (BROKEN_START.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A bracket and a character that never follows it in strict JSON. The cheap test saves an error with its stack. */
const BROKEN_START = /^(?:\{\s*[^\s"}]|\[\s*[^\s"{[\]\-\dtfn])/;

/** Reads the text as one value; undefined if it is not strict JSON, or exceeds `maxJsonDepth` or `maxJsonValues`. */
export function readValue(text: string): ValueText | undefined {
  return isStrictJson(text) ? parseStrictValue(text) : undefined;
}

/** Like `readValue`, for a text that was validated before, or written by a decoder that writes only strict JSON. Linear, no recursion. */
export function parseStrictValue(strictJson: string, repairs: readonly string[] = []): ValueText | undefined {
  const node = parseTree(strictJson);
  return node && { text: strictJson, node, repairs };
}

/** The characters of a value. */
export function sliceValue({ text, node }: ValueAt): string {
  return text.slice(node.start, node.end);
}

/** `{}`: arguments of a call without any. */
export const emptyObject: ValueText = {
  text: "{}",
  node: { kind: "object", start: 0, end: 2, members: [], elements: [] },
  repairs: [],
};

/** Returns true for the strict JSON of an object that has no spans only because of the number of its values. Parses only candidates. */
export function isOversizedObject(text: string): boolean {
  return /^\s*\{/.test(text) && mayBeOversized(text) && isStrictJson(text) && parseStrictValue(text) === undefined;
}

/** Returns true if the values outside strings may be too many and no level is too deep. */
function mayBeOversized(text: string): boolean {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length && depth <= maxJsonDepth; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COMMA) values += 1;
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth -= 1;
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      values += 1;
      depth += 1;
    }
  }
  return depth <= maxJsonDepth && values > maxJsonValues;
}

/** The string that a `string` node stands for. */
export function parseStringSpan(text: string, node: { readonly start: number; readonly end: number }): string {
  const inner = text.slice(node.start + 1, node.end - 1);
  return inner.includes("\\") ? String(JSON.parse(text.slice(node.start, node.end))) : inner;
}

/** The last member of that key, which is the one that counts. */
export function findMember(node: JsonNode, key: string): JsonMember | undefined {
  return node.members.findLast((member) => member.key === key);
}

/** Characters of numbers and of the three literals. */
const LITERAL = new StopTable(`${LETTERS}${DIGITS}+-.`);

interface OpenNode {
  readonly kind: "object" | "array";
  readonly start: number;
  end: number;
  readonly members: JsonMember[];
  readonly elements: JsonNode[];
  key: Omit<JsonMember, "value"> | undefined;
}

/** Parses a text that is known to be valid, so it examines only the characters that separate values. */
function parseTree(text: string): JsonNode | undefined {
  const open: OpenNode[] = [];
  let root: JsonNode | undefined;
  let values = 0;
  for (let at = 0; at < text.length; ) {
    if (values > maxJsonValues) return undefined;
    const start = at;
    const char = text.charCodeAt(at);
    if (char === COMMA || char === COLON || char <= 0x20) {
      at++;
      continue;
    }
    let parent = open.at(-1);
    let node: JsonNode | undefined;
    if (char === QUOTE) {
      at = endOfString(text, at) + 1;
      if (parent?.kind === "object" && !parent.key)
        parent.key = { key: parseStringSpan(text, { start, end: at }), keyStart: start, keyEnd: at };
      else node = scalar("string", start, at);
    } else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      if (open.length === maxJsonDepth) return undefined;
      const kind = char === OPEN_BRACE ? "object" : "array";
      open.push({ kind, start, end: 0, members: [], elements: [], key: undefined });
      at++;
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
      at++;
      open.pop();
      if (parent) parent.end = at;
      node = parent;
      parent = open.at(-1);
    } else {
      do at++;
      while (at < text.length && LITERAL.has(text.charCodeAt(at)));
      node = scalar(char === 0x6e ? "null" : char === 0x74 || char === 0x66 ? "boolean" : "number", start, at);
    }
    if (!node) continue;
    values++;
    if (!parent) root = node;
    else if (parent.kind === "array") parent.elements.push(node);
    else if (parent.key) {
      parent.members.push({ ...parent.key, value: node });
      parent.key = undefined;
    }
  }
  return root;
}

const noMembers: readonly JsonMember[] = [];
const noElements: readonly JsonNode[] = [];

function scalar(kind: JsonKind, start: number, end: number): JsonNode {
  return { kind, start, end, members: noMembers, elements: noElements };
}

/** A stretch of a text. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

/**
 * The outermost stretches of the text between an opening bracket or brace and its partner, `most` of them, in order, each character
 * looked at once. Double quotes count inside brackets only; a stretch with a wrong or missing partner is none.
 */
export function findBalancedRegions(text: string, most: number): readonly Region[] {
  const regions: Region[] = [];
  const open: number[] = [];
  let start = 0;
  for (let at = 0; at < text.length && regions.length < most; at++) {
    const char = text.charCodeAt(at);
    if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      if (open.length === 0) start = at;
      open.push(char + 2);
    } else if (open.length > 0 && char === QUOTE) {
      at = endOfString(text, at);
    } else if (open.length > 0 && (char === CLOSE_BRACE || char === CLOSE_BRACKET)) {
      if (open.pop() !== char) open.length = 0;
      else if (open.length === 0) regions.push({ start, end: at + 1 });
    }
  }
  return regions;
}

// One string of JSON-like model text, whatever its quotes: where it ends, and what it says. Refuses an end that would be a guess.
import { BACKSLASH } from "../text/codes.ts";
import { isBlank as isWhiteSpace } from "../text/whiteSpace.ts";

/** Full-width spellings of JSON's own punctuation. */
export const punctuation: ReadonlyMap<string, string> = new Map([
  ["｛", "{"],
  ["｝", "}"],
  ["［", "["],
  ["］", "]"],
  ["，", ","],
  ["：", ":"],
]);

/** What may close a string, by what opened it. */
export const closersOf: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["“", "”“"],
  ["”", "”"],
  ["„", "“”"],
  ["‘", "’‘"],
  ["«", "»"],
]);

/** White space, control characters and the zero-width space: whatever stands between tokens and says nothing. */
export function isBlank(char: string): boolean {
  return char !== "" && (char <= " " || char === "\u200b" || isWhiteSpace(char.charCodeAt(0)));
}

export function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && isBlank(text.charAt(at))) at++;
  return at;
}

interface StringContext {
  readonly isKey: boolean;
  /** The bracket that ends what the string stands in; undefined outside all brackets. */
  readonly closer: string | undefined;
}

interface ReadString {
  readonly json: string;
  readonly end: number;
  readonly repairs: ReadonlySet<string>;
}

/** Reads the string that opens at `start`; undefined where it does not end, or where its end is a guess. */
export function readString(text: string, start: number, context: StringContext): ReadString | undefined {
  const opener = text.charAt(start);
  const repairs = new Set(opener === '"' ? [] : ["quotes"]);
  const triple =
    (opener === '"' || opener === "'") && text.startsWith(opener.repeat(3), start) ? opener.repeat(3) : undefined;
  const closers = closersOf.get(opener) ?? opener;
  const out: string[] = [];
  let innerQuotes = 0;
  let at = start + (triple ? 3 : 1);
  while (at < text.length) {
    const plain = plainEnd(text, at, closers);
    if (plain > at) {
      out.push(text.slice(at, plain));
      at = plain;
      continue;
    }
    const char = text.charAt(at);
    if (char === "\\") {
      const mark = readEscape(text, at);
      if (mark.mended) repairs.add("escape");
      out.push(mark.value);
      at += mark.length;
    } else if (triple ? text.startsWith(triple, at) : closers.includes(char) && closes(text, at, context)) {
      if (innerQuotes % 2 === 1) return undefined;
      if (innerQuotes > 0) repairs.add("inner-quotes");
      return { json: JSON.stringify(out.join("")), end: at + (triple ? 3 : 1), repairs };
    } else {
      // An apostrophe between letters is no quotation mark; anything else has to come in pairs to be inside.
      if (!triple && closers.includes(char) && !isApostrophe(text, at)) {
        if (innerQuotes % 2 === 0 && !looksOpening(text, at, out.length === 0)) return undefined;
        innerQuotes++;
      }
      if (char < " ") repairs.add("control-character");
      out.push(char);
      at++;
    }
  }
  return undefined;
}

/** Where the characters end that are nothing but themselves: no closer, no backslash, no control character. */
function plainEnd(text: string, start: number, closers: string): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === BACKSLASH || code === closers.charCodeAt(0) || code === closers.charCodeAt(1)) break;
  }
  return at;
}

function isApostrophe(text: string, at: number): boolean {
  const char = text.charAt(at);
  return (
    (char === "'" || char === "’") && /[\p{L}\p{N}]/u.test(text.charAt(at - 1)) && /\p{L}/u.test(text.charAt(at + 1))
  );
}

/** How far behind a quote a key is looked for. */
const maxKeyLook = 128;

/** A quote closes if what follows it could follow a string at this place. */
function closes(text: string, at: number, context: StringContext): boolean {
  const next = skipBlanks(text, at + 1);
  const char = text.charAt(next);
  const plain = punctuation.get(char) ?? char;
  if (context.isKey) return plain === ":";
  if (plain === context.closer || plain === "") return true;
  const inObject = context.closer === "}";
  if (plain === ",") return !inObject || looksLikeMember(text, next + 1);
  if (char === "/" || char === "#") return text.startsWith("//", next) || text.startsWith("/*", next) || char === "#";
  if (char === "+") return true;
  if (char === "\\") return text.charAt(next + 1) === "n";
  // A missing comma, where another member begins on the far side of a blank.
  return inObject && next > at + 1 && looksLikeMember(text, next);
}

/** Whether a quote inside a string opens an inner quotation: behind a blank or a bracket, before something. */
function looksOpening(text: string, at: number, isFirst: boolean): boolean {
  const after = text.charAt(at + 1);
  return (isFirst || /[\s([{=,:;<>/\-\u2014]/.test(text.charAt(at - 1))) && !isBlank(after);
}

/** Whether `"key":`, `key:`, a closer or a comment comes next. */
function looksLikeMember(text: string, start: number): boolean {
  const at = skipBlanks(text, start);
  const look = text.slice(at, at + maxKeyLook);
  if (look === "") return true;
  return /^(?:[}｝\])\\/#,]|(["'`“”„‘«])[^"'`”“’»{}[\]:：,]{0,100}["'`”“’»][\s\x85]*[:：]|[\p{L}_$][\p{L}\p{N}_$.-]*[\s\x85]*[:：])/u.test(
    look,
  );
}

interface Escape {
  readonly value: string;
  readonly length: number;
  readonly mended: boolean;
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** Marks that Markdown and Python habits put a backslash before. */
const needlessEscapes = "_*'$`“”‘’";

function readEscape(text: string, at: number): Escape {
  const char = text.charAt(at + 1);
  const simple = simpleEscapes.get(char);
  if (simple !== undefined) return { value: simple, length: 2, mended: false };
  const code = /^(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/.exec(text.slice(at + 1, at + 6));
  const digits = code?.[1] ?? code?.[2];
  if (digits !== undefined) {
    return {
      value: String.fromCharCode(Number.parseInt(digits, 16)),
      length: digits.length + 2,
      mended: code?.[1] === undefined,
    };
  }
  if (char !== "" && needlessEscapes.includes(char)) return { value: char, length: 2, mended: true };
  return { value: "\\", length: 1, mended: true };
}

// Reads tokens of JSON and Python as models write them: strings in any quotes, bare words, numbers and constants in other spellings.
// Refuses ambiguous tokens and never computes a value.
import { isBlank as isWhiteSpace } from "../scanner/whitespace.ts";
import {
  isBlankCharacter,
  looseJson,
  python,
  type QuoteOpening,
  readQuoted,
  type StringRead,
} from "./quotedStrings.ts";

/** Full-width spellings of JSON's own punctuation. */
export const punctuation: ReadonlyMap<string, string> = new Map(
  [..."｛｝［］，："].map((wide, at) => [wide, "{}[],:".charAt(at)]),
);

/** Quotes that may close a string, by its opening quote. */
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

export function skipJsonBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && isBlankCharacter(text.charAt(at))) at++;
  return at;
}

/** Position of a token. */
interface Context {
  readonly isKey: boolean;
  /** The bracket that ends the enclosing value; undefined outside all brackets. */
  readonly closer: string | undefined;
}

export interface Token {
  readonly json: string;
  readonly end: number;
  readonly repairs: readonly string[];
}

/** Reads the string that opens at `start`; undefined if it does not end, or if its end is a guess. */
export function readLooseString(text: string, start: number, context: Context): Token | undefined {
  const marker = text.charAt(start);
  const isTriple = (marker === '"' || marker === "'") && text.startsWith(marker.repeat(3), start);
  const opening: QuoteOpening = {
    start: start + (isTriple ? 3 : 1),
    closingQuotes: closersOf.get(marker) ?? marker,
    isTriple,
  };
  const read = readQuoted(text, opening, looseJson, (after) => isStringClosed(text, after, context));
  if (!read) return undefined;
  const repairs = [
    ...(marker === '"' ? [] : ["quotes"]),
    ...read.repairs,
    ...(read.paired > 0 ? ["inner-quotes"] : []),
  ];
  return { json: JSON.stringify(read.value), end: read.end, repairs };
}

/** Number of characters after a quote in which a key is searched. */
const maxKeyLook = 128;

/** Returns true if the text after a quote could follow a string at this position. */
function isStringClosed(text: string, after: number, { isKey, closer }: Context): boolean {
  const next = skipJsonBlanks(text, after);
  const char = text.charAt(next);
  const plain = punctuation.get(char) ?? char;
  if (isKey) return plain === ":";
  if (plain === closer || plain === "" || plain === "#" || plain === "+") return true;
  const isInObject = closer === "}";
  if (plain === ",") return !isInObject || isMemberLike(text, next + 1);
  if (char === "/") return text.startsWith("//", next) || text.startsWith("/*", next);
  if (char === "\\") return text.charAt(next + 1) === "n";
  // A comma is missing if another member begins after a blank.
  return isInObject && next > after && isMemberLike(text, next);
}

/** Returns true if `"key":`, `key:`, a closer or a comment comes next. */
function isMemberLike(text: string, start: number): boolean {
  const at = skipJsonBlanks(text, start);
  const preview = text.slice(at, at + maxKeyLook);
  return (
    preview === "" ||
    /^(?:[}｝\])\\/#,]|(["'`“”‘„«])[^"'`”“’»{}[\]:：,]{0,100}["'`”“’»][\s\x85]*[:：]|[\p{L}_$][\p{L}\p{N}_$.-]*[\s\x85]*[:：])/u.test(
      preview,
    )
  );
}

/** Reads the bare word at `start`. A value may have several words ("city: New York"); a key has one. */
export function readLooseWord(text: string, start: number, { isKey, closer }: Context): Token | undefined {
  let end = start;
  while (end < text.length && !isWordEnd(text, end)) end++;
  const word = text.slice(start, end).trimEnd();
  const formatted = isKey ? formatKey(word) : formatValue(word, closer !== undefined);
  if (!formatted) return undefined;
  const [json, repair] = formatted;
  return { json, end: start + word.length, repairs: repair === undefined ? [] : [repair] };
}

function isWordEnd(text: string, at: number): boolean {
  const char = text.charAt(at);
  if (char === "/") return text[at + 1] === "/" || text[at + 1] === "*";
  return "{}[](),:;#\\\n".includes(char) || closersOf.has(char) || punctuation.has(char);
}

type Spelled = readonly [json: string, repair?: string];

function formatKey(word: string): Spelled | undefined {
  if (word.length > 256 || !/^[\p{L}\p{N}_$.-]+$/u.test(word)) return undefined;
  return [JSON.stringify(word), "bare-key"];
}

/** Spells a bare value. Text that is neither constant nor number stays, so that fitting refuses it unless a string is accepted. */
function formatValue(word: string, isInside: boolean): Spelled | undefined {
  const constant = WORDS.get(/^[A-Z]+$/.test(word) ? word.toLowerCase() : word);
  if (constant !== undefined) return constant === word ? [word] : [constant, "python-literal"];
  if (word.length > 1000) return undefined;
  const number = formatDecimal(word);
  if (number === word) return [word];
  if (!isInside) return undefined;
  if (number !== undefined) return [number, "number-spelling"];
  if (!/^[\p{L}\p{N}_$.\-+%@ ]+$/u.test(word)) return undefined;
  // Several words are a phrase if they begin with a letter and contain no operator: `x + 1` and `1 2` are none.
  if (/ [+%-]|[+%-] |^[^\p{L}]+ /u.test(word) || !/[\p{L}\p{N}]/u.test(word)) return undefined;
  return [JSON.stringify(word), "bare-word"];
}

/** Spells a decimal number as JSON does, with a digit on both sides of a point and no plus; undefined for anything else. */
function formatDecimal(lexeme: string): string | undefined {
  const [, sign, whole = "", fraction = "", exponent = ""] = DECIMAL.exec(lexeme) ?? [];
  if (sign === undefined || (whole === "" && fraction.length < 2)) return undefined;
  return `${sign === "-" ? "-" : ""}${whole || "0"}${fraction === "." ? ".0" : fraction}${exponent}`;
}

const DECIMAL = /^([+-]?)(0|[1-9]\d*)?(\.\d*)?([eE][+-]?\d+)?$/;

/** Skips white space, invisible characters, comments, continued lines and a Markdown backslash before a bracket. */
export function skipSpace(text: string, at: number): number {
  let i = skipBlankCharacters(text, at);
  while (text[i] === "#") {
    const lineEnd = text.indexOf("\n", i);
    i = lineEnd < 0 ? text.length : skipBlankCharacters(text, lineEnd);
  }
  return i;
}

/** The same without comments: repeated calls read no line twice. */
export function skipBlankCharacters(text: string, at: number): number {
  let i = at;
  for (; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === "\\") {
      const next = text.charAt(i + 1);
      if (next !== "" && "[](){}".includes(next)) return i + 1;
      if (next !== "\n" && next !== "\r") return i;
    } else if (c > " " && !INVISIBLE.includes(c) && !isWhiteSpace(text.charCodeAt(i))) return i;
  }
  return i;
}

/** A name, dots, dashes and slashes included; `\_` is the Markdown habit of some models for `_`. */
export function readName(
  text: string,
  at: number,
): { readonly name: string; readonly end: number; readonly isEscaped: boolean } | undefined {
  NAME.lastIndex = at;
  const lexeme = NAME.exec(text)?.[0];
  if (lexeme === undefined) return undefined;
  const name = lexeme.replaceAll("\\_", "_");
  return { name, end: at + lexeme.length, isEscaped: name !== lexeme };
}

/** Returns true if a string literal starts, including its prefix. */
export function isStringStart(text: string, at: number): boolean {
  return matchOpening(text, at) !== undefined;
}

/** Reads a string literal with its escapes resolved. Without `closesAt`, every quote closes it. Undefined if a value would have to be computed. */
export function readString(
  text: string,
  at: number,
  isClosedAt: (after: number) => boolean = () => true,
): StringRead | undefined {
  const opening = matchOpening(text, at);
  return opening && readQuoted(text, opening, python, isClosedAt);
}

/**
 * Reads a number with its digits unchanged. A number that JSON cannot express (`1_000`, `0x1F`, `007`, `1e309`) becomes a JSON string of
 * the lexeme, and the schema decides. Undefined for other text, and for a chain of signs, which is arithmetic.
 */
export function readNumber(text: string, at: number): { readonly json: string; readonly end: number } | undefined {
  const hasSign = text[at] === "-" || text[at] === "+";
  const start = hasSign ? skipBlankCharacters(text, at + 1) : at;
  NUMBER.lastIndex = start;
  const lexeme = NUMBER.exec(text)?.[0];
  if (lexeme === undefined) return undefined;
  const end = start + lexeme.length;
  const formatted = (text[at] === "-" ? "-" : "") + lexeme;
  const decimal = formatDecimal(formatted);
  if (decimal !== undefined && Number.isFinite(Number(decimal))) return { json: decimal, end };
  return decimal !== undefined || ODD_NUMBER.test(lexeme) ? { json: JSON.stringify(formatted), end } : undefined;
}

/** Returns `True`, `null`, `inf` … as JSON text; undefined for any other word. */
export function toWordLiteral(word: string): string | undefined {
  return WORDS.get(word) ?? (ODD_FLOATS.has(word) ? JSON.stringify(word) : undefined);
}

/** Characters without a width that are no white space. */
const INVISIBLE = "\u200b\u200c\u200d\u2060";
const NAME = /(?:[\p{L}_]|\\_)(?:[\p{L}\p{N}_./-]|\\_)*/uy;
const NUMBER = /0[xXoObB][0-9a-zA-Z_]*|(?:[0-9]|\.[0-9])[0-9_.]*(?:[eE][+-]?[0-9_]+)?[a-zA-Z_]*/y;
const ODD_NUMBER =
  /^(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9]+(?:_[0-9]+)*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]+)?)$/;
const WORDS: ReadonlyMap<string, string> = new Map([
  ["True", "true"],
  ["true", "true"],
  ["False", "false"],
  ["false", "false"],
  ["None", "null"],
  ["null", "null"],
]);
const ODD_FLOATS: ReadonlySet<string> = new Set(["inf", "nan", "NaN", "Infinity"]);

function matchOpening(text: string, at: number): QuoteOpening | undefined {
  let i = at;
  while (i < at + 2 && i < text.length && "rRbBuUfF".includes(text.charAt(i))) i++;
  const marker = text.charAt(i);
  if (marker !== "'" && marker !== '"') return undefined;
  const prefix = text.slice(at, i).toLowerCase();
  const isTriple = text.startsWith(marker.repeat(3), i);
  const start = i + (isTriple ? 3 : 1);
  return { start, closingQuotes: marker, isTriple, isRaw: prefix.includes("r"), isFormat: prefix.includes("f") };
}

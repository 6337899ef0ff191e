// Python's words, numbers, strings and spaces at a place of a text. Knows nothing of calls, and never computes a value.
import { isBlank } from "../text/whiteSpace.ts";

/** A JSON text that was read, and where the text goes on. */
interface LiteralRead {
  readonly json: string;
  readonly end: number;
}

export interface StringRead {
  /** The characters that the string means, escapes resolved. */
  readonly value: string;
  readonly end: number;
  readonly repairs: readonly string[];
}

/** Skips white space, invisible characters, comments, continued lines and a Markdown backslash before a bracket. */
export function skipSpace(text: string, at: number): number {
  let i = skipBlanks(text, at);
  while (text[i] === "#") {
    const lineEnd = text.indexOf("\n", i);
    i = lineEnd < 0 ? text.length : skipBlanks(text, lineEnd);
  }
  return i;
}

/** The same without comments: what may be asked again and again without reading a line twice. */
export function skipBlanks(text: string, at: number): number {
  let i = at;
  for (; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === "\\") {
      const next = text.charAt(i + 1);
      if (next !== "" && "[](){}".includes(next)) return i + 1;
      if (next !== "\n" && next !== "\r") return i;
    } else if (c > " " && !INVISIBLE.includes(c) && !isBlank(text.charCodeAt(i))) return i;
  }
  return i;
}

/** A name, dots, dashes and slashes included; `\_` is the Markdown habit of some models for `_`. */
export function readName(
  text: string,
  at: number,
): { readonly name: string; readonly end: number; readonly escaped: boolean } | undefined {
  NAME.lastIndex = at;
  const lexeme = NAME.exec(text)?.[0];
  if (lexeme === undefined) return undefined;
  const name = lexeme.replaceAll("\\_", "_");
  return { name, end: at + lexeme.length, escaped: name !== lexeme };
}

/** True where a string literal starts, prefix included. */
export function startsString(text: string, at: number): boolean {
  return quoteOf(text, at) !== undefined;
}

/**
 * A string literal with its escapes resolved. `closesAt(after)` decides whether a quote that ends before `after` closes
 * the string, for texts whose inner quotes nobody escaped; without it every quote does. Undefined for an open string,
 * an f-string with a field, `\N{…}`, and for inner quotes that are neither apostrophes nor pairs.
 */
export function readString(
  text: string,
  at: number,
  closesAt: ((after: number) => boolean) | undefined,
): StringRead | undefined {
  const quote = quoteOf(text, at);
  if (!quote) return undefined;
  const repairs = new Set<string>();
  let value = "";
  let from = quote.start;
  let unpaired = 0;
  let i = quote.start;
  while (i < text.length) {
    const c = text.charAt(i);
    if (c === quote.mark.charAt(0) && text.startsWith(quote.mark, i)) {
      const end = i + quote.mark.length;
      if (quote.mark.length === 3 || closesAt === undefined || closesAt(end)) {
        if (unpaired % 2 === 1) return undefined;
        return { value: value + text.slice(from, i), end, repairs: [...repairs] };
      }
      repairs.add("unescaped-quote");
      if (!isWordCharacter(text[i - 1]) || !isWordCharacter(text[i + 1])) unpaired++;
      i = end;
    } else if (c === "\\" && quote.raw) {
      i += 2;
    } else if (c === "\\") {
      const escaped = readEscape(text, i);
      if (!escaped) return undefined;
      if (escaped.repair !== undefined) repairs.add(escaped.repair);
      value += text.slice(from, i) + escaped.value;
      from = escaped.end;
      i = from;
    } else if (quote.format && (c === "{" || c === "}")) {
      return undefined;
    } else {
      if (c === "\n" && quote.mark.length === 1) repairs.add("raw-newline");
      i++;
    }
  }
  return undefined;
}

/**
 * A number, its digits kept. What JSON has no number for (`1_000`, `0x1F`, `007`, `1e309`) becomes a JSON string of the
 * lexeme, for the schema to judge. Undefined for what is no number, and for a chain of signs, which is arithmetic.
 */
export function readNumber(text: string, at: number): LiteralRead | undefined {
  const signed = text[at] === "-" || text[at] === "+";
  const start = signed ? skipBlanks(text, at + 1) : at;
  NUMBER.lastIndex = start;
  const lexeme = NUMBER.exec(text)?.[0];
  if (lexeme === undefined) return undefined;
  const end = start + lexeme.length;
  const sign = text[at] === "-" ? "-" : "";
  const decimal = DECIMAL.exec(lexeme);
  if (decimal) {
    const [, whole = "", point = "", exponent = ""] = decimal;
    const json = `${sign}${whole || "0"}${point === "." ? ".0" : point}${exponent}`;
    if ((whole || point.length > 1) && Number.isFinite(Number(json))) return { json, end };
  }
  return ODD_NUMBER.test(lexeme) || decimal?.[3] || decimal?.[1]
    ? { json: JSON.stringify(sign + lexeme), end }
    : undefined;
}

/** `True`, `null`, `inf` … as JSON text; undefined for any other word. */
export function literalOfWord(word: string): string | undefined {
  return WORDS.get(word);
}

/** Characters without a width that are no white space. */
const INVISIBLE = "\u200b\u200c\u200d\u2060";
const NAME = /(?:[\p{L}_]|\\_)(?:[\p{L}\p{N}_./-]|\\_)*/uy;
const NUMBER = /0[xXoObB][0-9a-zA-Z_]*|(?:[0-9]|\.[0-9])[0-9_.]*(?:[eE][+-]?[0-9_]+)?[a-zA-Z_]*/y;
const DECIMAL = /^(0|[1-9][0-9]*)?(\.[0-9]*)?([eE][+-]?[0-9]+)?$/;
const ODD_NUMBER =
  /^(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9]+(?:_[0-9]+)*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]+)?)$/;
const WORDS: ReadonlyMap<string, string> = new Map([
  ["True", "true"],
  ["true", "true"],
  ["False", "false"],
  ["false", "false"],
  ["None", "null"],
  ["null", "null"],
  ...["inf", "nan", "NaN", "Infinity"].map((word) => [word, JSON.stringify(word)] as const),
]);
const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["a", "\u0007"],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["\n", ""],
]);

function quoteOf(
  text: string,
  at: number,
): { readonly mark: string; readonly start: number; readonly raw: boolean; readonly format: boolean } | undefined {
  let i = at;
  while (i < at + 2 && i < text.length && "rRbBuUfF".includes(text.charAt(i))) i++;
  const c = text.charAt(i);
  if (c !== "'" && c !== '"') return undefined;
  const prefix = text.slice(at, i).toLowerCase();
  const mark = text.startsWith(c.repeat(3), i) ? c.repeat(3) : c;
  return { mark, start: i + mark.length, raw: prefix.includes("r"), format: prefix.includes("f") };
}

function readEscape(
  text: string,
  at: number,
): { readonly value: string; readonly end: number; readonly repair?: string } | undefined {
  const c = text.charAt(at + 1);
  const simple = SIMPLE_ESCAPES.get(c);
  if (simple !== undefined) return { value: simple, end: at + 2 };
  if (c === "_") return { value: "_", end: at + 2, repair: "markdown-escape" };
  if (c === "N" && text[at + 2] === "{") return undefined;
  const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0];
  if (octal) return { value: String.fromCharCode(Number.parseInt(octal, 8)), end: at + 1 + octal.length };
  const width = c === "x" ? 2 : c === "u" ? 4 : c === "U" ? 8 : 0;
  const digits = text.slice(at + 2, at + 2 + width);
  if (width > 0 && digits.length === width && /^[0-9a-fA-F]+$/.test(digits)) {
    const code = Number.parseInt(digits, 16);
    if (code <= 0x10ffff) return { value: String.fromCodePoint(code), end: at + 2 + width };
  }
  return { value: "\\", end: at + 1 };
}

function isWordCharacter(c: string | undefined): boolean {
  return c !== undefined && /[\p{L}\p{N}]/u.test(c);
}

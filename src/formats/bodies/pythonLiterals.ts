// Python's words, numbers, strings and spaces at a place of a text. Knows nothing of calls, and never computes a value.
import { isBlank } from "../text/whiteSpace.ts";
import { spellDecimal } from "./looseTokens.ts";
import { type Opening, python, readQuoted, type StringRead } from "./quotedStrings.ts";

/** A JSON text that was read, and where the text goes on. */
interface LiteralRead {
  readonly json: string;
  readonly end: number;
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
  return openingAt(text, at) !== undefined;
}

/** A string literal with its escapes resolved; without `closesAt`, every quote closes it. Undefined for what would have to be computed. */
export function readString(
  text: string,
  at: number,
  closesAt: (after: number) => boolean = () => true,
): StringRead | undefined {
  const opening = openingAt(text, at);
  return opening && readQuoted(text, opening, python, closesAt);
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
  const spelled = (text[at] === "-" ? "-" : "") + lexeme;
  const decimal = spellDecimal(spelled);
  if (decimal !== undefined && Number.isFinite(Number(decimal))) return { json: decimal, end };
  return decimal !== undefined || ODD_NUMBER.test(lexeme) ? { json: JSON.stringify(spelled), end } : undefined;
}

/** `True`, `null`, `inf` … as JSON text; undefined for any other word. */
export function literalOfWord(word: string): string | undefined {
  return WORDS.get(word);
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
  ...["inf", "nan", "NaN", "Infinity"].map((word) => [word, JSON.stringify(word)] as const),
]);

function openingAt(text: string, at: number): Opening | undefined {
  let i = at;
  while (i < at + 2 && i < text.length && "rRbBuUfF".includes(text.charAt(i))) i++;
  const mark = text.charAt(i);
  if (mark !== "'" && mark !== '"') return undefined;
  const prefix = text.slice(at, i).toLowerCase();
  const isTriple = text.startsWith(mark.repeat(3), i);
  const start = i + (isTriple ? 3 : 1);
  return { start, closers: mark, isTriple, isRaw: prefix.includes("r"), isFormat: prefix.includes("f") };
}

// Python's words, numbers, strings and spaces at a place of a text, and where a value ends that nobody quoted or escaped. Knows nothing of calls,
// and never computes a value.
import { isBlank } from "../text/whiteSpace.ts";
import { spellDecimal } from "./looseTokens.ts";
import { type Opening, python, readQuoted, type StringRead } from "./quotedStrings.ts";
import type { Place } from "./ValueReader.ts";

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

/** Whether the quote before `after` closes a string in `place`: what follows must be the syntax of that place. */
export function closesValue(text: string, after: number, place: Place): boolean {
  const at = skipBlanks(text, after);
  const c = text.charAt(at);
  if (place.type === "key") return c === ":" || c === "}" || (c === "," && startsLiteral(text, at + 1));
  if (place.type === "argument" && c === ")") return endsCall(text, at + 1);
  if (c === place.closer) return true;
  if (c !== ",") return false;
  const next = skipBlanks(text, at + 1);
  if (text[next] === place.closer || (place.type === "argument" && startsKeyword(text, next, place.known))) return true;
  return (place.type !== "argument" || place.key === undefined) && startsLiteral(text, next);
}

/** Whether the quote before `after` closes a string that holds a call, or is a call's quoted name. */
export function closesItem(text: string, after: number): boolean {
  const at = skipBlanks(text, after);
  if (text[after - 2] !== ")") return text[at] === "(";
  const c = text.charAt(at);
  if (c !== "," && c !== ";") return c === "" || c === "]" || c === "}" || c === ")";
  return /^['"[({\])}]?$/.test(text.charAt(skipBlanks(text, at + 1)));
}

/** Whether a value that was read up to `at` is whole, or was only the start of bare words. */
export function endsValue(text: string, at: number, place: Place): boolean {
  const c = text.charAt(skipBlanks(text, at));
  if (place.type === "element") return c === "," || c === place.closer;
  return c === "," || c === ")" || c === "}" || c === ":" || c === "#";
}

/** The end of an unquoted text from `at`: a closer, or a comma before what the schema knows as the next parameter. */
export function bareEnd(text: string, at: number, place: Place): number | undefined {
  const element = place.type === "element";
  if (!element && !(place.type === "argument" && place.key !== undefined && place.known?.has(place.key)))
    return undefined;
  for (let i = at; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === place.closer) return i;
    if (c === "," && (element || startsKeyword(text, skipBlanks(text, i + 1), place.known))) return i;
    if ("()[]{}".includes(c)) return undefined;
  }
  return undefined;
}

/**
 * Whether an unquoted text can only be meant as a string: two plain words side by side, a capitalised word, a date, a
 * character that no identifier has. What Python could evaluate (a variable, an attribute, arithmetic) is none.
 */
export function isBareString(text: string): boolean {
  if (text === "" || /[()[\]{}<>=+*|^~%\\"`;#\n]|\$[\p{L}_]/u.test(text)) return false;
  if (/(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/u.test(text)) return false;
  const words = text.split(/\s+/u);
  if (words.some((word, i) => isPlainWord(word) && !/[,:&/-]$/.test(word) && isPlainWord(words[i + 1] ?? ""))) {
    return true;
  }
  if (words.some((word) => OPERATORS.has(word))) return false;
  if (CAPITALISED.test(text)) return !/^[A-Z0-9]*_[A-Z0-9_]*$/.test(text);
  return words.length === 1 && (DATE_TIME_OR_AMOUNT.test(text) || EMAIL.test(text));
}

/** Whether a text is a word that is a string or a variable: its neighbours in the call decide. */
export function isDoubtfulWord(text: string): boolean {
  return /^\p{L}[\p{L}\p{N}_]*(?:[/-][\p{L}\p{N}_]+)*$/u.test(text) && !OPERATORS.has(text);
}

/** Whether a text has neither quotes nor brackets nor a sign that assigns: as a value it is its own characters. */
export function isPlainText(text: string): boolean {
  return text !== "" && !/[()[\]{}<>="'`;\\\n]/.test(text);
}

const OPERATORS: ReadonlySet<string> = new Set("and or not if else for in is lambda await yield async from".split(" "));
const CAPITALISED = /^\p{Lu}[\p{L}\p{N}_'-]*(?:, ?\p{Lu}[\p{L}\p{N}_'-]*)*$/u;
const DATE_TIME_OR_AMOUNT =
  /^(?:\d{4}-\d{2}-\d{2}|\d+[ap]m|\d{1,2}:\d{2}(?::\d{2})?|[\p{L}\p{N}.,]*[$?!°€£][\p{L}\p{N}.,]*)$/iu;
const EMAIL = /^[\w.+-]+@[\w-]+\.[\w.-]+$/;

function startsKeyword(text: string, at: number, known: ReadonlySet<string> | undefined): boolean {
  const word = readName(text, at);
  if (!word || (known && known.size > 0 && !known.has(word.name))) return false;
  const sign = skipBlanks(text, word.end);
  return text[sign] === "=" && text[sign + 1] !== "=";
}

function startsLiteral(text: string, at: number): boolean {
  return /^['"[{(\d-]$/.test(text.charAt(skipBlanks(text, at)));
}

/** Behind a call's `)` comes the end, a line's end, a separator or another closer. */
function endsCall(text: string, at: number): boolean {
  const next = skipBlanks(text, at);
  const c = text.charAt(next);
  return c === "" || ",;])}'\"#".includes(c) || text.slice(at, next).includes("\n");
}

function isPlainWord(word: string): boolean {
  return /^[\p{L}\p{N}$][\p{L}\p{N}_.,:&!?'/-]*$/u.test(word) && !OPERATORS.has(word);
}

// Where a Python value ends that nobody quoted or escaped: looks at the text ahead and at the schema. Reads no value itself.
import { readName, skipBlanks } from "./pythonLiterals.ts";
import type { Place } from "./ValueReader.ts";

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

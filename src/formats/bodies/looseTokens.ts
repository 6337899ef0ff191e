// Tokens of JSON as models write it: strings in any quotes, bare words, numbers and constants in other spellings. Refuses what could be two things.
import { isBlank, looseJson, type Opening, readQuoted } from "./quotedStrings.ts";

/** Full-width spellings of JSON's own punctuation. */
export const punctuation: ReadonlyMap<string, string> = new Map(
  [..."｛｝［］，："].map((wide, at) => [wide, "{}[],:".charAt(at)]),
);

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

export function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && isBlank(text.charAt(at))) at++;
  return at;
}

/** Where a token stands. */
interface Context {
  readonly isKey: boolean;
  /** The bracket that ends what it stands in; undefined outside all brackets. */
  readonly closer: string | undefined;
}

export interface Token {
  readonly json: string;
  readonly end: number;
  readonly repairs: readonly string[];
}

/** The string that opens at `start`; undefined where it does not end, or where its end is a guess. */
export function looseString(text: string, start: number, context: Context): Token | undefined {
  const mark = text.charAt(start);
  const isTriple = (mark === '"' || mark === "'") && text.startsWith(mark.repeat(3), start);
  const opening: Opening = { start: start + (isTriple ? 3 : 1), closers: closersOf.get(mark) ?? mark, isTriple };
  const read = readQuoted(text, opening, looseJson, (after) => closes(text, after, context));
  if (!read) return undefined;
  const repairs = [...(mark === '"' ? [] : ["quotes"]), ...read.repairs, ...(read.paired > 0 ? ["inner-quotes"] : [])];
  return { json: JSON.stringify(read.value), end: read.end, repairs };
}

/** How far behind a quote a key is looked for. */
const maxKeyLook = 128;

/** A quote closes if what follows it could follow a string at this place. */
function closes(text: string, after: number, { isKey, closer }: Context): boolean {
  const next = skipBlanks(text, after);
  const char = text.charAt(next);
  const plain = punctuation.get(char) ?? char;
  if (isKey) return plain === ":";
  if (plain === closer || plain === "" || plain === "#" || plain === "+") return true;
  const inObject = closer === "}";
  if (plain === ",") return !inObject || looksLikeMember(text, next + 1);
  if (char === "/") return text.startsWith("//", next) || text.startsWith("/*", next);
  if (char === "\\") return text.charAt(next + 1) === "n";
  // A missing comma, where another member begins on the far side of a blank.
  return inObject && next > after && looksLikeMember(text, next);
}

/** Whether `"key":`, `key:`, a closer or a comment comes next. */
function looksLikeMember(text: string, start: number): boolean {
  const at = skipBlanks(text, start);
  const look = text.slice(at, at + maxKeyLook);
  return (
    look === "" ||
    /^(?:[}｝\])\\/#,]|(["'`“”‘„«])[^"'`”“’»{}[\]:：,]{0,100}["'`”“’»][\s\x85]*[:：]|[\p{L}_$][\p{L}\p{N}_$.-]*[\s\x85]*[:：])/u.test(
      look,
    )
  );
}

/** The bare word at `start`. A value may be of several words ("city: New York"); a key is one. */
export function looseWord(text: string, start: number, { isKey, closer }: Context): Token | undefined {
  let end = start;
  while (end < text.length && !endsWord(text, end)) end++;
  const word = text.slice(start, end).trimEnd();
  const spelled = isKey ? spellKey(word) : spellValue(word, closer !== undefined);
  if (!spelled) return undefined;
  const [json, repair] = spelled;
  return { json, end: start + word.length, repairs: repair === undefined ? [] : [repair] };
}

function endsWord(text: string, at: number): boolean {
  const char = text.charAt(at);
  if (char === "/") return text[at + 1] === "/" || text[at + 1] === "*";
  return "{}[](),:;#\\\n".includes(char) || closersOf.has(char) || punctuation.has(char);
}

type Spelled = readonly [json: string, repair?: string];

function spellKey(word: string): Spelled | undefined {
  if (word.length > 256 || !/^[\p{L}\p{N}_$.-]+$/u.test(word)) return undefined;
  return [JSON.stringify(word), "bare-key"];
}

const constants: ReadonlyMap<string, Spelled> = new Map([
  ["true", ["true"]],
  ["false", ["false"]],
  ["null", ["null"]],
  ["True", ["true", "python-literal"]],
  ["False", ["false", "python-literal"]],
  ["None", ["null", "python-literal"]],
  ["TRUE", ["true", "python-literal"]],
  ["FALSE", ["false", "python-literal"]],
  ["NULL", ["null", "python-literal"]],
]);

/** A bare value. What is neither constant nor number stays its own text, so that fitting refuses it wherever no string is wanted. */
function spellValue(word: string, isInside: boolean): Spelled | undefined {
  const constant = constants.get(word);
  if (constant || word.length > 1000) return constant;
  const number = spellDecimal(word);
  if (number === word) return [word];
  if (!isInside) return undefined;
  if (number !== undefined) return [number, "number-spelling"];
  if (!/^[\p{L}\p{N}_$.\-+%@ ]+$/u.test(word)) return undefined;
  // Several words are a phrase if they begin with a letter and hold no operator: `x + 1` and `1 2` are none.
  if (/ [+%-]|[+%-] |^[^\p{L}]+ /u.test(word) || !/[\p{L}\p{N}]/u.test(word)) return undefined;
  return [JSON.stringify(word), "bare-word"];
}

/** A decimal number in JSON's spelling, which wants a digit on both sides of a point and no plus; undefined for anything else. */
export function spellDecimal(lexeme: string): string | undefined {
  const [, sign, whole = "", fraction = "", exponent = ""] = DECIMAL.exec(lexeme) ?? [];
  if (sign === undefined || (whole === "" && fraction.length < 2)) return undefined;
  return `${sign === "-" ? "-" : ""}${whole || "0"}${fraction === "." ? ".0" : fraction}${exponent}`;
}

const DECIMAL = /^([+-]?)(0|[1-9]\d*)?(\.\d*)?([eE][+-]?\d+)?$/;

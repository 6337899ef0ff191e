// Reads literal values of Python as JSON text. Never evaluates anything; a callback reads calls.
import { maxJsonDepth } from "./bodyLimits.ts";
import type { Argument } from "./CallCandidate.ts";
import { type Literal, type LiteralPosition, LiteralReader, toListLiteral, toLiteral } from "./LiteralReader.ts";
import {
  isStringStart,
  readName,
  readNumber,
  readString,
  skipBlankCharacters,
  skipSpace,
  toWordLiteral,
} from "./lenientTokens.ts";

/**
 * Tolerated errors: none; unescaped quotes and bare words that can only be strings; also doubtful bare words, if the rest of their call
 * quotes nothing; any text without syntax of its own, for calls inside quotes, whose inner quotes models omit.
 */
export type PythonTolerance = "strict" | "tolerant" | "unquoted" | "bare";

const KEY: LiteralPosition = { type: "key", closer: "}" };
const MEMBER: LiteralPosition = { type: "member", closer: "}" };
const TUPLE: LiteralPosition = { type: "element", closer: ")" };
const ASSIGN = /[=:](?!=)/y;

export abstract class PythonLiteralReader extends LiteralReader {
  readonly #tolerance: PythonTolerance;
  /** The longest first. */
  readonly #offered: readonly string[];
  /** Counts of value styles since the last call. They decide about doubtful bare words. */
  #style = { quoted: 0, bare: 0, doubtful: 0 };

  constructor(text: string, tolerance: PythonTolerance, offered: readonly string[]) {
    super(text, maxJsonDepth);
    this.#tolerance = tolerance;
    this.#offered = offered.filter((name) => name !== "").sort((a, b) => b.length - a.length);
  }

  /** Reads a nested call from after its `(`, or refuses it. */
  protected abstract nested(name: string, depth: number): Literal | undefined;

  override space(): void {
    this.at = skipSpace(this.text, this.at);
  }

  protected takeStyle(): Readonly<Record<"quoted" | "bare" | "doubtful", number>> {
    const style = this.#style;
    this.#style = { quoted: 0, bare: 0, doubtful: 0 };
    return style;
  }

  /** `=` or `:`, but no comparison. */
  protected takeAssign(): boolean {
    return this.match(ASSIGN) !== undefined;
  }

  /** `key =` or `key:`. */
  protected takeKeyword(): string | undefined {
    const start = this.at;
    const word = readName(this.text, start);
    if (!word) return undefined;
    this.at = skipBlankCharacters(this.text, word.end);
    if (!this.takeAssign()) {
      this.at = start;
      return undefined;
    }
    if (word.isEscaped) this.note("markdown-escape");
    return word.name;
  }

  /** Takes the name of a call and its `(`: the longest offered name, else a valid Python name. */
  protected takeCallee(): string | undefined {
    for (const name of this.#offered) {
      if (this.text.startsWith(name, this.at) && this.#takeOpener(this.at + name.length)) return name;
    }
    const word = readName(this.text, this.at);
    if (!word || !this.#takeOpener(word.end)) return undefined;
    if (word.isEscaped) this.note("markdown-escape");
    return word.name;
  }

  #takeOpener(at: number): boolean {
    const open = skipBlankCharacters(this.text, at);
    if (this.text[open] !== "(") return false;
    this.at = open + 1;
    return true;
  }

  /** Returns the offered tool with the name, without a namespace before it. */
  protected offeredTool(name: string): string | undefined {
    return this.#offered.find((one) => one === name) ?? this.#offered.find((one) => name.endsWith(`.${one}`));
  }

  /** Takes a string. Unless the tolerance is strict, `closesAt` decides which quote closes it. */
  protected takeString(closesAt: (after: number) => boolean): string | undefined {
    const read = readString(this.text, this.at, this.#tolerance === "strict" ? undefined : closesAt);
    if (!read) return undefined;
    this.at = read.end;
    this.note(...read.repairs);
    return read.value;
  }

  protected override scalar(depth: number, place: LiteralPosition): Literal | undefined {
    if (this.take("(")) return this.#parenthesised(depth + 1);
    if (isStringStart(this.text, this.at)) return this.#strings(place);
    const start = this.at;
    const plain = this.#plain(depth);
    if (this.#tolerance === "strict" || (plain && endsValue(this.text, this.at, place))) return plain;
    this.at = start;
    return this.#bareWords(place);
  }

  /** A tuple is an array; parentheses around one value without a comma are nothing. */
  #parenthesised(depth: number): Literal | undefined {
    let end = 0;
    const values = this.items(")", () => {
      const value = this.value(depth, TUPLE);
      end = skipSpace(this.text, this.at);
      return value;
    });
    return values?.length === 1 && this.text[end] === ")" ? values[0] : toListLiteral(values);
  }

  /** A member of a dict, or an element of a set. */
  protected override member(depth: number): Argument | undefined {
    const keyword = this.takeKeyword();
    const key = keyword === undefined ? this.value(depth, KEY) : toLiteral(JSON.stringify(keyword));
    if (!key) return undefined;
    this.space();
    if (keyword === undefined && !this.take(":")) return key;
    this.space();
    const value = this.value(depth, MEMBER);
    if (!value || !/^["\d-]/.test(key.value)) return undefined;
    return { key: key.value.startsWith('"') ? JSON.parse(key.value) : key.value, ...value };
  }

  /** Strings side by side or joined by `+` are one. */
  #strings(place: LiteralPosition): Literal | undefined {
    let value = "";
    for (;;) {
      const read = this.takeString((after) => closesValue(this.text, after, place));
      if (read === undefined) return undefined;
      value += read;
      const next = skipSpace(this.text, this.at);
      const plus = this.text[next] === "+";
      const start = plus ? skipSpace(this.text, next + 1) : next;
      if (isStringStart(this.text, start)) {
        this.at = start;
        continue;
      }
      this.#style.quoted++;
      return plus ? undefined : toLiteral(JSON.stringify(value));
    }
  }

  /** Reads a number, a literal word, `dict(…)` or a nested call. */
  #plain(depth: number): Literal | undefined {
    const number = readNumber(this.text, this.at);
    if (number) {
      this.at = number.end;
      return toLiteral(number.json);
    }
    const minus = this.take("-");
    const name = this.takeCallee();
    if (name !== undefined) return minus ? undefined : this.nested(name, depth);
    const word = readName(this.text, this.at);
    if (!word) return undefined;
    this.at = word.end;
    const json = toWordLiteral(word.name);
    if (json === undefined || (minus && !json.startsWith('"'))) return undefined;
    return toLiteral(minus ? `"-${json.slice(1)}` : json);
  }

  #bareWords(place: LiteralPosition): Literal | undefined {
    const end = bareEnd(this.text, this.at, place);
    if (end === undefined) return undefined;
    const words = this.text.slice(this.at, end).trim();
    if (isBareString(words) || (this.#tolerance === "bare" && isPlainText(words))) this.#style.bare++;
    else if (this.#tolerance === "unquoted" && isDoubtfulWord(words)) this.#style.doubtful++;
    else return undefined;
    this.at = end;
    this.note("bare-word");
    return toLiteral(JSON.stringify(words));
  }
}

/** Returns true if the quote before `after` closes a string in `place`, by the syntax that follows. */
function closesValue(text: string, after: number, place: LiteralPosition): boolean {
  const at = skipBlankCharacters(text, after);
  const c = text.charAt(at);
  if (place.type === "key") return c === ":" || c === "}" || (c === "," && startsLiteral(text, at + 1));
  if (place.type === "argument" && c === ")") return endsCall(text, at + 1);
  if (c === place.closer) return true;
  if (c !== ",") return false;
  const next = skipBlankCharacters(text, at + 1);
  if (text[next] === place.closer || (place.type === "argument" && startsKeyword(text, next, place.known))) return true;
  return (place.type !== "argument" || place.key === undefined) && startsLiteral(text, next);
}

/** Returns true if the quote before `after` closes a string that contains a call, or a call's quoted name. */
export function isItemEnd(text: string, after: number): boolean {
  const at = skipBlankCharacters(text, after);
  if (text[after - 2] !== ")") return text[at] === "(";
  const c = text.charAt(at);
  if (c !== "," && c !== ";") return c === "" || c === "]" || c === "}" || c === ")";
  return /^['"[({\])}]?$/.test(text.charAt(skipBlankCharacters(text, at + 1)));
}

/** Returns true if a value that was read up to `at` is complete. False if it is only the start of bare words. */
function endsValue(text: string, at: number, place: LiteralPosition): boolean {
  const c = text.charAt(skipBlankCharacters(text, at));
  if (place.type === "element") return c === "," || c === place.closer;
  return c === "," || c === ")" || c === "}" || c === ":" || c === "#";
}

/** Returns the end of an unquoted text from `at`: a closer, or a comma before a parameter of the schema. */
function bareEnd(text: string, at: number, place: LiteralPosition): number | undefined {
  const element = place.type === "element";
  if (!element && !(place.type === "argument" && place.key !== undefined && place.known?.has(place.key)))
    return undefined;
  for (let i = at; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === place.closer) return i;
    if (c === "," && (element || startsKeyword(text, skipBlankCharacters(text, i + 1), place.known))) return i;
    if ("()[]{}".includes(c)) return undefined;
  }
  return undefined;
}

/**
 * Returns true if an unquoted text can only be a string: two plain words in sequence, a capitalised word, a date, or a character
 * that no identifier has. Text that Python could evaluate (a variable, an attribute, arithmetic) is not.
 */
function isBareString(text: string): boolean {
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

/** Returns true if a text may be a string or a variable. Its neighbours in the call decide. */
function isDoubtfulWord(text: string): boolean {
  return /^\p{L}[\p{L}\p{N}_]*(?:[/-][\p{L}\p{N}_]+)*$/u.test(text) && !OPERATORS.has(text);
}

/** Returns true if a text has no quotes, brackets or assignment signs. Such a value is its own characters. */
function isPlainText(text: string): boolean {
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
  const sign = skipBlankCharacters(text, word.end);
  return text[sign] === "=" && text[sign + 1] !== "=";
}

function startsLiteral(text: string, at: number): boolean {
  return /^['"[{(\d-]$/.test(text.charAt(skipBlankCharacters(text, at)));
}

/** Returns true if the text after a call's `)` is the end, a line's end, a separator or another closer. */
function endsCall(text: string, at: number): boolean {
  const next = skipBlankCharacters(text, at);
  const c = text.charAt(next);
  return c === "" || ",;])}'\"#".includes(c) || text.slice(at, next).includes("\n");
}

function isPlainWord(word: string): boolean {
  return /^[\p{L}\p{N}$][\p{L}\p{N}_.,:&!?'/-]*$/u.test(word) && !OPERATORS.has(word);
}

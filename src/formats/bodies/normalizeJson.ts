// JSON-like text of a model, token by token, in JSON's own spelling: quotes, words, punctuation, comments. Leaves missing and spare commas
// to the repair behind it; refuses whatever is not whole or can be read in two ways.

import { trimBlanks } from "../text/whiteSpace.ts";
import { maxJsonDepth, maxMendedChars, maxMendedValues } from "./bodyLimits.ts";
import { closersOf, isBlank, punctuation, readString, skipBlanks } from "./looseStrings.ts";

/**
 * `text` with every token in strict spelling and brackets that balance, or undefined where it is cut, ambiguous, too deep or too long,
 * or holds more than one value or too many inside that. One pass; what is looked ahead is bounded.
 */
export function normalizeJson(
  text: string,
): { readonly text: string; readonly repairs: readonly string[] } | undefined {
  return new Normalizer(text).run();
}

interface Frame {
  readonly closer: string;
  readonly isObject: boolean;
  /** A brace doubled by a prompt template: neither it nor its closer is written. */
  readonly doubled: boolean;
}

class Normalizer {
  readonly #text: string;
  readonly #out: string[] = [];
  readonly #repairs = new Set<string>();
  readonly #frames: Frame[] = [];
  #at = 0;
  /** The last token was a colon, so that an object's value comes next. */
  #afterColon = false;
  /** A value stands complete, so that a comma or a closer comes next. */
  #afterValue = false;
  #failed = false;
  /** Places that are left to the repair, whose work grows with each of them. */
  #gaps = 0;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): { readonly text: string; readonly repairs: readonly string[] } | undefined {
    if (this.#text.length > maxMendedChars) return undefined;
    while (this.#at < this.#text.length && !this.#failed && this.#gaps <= maxGaps) {
      this.#token();
      if (this.#frames.length === 0 && this.#afterValue) break;
    }
    if (this.#failed || this.#gaps > maxGaps || this.#frames.length > 0) return undefined;
    if (!this.#afterValue || !this.#isIdleRest()) return undefined;
    return { text: this.#out.join(""), repairs: [...this.#repairs] };
  }

  #token(): void {
    const char = this.#text.charAt(this.#at);
    const plain = punctuation.get(char) ?? char;
    if (isBlank(char)) this.#blank(char);
    else if (plain === "{" || plain === "[" || plain === "(") this.#open(plain, char);
    else if (plain === "}" || plain === "]" || plain === ")") this.#close(plain);
    else if (plain === ",") this.#mark(",", char, false);
    else if (plain === ":") this.#mark(":", char, true);
    else if (closersOf.has(char)) this.#string();
    else if (char === "/" || char === "#") this.#comment();
    else if (char === "+" && this.#afterValue) this.#concatenation();
    else if (char === "\\") this.#strayEscape();
    else this.#word();
  }

  #blank(char: string): void {
    this.#out.push(char === "\n" || char === "\t" || char === "\r" || char === " " ? char : " ");
    this.#at++;
  }

  #open(plain: string, char: string): void {
    const isObject = plain === "{";
    const parent = this.#frames.at(-1);
    const doubled = isObject && parent?.isObject === true && !parent.doubled && !this.#afterColon && !this.#afterValue;
    if (this.#frames.length === maxJsonDepth || (this.#afterValue && parent?.isObject)) this.#failed = true;
    if (this.#afterValue) this.#gaps++;
    this.#frames.push({ closer: isObject ? "}" : plain === "(" ? ")" : "]", isObject, doubled });
    if (doubled) this.#repairs.add("doubled-braces");
    else this.#out.push(plain === "(" ? "[" : plain);
    if (plain === "(") this.#repairs.add("tuple");
    if (plain !== char && plain !== "(") this.#repairs.add("punctuation");
    this.#begin();
    this.#at++;
  }

  #close(plain: string): void {
    const frame = this.#frames.pop();
    if (frame?.closer !== plain || this.#afterColon) this.#failed = true;
    else if (!frame.doubled) this.#out.push(frame.isObject ? "}" : "]");
    this.#end();
    this.#at++;
  }

  #mark(plain: string, char: string, isColon: boolean): void {
    if (this.#frames.length === 0 || (isColon && !this.#frames.at(-1)?.isObject)) this.#failed = true;
    if (!isColon && this.#afterColon) this.#failed = true;
    if (!this.#afterValue) this.#gaps++;
    this.#out.push(plain);
    if (plain !== char) this.#repairs.add("punctuation");
    this.#afterColon = isColon;
    this.#afterValue = false;
    this.#at++;
  }

  #begin(): void {
    this.#afterColon = false;
    this.#afterValue = false;
  }

  #end(): void {
    this.#values++;
    if (this.#values > maxMendedValues) this.#failed = true;
    this.#afterColon = false;
    this.#afterValue = true;
  }

  #comment(): void {
    const next = this.#text.charAt(this.#at + 1);
    const isBlock = this.#text.startsWith("/*", this.#at);
    if (this.#text.charAt(this.#at) === "/" && next !== "/" && !isBlock) {
      this.#failed = true;
      return;
    }
    const end = isBlock ? this.#text.indexOf("*/", this.#at + 2) : this.#text.indexOf("\n", this.#at);
    if (end < 0) this.#failed = isBlock || this.#frames.length > 0;
    this.#at = end < 0 ? this.#text.length : end + (isBlock ? 2 : 0);
    this.#repairs.add("comment");
  }

  /** Only strings are joined; to add anything else would be to compute a value. */
  #concatenation(): void {
    const next = skipBlanks(this.#text, this.#at + 1);
    if (!this.#out.at(-1)?.startsWith('"') && !isBlank(this.#out.at(-1) ?? "")) this.#failed = true;
    if (this.#text.charAt(next) !== '"' && this.#text.charAt(next) !== "'") this.#failed = true;
    this.#out.push("+");
    this.#gaps++;
    this.#afterColon = this.#frames.at(-1)?.isObject === true;
    this.#afterValue = false;
    this.#at++;
  }

  /** Two characters `\n` between tokens are white space that was escaped once too often. */
  #strayEscape(): void {
    const next = this.#text.charAt(this.#at + 1);
    if (next !== "n" && next !== "t" && next !== "r") this.#failed = true;
    this.#repairs.add("unescape");
    this.#at += 2;
  }

  #string(): void {
    const frame = this.#frames.at(-1);
    const isKey = frame?.isObject === true && !this.#afterColon;
    const read = readString(this.#text, this.#at, { isKey, closer: frame?.closer });
    if (this.#afterValue) this.#gaps++;
    if (!read) {
      this.#failed = true;
      return;
    }
    this.#out.push(read.json);
    for (const repair of read.repairs) this.#repairs.add(repair);
    this.#at = read.end;
    this.#end();
  }

  #word(): void {
    const start = this.#at;
    let end = start;
    while (end < this.#text.length && !endsWord(this.#text, end)) end++;
    const frame = this.#frames.at(-1);
    const isKey = frame?.isObject === true && !this.#afterColon;
    // A bare value may be of several words ("city: New York"); a key is one.
    const word = this.#text.slice(start, end).trimEnd();
    const spelled = isKey ? spellKey(word) : spellWord(word, frame !== undefined);
    if (!spelled || this.#afterValue) {
      this.#failed = true;
      return;
    }
    this.#out.push(spelled.json);
    if (spelled.repair) this.#repairs.add(spelled.repair);
    this.#at = start + word.length;
    this.#end();
  }

  /** Behind the value only closers, separators and the torso of an end mark may stand. */
  #isIdleRest(): boolean {
    const rest = this.#text.slice(this.#at, this.#at + maxRest + 1);
    if (trimBlanks(rest) === "") return trimBlanks(this.#text.slice(this.#at)) === "";
    this.#repairs.add("trailing-garbage");
    return rest.length <= maxRest && /^[\s}\]),;`'"]*(?:<[^{["]*)?$/.test(rest);
  }
}

/** Characters of debris that may follow a value. */
const maxRest = 64;

/** jsonrepair 3.14.0 copies the whole text for each missing comma (27 s for 100,000 of them in 600 KB). */
const maxGaps = 64;

function endsWord(text: string, at: number): boolean {
  const char = text.charAt(at);
  if (char === "\n" || closersOf.has(char)) return true;
  return (
    "{}[](),:;\"'`#\\".includes(char) || punctuation.has(char) || text.startsWith("//", at) || text.startsWith("/*", at)
  );
}

interface Spelled {
  readonly json: string;
  readonly repair?: string | undefined;
}

function spellKey(word: string): Spelled | undefined {
  if (word.length > 256 || !/^[\p{L}\p{N}_$.-]+$/u.test(word)) return undefined;
  return { json: JSON.stringify(word), repair: "bare-key" };
}

const literals: ReadonlyMap<string, Spelled> = new Map([
  ["true", { json: "true" }],
  ["false", { json: "false" }],
  ["null", { json: "null" }],
  ["True", { json: "true", repair: "python-literal" }],
  ["False", { json: "false", repair: "python-literal" }],
  ["None", { json: "null", repair: "python-literal" }],
  ["TRUE", { json: "true", repair: "python-literal" }],
  ["FALSE", { json: "false", repair: "python-literal" }],
  ["NULL", { json: "null", repair: "python-literal" }],
]);

/** A bare value. What is neither literal nor number stays its own text, so that fitting refuses it wherever no string is wanted. */
function spellWord(word: string, isInside: boolean): Spelled | undefined {
  const literal = literals.get(word);
  if (literal) return literal;
  if (word.length <= 1000 && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)) return { json: word };
  const number = word.length <= 1000 ? /^([+-]?)(\d*)(\.\d*)?((?:[eE][+-]?\d+)?)$/.exec(word) : null;
  if (number && isInside) {
    const [, sign, whole = "", fraction = "", exponent = ""] = number;
    const isPlain = /\d/.test(whole + fraction) && !/^0\d/.test(whole);
    if (isPlain) {
      const json = `${sign === "-" ? "-" : ""}${whole || "0"}${fraction === "." ? ".0" : fraction}${exponent}`;
      return { json, repair: "number-spelling" };
    }
  }
  if (!isInside || word.length > 1000 || !/^[\p{L}\p{N}_$.\-+%@ ]+$/u.test(word)) return undefined;
  // Several words are a phrase if they begin with a letter and hold no operator: `x + 1` and `1 2` are none.
  if (/ [+%-]|[+%-] |^[^\p{L}]+ /u.test(word) || !/[\p{L}\p{N}]/u.test(word)) return undefined;
  return { json: JSON.stringify(word), repair: "bare-word" };
}

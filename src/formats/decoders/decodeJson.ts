// Converts one complete JSON body as a model wrote it to strict JSON, token by token: quotes, words, punctuation, comments, commas.
// Never completes a cut body, and refuses an ambiguous one.
import { decodeEntities } from "../scanner/Tag.ts";
import { trimBlanks } from "../scanner/whitespace.ts";
import { maxJsonDepth, maxMendedChars, maxMendedValues } from "./bodyLimits.ts";
import { isStrictJson, parseStrictValue, type ValueText } from "./jsonTree.ts";
import { closersOf, punctuation, readLooseString, readLooseWord, skipJsonBlanks, type Token } from "./lenientTokens.ts";
import { isBlankCharacter } from "./quotedStrings.ts";

/**
 * Reads a complete body as one JSON value. A body that is strict already keeps its text (trimmed). Undefined for unbalanced brackets,
 * more than one value, nesting deeper than 64, or an ambiguous text. Linear in the length of the text; never throws.
 */
export function decodeJson(text: string): ValueText | undefined {
  const trimmed = text.trim();
  return isStrictJson(trimmed) ? parseStrictValue(trimmed) : decodeLenient(trimmed, maxUnwraps);
}

/** Maximum rounds of decoding around the body (escaped quotes, entities, a fence). More is no accident but an attack. */
const maxUnwraps = 2;

function decodeLenient(text: string, unwrapsLeft: number): ValueText | undefined {
  const outer = unwrapsLeft > 0 ? unwrapText(text) : undefined;
  if (outer) {
    const inner = outer.text.trim();
    const decoded = isStrictJson(inner) ? parseStrictValue(inner) : decodeLenient(inner, unwrapsLeft - 1);
    return decoded && { ...decoded, repairs: [...new Set([outer.repair, ...decoded.repairs])] };
  }
  return text.length > maxMendedChars ? undefined : new Normalizer(text).run();
}

function unwrapText(text: string): { readonly text: string; readonly repair: string } | undefined {
  if (text.startsWith("```") && text.endsWith("```")) {
    const start = /^```+[\w-]{0,20}/.exec(text)?.[0].length ?? 3;
    return { text: text.slice(start, -3), repair: "fence" };
  }
  const opening = text.slice(0, openingChars);
  if (/^[[{\s]*\\+"/.test(opening)) return { text: unescapeOnce(text), repair: "unescape" };
  if (/^[[{\s]*&(?:quot|#34|#x22);/i.test(opening)) return { text: decodeReferences(text), repair: "entities" };
  return undefined;
}

/** Number of characters in which the first quote of a body is searched. */
const openingChars = 200;

function unescapeOnce(text: string): string {
  return text.replace(/\\(["\\/nrt])/g, (_, char: string) => ({ n: "\n", r: "\r", t: "\t" })[char] ?? char);
}

/** Decodes XML entities in any case, and numeric references of quotation marks. */
function decodeReferences(text: string): string {
  const named = text.replace(/&#(?:34|x22);/gi, "&quot;").replace(/&#(?:39|x27);/gi, "&apos;");
  return decodeEntities(named.replace(/&(?:quot|apos|lt|gt|amp);/gi, (name) => name.toLowerCase()));
}

interface Frame {
  readonly closer: string;
  /** A brace doubled by a prompt template: neither it nor its closer is written. */
  readonly isDoubled: boolean;
}

/** Maximum commas that are repaired: a text with more is no JSON. */
const maxGaps = 64;

/** Characters of debris that may follow a value. */
const maxRest = 64;

/**
 * Writes every token in strict spelling, and balanced brackets. Refuses a text that is cut, ambiguous, too deep, or has several values or
 * too many inside one. The JSON parser then checks the positions of colons and commas. One pass with bounded look-ahead. Its methods
 * return false if the text is refused.
 */
class Normalizer {
  readonly #text: string;
  readonly #parts: string[] = [];
  /** The place in `#out` of the last token that is no blank, and whether it is a key. */
  #lastIndex = -1;
  #isLastKey = false;
  readonly #repairs = new Set<string>();
  readonly #frames: Frame[] = [];
  #offset = 0;
  /** Kind of the last token: a colon in an object, a complete value or key, or any other. */
  #lastToken: "colon" | "value" | "mark" = "mark";
  #gapCount = 0;
  #hasMendedCommas = false;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): ValueText | undefined {
    while (this.#frames.length > 0 || this.#lastToken !== "value") {
      if (this.#offset >= this.#text.length || !this.#token() || this.#gapCount > maxGaps) return undefined;
    }
    if (!this.#isIdleRest()) return undefined;
    if (this.#hasMendedCommas) this.#repairs.add("json-repair");
    const text = this.#parts.join("");
    return isStrictJson(text) ? parseStrictValue(text, [...this.#repairs]) : undefined;
  }

  get #closer(): string | undefined {
    return this.#frames.at(-1)?.closer;
  }

  #token(): boolean {
    const char = this.#text.charAt(this.#offset);
    const plain = punctuation.get(char) ?? char;
    if (isBlankCharacter(char)) {
      this.#parts.push("\n\t\r ".includes(char) ? char : " ");
      this.#offset++;
      return true;
    }
    if (plain === "{" || plain === "[" || plain === "(") return this.#openContainer(plain, char);
    if (plain === "}" || plain === "]" || plain === ")") return this.#closeContainer(plain);
    if (plain === "," || plain === ":") return this.#readPunctuation(plain, char);
    if (char === "/" || char === "#") return this.#skipComment();
    if (char === "\\") return this.#skipStrayEscape();
    if (char === "+" && this.#lastToken === "value") return this.#readConcatenation();
    const context = { isKey: this.#closer === "}" && this.#lastToken !== "colon", closer: this.#closer };
    if (closersOf.has(char))
      return this.#writeScalar(readLooseString(this.#text, this.#offset, context), context.isKey);
    return (
      this.#lastToken !== "value" && this.#writeScalar(readLooseWord(this.#text, this.#offset, context), context.isKey)
    );
  }

  #openContainer(plain: string, char: string): boolean {
    const parent = this.#frames.at(-1);
    const isObject = plain === "{";
    if (this.#frames.length === maxJsonDepth || (this.#lastToken === "value" && parent?.closer === "}")) return false;
    const doubled = isObject && parent?.closer === "}" && !parent.isDoubled && this.#lastToken === "mark";
    this.#frames.push({ closer: isObject ? "}" : plain === "(" ? ")" : "]", isDoubled: doubled });
    if (doubled) this.#repairs.add("doubled-braces");
    else this.#writeToken(plain === "(" ? "[" : plain);
    if (plain === "(") this.#repairs.add("tuple");
    else if (plain !== char) this.#repairs.add("punctuation");
    this.#lastToken = "mark";
    this.#offset++;
    return true;
  }

  #closeContainer(plain: string): boolean {
    const frame = this.#frames.pop();
    if (frame?.closer !== plain || this.#lastToken === "colon") return false;
    if (!frame.isDoubled) {
      if (this.#parts[this.#lastIndex] === ",") this.#dropComma(this.#lastIndex);
      this.#parts.push(plain === "}" ? "}" : "]");
      this.#lastIndex = this.#parts.length - 1;
    }
    this.#offset++;
    return this.#endValue(false);
  }

  #readPunctuation(plain: "," | ":", char: string): boolean {
    const isColon = plain === ":";
    if (this.#frames.length === 0 || (isColon ? this.#closer !== "}" : this.#lastToken === "colon")) return false;
    if (this.#lastToken !== "value") this.#gapCount++;
    const previous = this.#parts[this.#lastIndex];
    const isSecond = !isColon && previous === ",";
    if (isSecond && !this.#isLastComma()) return false;
    if (!isSecond) {
      this.#parts.push(plain);
      this.#lastIndex = this.#parts.length - 1;
      if (!isColon && (previous === "{" || previous === "[")) this.#dropComma(this.#lastIndex);
    }
    if (plain !== char) this.#repairs.add("punctuation");
    this.#lastToken = isColon ? "colon" : "mark";
    this.#offset++;
    return true;
  }

  /** A second comma is a slip after the last element if only closers follow. Elsewhere an element is missing. */
  #isLastComma(): boolean {
    return this.#closer !== "}" && /^[\s}\])]*$/.test(this.#text.slice(this.#offset + 1));
  }

  #dropComma(at: number): void {
    this.#parts[at] = "";
    this.#hasMendedCommas = true;
  }

  /** Writes the first token of a value or a key. A missing comma is added at the end of the last value. */
  #writeToken(json: string): void {
    if (this.#lastToken === "value") {
      this.#gapCount++;
      const previous = this.#parts[this.#lastIndex] ?? "";
      // A number that touches a quote may have lost its opening quote. The schema decides.
      const isDoubtful = json.startsWith('"') && /\d$/.test(previous) && this.#lastIndex === this.#parts.length - 1;
      this.#parts[this.#lastIndex] = isDoubtful ? `"${previous}",` : `${previous},`;
      this.#hasMendedCommas = true;
    }
    this.#parts.push(json);
    this.#lastIndex = this.#parts.length - 1;
  }

  #endValue(isKey: boolean): boolean {
    this.#isLastKey = isKey;
    this.#lastToken = "value";
    this.#values++;
    return this.#values <= maxMendedValues;
  }

  #writeScalar(token: Token | undefined, isKey: boolean): boolean {
    if (!token) return false;
    this.#writeToken(token.json);
    for (const repair of token.repairs) this.#repairs.add(repair);
    this.#offset = token.end;
    return this.#endValue(isKey);
  }

  #skipComment(): boolean {
    const isBlock = this.#text.startsWith("/*", this.#offset);
    if (!isBlock && this.#text.charAt(this.#offset) === "/" && this.#text.charAt(this.#offset + 1) !== "/")
      return false;
    const end = isBlock ? this.#text.indexOf("*/", this.#offset + 2) : this.#text.indexOf("\n", this.#offset);
    if (end < 0 && (isBlock || this.#frames.length > 0)) return false;
    this.#offset = end < 0 ? this.#text.length : end + (isBlock ? 2 : 0);
    this.#repairs.add("comment");
    return true;
  }

  /** Joins strings only: any other addition would compute a value. */
  #readConcatenation(): boolean {
    const previous = this.#parts[this.#lastIndex] ?? "";
    const next = skipJsonBlanks(this.#text, this.#offset + 1);
    const isString = this.#text.charAt(next) === '"' || this.#text.charAt(next) === "'";
    const token = isString ? readLooseString(this.#text, next, { isKey: false, closer: this.#closer }) : undefined;
    if (!token || !previous.startsWith('"') || this.#isLastKey) return false;
    this.#gapCount++;
    this.#hasMendedCommas = true;
    this.#parts.length = this.#lastIndex;
    this.#lastToken = "mark";
    return this.#writeScalar({ ...token, json: previous.slice(0, -1) + token.json.slice(1) }, false);
  }

  /** Two characters `\n` between tokens are white space that was escaped once too often. */
  #skipStrayEscape(): boolean {
    const next = this.#text.charAt(this.#offset + 1);
    this.#repairs.add("unescape");
    this.#offset += 2;
    return next === "n" || next === "t" || next === "r";
  }

  /** Returns true if only closers, separators and an incomplete end marker follow the value. */
  #isIdleRest(): boolean {
    const rest = this.#text.slice(this.#offset, this.#offset + maxRest + 1);
    if (trimBlanks(rest) === "") return trimBlanks(this.#text.slice(this.#offset)) === "";
    this.#repairs.add("trailing-garbage");
    return rest.length <= maxRest && /^[\s}\]),;`'"]*(?:<[^{["]*)?$/.test(rest);
  }
}

// Python's literal values as JSON text. Knows calls only as something that somebody else reads, and never evaluates anything.
import { maxJsonDepth } from "./bodyLimits.ts";
import type { Argument } from "./CallCandidate.ts";
import {
  bareEnd,
  closesValue,
  endsValue,
  isBareString,
  isDoubtfulWord,
  isPlainText,
  literalOfWord,
  readName,
  readNumber,
  readString,
  skipBlanks,
  skipSpace,
  startsString,
} from "./pythonLiterals.ts";
import { type Literal, listOf, literal, type Place, ValueReader } from "./ValueReader.ts";

/**
 * How much is forgiven: nothing; quotes that nobody escaped and bare words that can only be strings; doubtful bare words
 * as well, where the rest of their call shows that it quotes nothing; any text without syntax of its own, for calls that stand in
 * quotes as a whole, whose writers leave the inner quotes away.
 */
export type Tolerance = "strict" | "tolerant" | "unquoted" | "bare";

const KEY: Place = { type: "key", closer: "}" };
const MEMBER: Place = { type: "member", closer: "}" };
const TUPLE: Place = { type: "element", closer: ")" };
const ASSIGN = /[=:](?!=)/y;

export abstract class PythonReader extends ValueReader {
  readonly #tolerance: Tolerance;
  /** The longest first. */
  readonly #offered: readonly string[];
  /** How the values since the last call were written: what a doubtful bare word is judged by. */
  #style = { quoted: 0, bare: 0, doubtful: 0 };

  constructor(text: string, tolerance: Tolerance, offered: readonly string[]) {
    super(text, maxJsonDepth);
    this.#tolerance = tolerance;
    this.#offered = offered.filter((name) => name !== "").sort((a, b) => b.length - a.length);
  }

  /** Reads a nested call from behind its `(`, or refuses it. */
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
    this.at = skipBlanks(this.text, word.end);
    if (!this.takeAssign()) {
      this.at = start;
      return undefined;
    }
    if (word.escaped) this.note("markdown-escape");
    return word.name;
  }

  /** The name of a call and its `(`: an offered name first, longest first, else what Python would take for a name. */
  protected takeCallee(): string | undefined {
    for (const name of this.#offered) {
      if (this.text.startsWith(name, this.at) && this.#takeOpener(this.at + name.length)) return name;
    }
    const word = readName(this.text, this.at);
    if (!word || !this.#takeOpener(word.end)) return undefined;
    if (word.escaped) this.note("markdown-escape");
    return word.name;
  }

  #takeOpener(at: number): boolean {
    const open = skipBlanks(this.text, at);
    if (this.text[open] !== "(") return false;
    this.at = open + 1;
    return true;
  }

  /** The offered tool that a name means, a namespace before it left out. */
  protected offeredTool(name: string): string | undefined {
    return this.#offered.find((one) => one === name) ?? this.#offered.find((one) => name.endsWith(`.${one}`));
  }

  /** A string; unless the reading is strict, `closesAt` says which quote closes it. */
  protected takeString(closesAt: (after: number) => boolean): string | undefined {
    const read = readString(this.text, this.at, this.#tolerance === "strict" ? undefined : closesAt);
    if (!read) return undefined;
    this.at = read.end;
    this.note(...read.repairs);
    return read.value;
  }

  protected override scalar(depth: number, place: Place): Literal | undefined {
    if (this.take("(")) return this.#parenthesised(depth + 1);
    if (startsString(this.text, this.at)) return this.#strings(place);
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
    return values?.length === 1 && this.text[end] === ")" ? values[0] : listOf(values);
  }

  /** A member of a dict, or an element of a set. */
  protected override member(depth: number): Argument | undefined {
    const keyword = this.takeKeyword();
    const key = keyword === undefined ? this.value(depth, KEY) : literal(JSON.stringify(keyword));
    if (!key) return undefined;
    this.space();
    if (keyword === undefined && !this.take(":")) return key;
    this.space();
    const value = this.value(depth, MEMBER);
    if (!value || !/^["\d-]/.test(key.value)) return undefined;
    return { key: key.value.startsWith('"') ? JSON.parse(key.value) : key.value, ...value };
  }

  /** Strings side by side or joined by `+` are one. */
  #strings(place: Place): Literal | undefined {
    let value = "";
    for (;;) {
      const read = this.takeString((after) => closesValue(this.text, after, place));
      if (read === undefined) return undefined;
      value += read;
      const next = skipSpace(this.text, this.at);
      const plus = this.text[next] === "+";
      const start = plus ? skipSpace(this.text, next + 1) : next;
      if (startsString(this.text, start)) {
        this.at = start;
        continue;
      }
      this.#style.quoted++;
      return plus ? undefined : literal(JSON.stringify(value));
    }
  }

  /** A number, a literal word, `dict(…)` or a nested call. */
  #plain(depth: number): Literal | undefined {
    const number = readNumber(this.text, this.at);
    if (number) {
      this.at = number.end;
      return literal(number.json);
    }
    const minus = this.take("-");
    const name = this.takeCallee();
    if (name !== undefined) return minus ? undefined : this.nested(name, depth);
    const word = readName(this.text, this.at);
    if (!word) return undefined;
    this.at = word.end;
    const json = literalOfWord(word.name);
    if (json === undefined || (minus && !json.startsWith('"'))) return undefined;
    return literal(minus ? `"-${json.slice(1)}` : json);
  }

  #bareWords(place: Place): Literal | undefined {
    const end = bareEnd(this.text, this.at, place);
    if (end === undefined) return undefined;
    const words = this.text.slice(this.at, end).trim();
    if (isBareString(words) || (this.#tolerance === "bare" && isPlainText(words))) this.#style.bare++;
    else if (this.#tolerance === "unquoted" && isDoubtfulWord(words)) this.#style.doubtful++;
    else return undefined;
    this.at = end;
    this.note("bare-word");
    return literal(JSON.stringify(words));
  }
}

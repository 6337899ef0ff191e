// Reads members and values of brace literals: unquoted keys, delimited, quoted and bare values. Knows no call's header.

import { isBlank } from "../text/whiteSpace.ts";
import { maxJsonDepth, maxMendedValues } from "./bodyLimits.ts";
import type { Argument } from "./CallCandidate.ts";
import { literalOfWord, readNumber, readString } from "./pythonLiterals.ts";

export interface BraceOptions {
  /** Tokens that both open and close a string, whose text between them is raw. */
  readonly strings: readonly string[];
  /** The parameters of a tool: they tell keys that hold colons, and where unquoted text ends. */
  readonly knownParameters?: ((tool: string) => readonly string[]) | undefined;
  /** True where the block's own close mark was seen: then one final brace may be missing. Never for a cut text. */
  readonly closed?: boolean | undefined;
}

/** A value as the wire has it. */
export type BraceValue = Omit<Argument, "key">;

/** One pass over one body; its methods say `undefined` where the text is refused. */
export class BraceReader {
  readonly #text: string;
  readonly #options: BraceOptions;
  #at = 0;
  #values = 0;
  #known: readonly string[] = [];
  #repairs = new Set<string>();

  constructor(text: string, options: BraceOptions) {
    this.#text = text;
    this.#options = options;
  }

  /** Starts the arguments of `tool`. */
  expect(tool: string): void {
    this.#known = this.#options.knownParameters?.(tool) ?? [];
    this.#repairs = new Set();
  }

  get repairs(): readonly string[] {
    return [...this.#repairs];
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Whether this call ends here: the end of the text or another call follows. */
  endsCall(): boolean {
    return isAt(NEXT_CALL, this.#text, this.#at);
  }

  /** Whether a sticky pattern matches here. */
  sees(sticky: RegExp): boolean {
    return isAt(sticky, this.#text, this.#at);
  }

  /** Members from behind `{` to behind `}`. */
  members(depth: number): readonly Argument[] | undefined {
    const list: Argument[] = [];
    for (;;) {
      this.space();
      if (this.take("}")) return list;
      if (depth === 0 && this.#endsOpen()) return list;
      const key = this.#key(depth);
      const value = key === undefined ? undefined : this.value(depth);
      if (value === undefined) return undefined;
      list.push({ key, ...value });
      this.space();
      if (!this.take(",") && this.peek() !== "}" && !(depth === 0 && this.#at >= this.#text.length)) return undefined;
    }
  }

  #endsOpen(): boolean {
    if (this.#at < this.#text.length || !this.#options.closed) return false;
    this.#repairs.add("missing-brace");
    return true;
  }

  /** A key and its separator, both consumed. */
  #key(depth: number): string | undefined {
    const quoted = this.#delimited() ?? this.quoted(SEPARATOR);
    if (quoted) return this.match(SEPARATOR) ? quoted.value : undefined;
    const separator = this.#separatorOfKey(depth === 0 ? this.#known : []);
    if (separator === undefined) return undefined;
    const key = this.#text.slice(this.#at, separator).trim();
    this.#at = separator;
    const sign = this.match(SEPARATOR)?.[0].trim();
    if (sign !== ":") this.#repairs.add("separator");
    return key === "" ? undefined : key;
  }

  /** A key may hold colons: the longest one that the schema knows, else up to the last colon before a value that parses. */
  #separatorOfKey(known: readonly string[]): number | undefined {
    const limit = Math.min(this.#text.length, this.#at + MAX_KEY);
    const separators: number[] = [];
    let end = this.#at;
    for (; end < limit && !",{}[]\"'".includes(this.#text.charAt(end)) && !this.#startsDelimiter(end); end++) {
      if (":=".includes(this.#text.charAt(end)) && this.#text[end - 1] !== "=") separators.push(end);
    }
    const byLength = separators.toReversed();
    const isKnown = (at: number) => known.includes(this.#text.slice(this.#at, at).trim());
    const hasValue = (at: number) => {
      const rest = this.#text
        .slice(at, end)
        .replace(/^(?:=>|[:=])/, "")
        .trim();
      return rest === "" ? !",}".includes(this.#text.charAt(end)) : literalOf(rest) !== undefined;
    };
    return byLength.find(isKnown) ?? byLength.find(hasValue) ?? separators[0];
  }

  /** One value; only at depth 0 may unquoted text hold commas and braces. */
  value(depth: number): BraceValue | undefined {
    this.#values++;
    if (depth >= maxJsonDepth || this.#values > maxMendedValues) return undefined;
    const c = this.peek();
    if (c === '"' || c === "'") return this.quoted(/\s*[,}\]]/y);
    if (this.take("{")) {
      const members = this.members(depth + 1);
      return members && { value: `{${members.map(jsonOfMember).join(",")}}`, form: "json" };
    }
    if (this.take("[")) return this.#array(depth + 1);
    return this.#delimited() ?? this.#bare(depth);
  }

  #array(depth: number): BraceValue | undefined {
    const elements: string[] = [];
    for (;;) {
      this.space();
      if (this.take("]")) return { value: `[${elements.join(",")}]`, form: "json" };
      const element = this.value(depth);
      if (element === undefined) return undefined;
      elements.push(jsonOf(element));
      this.space();
      if (!this.take(",") && this.peek() !== "]") return undefined;
    }
  }

  /** A string between two equal delimiter tokens; everything between them is data. */
  #delimited(): BraceValue | undefined {
    const token = this.#startsDelimiter(this.#at);
    if (token === undefined) return undefined;
    const start = this.#at + token.length;
    const end = this.#text.indexOf(token, start);
    if (end < 0) return undefined;
    this.#at = end + token.length;
    return { value: this.#text.slice(start, end), form: "string" };
  }

  #startsDelimiter(at: number): string | undefined {
    return this.#options.strings.find((token) => this.#text.startsWith(token, at));
  }

  /** A string in quotes; of quotes that nobody escaped, the one that `follows` follows closes it. */
  quoted(follows: RegExp): BraceValue | undefined {
    const c = this.peek();
    const closesAt = (after: number) => isAt(follows, this.#text, after);
    const read = c === '"' || c === "'" ? readString(this.#text, this.#at, closesAt) : undefined;
    if (!read) return undefined;
    const lexeme = this.#text.slice(this.#at, read.end);
    this.#at = read.end;
    for (const repair of read.repairs) this.#repairs.add(repair);
    return { value: strictString(lexeme) ?? read.value, form: "string" };
  }

  /** A number, a literal word, or text whose end the schema tells. */
  #bare(depth: number): BraceValue | undefined {
    const end = depth === 0 ? this.#bareEnd() : indexOfAny(this.#text, this.#at, ",}]");
    if (end === undefined) return undefined;
    const text = this.#text.slice(this.#at, end).trim();
    if (this.#options.strings.some((token) => text.includes(token))) return undefined;
    this.#at = end;
    const json = literalOf(text);
    if (json !== undefined) return { value: json, form: "json" };
    if (depth > 0 && text === "") return undefined;
    this.#repairs.add("bare-word");
    return { value: text, form: "raw" };
  }

  #bareEnd(): number | undefined {
    for (let i = this.#at; i < this.#text.length; i++) {
      const c = this.#text.charAt(i);
      if (c === "," && this.#startsMember(i + 1)) return i;
      if (c === "}" && (isAt(NEXT_CALL, this.#text, i + 1) || isAt(LAST_BRACE, this.#text, i + 1))) return i;
    }
    return this.#options.closed ? this.#text.length : undefined;
  }

  /** Whether a known parameter and a separator stand at `at`; with no schema, anything like a key. */
  #startsMember(at: number): boolean {
    let i = at;
    while (/\s/.test(this.#text.charAt(i))) i++;
    if (this.#known.length === 0) return isAt(/[\p{L}_][\p{L}\p{N}_-]{0,63}\s*[:=]/uy, this.#text, i);
    return this.#known.some((key) => this.#text.startsWith(key, i) && isAt(SEPARATOR, this.#text, i + key.length));
  }

  space(): void {
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  peek(): string {
    return this.#text.charAt(this.#at);
  }

  take(mark: string): boolean {
    if (!this.#text.startsWith(mark, this.#at)) return false;
    this.#at += mark.length;
    return true;
  }

  /** What a sticky pattern matches here, consumed. */
  match(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#text) ?? undefined;
    if (match) this.#at += match[0].length;
    return match;
  }
}

/** A key is looked for in so many characters: bounds the work on text that is all colons. */
const MAX_KEY = 256;
const NEXT_CALL = /\s*(?:>\s*)?(?:$|<?call:)/y;
const LAST_BRACE = /\s*\}\s*$/y;
const SEPARATOR = /[\s\x85]*(?:=>|[:=])[\s\x85]*/y;

/** Whether a sticky pattern matches at `at`. */
function isAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}

function indexOfAny(text: string, from: number, marks: string): number | undefined {
  for (let i = from; i < text.length; i++) if (marks.includes(text.charAt(i))) return i;
  return undefined;
}

/** The JSON text of a number or literal word that fills the whole text. */
function literalOf(text: string): string | undefined {
  const number = readNumber(text, 0);
  if (number) return number.end === text.length ? number.json : undefined;
  return literalOfWord(text);
}

function strictString(lexeme: string): string | undefined {
  try {
    const value: unknown = JSON.parse(lexeme);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function jsonOf(value: BraceValue): string {
  return value.form === "json" ? value.value : JSON.stringify(value.value);
}

function jsonOfMember(member: Argument): string {
  return `${JSON.stringify(member.key)}:${jsonOf(member)}`;
}

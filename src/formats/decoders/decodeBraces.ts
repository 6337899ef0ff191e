// Decodes brace literals (`call:NAME{key:value}` and `{tool => "NAME", args => {--key value}}`) to call candidates.
import { isBlank } from "../scanner/whitespace.ts";
import { maxJsonDepth } from "./bodyLimits.ts";
import { type Argument, type CallCandidate, listCall } from "./CallCandidate.ts";
import { isStrictJson } from "./jsonTree.ts";
import { type Literal, type LiteralPosition, LiteralReader, toLiteral } from "./LiteralReader.ts";
import { readNumber, readString, toWordLiteral } from "./lenientTokens.ts";

export interface BraceOptions {
  /** Tokens that both open and close a string. The text between them is raw. */
  readonly strings: readonly string[];
  /** Returns the parameters of a tool. They determine keys with colons, and the end of unquoted text. */
  readonly knownParameters?: ((tool: string) => readonly string[]) | undefined;
  /** True if the block's own closer was seen: then one final brace may be missing. Never for a cut text. */
  readonly closed?: boolean | undefined;
}

/**
 * Decodes the calls of a complete body; undefined if there is none or if other text stands next to them. Strings between
 * delimiters have form `string`, unquoted text `raw`, all else is JSON. Linear; depth at most 64.
 */
export function decodeBraces(body: string, options: BraceOptions): readonly CallCandidate[] | undefined {
  return new BraceReader(body, options).read();
}

const HEADER = /<?[\s\x85]*(?:call:[\s\x85]*)?([\p{L}\p{N}_.:/-]+)[\s\x85]*\{/uy;
const ARROW_KEY = /[\s,]*["']?(\w+)["']?\s*(?:=>|:|=)\s*/y;
const FLAG = /[\s,]*--([^\s=]+)(?:\s*=\s*|\s+)/y;
const NAME_KEYS: ReadonlySet<string> = new Set(["tool", "name", "function"]);
const ARGUMENT_KEYS: ReadonlySet<string> = new Set(["args", "arguments", "params", "parameters"]);
/** A key is looked for in so many characters: bounds the work on text that is all colons. */
const MAX_KEY = 256;
const NEXT_CALL = /\s*(?:>\s*)?(?:$|<?call:)/y;
const LAST_BRACE = /\s*\}\s*$/y;
const SEPARATOR = /[\s\x85]*(?:=>|[:=])[\s\x85]*/y;
const ARGUMENT: LiteralPosition = { type: "argument", closer: "}" };
const MEMBER: LiteralPosition = { type: "member", closer: "}" };

/** Unquoted keys, delimited, quoted and bare values. */
class BraceReader extends LiteralReader {
  readonly #options: BraceOptions;
  #known: readonly string[] = [];

  constructor(text: string, options: BraceOptions) {
    super(text, maxJsonDepth - 1);
    this.#options = options;
  }

  read(): readonly CallCandidate[] | undefined {
    this.space();
    if (!this.take("{")) return this.#namedCalls();
    const call = this.#arrowCall();
    this.space();
    return call && this.atEnd ? [call] : undefined;
  }

  override space(): void {
    while (isBlank(this.text.charCodeAt(this.at))) this.at++;
  }

  /** `call:NAME{…}`, once or more. */
  #namedCalls(): readonly CallCandidate[] | undefined {
    const calls: CallCandidate[] = [];
    for (;;) {
      const name = this.match(HEADER)?.[1]?.split(":").at(-1);
      if (!name) return undefined;
      this.#expect(name);
      const list = this.#arguments();
      if (!list || !this.sees(NEXT_CALL)) return undefined;
      calls.push(listCall(name, list, this.takeRepairs()));
      this.match(/\s*>?\s*/y);
      if (this.atEnd) return calls;
    }
  }

  /** Reads `tool => "N", args => {…}}` from after the first brace. */
  #arrowCall(): CallCandidate | undefined {
    let name = "";
    let list: readonly Argument[] = [];
    for (;;) {
      this.match(/[\s,]*/y);
      if (this.take("}")) break;
      const key = this.match(ARROW_KEY)?.[1]?.toLowerCase() ?? "";
      if (NAME_KEYS.has(key) && name === "") {
        name = this.#quoted(/[,\s}]/y)?.value ?? this.match(/[^\s,{}"']+/y)?.[0] ?? "";
        if (name === "") return undefined;
        this.#expect(name);
      } else if (ARGUMENT_KEYS.has(key) && this.take("{")) {
        this.space();
        const read = this.sees(/--/y) ? this.#flags() : this.#arguments();
        if (!read) return undefined;
        list = read;
      } else return undefined;
    }
    return name === "" ? undefined : listCall(name, list, this.takeRepairs());
  }

  /** Starts the arguments of `tool`. */
  #expect(tool: string): void {
    this.#known = this.#options.knownParameters?.(tool) ?? [];
    this.takeRepairs();
  }

  /** `--key value` pairs up to the closing brace. */
  #flags(): readonly Argument[] | undefined {
    const list: Argument[] = [];
    for (;;) {
      this.match(/[\s,]*/y);
      if (this.take("}")) return list;
      const key = this.match(FLAG)?.[1];
      const value = key === undefined ? undefined : this.#flagValue();
      if (value === undefined) return undefined;
      list.push({ key, ...value });
    }
  }

  #flagValue(): Literal | undefined {
    const c = this.peek();
    if (c === '"' || c === "'") return this.#quoted(/\s*(?:,\s*)?(?:--[\w-]|\})/y);
    if (c === "{" || c === "[") return this.value(0, ARGUMENT);
    const bare = this.match(/(?:(?!\s--\p{L})[^\n}])+/uy)?.[0].trim();
    return bare && !bare.startsWith("--") ? { value: bare, form: "raw" } : undefined;
  }

  /** Reads the members of a call from after its brace, which need not be closed in a closed block. */
  #arguments(): readonly Argument[] | undefined {
    return this.items(
      "}",
      () => this.member(0),
      () => {
        if (!this.atEnd || !this.#options.closed) return false;
        this.note("missing-brace");
        return true;
      },
    );
  }

  protected override member(depth: number): Argument | undefined {
    const key = this.#key(depth);
    const value = key === undefined ? undefined : this.value(depth, depth === 0 ? ARGUMENT : MEMBER);
    return value && { key, ...value };
  }

  /** A key and its separator, both consumed. */
  #key(depth: number): string | undefined {
    const quoted = this.#delimited() ?? this.#quoted(SEPARATOR);
    if (quoted) return this.match(SEPARATOR) ? quoted.value : undefined;
    const separator = this.#separatorOfKey(depth === 0 ? this.#known : []);
    if (separator === undefined) return undefined;
    const key = this.text.slice(this.at, separator).trim();
    this.at = separator;
    const sign = this.match(SEPARATOR)?.[0].trim();
    if (sign !== ":") this.note("separator");
    return key === "" ? undefined : key;
  }

  /** Returns the end of a key that may contain colons: the longest key of the schema, else the last colon before a value that parses. */
  #separatorOfKey(known: readonly string[]): number | undefined {
    const limit = Math.min(this.text.length, this.at + MAX_KEY);
    const separators: number[] = [];
    let end = this.at;
    for (; end < limit && !",{}[]\"'".includes(this.text.charAt(end)) && !this.#delimiterAt(end); end++) {
      if (":=".includes(this.text.charAt(end)) && this.text[end - 1] !== "=") separators.unshift(end);
    }
    const isKnown = (at: number) => known.includes(this.text.slice(this.at, at).trim());
    const hasValue = (at: number) => {
      const rest = this.text
        .slice(at, end)
        .replace(/^(?:=>|[:=])/, "")
        .trim();
      return rest === "" ? !",}".includes(this.text.charAt(end)) : readLiteral(rest) !== undefined;
    };
    return separators.find(isKnown) ?? separators.find(hasValue) ?? separators.at(-1);
  }

  protected override scalar(_depth: number, { type }: LiteralPosition): Literal | undefined {
    const c = this.peek();
    if (c === '"' || c === "'") return this.#quoted(/\s*[,}\]]/y);
    return this.#delimited() ?? this.#bare(type === "argument");
  }

  /** A string between two equal delimiter tokens; everything between them is data. */
  #delimited(): Literal | undefined {
    const token = this.#delimiterAt(this.at);
    if (token === undefined) return undefined;
    const start = this.at + token.length;
    const end = this.text.indexOf(token, start);
    if (end < 0) return undefined;
    this.at = end + token.length;
    return { value: this.text.slice(start, end), form: "string" };
  }

  #delimiterAt(at: number): string | undefined {
    return this.#options.strings.find((token) => this.text.startsWith(token, at));
  }

  /** Reads a string in quotes. With unescaped inner quotes, the quote before a match of `follows` closes it. */
  #quoted(follows: RegExp): Literal | undefined {
    const c = this.peek();
    const closesAt = (after: number) => this.sees(follows, after);
    const read = c === '"' || c === "'" ? readString(this.text, this.at, closesAt) : undefined;
    if (!read) return undefined;
    const lexeme = this.text.slice(this.at, read.end);
    this.at = read.end;
    this.note(...read.repairs);
    const value = isStrictJson(lexeme) ? String(JSON.parse(lexeme)) : read.value;
    return { value, form: "string" };
  }

  /** Reads a number, a literal word, or text. For an argument the schema decides where it ends. */
  #bare(isArgument: boolean): Literal | undefined {
    const end = isArgument ? this.#bareEnd() : this.at + this.text.slice(this.at).search(/[,}\]]/);
    if (end === undefined || end < this.at) return undefined;
    const text = this.text.slice(this.at, end).trim();
    if (this.#options.strings.some((token) => text.includes(token))) return undefined;
    this.at = end;
    const json = readLiteral(text);
    if (json !== undefined) return toLiteral(json);
    if (!isArgument && text === "") return undefined;
    this.note("bare-word");
    return { value: text, form: "raw" };
  }

  #bareEnd(): number | undefined {
    for (let i = this.at; i < this.text.length; i++) {
      const c = this.text.charAt(i);
      if (c === "," && this.#startsMember(i + 1)) return i;
      if (c === "}" && (this.sees(NEXT_CALL, i + 1) || this.sees(LAST_BRACE, i + 1))) return i;
    }
    return this.#options.closed ? this.text.length : undefined;
  }

  /** Returns true if a known parameter and a separator stand at `at`. Without a schema, any key counts. */
  #startsMember(at: number): boolean {
    let i = at;
    while (/\s/.test(this.text.charAt(i))) i++;
    if (this.#known.length === 0) return this.sees(/[\p{L}_][\p{L}\p{N}_-]{0,63}\s*[:=]/uy, i);
    return this.#known.some((key) => this.text.startsWith(key, i) && this.sees(SEPARATOR, i + key.length));
  }
}

/** Returns the JSON text of a number or literal word that fills the complete text. */
function readLiteral(text: string): string | undefined {
  const number = readNumber(text, 0);
  if (number) return number.end === text.length ? number.json : undefined;
  return toWordLiteral(text);
}

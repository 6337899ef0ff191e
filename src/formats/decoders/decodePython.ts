// Decodes Python calls, single, in lines and in lists, to call candidates. Reads literals only and never evaluates anything.
import { unquote } from "../scanner/Tag.ts";
import { maxJsonDepth } from "./bodyLimits.ts";
import { type Argument, type CallCandidate, listCall, maxListedCalls } from "./CallCandidate.ts";
import { type Literal, toMapLiteral } from "./LiteralReader.ts";
import { isStringStart, readName, skipBlankCharacters, skipSpace } from "./lenientTokens.ts";
import { isItemEnd, PythonLiteralReader, type PythonTolerance } from "./PythonLiteralReader.ts";

export interface PythonOptions {
  /** Names of the offered tools. They may contain characters that no Python name has (dashes, spaces, slashes). */
  readonly callableNames: readonly string[];
  /** Returns the parameters of a tool. They help to distinguish unescaped quotes and bare words from syntax. */
  readonly knownParameters?: ((tool: string) => readonly string[]) | undefined;
}

/**
 * Decodes the calls of a complete body: `[f(a=1), g()]`, a call a line, `print(f())`, `x = f()`, lists of strings that contain calls,
 * pairs of a name and its arguments. Reads strictly first; if that fails, again with more tolerance (see `PythonTolerance`).
 * Undefined if a part is no call with literal arguments (a call as an argument is none), or if there is no call. Linear; depth at most 64.
 */
export function decodePython(body: string, options: PythonOptions): readonly CallCandidate[] | undefined {
  return readCalls(body, { ...options, quoted: false });
}

interface ReaderOptions extends PythonOptions {
  /** True inside a string with calls: it contains no further such strings. */
  readonly quoted: boolean;
  /** True if quotes before a call's name are ignored, since they are not closed. */
  readonly strayQuotes?: boolean | undefined;
}

const TOLERANCES: readonly PythonTolerance[] = ["strict", "tolerant", "unquoted"];

function readCalls(body: string, options: ReaderOptions): readonly CallCandidate[] | undefined {
  for (const tolerance of options.quoted ? [...TOLERANCES, "bare" as const] : TOLERANCES) {
    const reader = new CallReader(body, options, tolerance);
    const calls = reader.read();
    if (calls || reader.isOverlong) return calls;
  }
  if (options.quoted) return undefined;
  return new CallReader(body, { ...options, strayQuotes: true }, "tolerant").read();
}

/** Reads one body in one pass. Its methods return `undefined` or `false` if the text is refused. */
class CallReader extends PythonLiteralReader {
  readonly #options: ReaderOptions;
  readonly #assigned = new Set<string>();
  readonly #found: CallCandidate[] = [];

  constructor(text: string, options: ReaderOptions, tolerance: PythonTolerance) {
    super(text, tolerance, options.callableNames);
    this.#options = options;
  }

  /** True if the body exceeds the limits. More tolerance would not help. */
  override get isOverlong(): boolean {
    return super.isOverlong || this.#found.length > maxListedCalls;
  }

  read(): readonly CallCandidate[] | undefined {
    return this.#calls(undefined, 0) && this.#found.length > 0 ? this.#found : undefined;
  }

  /** Calls, or lists of them, up to `closer` or the end of the text. */
  #calls(closer: string | undefined, depth: number): boolean {
    if (depth > maxJsonDepth) return false;
    for (let first = true; ; first = false) {
      const separated = this.#separators() || first;
      if (this.atEnd) return closer === undefined;
      if (closer !== undefined && this.take(closer)) return true;
      if (!separated || this.isOverlong || !this.#item(depth)) return false;
    }
  }

  /** Skips separators between calls. Returns false if there are none. */
  #separators(): boolean {
    for (let separated = false; ; separated = true) {
      const before = this.at;
      this.space();
      if (!this.take(",") && !this.take(";")) return separated || this.text.slice(before, this.at).includes("\n");
    }
  }

  #item(depth: number): boolean {
    if (this.take("[")) return this.#calls("]", depth + 1);
    if (this.take("{")) return this.#calls("}", depth + 1);
    if (this.take("(")) return this.#calls(")", depth + 1);
    if (this.#options.strayQuotes === true && this.match(QUOTE)) {
      const name = this.takeCallee();
      if (name === undefined || !this.#call(name, depth)) return false;
      this.note("stray-quote");
      this.match(QUOTE);
      return true;
    }
    if (isStringStart(this.text, this.at)) return this.#stringItem(depth);
    const name = this.takeCallee();
    if (name !== undefined) return this.#printed(name, depth) ?? this.#call(name, depth);
    return depth < maxJsonDepth && this.#lead() && this.#item(depth + 1);
  }

  /** `await`, `return` or `x =` before a call. */
  #lead(): boolean {
    const word = readName(this.text, this.at);
    if (!word) return false;
    this.at = word.end;
    this.space();
    if (word.name === "await" || word.name === "return") return true;
    if (!this.match(/=(?!=)/y)) return false;
    this.space();
    this.#assigned.add(word.name);
    return true;
  }

  /** `print(f())` prints a call's result; `print(x)` one that was assigned above, and is passed over. */
  #printed(name: string, depth: number): boolean | undefined {
    if (name !== "print" || this.#options.callableNames.includes("print")) return undefined;
    const word = readName(this.text, skipBlankCharacters(this.text, this.at));
    if (!word || !this.#assigned.has(word.name)) return this.#calls(")", depth + 1);
    this.at = skipBlankCharacters(this.text, word.end);
    return this.take(")");
  }

  /** Reads `'f(a=1)'`, `'f'(a=1)`, and an offered name with the text after it in the list. */
  #stringItem(depth: number): boolean {
    const value = this.takeString((after) => isItemEnd(this.text, after));
    if (value === undefined) return false;
    this.space();
    if (this.take("(")) return this.#call(value, depth);
    return this.#options.callableNames.includes(value) ? this.#named(value, depth) : this.#quoted(value);
  }

  /** Reads the text of a string as if it stood alone. */
  #quoted(text: string): boolean {
    if (this.#options.quoted) return false;
    const options = { ...this.#options, quoted: true };
    // A quotation inside a quotation may have been escaped once too often.
    const calls =
      readCalls(text, options) ??
      (/\\["']/.test(text) ? readCalls(text.replace(/\\(["'])/g, "$1"), options) : undefined);
    for (const call of calls ?? []) this.#found.push(call);
    return calls !== undefined;
  }

  /** Reads `'f', {'a': 1}` · `'f', 'a=1', 'b=2'` · `'f', '(a=1)'` from after the name. */
  #named(name: string, depth: number): boolean {
    if (!this.take(",")) return false;
    this.space();
    if (this.take("{")) {
      const list = this.members(depth + 1);
      if (!list?.every(({ key }) => key !== undefined)) return false;
      this.#emit(name, list);
      return true;
    }
    const pieces: string[] = [];
    let end = this.at;
    while (isStringStart(this.text, this.at)) {
      const piece = this.takeString(() => true);
      if (piece === undefined || !/^\(|^\w+ ?=/.test(piece)) break;
      pieces.push(piece);
      end = this.at;
      this.space();
      if (!this.take(",")) break;
      this.space();
    }
    this.at = end;
    const list = pieces.join(", ");
    return pieces.length > 0 && this.#quoted(list.startsWith("(") ? name + list : `${name}(${list})`);
  }

  /** Reads a call from after its `(`. */
  #call(name: string, depth: number): boolean {
    const list = this.#keyworded(name, this.#arguments(name, depth + 1));
    if (!list) return false;
    const style = this.takeStyle();
    if (style.doubtful > 0 && (style.bare === 0 || style.quoted > 0)) return false;
    this.#emit(name, list);
    return true;
  }

  #emit(name: string, list: readonly Argument[]): void {
    this.#found.push(listCall(name, list, this.takeRepairs()));
  }

  #parametersOf(name: string): readonly string[] | undefined {
    const tool = this.offeredTool(name);
    return tool === undefined ? undefined : this.#options.knownParameters?.(tool);
  }

  /** Reads `f('a=1', 'b=2')`: quoted keywords, each of which begins with a parameter. */
  #keyworded(name: string, list: readonly Argument[] | undefined): readonly Argument[] | undefined {
    const known = this.#parametersOf(name) ?? [];
    if (!list || list.length === 0 || known.length === 0) return list;
    const read: Argument[] = [];
    for (const { key, value } of list) {
      const text: unknown = key === undefined && value.startsWith('"') ? JSON.parse(value) : undefined;
      const sign = typeof text === "string" ? text.indexOf("=") : -1;
      if (typeof text !== "string" || sign < 0 || !known.includes(text.slice(0, sign).trim())) return list;
      read.push({ key: text.slice(0, sign).trim(), value: unquote(text.slice(sign + 1).trim()), form: "raw" });
    }
    return read;
  }

  /** `dict(a=1)` is a literal; the result of any other call is unknown. */
  protected override nested(name: string, depth: number): Literal | undefined {
    if (name !== "dict" || this.#options.callableNames.includes("dict")) return undefined;
    const list = this.#arguments(name, depth + 1);
    return list?.every(({ key }) => key !== undefined) ? toMapLiteral(list) : undefined;
  }

  #arguments(name: string, depth: number): readonly Argument[] | undefined {
    if (depth > maxJsonDepth) return undefined;
    const parameters = this.#parametersOf(name);
    const known = parameters && new Set(parameters);
    let isFirst = true;
    const groups = this.items(")", () => {
      const group = isFirst && this.take("{") ? this.#braces(depth, known) : this.#argument(depth, known);
      isFirst = false;
      return group;
    });
    const list = groups?.flat();
    const keyed = list?.findIndex(({ key }) => key !== undefined) ?? -1;
    // No positional argument may follow a keyword.
    return keyed >= 0 && list?.slice(keyed).some(({ key }) => key === undefined) ? undefined : list;
  }

  #argument(depth: number, known: ReadonlySet<string> | undefined): readonly Argument[] | undefined {
    const key = this.takeKeyword();
    this.space();
    const isQuoted = key === undefined && isStringStart(this.text, this.at);
    const value = this.value(depth, { type: "argument", closer: ")", key, known });
    if (!value) return undefined;
    if (isQuoted) this.space();
    if (!isQuoted || !this.takeAssign()) return [{ key, ...value }];
    const quotedKey: string = JSON.parse(value.value);
    this.space();
    const named = this.value(depth, { type: "argument", closer: ")", key: quotedKey, known });
    return named && [{ key: quotedKey, ...named }];
  }

  /** Reads braces as the first argument, from after the opening brace: a single dict contains the keywords, unless the schema knows none of them. */
  #braces(depth: number, known: ReadonlySet<string> | undefined): readonly Argument[] | undefined {
    const members = this.members(depth + 1);
    const whole = toMapLiteral(members);
    if (!members || !whole) return undefined;
    const end = skipSpace(this.text, this.at);
    const alone =
      this.text[end] === ")" || (this.text[end] === "," && this.text[skipSpace(this.text, end + 1)] === ")");
    const isDict = members.every(({ key }) => key !== undefined);
    const spread = alone && isDict && (!known || members.some(({ key }) => key !== undefined && known.has(key)));
    return spread ? members : [whole];
  }
}

/** Any quotation mark. */
const QUOTE = /['"`]/y;

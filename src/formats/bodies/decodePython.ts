// Python calls as text, alone, in lines and in lists → call candidates. Reads literals only; never evaluates anything.
import { maxJsonDepth } from "./bodyLimits.ts";
import { type Argument, type CallCandidate, maxListedCalls } from "./CallCandidate.ts";
import { PythonCursor, type Tolerance } from "./PythonCursor.ts";
import { jsonOfBraces, PythonValues } from "./PythonValues.ts";
import { readName, skipBlanks, skipSpace, startsString } from "./pythonLiterals.ts";
import { closesItem } from "./pythonTolerance.ts";

export interface PythonOptions {
  /** Names of the offered tools; they may hold what no Python name has (dashes, spaces, slashes). */
  readonly offered: readonly string[];
  /** The parameters of a tool: with them, unescaped quotes and bare words can be told from syntax. */
  readonly knownParameters?: ((tool: string) => readonly string[]) | undefined;
}

/**
 * The calls of a whole body: `[f(a=1), g()]`, a call a line, `print(f())`, `x = f()`, lists of strings that hold calls,
 * pairs of a name and its arguments. Read strictly first; where that fails, again with more tolerance (see `Tolerance`).
 * Undefined where anything is no call with literal arguments (a call as an argument is none), and where there is no call. Linear; depth at most 64.
 */
export function decodePython(body: string, options: PythonOptions): readonly CallCandidate[] | undefined {
  return readCalls(body, { ...options, quoted: false });
}

interface ReaderOptions extends PythonOptions {
  /** True inside of a string that holds calls: it holds no further such strings. */
  readonly quoted: boolean;
  /** True where quotes before a call's name mean nothing, since nobody closed them. */
  readonly strayQuotes?: boolean | undefined;
}

const TOLERANCES: readonly Tolerance[] = ["strict", "tolerant", "unquoted"];

function readCalls(body: string, options: ReaderOptions): readonly CallCandidate[] | undefined {
  for (const tolerance of options.quoted ? [...TOLERANCES, "bare" as const] : TOLERANCES) {
    const reader = new CallReader(body, options, tolerance);
    const calls = reader.read();
    if (calls || reader.isOverlong) return calls;
  }
  if (options.quoted) return undefined;
  return new CallReader(body, { ...options, strayQuotes: true }, "tolerant").read();
}

/** One pass over one body. Its methods say `undefined` or `false` where the text is refused. */
class CallReader {
  readonly #options: ReaderOptions;
  readonly #cursor: PythonCursor;
  readonly #values: PythonValues;
  readonly #assigned = new Set<string>();
  readonly #found: CallCandidate[] = [];

  constructor(text: string, options: ReaderOptions, tolerance: Tolerance) {
    this.#options = options;
    this.#cursor = new PythonCursor(text, tolerance, options.offered);
    this.#values = new PythonValues(this.#cursor, (name, depth) => this.#nested(name, depth));
  }

  /** The body holds more than is read; more tolerance would not make it less. */
  get isOverlong(): boolean {
    return this.#values.isOverlong || this.#found.length > maxListedCalls;
  }

  read(): readonly CallCandidate[] | undefined {
    return this.#items(undefined, 0) && this.#found.length > 0 ? this.#found : undefined;
  }

  /** Calls, or lists of them, up to `closer` or the end of the text. */
  #items(closer: string | undefined, depth: number): boolean {
    const cursor = this.#cursor;
    if (depth > maxJsonDepth) return false;
    for (let first = true; ; first = false) {
      const separated = this.#separators() || first;
      if (cursor.at >= cursor.text.length) return closer === undefined;
      if (closer !== undefined && cursor.take(closer)) return true;
      if (!separated || this.isOverlong || !this.#item(depth)) return false;
    }
  }

  /** Skips what may stand between calls; false where that is nothing. */
  #separators(): boolean {
    const cursor = this.#cursor;
    for (let separated = false; ; separated = true) {
      const before = cursor.at;
      cursor.space();
      const newLine = cursor.text.slice(before, cursor.at).includes("\n");
      if (!cursor.take(",") && !cursor.take(";")) return separated || newLine;
    }
  }

  #item(depth: number): boolean {
    const cursor = this.#cursor;
    if (cursor.take("[")) return this.#items("]", depth + 1);
    if (cursor.take("{")) return this.#items("}", depth + 1);
    if (cursor.take("(")) return this.#items(")", depth + 1);
    if (this.#options.strayQuotes === true && cursor.takeQuote()) {
      const name = cursor.takeCallee();
      if (name === undefined || !this.#call(name, depth)) return false;
      cursor.noteRepairs(["stray-quote"]);
      cursor.takeQuote();
      return true;
    }
    if (startsString(cursor.text, cursor.at)) return this.#stringItem(depth);
    const name = cursor.takeCallee();
    if (name !== undefined) return this.#printed(name, depth) ?? this.#call(name, depth);
    return depth < maxJsonDepth && this.#lead() && this.#item(depth + 1);
  }

  /** `await`, `return` or `x =` before a call. */
  #lead(): boolean {
    const cursor = this.#cursor;
    const word = readName(cursor.text, cursor.at);
    if (!word) return false;
    cursor.at = word.end;
    cursor.space();
    if (word.name === "await" || word.name === "return") return true;
    if (!cursor.take("=") || cursor.peek() === "=") return false;
    cursor.space();
    this.#assigned.add(word.name);
    return true;
  }

  /** `print(f())` prints a call's result; `print(x)` one that was assigned above, and is passed over. */
  #printed(name: string, depth: number): boolean | undefined {
    const cursor = this.#cursor;
    if (name !== "print" || this.#options.offered.includes("print")) return undefined;
    const word = readName(cursor.text, skipBlanks(cursor.text, cursor.at));
    if (!word || !this.#assigned.has(word.name)) return this.#items(")", depth + 1);
    cursor.at = skipBlanks(cursor.text, word.end);
    return cursor.take(")");
  }

  /** `'f(a=1)'`, `'f'(a=1)`, and an offered name with what follows it in the list. */
  #stringItem(depth: number): boolean {
    const cursor = this.#cursor;
    const read = cursor.takeString((after) => closesItem(cursor.text, after));
    if (!read) return false;
    cursor.space();
    if (cursor.take("(")) return this.#call(read.value, depth);
    if (this.#options.offered.includes(read.value)) return this.#named(read.value, depth);
    return this.#quoted(read.value);
  }

  /** What stands in a string as if it stood alone. */
  #quoted(text: string): boolean {
    if (this.#options.quoted) return false;
    const options = { ...this.#options, quoted: true };
    const escaped = ESCAPED_QUOTE.test(text);
    const calls =
      readCalls(text, options) ?? (escaped ? readCalls(text.replace(ESCAPED_QUOTES, "$1"), options) : undefined);
    this.#found.push(...(calls ?? []));
    return calls !== undefined;
  }

  /** `'f', {'a': 1}` · `'f', 'a=1', 'b=2'` · `'f', '(a=1)'`, from behind the name. */
  #named(name: string, depth: number): boolean {
    const cursor = this.#cursor;
    if (!cursor.take(",")) return false;
    cursor.space();
    if (cursor.take("{")) {
      const braces = this.#values.braces(depth + 1);
      if (braces?.type !== "dict") return false;
      this.#emit(name, keywords(braces.members));
      return true;
    }
    const pieces: string[] = [];
    let end = cursor.at;
    while (startsString(cursor.text, cursor.at)) {
      const piece = cursor.takeString(() => true)?.value;
      if (piece === undefined || !/^\(|^\w+ ?=/.test(piece)) break;
      pieces.push(piece);
      end = cursor.at;
      cursor.space();
      if (!cursor.take(",")) break;
      cursor.space();
    }
    cursor.at = end;
    const list = pieces.join(", ");
    return pieces.length > 0 && this.#quoted(list.startsWith("(") ? name + list : `${name}(${list})`);
  }

  /** A call from behind its `(`. */
  #call(name: string, depth: number): boolean {
    const list = this.#keyworded(name, this.#arguments(name, depth + 1));
    if (!list) return false;
    const style = this.#values.takeStyle();
    if (style.doubtful > 0 && (style.bare === 0 || style.quoted > 0)) return false;
    this.#emit(name, list);
    return true;
  }

  /** `f('a=1', 'b=2')`: keywords that stand in quotes, where each of them begins with a parameter. */
  #keyworded(name: string, list: readonly Argument[] | undefined): readonly Argument[] | undefined {
    const tool = this.#cursor.offeredTool(name);
    const known = tool === undefined ? [] : (this.#options.knownParameters?.(tool) ?? []);
    if (!list || list.length === 0 || known.length === 0) return list;
    const read: Argument[] = [];
    for (const { key, value } of list) {
      const text: unknown = key === undefined && value.startsWith('"') ? JSON.parse(value) : undefined;
      const sign = typeof text === "string" ? text.indexOf("=") : -1;
      if (typeof text !== "string" || sign < 0 || !known.includes(text.slice(0, sign).trim())) return list;
      read.push({ key: text.slice(0, sign).trim(), value: unquoted(text.slice(sign + 1).trim()), form: "raw" });
    }
    return read;
  }

  /** `dict(a=1)` is a literal; what any other call gives is not known. */
  #nested(name: string, depth: number): string | undefined {
    if (name !== "dict" || this.#options.offered.includes("dict")) return undefined;
    const list = this.#arguments(name, depth + 1);
    const members = list?.flatMap(({ key, value }) => (key === undefined ? [] : [{ key, json: value }]));
    return members && members.length === list?.length ? jsonOfBraces({ type: "dict", members }) : undefined;
  }

  #emit(name: string, list: readonly Argument[]): void {
    this.#found.push({ name, arguments: { type: "list", list }, repairs: this.#cursor.takeRepairs() });
  }

  #arguments(name: string, depth: number): readonly Argument[] | undefined {
    const cursor = this.#cursor;
    if (depth > maxJsonDepth) return undefined;
    const tool = cursor.offeredTool(name);
    const parameters = tool === undefined ? undefined : this.#options.knownParameters?.(tool);
    const known = parameters && new Set(parameters);
    const list: Argument[] = [];
    for (let keyed = false; ; ) {
      cursor.space();
      if (cursor.take(")")) return list;
      const more =
        list.length === 0 && cursor.peek() === "{" ? this.#first(depth, known) : this.#argument(depth, known);
      if (!more || (keyed && more.some((argument) => argument.key === undefined))) return undefined;
      list.push(...more);
      keyed ||= more.some((argument) => argument.key !== undefined);
      cursor.space();
      if (!cursor.take(",") && cursor.peek() !== ")") return undefined;
    }
  }

  #argument(depth: number, known: ReadonlySet<string> | undefined): readonly Argument[] | undefined {
    const cursor = this.#cursor;
    const key = cursor.takeKeyword();
    cursor.space();
    const quoted = key === undefined && startsString(cursor.text, cursor.at);
    const value = this.#values.value(depth, { type: "argument", key, known });
    if (value === undefined) return undefined;
    if (quoted) cursor.space();
    if (!quoted || !cursor.takeAssign()) return [{ key, value, form: "json" }];
    const quotedKey: string = JSON.parse(value);
    cursor.space();
    const named = this.#values.value(depth, { type: "argument", key: quotedKey, known });
    return named === undefined ? undefined : [{ key: quotedKey, value: named, form: "json" }];
  }

  /** Braces as the first argument: a dict that stands alone holds the keywords, unless the schema knows none of them. */
  #first(depth: number, known: ReadonlySet<string> | undefined): readonly Argument[] | undefined {
    const { text } = this.#cursor;
    this.#cursor.take("{");
    const braces = this.#values.braces(depth + 1);
    if (!braces) return undefined;
    const end = skipSpace(text, this.#cursor.at);
    const alone = text[end] === ")" || (text[end] === "," && text[skipSpace(text, end + 1)] === ")");
    const spread = alone && braces.type === "dict" && (!known || braces.members.some(({ key }) => known.has(key)));
    return spread ? keywords(braces.members) : [{ value: jsonOfBraces(braces), form: "json" }];
  }
}

function keywords(members: readonly { readonly key: string; readonly json: string }[]): readonly Argument[] {
  return members.map(({ key, json }) => ({ key, value: json, form: "json" }));
}

/** A quotation inside a quotation that was escaped once too often. */
const ESCAPED_QUOTE = /\\["']/;
const ESCAPED_QUOTES = /\\(["'])/g;

function unquoted(text: string): string {
  const quote = text.charAt(0);
  return text.length > 1 && (quote === "'" || quote === '"') && text.endsWith(quote) ? text.slice(1, -1) : text;
}

// Decodes a call as YAML (`name:` and an `arguments:` map): block and flow maps and lists, plain, quoted and block scalars. Refuses
// anchors, tags, explicit keys, directives and tabs as indentation. Assigns no types: the schema decides what `no` means.
import { type Argument, type CallCandidate, listCall } from "./CallCandidate.ts";
import { type Literal, type LiteralPosition, LiteralReader, toListLiteral, toMapLiteral } from "./LiteralReader.ts";

/**
 * Decodes the one call of a complete body with name and arguments, or undefined. Plain scalars have form `raw`, quoted and block scalars
 * `string`; nested values are JSON with string scalars. Refuses anchors, aliases, tags, merge keys and other keys, and
 * bodies over 8 KiB or deeper than 64.
 */
export function decodeYaml(body: string): CallCandidate | undefined {
  if (body.length > MAX_CHARACTERS || !STARTS_WITH_NAME.test(body) || isDeep(body)) return undefined;
  let name: string | undefined;
  let list: readonly Argument[] | undefined;
  for (const member of readYamlBlock(body) ?? []) {
    const label = member.key?.toLowerCase() ?? "";
    if (NAME_KEYS.has(label) && name === undefined && member.form !== "json") name = member.value.trim();
    else if (ARGUMENT_KEYS.has(label) && !list) list = isEmpty(member) ? [] : member.members;
    else return undefined;
  }
  return name && list ? listCall(name, list) : undefined;
}

const MAX_CHARACTERS = 8_192;
const MAX_DEPTH = 64;
const STARTS_WITH_NAME = /^\s*(?:---\s*)?["']?(?:name|tool|function|tool_name|action)["']?[ \t]*:/i;
const NAME_KEYS: ReadonlySet<string> = new Set(["name", "tool", "function", "tool_name", "action"]);
const ARGUMENT_KEYS: ReadonlySet<string> = new Set("arguments parameters args input params action_input".split(" "));

/** Counts flow brackets and, on each line, indentation and list dashes; brackets in strings count too, on the safe side. */
function isDeep(body: string): boolean {
  if ((body.match(/[[{]/g)?.length ?? 0) > 4 * MAX_DEPTH) return true;
  return body.split("\n").some((line) => {
    const lead = /^[ \t?-]*/.exec(line)?.[0] ?? "";
    return lead.length > 4 * MAX_DEPTH || lead.replace(/[ \t]/g, "").length > MAX_DEPTH;
  });
}

function isEmpty({ value, form }: YamlMember): boolean {
  return form !== "json" && value === "";
}

/** A value, and its members if it is a map. */
interface YamlValue extends Literal {
  readonly members?: readonly YamlMember[];
}

export interface YamlMember extends Argument, YamlValue {}

/** Returns the members of the one map in a text; undefined if it is none, or has unsupported parts. */
export function readYamlBlock(text: string): readonly YamlMember[] | undefined {
  try {
    const lines = text.replaceAll("\r\n", "\n");
    return lines.includes("\r") ? undefined : new YamlReader(lines).document()?.members;
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** Ends a reading from any depth; never leaves this file. */
class Refused extends Error {}

function refuse(): never {
  throw new Refused();
}

/** On as many lines as it takes. */
const QUOTED = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*'/y;
/** A key and its colon, on one line. */
const KEY =
  /(?:(?:"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\n]|'')*')[ \t]*|(?:[^ \t\n?:,[\]{}#&*!|>'"%@`-]|[?:-](?=[^ \t\n,[\]{}]))(?:[^:#\n]|:(?=[^ \t\n])|(?<=[^ \t])#)*):(?=[ \t\n]|$)/y;
const DASH = /-(?=[ \n]|$)/y;
/** Lines with only a comment, and the indentation of the next one. */
const IDLE_LINES = /(?:[ ]*(?:#[^\n]*)?\n)*(?:[ ]*#[^\n]*$)?[ ]*/y;
const LINE_END = /(?:#[^\n]*)?(?:\n|$)/y;
/** End of a line after a value. */
const VALUE_END = /[ \t]*(?:[ \t]#[^\n]*)?(?:\n|$)/y;
const BLOCK_HEADER = /([|>])([1-9]?)([+-]?)[ \t]*(?:[ \t]#[^\n]*)?(?:\n|$)/y;
const FLOW_SCALAR = /(?:[^,[\]{}:#\n]|:(?=[^ \t\n,[\]{}])|(?<=[^ \t\n])#)*/y;
const TRAILING = /(?<![ \t])[ \t]+$/;
/** A key in the middle of a value is none. */
const NESTED = /:(?:[ \t]|$)/;

const EMPTY: YamlValue = { value: "", form: "raw" };
const ANYWHERE: LiteralPosition = { type: "element", closer: "" };

/** Between two values the cursor stands at the start of a line, or after a dash. The depth was checked before. */
class YamlReader extends LiteralReader {
  constructor(text: string) {
    super(text, Number.POSITIVE_INFINITY);
  }

  document(): YamlValue | undefined {
    if (this.#indent() === 0) this.match(/---[ ]*(?:\n|$)/y);
    const value = this.#block(0);
    return this.#indent() < 0 ? value : undefined;
  }

  /** Moves to the next visible character and returns its column; -1 after the last one. */
  #indent(): number {
    this.match(IDLE_LINES);
    if (this.peek() === "\t") refuse();
    return this.atEnd ? -1 : this.#column;
  }

  get #column(): number {
    return this.at - 1 - this.text.lastIndexOf("\n", this.at - 1);
  }

  /** The rest of the line, which is passed. */
  #line(): string {
    const line = this.match(/[^\n]*/y)?.[0] ?? "";
    this.take("\n");
    return line;
  }

  /** Reads the lines that are indented by `least` or more. */
  #block(least: number): YamlValue {
    const indent = this.#indent();
    if (indent < least) return EMPTY;
    if (this.sees(DASH)) return this.#list(indent);
    return this.sees(KEY) ? this.#map(indent) : this.#value(least - 1);
  }

  #list(indent: number): YamlValue {
    const items: YamlValue[] = [];
    while (this.#indent() === indent && this.match(DASH)) {
      const blanks = this.match(/[ \t]*/y)?.[0] ?? "";
      const isBlock = this.sees(DASH) || this.sees(KEY);
      if (isBlock && blanks.includes("\t")) refuse();
      items.push(isBlock || this.match(LINE_END) ? this.#block(indent + 1) : this.#value(indent));
    }
    return toListLiteral(items) ?? refuse();
  }

  #map(indent: number): YamlValue {
    const members: YamlMember[] = [];
    while (this.#indent() === indent) {
      const written = this.match(KEY)?.[0];
      if (written === undefined) break;
      this.match(/[ \t]*/y);
      const isBlock = this.match(LINE_END) !== undefined;
      const isList = isBlock && this.#indent() === indent && this.sees(DASH);
      const value = isList ? this.#list(indent) : isBlock ? this.#block(indent + 1) : this.#value(indent);
      members.push({ key: keyText(written), ...value });
    }
    return mapWith(withoutDoubles(members));
  }

  /** Reads a value that begins on its key's line, whose further lines are indented by more than `indent`. */
  #value(indent: number): YamlValue {
    if (this.sees(/[|>]/y)) return this.#blockScalar(indent);
    if (this.sees(/[[{"']/y)) return this.#flow(indent);
    const line = this.#line();
    const plain = plainText(line, START);
    const isWhole = plain === line.replace(TRAILING, "");
    return { value: isWhole ? plain + this.#continued(indent) : plain, form: "raw" };
  }

  /** Further lines of a plain scalar, folded. */
  #continued(indent: number): string {
    for (let text = ""; ; ) {
      const from = this.at;
      const blanks = (this.match(/(?: *\n)*/y)?.[0] ?? "").replaceAll(" ", "");
      const isIndented = (this.match(/ */y)?.[0].length ?? 0) > indent && !this.sees(/#|$/y);
      if (this.peek() === "\t") refuse();
      if (!isIndented) {
        this.at = from;
        return text;
      }
      const words = this.#line().replace(TRAILING, "");
      const plain = plainText(words);
      text += (blanks || " ") + plain;
      if (plain !== words) return text;
    }
  }

  /** A quoted scalar or a flow collection, which may go on in lines below. */
  #flow(indent: number): YamlValue {
    const from = this.at;
    const value = this.take("{") ? mapWith(this.members(0)) : this.value(0, ANYWHERE);
    const further = this.text.slice(from, this.at).split("\n").slice(1);
    const leansOut = (line: string): boolean => /^ *\t/.test(line) || line.search(/[^ ]/) <= indent;
    if (!this.match(VALUE_END) || further.some((line) => /[^ \t]/.test(line) && leansOut(line))) refuse();
    return value ?? refuse();
  }

  #blockScalar(indent: number): YamlValue {
    const [, style, further, chomp] = this.match(BLOCK_HEADER) ?? refuse();
    const below = this.text.slice(this.at).split("\n");
    const lines = blockLines(below, indent, Number(further));
    const isLast = lines.length === below.length;
    this.at += below.slice(0, lines.length).join("\n").length + (isLast || lines.length === 0 ? 0 : 1);
    const last = lines.findLastIndex((line) => !/^ *$/.test(line)) + 1;
    if ((last === 0 && chomp === "+") || lines.slice(last).some((line) => line !== "")) refuse();
    const kept = lines.slice(0, last);
    const text = style === "|" ? kept.join("\n") : folded(kept);
    // Nothing follows the line end of a text's last line.
    const blanks = lines.length - last - (isLast && lines.length > last ? 1 : 0);
    const end = chomp === "+" ? 1 + blanks : chomp === "" && last > 0 ? 1 : 0;
    return { value: text + "\n".repeat(end), form: "string" };
  }

  override space(): void {
    this.match(/[ \t\n]*/y);
  }

  override items<Item>(closer: string, one: () => Item | undefined): readonly Item[] {
    return super.items(closer, one) ?? refuse();
  }

  override members(depth: number): readonly Argument[] {
    return withoutDoubles(super.members(depth) ?? refuse());
  }

  protected override scalar(): Literal | undefined {
    if (/["']/.test(this.peek())) return { value: unquoted(this.match(QUOTED)?.[0] ?? refuse()), form: "string" };
    const found = (this.match(FLOW_SCALAR)?.[0] ?? "").replace(TRAILING, "");
    if (/^(?:[&*!|>'"%@`#]|[?:-](?:[ \t]|$))/.test(found) || found.includes("---")) refuse();
    return found === "" ? undefined : { value: found, form: "raw" };
  }

  protected override member(): Argument {
    const key = this.value(0, ANYWHERE);
    if (!key || key.form === "json") refuse();
    this.space();
    if (!this.take(":")) return { key: key.value, ...EMPTY };
    this.space();
    return { key: key.value, ...(this.value(0, ANYWHERE) ?? EMPTY) };
  }
}

/** Returns the lines of a block scalar without their indentation: `further` more than `indent`, or that of the first line. */
function blockLines(below: readonly string[], indent: number, further: number): readonly string[] {
  const lines: string[] = [];
  let column = further === 0 ? 0 : Math.max(indent, 0) + further;
  let longestBlank = 0;
  for (const line of below) {
    const own = line.search(/[^ ]|$/);
    const isBlank = own === line.length;
    if (column === 0 && isBlank) longestBlank = Math.max(longestBlank, own);
    if (column === 0 && !isBlank) {
      if (own <= indent) break;
      if (longestBlank > own) refuse();
      column = own;
    }
    if (!isBlank && own < column) break;
    lines.push(column === 0 ? "" : line.slice(column));
  }
  return lines;
}

/** The lines of a paragraph as one; lines that are indented further stay as they are. */
function folded(lines: readonly string[]): string {
  const betweenWords = /(?<=(?:^|\n)[^ \t\n][^\n]*)\n+(?=[^ \t\n])/g;
  return lines.join("\n").replace(betweenWords, (ends) => (ends.length === 1 ? " " : ends.slice(1)));
}

function keyText(key: string): string {
  const written = key.slice(0, -1).replace(TRAILING, "");
  if (/^["']/.test(written)) return unquoted(written);
  return /[ \t]#/.test(written) ? refuse() : written;
}

/** Characters with which no plain scalar begins. */
const START = /^(?:[,[\]{}#&*!|>'"%@`]|[?:-](?:[ \t]|$))/;

/** A plain scalar up to its comment; it may not begin with `never`. */
function plainText(text: string, never?: RegExp): string {
  const plain = text.replace(/(?<![ \t])[ \t]+#[^\n]*$/, "").replace(TRAILING, "");
  return never?.test(text) || NESTED.test(plain) ? refuse() : plain;
}

function unquoted(written: string): string {
  if (/\\\n/.test(written) && written.startsWith('"')) refuse();
  const folded = /(?<![ \t])[ \t]*\n[ \t\n]*/g;
  const text = written.replace(folded, (ends) => "\n".repeat(ends.split("\n").length - 2) || " ");
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  try {
    // Escapes that JSON has too mean the same; others are refused.
    return String(JSON.parse(text.replaceAll("\n", "\\n").replaceAll("\t", "\\t")));
  } catch {
    return refuse();
  }
}

/** No key may stand in a map twice. */
function withoutDoubles<Member extends Argument>(members: readonly Member[]): readonly Member[] {
  return new Set(members.map(({ key }) => key)).size < members.length ? refuse() : members;
}

function mapWith(members: readonly YamlMember[]): YamlValue {
  return { ...(toMapLiteral(members) ?? refuse()), members };
}

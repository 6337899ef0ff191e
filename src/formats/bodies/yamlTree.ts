// The YAML that models write calls in: block and flow maps and lists, plain, quoted and block scalars. What is rarer (anchors, tags, explicit keys,
// directives, tabs as indentation) is refused. Trusts no type: plain scalars are raw text, and so is what is empty.
import type { Argument } from "./CallCandidate.ts";
import { type Literal, listOf, mapOf, type Place, ValueReader } from "./ValueReader.ts";

/** A value, and its members where it is a map. */
interface YamlValue extends Literal {
  readonly members?: readonly YamlMember[];
}

export interface YamlMember extends Argument, YamlValue {}

/** The members of the one map that a text is; undefined where it is none, or holds anything that is not read here. */
export function readYaml(text: string): readonly YamlMember[] | undefined {
  try {
    const lines = text.replaceAll("\r\n", "\n");
    return lines.includes("\r") ? undefined : new BlockReader(lines.split("\n")).document()?.members;
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
  /(?:(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*')[ \t]*|(?:[^ \t?:,[\]{}#&*!|>'"%@`-]|[?:-](?=[^ \t,[\]{}]))(?:[^:#]|:(?=[^ \t])|(?<=[^ \t])#)*):(?=[ \t]|$)/y;

const LEADING = /^[ \t]+/;
const TRAILING = /(?<![ \t])[ \t]+$/;

/** A key in the middle of a value is none. */
const NESTED = /:(?:[ \t]|$)/;

const EMPTY: YamlValue = { value: "", form: "raw" };

class BlockReader {
  readonly #lines: string[];
  #line = 0;

  constructor(lines: string[]) {
    this.#lines = lines;
  }

  document(): YamlValue | undefined {
    this.#indent();
    if (/^---[ ]*$/.test(this.#current)) this.#line += 1;
    const value = this.#block(0);
    return this.#indent() < 0 ? value : undefined;
  }

  get #current(): string {
    return this.#lines[this.#line] ?? "";
  }

  /** The indentation of the next line that is not blank; -1 behind the last one. */
  #indent(): number {
    while (this.#line < this.#lines.length && /^[ ]*(?:#[^\n]*)?$/.test(this.#current)) this.#line += 1;
    return this.#line < this.#lines.length ? indentOf(this.#current) : -1;
  }

  /** What the lines say that are indented by `least` or more. */
  #block(least: number): YamlValue {
    const indent = this.#indent();
    if (indent < least) return EMPTY;
    if (isDash(this.#current, indent)) return this.#list(indent);
    if (keyAt(this.#current, indent) !== undefined) return this.#map(indent);
    return this.#value(this.#current.slice(indent), least - 1);
  }

  #list(indent: number): YamlValue {
    const items: YamlValue[] = [];
    while (this.#indent() === indent && isDash(this.#current, indent)) {
      const rest = this.#current.slice(indent + 1);
      const inline = rest.replace(LEADING, "");
      const column = indent + 1 + rest.length - inline.length;
      if (inline === "" || inline.startsWith("#")) {
        this.#line += 1;
        items.push(this.#block(indent + 1));
      } else if (isDash(this.#current, column) || keyAt(this.#current, column) !== undefined) {
        if (rest.slice(0, -inline.length).includes("\t")) refuse();
        // A list or a map that begins behind the dash: as if the dash were a blank.
        this.#lines[this.#line] = " ".repeat(column) + inline;
        items.push(this.#block(column));
      } else items.push(this.#value(inline, indent));
    }
    return listOf(items) ?? refuse();
  }

  #map(indent: number): YamlValue {
    const members: YamlMember[] = [];
    while (this.#indent() === indent) {
      const written = keyAt(this.#current, indent);
      if (written === undefined) break;
      const key = keyText(written);
      const rest = this.#current.slice(indent + written.length).replace(LEADING, "");
      if (rest === "" || rest.startsWith("#")) {
        this.#line += 1;
        const isList = this.#indent() === indent && isDash(this.#current, indent);
        members.push({ key, ...(isList ? this.#list(indent) : this.#block(indent + 1)) });
      } else members.push({ key, ...this.#value(rest, indent) });
    }
    return mapWith(withoutDoubles(members));
  }

  /** A value that begins on its key's line, whose further lines are indented by more than `indent`. */
  #value(text: string, indent: number): YamlValue {
    const first = text.charAt(0);
    if (first === "|" || first === ">") return this.#blockScalar(text, indent);
    if (first === "[" || first === "{" || first === '"' || first === "'") return this.#flow(text, indent);
    const plain = plainText(text);
    if (plain === undefined || NESTED.test(plain)) refuse();
    this.#line += 1;
    if (plain !== text.replace(TRAILING, "")) return { value: plain, form: "raw" };
    return { value: plain + this.#continued(indent), form: "raw" };
  }

  /** Further lines of a plain scalar, folded. */
  #continued(indent: number): string {
    let text = "";
    for (let blanks = 0; this.#line + blanks < this.#lines.length; ) {
      const line = this.#lines[this.#line + blanks] ?? "";
      if (/^ *$/.test(line)) {
        blanks += 1;
        continue;
      }
      if (indentOf(line) <= indent || /^[ \t]*#/.test(line)) break;
      const words = line.replace(LEADING, "").replace(TRAILING, "");
      const plain = plainText(words, true);
      if (plain === undefined || NESTED.test(plain)) refuse();
      text += (blanks === 0 ? " " : "\n".repeat(blanks)) + plain;
      this.#line += blanks + 1;
      if (plain !== words) break;
      blanks = 0;
    }
    return text;
  }

  /** A quoted scalar or a flow collection, which may go on in lines below. */
  #flow(text: string, indent: number): YamlValue {
    const flow = new FlowReader([text, ...this.#lines.slice(this.#line + 1)].join("\n"));
    const value = flow.take("{") ? mapWith(flow.members(0)) : flow.value(0, ANYWHERE);
    const behind = /^[ \t]*(?:[ \t]#[^\n]*)?(?=\n|$)/.test(flow.text.slice(flow.at));
    const last = this.#line + flow.text.slice(0, flow.at).split("\n").length - 1;
    const further = this.#lines.slice(this.#line + 1, last + 1);
    if (!behind || further.some((line) => !/^[ \t]*$/.test(line) && indentOf(line) <= indent)) refuse();
    this.#line = last + 1;
    return value ?? refuse();
  }

  #blockScalar(header: string, indent: number): YamlValue {
    const [, style, further, chomp] = /^([|>])([1-9]?)([+-]?)[ \t]*(?:[ \t]#[^\n]*)?$/.exec(header) ?? refuse();
    this.#line += 1;
    const lines = this.#blockLines(indent, Number(further));
    const isLast = this.#line >= this.#lines.length;
    let last = lines.length;
    while (last > 0 && /^ *$/.test(lines[last - 1] ?? "")) last -= 1;
    if ((last === 0 && chomp === "+") || lines.slice(last).some((line) => line !== "")) refuse();
    const kept = lines.slice(0, last);
    const text = style === "|" ? kept.join("\n") : folded(kept);
    // Nothing stands behind the line end of a text's last line.
    const blank = lines.slice(last, isLast ? Math.max(last, lines.length - 1) : lines.length);
    const end =
      chomp === "+" ? ["\n", ...blank.map((line) => `${line}\n`)].join("") : chomp === "" && last > 0 ? "\n" : "";
    return { value: text + end, form: "string" };
  }

  /** The lines of a block scalar, without their indentation: by `further` more than `indent`, or as the first of them says. */
  #blockLines(indent: number, further: number): readonly string[] {
    const lines: string[] = [];
    let column = further === 0 ? 0 : Math.max(indent, 0) + further;
    let longestBlank = 0;
    for (; this.#line < this.#lines.length; this.#line += 1) {
      const line = this.#current;
      const own = /^ */.exec(line)?.[0].length ?? 0;
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
}

/** The lines of a paragraph as one; lines that are indented further stay as they are. */
function folded(lines: readonly string[]): string {
  const betweenWords = /(?<=(?:^|\n)[^ \t\n][^\n]*)\n+(?=[^ \t\n])/g;
  return lines.join("\n").replace(betweenWords, (ends) => (ends.length === 1 ? " " : ends.slice(1)));
}

function indentOf(line: string): number {
  const indent = /^[ ]*/.exec(line)?.[0].length ?? 0;
  return line.charAt(indent) === "\t" ? refuse() : indent;
}

function isDash(line: string, at: number): boolean {
  return line.charAt(at) === "-" && (line.length === at + 1 || line.charAt(at + 1) === " ");
}

/** The key at a place of a line, with its colon. */
function keyAt(line: string, at: number): string | undefined {
  KEY.lastIndex = at;
  return KEY.exec(line)?.[0];
}

function keyText(key: string): string {
  const written = key.slice(0, -1).replace(TRAILING, "");
  const first = written.charAt(0);
  if (first !== '"' && first !== "'") return /[ \t]#/.test(written) ? refuse() : written;
  return unquoted(written);
}

/** A plain scalar up to its comment; undefined where it cannot begin so. */
function plainText(text: string, continued = false): string | undefined {
  if (!continued && /^(?:[,[\]{}#&*!|>'"%@`]|[?:-](?:[ \t]|$))/.test(text)) return undefined;
  return text.replace(/(?<![ \t])[ \t]+#[^\n]*$/, "").replace(TRAILING, "");
}

function unquoted(written: string): string {
  if (/\\\n/.test(written) && written.startsWith('"')) refuse();
  const text = written.replace(
    /(?<![ \t])[ \t]*\n[ \t\n]*/g,
    (ends) => "\n".repeat(ends.split("\n").length - 2) || " ",
  );
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  try {
    // Escapes that JSON has too mean the same; others are refused.
    return String(JSON.parse(text.replaceAll("\n", "\\n").replaceAll("\t", "\\t")));
  } catch {
    return refuse();
  }
}

const ANYWHERE: Place = { type: "element", closer: "" };

/** Flow style, and quoted scalars. How deep it may be has been looked at before. */
class FlowReader extends ValueReader {
  constructor(text: string) {
    super(text, Number.POSITIVE_INFINITY);
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
    const found = (this.match(/(?:[^,[\]{}:#\n]|:(?=[^ \t\n,[\]{}])|(?<=[^ \t\n])#)*/y)?.[0] ?? "").replace(
      TRAILING,
      "",
    );
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

/** No key may stand in a map twice. */
function withoutDoubles<Member extends Argument>(members: readonly Member[]): readonly Member[] {
  return new Set(members.map(({ key }) => key)).size < members.length ? refuse() : members;
}

function mapWith(members: readonly YamlMember[]): YamlValue {
  return { ...(mapOf(members) ?? refuse()), members };
}

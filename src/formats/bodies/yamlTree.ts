// The YAML that models write calls in → its tree: block and flow maps and lists, plain, quoted and block scalars. What is rarer (anchors, tags,
// explicit keys, directives, tabs as indentation) is refused. Trusts no type.

export type YamlNode =
  | { readonly type: "scalar"; readonly text: string; readonly plain: boolean }
  | { readonly type: "list"; readonly items: readonly (YamlNode | undefined)[] }
  | { readonly type: "map"; readonly members: ReadonlyMap<string, YamlNode | undefined> };

/** The one document of a text; undefined where it is none, or holds anything that is not read here. */
export function readYaml(text: string): YamlNode | undefined {
  try {
    const lines = text.replaceAll("\r\n", "\n");
    return lines.includes("\r") ? undefined : new YamlReader(lines.split("\n")).document();
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

class YamlReader {
  readonly #lines: string[];
  #line = 0;

  constructor(lines: string[]) {
    this.#lines = lines;
  }

  document(): YamlNode | undefined {
    this.#skipBlank();
    if (/^---[ ]*$/.test(this.#current)) this.#line += 1;
    const node = this.#block(0);
    this.#skipBlank();
    return this.#line < this.#lines.length ? undefined : node;
  }

  get #current(): string {
    return this.#lines[this.#line] ?? "";
  }

  #skipBlank(): void {
    while (this.#line < this.#lines.length && /^[ ]*(?:#[^\n]*)?$/.test(this.#current)) this.#line += 1;
  }

  /** The node whose lines are indented by `least` or more; undefined where none is. */
  #block(least: number): YamlNode | undefined {
    this.#skipBlank();
    if (this.#line >= this.#lines.length) return undefined;
    const indent = indentOf(this.#current);
    if (indent < least) return undefined;
    if (isDash(this.#current, indent)) return this.#list(indent);
    if (keyAt(this.#current, indent) !== undefined) return this.#map(indent);
    return this.#value(this.#current.slice(indent), least - 1);
  }

  #list(indent: number): YamlNode {
    const items: (YamlNode | undefined)[] = [];
    for (
      this.#skipBlank();
      this.#line < this.#lines.length && indentOf(this.#current) === indent && isDash(this.#current, indent);
      this.#skipBlank()
    ) {
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
    return { type: "list", items };
  }

  #map(indent: number): YamlNode {
    const members = new Map<string, YamlNode | undefined>();
    for (this.#skipBlank(); this.#line < this.#lines.length && indentOf(this.#current) === indent; this.#skipBlank()) {
      const key = keyAt(this.#current, indent);
      if (key === undefined) break;
      const name = keyText(key);
      if (members.has(name)) refuse();
      const rest = this.#current.slice(indent + key.length).replace(LEADING, "");
      if (rest === "" || rest.startsWith("#")) {
        this.#line += 1;
        this.#skipBlank();
        const dash =
          this.#line < this.#lines.length && indentOf(this.#current) === indent && isDash(this.#current, indent);
        members.set(name, dash ? this.#list(indent) : this.#block(indent + 1));
      } else members.set(name, this.#value(rest, indent));
    }
    return { type: "map", members };
  }

  /** A value that begins on its key's line, whose further lines are indented by more than `indent`. */
  #value(text: string, indent: number): YamlNode {
    const first = text.charAt(0);
    if (first === "|" || first === ">") return this.#blockScalar(text, indent);
    if (first === "[" || first === "{" || first === '"' || first === "'") return this.#flow(text, indent);
    const plain = plainText(text);
    if (plain === undefined || NESTED.test(plain)) refuse();
    this.#line += 1;
    if (plain !== text.replace(TRAILING, "")) return { type: "scalar", text: plain, plain: true };
    return { type: "scalar", text: plain + this.#continued(indent), plain: true };
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
  #flow(text: string, indent: number): YamlNode {
    const flow = new FlowReader([text, ...this.#lines.slice(this.#line + 1)].join("\n"));
    const node = flow.node();
    const behind = /^[ \t]*(?:[ \t]#[^\n]*)?(?=\n|$)/.test(flow.rest);
    const last = this.#line + flow.linesRead;
    const further = this.#lines.slice(this.#line + 1, last + 1);
    if (!behind || further.some((line) => !/^[ \t]*$/.test(line) && indentOf(line) <= indent)) refuse();
    this.#line = last + 1;
    return node ?? refuse();
  }

  #blockScalar(header: string, indent: number): YamlNode {
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
    return { type: "scalar", text: text + end, plain: false };
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
  const start = lines.findIndex((line) => line !== "");
  let text = "\n".repeat(Math.max(0, start));
  let joint = "";
  let wasFurther = false;
  for (const line of lines.slice(start)) {
    if (/^[ \t]/.test(line)) {
      text += (joint === " " ? "\n" : !wasFurther && joint === "\n" ? "\n\n" : joint) + line;
      joint = "\n";
      wasFurther = true;
    } else if (line === "") {
      if (joint === "\n") text += "\n";
      else joint = "\n";
    } else {
      text += joint + line;
      joint = " ";
      wasFurther = false;
    }
  }

  return text;
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

/** Flow style, and quoted scalars. */
class FlowReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }

  /** Line ends behind which it has read. */
  get linesRead(): number {
    return this.#text.slice(0, this.#at).split("\n").length - 1;
  }

  node(): YamlNode | undefined {
    this.#blanks();
    const first = this.#text.charAt(this.#at);
    if (first === "[") return this.#list();
    if (first === "{") return this.#map();
    if (first === '"' || first === "'") return { type: "scalar", text: unquoted(this.#match(QUOTED)), plain: false };
    const text = this.#plain();
    return text === "" ? undefined : { type: "scalar", text, plain: true };
  }

  #blanks(): void {
    this.#match(/[ \t\n]*/y);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? refuse();
    this.#at += found.length;
    return found;
  }

  #plain(): string {
    const found = this.#match(/(?:[^,[\]{}:#\n]|:(?=[^ \t\n,[\]{}])|(?<=[^ \t\n])#)*/y).replace(TRAILING, "");
    if (/^(?:[&*!|>'"%@`#]|[?:-](?:[ \t]|$))/.test(found) || found.includes("---")) refuse();
    return found;
  }

  #next(end: string): boolean {
    this.#blanks();
    const char = this.#text.charAt(this.#at);
    if (char !== "," && char !== end) refuse();
    this.#at += 1;
    return char === ",";
  }

  #list(): YamlNode {
    const items: (YamlNode | undefined)[] = [];
    this.#at += 1;
    for (let more = true; more; ) {
      this.#blanks();
      if (this.#text.charAt(this.#at) === "]") {
        this.#at += 1;
        break;
      }
      const item = this.node();
      if (!item) refuse();
      items.push(item);
      more = this.#next("]");
    }
    return { type: "list", items };
  }

  #map(): YamlNode {
    const members = new Map<string, YamlNode | undefined>();
    this.#at += 1;
    for (let more = true; more; ) {
      this.#blanks();
      if (this.#text.charAt(this.#at) === "}") {
        this.#at += 1;
        break;
      }
      const key = this.node();
      if (key?.type !== "scalar" || members.has(key.text)) refuse();
      this.#blanks();
      let value: YamlNode | undefined;
      if (this.#text.charAt(this.#at) === ":") {
        this.#at += 1;
        value = this.node();
      }
      members.set(key.text, value);
      more = this.#next("}");
    }
    return { type: "map", members };
  }
}

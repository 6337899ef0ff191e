// The text of nested elements → their tree, as tolerantly as models write them: a closer ends the innermost element, whatever it names,
// and what is still open at the end is whole. Attributes, comments and declarations are nothing. Knows no argument.
import { decodeEntities } from "../text/entities.ts";
import { maxJsonDepth } from "./bodyLimits.ts";

/** Children by name, several of one name as a list; the text between them under `#text`, where there is any. */
export type ElementTree = Readonly<Record<string, unknown>>;

/** Undefined where markup has no end, elements nest too deep, or none stands there at all. */
export function readXml(body: string): ElementTree | undefined {
  return new XmlReader(body.replace(/\r\n?/g, "\n")).read();
}

/** Elements whose tags stand behind a token that no value holds; each is closed by its own name, and nothing is encoded. */
export function readLedElements(body: string, lead: string): ElementTree | undefined {
  const tree = new OpenElements();
  for (const piece of body.split(lead)) {
    const [raw = "", slash = "", name] = /^<(\/?)([\w.-]+)\s*>/.exec(piece) ?? [];
    if (name !== undefined && slash === "" && !tree.open(name)) return undefined;
    if (slash !== "" && tree.close() !== name) return undefined;
    tree.text(piece.slice(raw.length));
  }
  return tree.depth === 0 ? tree.root() : undefined;
}

interface OpenElement {
  readonly name: string;
  readonly children: Map<string, unknown[]>;
  text: string;
}

/** The elements whose end has not come yet, the outermost first; the first of them stands for the body. */
class OpenElements {
  readonly #body = element("");
  readonly #open = [this.#body];

  get depth(): number {
    return this.#open.length - 1;
  }

  get #top(): OpenElement {
    return this.#open.at(-1) ?? this.#body;
  }

  text(text: string): void {
    this.#top.text += text;
  }

  /** False where it would nest too deep. */
  open(name: string): boolean {
    this.#open.push(element(name));
    return this.depth <= maxJsonDepth;
  }

  /** Ends the innermost element and says its name; undefined where none is open. */
  close(): string | undefined {
    if (this.depth === 0) return undefined;
    const ended = this.#open.pop() ?? this.#body;
    this.add(ended.name, treeOf(ended));
    return ended.name;
  }

  add(name: string, value: unknown): void {
    const { children } = this.#top;
    const siblings = children.get(name);
    if (siblings) siblings.push(value);
    else children.set(name, [value]);
  }

  /** Undefined where the body has no element. */
  root(): ElementTree | undefined {
    while (this.depth > 0) this.close();
    const tree = treeOf(this.#body);
    return typeof tree === "string" ? undefined : tree;
  }
}

function element(name: string): OpenElement {
  return { name, children: new Map(), text: "" };
}

function treeOf({ children, text }: OpenElement): ElementTree | string {
  if (children.size === 0) return text;
  const members = [...children].map(([name, all]) => [name, all.length === 1 ? all[0] : all] as const);
  return Object.fromEntries(text === "" ? members : [...members, ["#text", text]]);
}

class XmlReader {
  readonly #xml: string;
  readonly #tree = new OpenElements();
  /** Text since the last tag: a reference in it may go on behind a comment. */
  #text = "";

  constructor(xml: string) {
    this.#xml = xml;
  }

  read(): ElementTree | undefined {
    let at = 0;
    for (let tag = this.#xml.indexOf("<"); tag >= 0; tag = this.#xml.indexOf("<", at)) {
      this.#text += this.#xml.slice(at, tag);
      at = tag + 1;
      // The first sign of a closer that the text was cut in.
      if (at === this.#xml.length) break;
      const end = this.#readMarkup(tag);
      if (end === undefined) return undefined;
      // What follows the end of the body itself is none of it.
      if (end === "over") return this.#tree.root();
      at = end;
    }
    this.#text += this.#xml.slice(at);
    this.#save();
    return this.#tree.root();
  }

  /** Where the markup at a `<` ends; undefined where it does not. */
  #readMarkup(tag: number): number | "over" | undefined {
    const xml = this.#xml;
    if (xml.startsWith("</", tag)) return this.#readCloser(tag);
    if (xml.startsWith("<!--", tag)) return endOf(xml, "-->", tag + 4);
    if (xml.startsWith("<![", tag)) return this.#readSection(tag);
    if (xml.startsWith("<!D", tag)) return undefined;
    return xml.startsWith("<?", tag) ? this.#readInstruction(tag) : this.#readOpener(tag);
  }

  #save(): void {
    this.#tree.text(decodeEntities(this.#text));
    this.#text = "";
  }

  /** One that lacks its last character is one too. */
  #readCloser(tag: number): number | "over" {
    this.#save();
    return this.#tree.close() === undefined ? "over" : (endOf(this.#xml, ">", tag) ?? this.#xml.length);
  }

  /** `<![CDATA[…]]>`: text as it stands. */
  #readSection(tag: number): number | undefined {
    const end = endOf(this.#xml, "]]>", tag);
    if (end === undefined) return undefined;
    this.#save();
    this.#tree.text(this.#xml.slice(tag + "<![CDATA[".length, end - 3));
    return end;
  }

  /** An instruction other than the declaration is an empty element of its name. */
  #readInstruction(tag: number): number | undefined {
    const end = tagEnd(this.#xml, "?>", tag + 1);
    if (end === undefined) return undefined;
    this.#save();
    const [name = ""] = this.#xml.slice(tag + 1, end).split(/\s/, 1);
    if (name !== "?xml") this.#tree.add(name, "");
    return end + 2;
  }

  #readOpener(tag: number): number | undefined {
    const end = tagEnd(this.#xml, ">", tag + 1);
    if (end === undefined) return undefined;
    this.#save();
    const inside = this.#xml.slice(tag + 1, end);
    const [name = ""] = inside.split(/\s/, 1);
    if (!inside.endsWith("/")) return this.#tree.open(name) ? end + 1 : undefined;
    this.#tree.add(name.endsWith("/") ? name.slice(0, -1) : name, "");
    return end + 1;
  }
}

/** Behind the next `mark`. */
function endOf(text: string, mark: string, from: number): number | undefined {
  const at = text.indexOf(mark, from);
  return at < 0 ? undefined : at + mark.length;
}

/** Where a tag ends: at the first `mark` outside quotes. */
function tagEnd(xml: string, mark: string, from: number): number | undefined {
  for (let at = from; at < xml.length; at += 1) {
    const char = xml.charAt(at);
    if (char === '"' || char === "'") {
      at = xml.indexOf(char, at + 1);
      if (at < 0) return undefined;
    } else if (xml.startsWith(mark, at)) return at;
  }
  return undefined;
}

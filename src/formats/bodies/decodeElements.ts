// Whole bodies of elements (`<port>Brest</port><day>3</day>`) as JSON, leaves as strings, read as tolerantly as models write them: a closer ends
// the innermost element, whatever it names, and what is still open at the end is whole. Attributes, comments and declarations are nothing.
import { isObject } from "../../core/messages.ts";
import { decodeEntities } from "../text/Tag.ts";
import { maxJsonDepth, maxMendedValues } from "./bodyLimits.ts";

/**
 * The top-level elements in order, each value as strict JSON text; repeated ones become an array. Undefined where it is no XML, or holds
 * more elements than a body may hold values.
 */
export function decodeElements(body: string, lead = ""): readonly (readonly [key: string, json: string])[] | undefined {
  const root = treeFrom(body, lead);
  const members = root && Object.entries(root).filter(([key]) => key !== "#text");
  return members?.map(([key, value]) => [key, JSON.stringify(toJson(value))] as const);
}

/**
 * All elements of a body as one JSON value: a list where they are all `item`, else an object. With a `lead`, only tags behind that
 * token are tags, and nothing is encoded.
 */
export function decodeContainer(body: string, lead: string): string | undefined {
  const root = treeFrom(body, lead);
  return root && JSON.stringify(toJson(root));
}

function treeFrom(body: string, lead: string): ElementTree | undefined {
  if (holdsTooMuch(body, lead)) return undefined;
  if (lead !== "") return readLedElements(body, lead);
  // A body that declares entities or a document type is no value.
  return body.includes("<!DOCTYPE") || body.includes("<!ENTITY") ? undefined : readXml(body);
}

/** Each element has two tags. */
function holdsTooMuch(body: string, lead: string): boolean {
  let tags = 0;
  for (let at = body.indexOf(`${lead}<`); at >= 0 && tags <= 2 * maxMendedValues; at = body.indexOf(`${lead}<`, at + 1))
    tags++;
  return tags > 2 * maxMendedValues;
}

/** Elements without children are their text; `item` children are a list; white space between elements is nothing. */
function toJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key, child]) => key !== "#text" || String(child).trim() !== "");
  const [first] = members;
  if (members.length === 1 && first?.[0] === "item")
    return Array.isArray(first[1]) ? first[1].map(toJson) : [toJson(first[1])];
  return Object.fromEntries(members.map(([key, child]) => [key === "#text" ? "text" : key, toJson(child)]));
}

/** Children by name, several of one name as a list; the text between them under `#text`, where there is any. */
export type ElementTree = Readonly<Record<string, unknown>>;

/**
 * What may stand at a `<`: a closer, also one without its last character, a comment, a section, an instruction, an opener. Signs in quotes end
 * none of the last two.
 */
const MARKUP =
  /<(?:\/[^>]*>?|!--[\s\S]*?-->|!\[[\s\S]*?\]\]>|(?=\?)((?:[^"'?]|\?(?!>)|"[^"]*"|'[^']*')*)\?>|(?!\/|!--|!\[|!D|\?)((?:[^"'>]|"[^"]*"|'[^']*')*)>)/y;

/** Undefined where markup has no end, elements nest too deep, or none stands there at all. */
export function readXml(body: string): ElementTree | undefined {
  const xml = body.replace(/\r\n?/g, "\n");
  const tree = new OpenElements();
  // Text since the last tag: a reference in it may go on behind a comment.
  let text = "";
  let at = 0;
  for (let tag = xml.indexOf("<"); tag >= 0; tag = xml.indexOf("<", at)) {
    text += xml.slice(at, tag);
    at = tag + 1;
    // The first sign of a closer that the text was cut in.
    if (at === xml.length) break;
    MARKUP.lastIndex = tag;
    const [markup, instruction, opener = ""] = MARKUP.exec(xml) ?? [];
    if (markup === undefined) return undefined;
    at = tag + markup.length;
    if (markup.startsWith("<!--")) continue;
    tree.text(decodeEntities(text));
    text = "";
    if (markup.startsWith("</")) {
      // What follows the end of the body itself is none of it.
      if (tree.close() === undefined) return tree.root();
    } else if (markup.startsWith("<![")) tree.text(markup.slice("<![CDATA[".length, -"]]>".length));
    else if (instruction === undefined ? !openElement(tree, opener) : !addInstruction(tree, instruction))
      return undefined;
  }
  tree.text(decodeEntities(text + xml.slice(at)));
  return tree.root();
}

/** False where it nests too deep. */
function openElement(tree: OpenElements, inside: string): boolean {
  const [name = ""] = inside.split(/\s/, 1);
  if (!inside.endsWith("/")) return tree.open(name);
  tree.add(name.endsWith("/") ? name.slice(0, -1) : name, "");
  return true;
}

/** An instruction other than the declaration is an empty element of its name. */
function addInstruction(tree: OpenElements, inside: string): true {
  const [name = ""] = inside.split(/\s/, 1);
  if (name !== "?xml") tree.add(name, "");
  return true;
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

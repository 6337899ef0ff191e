// Converts complete bodies of elements (`<port>Brest</port><day>3</day>`) to JSON with string leaves. Tolerant: a closer of any name ends
// the innermost element, and open elements end with the body. Attributes, comments and declarations are ignored.
import { decodeEntities } from "../scanner/Tag.ts";
import { maxJsonDepth, maxMendedValues } from "./bodyLimits.ts";

/**
 * Returns the top-level elements in order, each value as strict JSON text; repeated ones become an array. Undefined if it is no XML, or
 * has more elements than a body may have values.
 */
export function decodeElements(body: string, lead = ""): readonly (readonly [key: string, json: string])[] | undefined {
  const root = readElements(body, lead);
  return root && toMembers(root).map(([key, value]) => [key, JSON.stringify(value)] as const);
}

/**
 * Converts all elements of a body to one JSON value: a list if they are all `item`, else an object. With a `lead`, only tags after that
 * token are tags, and no text is encoded.
 */
export function decodeContainer(body: string, lead: string): string | undefined {
  const root = readElements(body, lead);
  return root && JSON.stringify(toValue(root));
}

/** An open element, or the body itself. */
interface Element {
  readonly name: string;
  /** The values of its children by name. */
  readonly children: Map<string, unknown[]>;
  /** Text between them. */
  text: string;
}

/** Returns undefined if markup has no end, elements nest too deep or are too many, or there are none. */
function readElements(body: string, lead: string): Element | undefined {
  // Each element has two tags.
  const mostTags = 2 * maxMendedValues;
  if (body.split(`${lead}<`, mostTags + 2).length > mostTags + 1) return undefined;
  const open = new OpenElements();
  const isRead = lead === "" ? readXml(body.replace(/\r\n?/g, "\n"), open) : readLed(body, lead, open);
  while (isRead && open.close() !== undefined);
  return isRead && open.body.children.size > 0 ? open.body : undefined;
}

/**
 * Markup at a `<`: a closer, also without its last character, a comment, a section, an instruction, or an opener.
 * Characters in quotes end neither of the last two.
 */
const MARKUP =
  /<(?:\/[^>]*>?|!--[\s\S]*?-->|!\[[\s\S]*?\]\]>|(?=\?)((?:[^"'?]|\?(?!>)|"[^"]*"|'[^']*')*)\?>|(?!\/|!--|!\[|!D|\?)((?:[^"'>]|"[^"]*"|'[^']*')*)>)/y;

function readXml(xml: string, open: OpenElements): boolean {
  // A body that declares entities or a document type is no value.
  if (xml.includes("<!DOCTYPE") || xml.includes("<!ENTITY")) return false;
  // Text since the last tag. A reference in it may continue after a comment.
  let text = "";
  let at = 0;
  for (let tag = xml.indexOf("<"); tag >= 0; tag = xml.indexOf("<", at)) {
    text += xml.slice(at, tag);
    at = tag + 1;
    // The first sign of a closer that the text was cut in.
    if (at === xml.length) break;
    MARKUP.lastIndex = tag;
    const [markup, instruction, opener = ""] = MARKUP.exec(xml) ?? [];
    if (markup === undefined) return false;
    at = tag + markup.length;
    if (markup.startsWith("<!--")) continue;
    open.top.text += decodeEntities(text);
    text = "";
    const [name = ""] = (instruction ?? opener).split(/\s/, 1);
    if (markup.startsWith("</")) {
      // Text after the end of the body does not belong to it.
      if (open.close() === undefined) return true;
    } else if (markup.startsWith("<![")) open.top.text += markup.slice("<![CDATA[".length, -"]]>".length);
    // An instruction other than the declaration is an empty element of its name.
    else if (instruction === undefined && !opener.endsWith("/")) {
      if (!open.begin(name)) return false;
    } else if (name !== "?xml") open.add(instruction === undefined ? name.replace(/\/$/, "") : name, "");
  }
  open.top.text += decodeEntities(text + xml.slice(at));
  return true;
}

/** Reads elements whose tags follow a token that no value contains. Each is closed by its own name, and no text is encoded. */
function readLed(body: string, lead: string, open: OpenElements): boolean {
  for (const piece of body.split(lead)) {
    const [raw = "", slash = "", name] = /^<(\/?)([\w.-]+)\s*>/.exec(piece) ?? [];
    if (name !== undefined && slash === "" && !open.begin(name)) return false;
    if (slash !== "" && open.close() !== name) return false;
    open.top.text += piece.slice(raw.length);
  }
  return open.top === open.body;
}

/** The open elements, the innermost last. */
class OpenElements {
  readonly body: Element = { name: "", children: new Map(), text: "" };
  readonly #open: Element[] = [];

  get top(): Element {
    return this.#open.at(-1) ?? this.body;
  }

  /** Returns false if it would nest too deep. */
  begin(name: string): boolean {
    this.#open.push({ name, children: new Map(), text: "" });
    return this.#open.length <= maxJsonDepth;
  }

  /** Ends the innermost element and returns its name; undefined if none is open. */
  close(): string | undefined {
    const ended = this.#open.pop();
    if (ended) this.add(ended.name, toValue(ended));
    return ended?.name;
  }

  add(name: string, value: unknown): void {
    const { children } = this.top;
    const siblings = children.get(name);
    if (siblings) siblings.push(value);
    else children.set(name, [value]);
  }
}

/** Elements without children are their text; `item` children are a list; white space between elements is nothing. */
function toValue(element: Element): unknown {
  const { children, text } = element;
  if (children.size === 0) return text;
  const isMixed = text.trim() !== "";
  if (!isMixed && children.size === 1 && children.has("item")) return children.get("item");
  return Object.fromEntries([...toMembers(element), ...(isMixed ? [["text", text] as const] : [])]);
}

/** Children by name, several of one name as a list. */
function toMembers({ children }: Element): readonly (readonly [string, unknown])[] {
  return [...children].map(([name, all]) => [name, all.length === 1 ? all[0] : all] as const);
}

// Whole element-form bodies (`<port>Brest</port><day>3</day>`) as JSON, leaves as strings. Sees no half document.
import { XMLParser } from "fast-xml-parser";
import { decodeEntities } from "../text/entities.ts";
import { maxMendedValues } from "./bodyLimits.ts";

/** Nesting of elements beyond this is refused by the parser (design §9). */
const DEPTH_LIMIT = 64;

/** Stands before every name while the library has it; no name begins with it. */
const SIGN = "-";

const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  ignoreAttributes: true,
  ignoreDeclaration: true,
  processEntities: true,
  // The library's own takes references to control characters out of the text and stops at a hundred thousand characters.
  entityDecoder: {
    decode: decodeEntities,
    reset() {},
    setXmlVersion() {},
    addInputEntities() {},
    setExternalEntities() {},
  },
  // Nor is an element refused or renamed that is called like a property of all objects: behind a sign none is.
  transformTagName: (name) => SIGN + name,
  maxNestedTags: DEPTH_LIMIT,
});

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

type Tree = Readonly<Record<string, unknown>>;

function parseXml(body: string): Tree | undefined {
  if (body.includes("<!DOCTYPE") || body.includes("<!ENTITY")) return undefined;
  try {
    const tree: unknown = parser.parse(`<root>${body}</root>`);
    const root = isRecord(tree) ? withoutSigns(tree[`${SIGN}root`]) : undefined;
    return isRecord(root) ? root : undefined;
  } catch {
    return undefined;
  }
}

function withoutSigns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSigns);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key.startsWith(SIGN) ? key.slice(SIGN.length) : key,
      withoutSigns(child),
    ]),
  );
}

/** An element whose closing tag has not come yet. */
interface OpenElement {
  readonly key: string;
  readonly children: Map<string, unknown[]>;
  text: string;
}

function treeFrom(body: string, lead: string): Tree | undefined {
  if (holdsTooMuch(body, lead)) return undefined;
  return lead === "" ? parseXml(body) : parseLed(body, lead);
}

/** Each element has two tags. */
function holdsTooMuch(body: string, lead: string): boolean {
  let tags = 0;
  for (let at = body.indexOf(`${lead}<`); at >= 0 && tags <= 2 * maxMendedValues; at = body.indexOf(`${lead}<`, at + 1))
    tags++;
  return tags > 2 * maxMendedValues;
}

/** Elements whose tags stand behind a token that no value holds. */
function parseLed(body: string, lead: string): Tree | undefined {
  const root: OpenElement = { key: "", children: new Map(), text: "" };
  const open = [root];
  for (const piece of body.split(lead)) {
    const tag = /^<(\/?)([\w.-]+)\s*>/.exec(piece);
    const [raw = "", slash = "", key = ""] = tag ?? [];
    let top = open.at(-1) ?? root;
    if (tag && slash === "") {
      top = { key, children: new Map(), text: "" };
      open.push(top);
      if (open.length > DEPTH_LIMIT) return undefined;
    } else if (tag) {
      open.pop();
      const parent = open.at(-1);
      if (top.key !== key || !parent) return undefined;
      const siblings = parent.children.get(key) ?? [];
      siblings.push(treeOf(top));
      parent.children.set(key, siblings);
      top = parent;
    }
    top.text += piece.slice(raw.length);
  }
  const tree = treeOf(root);
  return open.length === 1 && typeof tree !== "string" ? tree : undefined;
}

function treeOf(element: OpenElement): Tree | string {
  if (element.children.size === 0) return element.text;
  const members = [...element.children].map(([key, all]) => [key, all.length === 1 ? all[0] : all] as const);
  return Object.fromEntries([...members, ["#text", element.text]]);
}

/** Elements without children are their text; `item` children are a list; white space between elements is nothing. */
function toJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(([key, child]) => key !== "#text" || String(child).trim() !== "");
  const [first] = members;
  if (members.length === 1 && first?.[0] === "item")
    return Array.isArray(first[1]) ? first[1].map(toJson) : [toJson(first[1])];
  return Object.fromEntries(members.map(([key, child]) => [key === "#text" ? "text" : key, toJson(child)]));
}

function isRecord(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

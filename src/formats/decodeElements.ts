// Whole element-form bodies (`<port>Brest</port><day>3</day>`) as JSON members, leaves as strings. Sees no half document.
import { XMLParser } from "fast-xml-parser";

/** Nesting of elements beyond this is refused by the parser (design §9). */
const DEPTH_LIMIT = 64;

const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  ignoreAttributes: true,
  ignoreDeclaration: true,
  processEntities: true,
  maxNestedTags: DEPTH_LIMIT,
});

/** The top-level elements in order, each value as strict JSON text; repeated ones become an array. Undefined where it is no XML. */
export function decodeElements(body: string): readonly (readonly [key: string, json: string])[] | undefined {
  if (body.includes("<!DOCTYPE") || body.includes("<!ENTITY")) return undefined;
  let tree: unknown;
  try {
    tree = parser.parse(`<root>${body}</root>`);
  } catch {
    return undefined;
  }
  const root = isRecord(tree) ? tree.root : undefined;
  if (!isRecord(root)) return undefined;
  const members = Object.entries(root).filter(([key]) => key !== "#text");
  return members.map(([key, value]) => [key, JSON.stringify(toJson(value))] as const);
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

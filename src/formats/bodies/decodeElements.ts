// Whole element-form bodies (`<port>Brest</port><day>3</day>`) as JSON, leaves as strings. Sees no half document.
import { maxMendedValues } from "./bodyLimits.ts";
import { type ElementTree, readLedElements, readXml } from "./elementTree.ts";

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
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(([key, child]) => key !== "#text" || String(child).trim() !== "");
  const [first] = members;
  if (members.length === 1 && first?.[0] === "item")
    return Array.isArray(first[1]) ? first[1].map(toJson) : [toJson(first[1])];
  return Object.fromEntries(members.map(([key, child]) => [key === "#text" ? "text" : key, toJson(child)]));
}

function isRecord(value: unknown): value is ElementTree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

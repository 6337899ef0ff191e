// Converts parsed XML to the form of a schema: names, lists and numbers.
import type { XmlShape } from "../../core/config/xmlShape.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";

/** The members of the document's root by the schema of the answer; the root's own name stays. */
export function shapeXmlDocument(document: JsonValue, shape: XmlShape): JsonValue {
  if (!isObject(document)) return document;
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, shapeXml(value, shape)]));
}

/** A text that is no number stays text, as everything does that the schema does not describe. */
function shapeXml(value: JsonValue, shape: XmlShape): JsonValue {
  switch (shape.type) {
    case "any":
      return value;
    case "number":
      return isExactNumberText(value) ? Number(value) : value;
    case "boolean":
      return typeof value === "string" && BOOLEANS.has(value) ? (BOOLEANS.get(value) ?? value) : value;
    case "array":
      return shapeItems(isObject(value) ? takeMember(value, shape.items ?? ANY, "item") : undefined, shape);
    case "object":
      return shapeMembers(value, shape.properties ?? {});
    default:
      return shape.type satisfies never;
  }
}

const ANY: XmlShape = { type: "any" };
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...(["true", "1"] as const).map((text) => [text, true] as const),
  ...(["false", "0"] as const).map((text) => [text, false] as const),
]);

function isExactNumberText(value: JsonValue): value is string {
  if (typeof value !== "string" || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) return false;
  return Number.isFinite(Number(value)) && !(Number.isInteger(Number(value)) && !Number.isSafeInteger(Number(value)));
}

function shapeMembers(value: JsonValue, properties: Readonly<Record<string, XmlShape>>): JsonValue {
  if (value !== "" && !isObject(value)) return value;
  const rest = new Map(Object.entries(value === "" ? {} : value));
  const members = Object.entries(properties).flatMap(([name, shape]): [string, JsonValue][] => {
    const found = readMember(rest, name, shape);
    return found === undefined ? [] : [[name, found]];
  });
  return Object.fromEntries([...members, ...[...rest].filter(([name]) => !members.some(([known]) => known === name))]);
}

function readMember(rest: Map<string, JsonValue>, name: string, shape: XmlShape): JsonValue | undefined {
  const key = listKeys(shape.type === "array" && !shape.wrapped ? (shape.items ?? ANY) : shape, name).find((one) =>
    rest.has(one),
  );
  const found = key === undefined ? undefined : rest.get(key);
  if (key !== undefined) rest.delete(key);
  if (shape.type !== "array") return found === undefined ? undefined : shapeXml(found, shape);
  if (!shape.wrapped) return shapeItems(found, shape);
  return found === undefined
    ? undefined
    : shapeItems(isObject(found) ? takeMember(found, shape.items ?? ANY, shape.name ?? name) : undefined, shape);
}

function shapeItems(found: JsonValue | undefined, { items = ANY }: XmlShape): JsonValue {
  const list = found === undefined ? [] : Array.isArray(found) ? found : [found];
  return list.map((item: JsonValue) => shapeXml(item, items));
}

function takeMember(value: JsonObject, shape: XmlShape, name: string): JsonValue | undefined {
  const key = listKeys(shape, name).find((one) => Object.hasOwn(value, one));
  return key === undefined ? undefined : value[key];
}

/** Keys under which the parser may have stored an element or attribute: with and without its prefix. */
function listKeys({ name, prefix, attribute }: XmlShape, property: string): readonly string[] {
  const local = name ?? property;
  const names = prefix === undefined ? [local] : [local, `${prefix}_${local}`];
  return attribute ? names.map((one) => `_${one}`) : names;
}

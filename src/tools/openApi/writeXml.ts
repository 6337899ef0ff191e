// Writes the XML body of an operation. Loaded only if an operation has one.
import { XMLBuilder } from "fast-xml-parser";
import type { XmlShape } from "../../core/config/xmlShape.ts";
import { isExactNumber } from "../../core/json/exactArguments.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { stringifyValue } from "../../core/template/fillTemplate.ts";

/** @throws Error with a message for the model, for a value that XML cannot contain. */
export type WriteXml = (value: JsonValue, shape: XmlShape) => string;

const builder = new XMLBuilder({ ignoreAttributes: false, suppressEmptyNode: true });

/** One document: the root is named by its shape, members and lists are written as theirs say. */
export const writeXml: WriteXml = (value, shape) => {
  const root = qualifyName(shape, "");
  const written = shape.type === "array" ? toWrapper(value, shape, shape.name ?? "") : toElement(value, shape);
  return `<?xml version="1.0" encoding="UTF-8"?>${builder.build({ [root]: written })}`;
};

type Node = string | JsonObject;

function toElement(value: JsonValue, shape: XmlShape): Node {
  const namespace = declareNamespace(shape);
  if (!isObject(value) || isExactNumber(value)) {
    if (Array.isArray(value)) throw new Error("a list stands where the schema of the body has none.");
    const text = checkedText(stringifyValue(value));
    return Object.keys(namespace).length > 0 ? { ...namespace, "#text": text } : text;
  }
  const { properties = {} } = shape;
  const known = Object.keys(properties).filter((name) => Object.hasOwn(value, name));
  const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  const members = [...known, ...others].flatMap((name) => toMember(name, value[name] ?? null, properties[name] ?? ANY));
  return { ...namespace, ...Object.fromEntries(members) };
}

const ANY: XmlShape = { type: "any" };

function toMember(name: string, value: JsonValue, shape: XmlShape): readonly (readonly [string, JsonValue])[] {
  if (value === null) return [];
  if (shape.attribute) return [[`@_${qualifyName(shape, name)}`, checkedText(stringifyValue(value))]];
  if (!Array.isArray(value)) return [[qualifyName(shape, name), toElement(value, shape)]];
  if (shape.wrapped) return [[qualifyName(shape, name), toWrapper(value, shape, shape.name ?? name)]];
  const { items = ANY } = shape;
  return [[qualifyName(items, name), value.map((item: JsonValue) => toElement(item, items))]];
}

function toWrapper(value: JsonValue, shape: XmlShape, name: string): JsonObject {
  const { items = ANY } = shape;
  const list = Array.isArray(value) ? value : [value];
  return { ...declareNamespace(shape), [qualifyName(items, name)]: list.map((item) => toElement(item, items)) };
}

function declareNamespace({ namespace, prefix, attribute }: XmlShape): JsonObject {
  if (namespace === undefined || attribute) return {};
  return { [prefix === undefined ? "@_xmlns" : `@_xmlns:${prefix}`]: namespace };
}

const NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

/** A key chosen by the model must be a valid name, or it is refused. */
function qualifyName({ name, prefix }: XmlShape, property: string): string {
  const local = name ?? property;
  if (!NAME.test(local)) throw new Error(`${JSON.stringify(local.slice(0, 100))} cannot be the name of an element.`);
  return prefix === undefined ? local : `${prefix}:${local}`;
}

function checkedText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that no XML can hold.
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text) || !text.isWellFormed())
    throw new Error("a value holds a character that no XML can hold.");
  return text;
}

// Serializes a value into a path, query, header, cookie or form: the styles of OpenAPI as one table.

import type { FieldStyle, OperationField } from "../../core/config/openApiComponent.ts";
import { isExactNumber } from "../../core/json/exactArguments.ts";
import { isObject, type JsonValue } from "../../core/messages.ts";
import { stringifyValue } from "../../core/template/fillTemplate.ts";

/** Corresponds to the operators of RFC 6570, 3.2.1, on which the styles are based. */
interface Style {
  /** Prefix of the complete text. */
  readonly first: string;
  /** Separators: between exploded values, and between unexploded ones. */
  readonly apart: string;
  readonly together: string;
  /** True if the name precedes a value. */
  readonly isNamed: boolean;
}

const STYLES: Readonly<Record<Exclude<FieldStyle, "json">, Style>> = {
  simple: { first: "", apart: ",", together: ",", isNamed: false },
  label: { first: ".", apart: ".", together: ",", isNamed: false },
  matrix: { first: ";", apart: ";", together: ",", isNamed: true },
  form: { first: "", apart: "&", together: ",", isNamed: true },
  spaceDelimited: { first: "", apart: "&", together: "%20", isNamed: true },
  pipeDelimited: { first: "", apart: "&", together: "%7C", isNamed: true },
  deepObject: { first: "", apart: "&", together: ",", isNamed: true },
};

type Encode = (text: string) => string;

/**
 * The serialized value, with its name if the style includes one; undefined for null, and for a list or object without values,
 * which are omitted. @param encode for values, names and keys: its result must be safe at the field's position.
 */
export function serializeField(field: OperationField, value: JsonValue, encode: Encode): string | undefined {
  if (field.style === "json") return pair(field.name, JSON.stringify(value), encode);
  const style = STYLES[field.style];
  const named = (text: string): string => (style.isNamed ? `${encode(field.name)}=${text}` : text);
  const parts = splitParts(field, value, encode);
  if (parts === undefined) return value === null ? undefined : `${style.first}${named(encode(stringifyValue(value)))}`;
  if (parts.length === 0) return undefined;
  if (!field.explode) return style.first + named(parts.flat().join(style.together));
  const written = parts.map((part) => (part.length === 2 ? part.join("=") : named(part[0])));
  return style.first + written.join(style.apart);
}

type Part = readonly [string] | readonly [string, string];

/** The items of a list, or the keys and values of an object, encoded; undefined for other values. */
function splitParts(field: OperationField, value: JsonValue, encode: Encode): readonly Part[] | undefined {
  if (Array.isArray(value))
    return value.filter((item) => item !== null).map((item: JsonValue) => [encode(stringifyValue(item))] as const);
  if (!isObject(value) || isExactNumber(value)) return undefined;
  if (field.style === "deepObject") return deepParts(field.name, value, encode);
  return Object.entries(value).flatMap(([key, one]) =>
    one === null ? [] : [[encode(key), encode(stringifyValue(one))] as const],
  );
}

/** `name[key]=value`; deeper members add a pair of brackets, and a list gives one pair per value. */
function deepParts(name: string, value: JsonValue, encode: Encode): readonly Part[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => deepParts(name, item, encode));
  if (!isObject(value) || isExactNumber(value)) return [[encode(name), encode(stringifyValue(value))]];
  return Object.entries(value).flatMap(([key, one]) => deepParts(`${name}[${key}]`, one, encode));
}

function pair(name: string, text: string, encode: Encode): string {
  return `${encode(name)}=${encode(text)}`;
}

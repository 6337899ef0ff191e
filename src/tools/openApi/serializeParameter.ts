// How a value is written into a path, a query, a header, a cookie or a form: the styles of OpenAPI as one table. Knows no operation.

import type { FieldStyle, OperationField } from "../../core/config/openApiComponent.ts";
import { isExactNumber } from "../../core/json/exactArguments.ts";
import { isObject, type JsonValue } from "../../core/messages.ts";
import { stringifyValue } from "../../core/template/fillTemplate.ts";

/** As the operators of RFC 6570, 3.2.1, on which the styles rest. */
interface Style {
  /** Before all of it. */
  readonly first: string;
  /** Between what is written by itself, and between what is written together. */
  readonly apart: string;
  readonly together: string;
  /** True where the name stands before a value. */
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
 * The value as its style has it, with its name where the style has one; undefined for null, and for a list or an object without a
 * value, which are left out.
 * @param encode for values, names and keys: what it leaves as it is may stand in the field's place.
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

/** The items of a list, the keys and values of an object, encoded; undefined for what is neither. */
function splitParts(field: OperationField, value: JsonValue, encode: Encode): readonly Part[] | undefined {
  if (Array.isArray(value))
    return value.filter((item) => item !== null).map((item: JsonValue) => [encode(stringifyValue(item))] as const);
  if (!isObject(value) || isExactNumber(value)) return undefined;
  if (field.style === "deepObject") return deepParts(field.name, value, encode);
  return Object.entries(value).flatMap(([key, one]) =>
    one === null ? [] : [[encode(key), encode(stringifyValue(one))] as const],
  );
}

/** `name[key]=value`; what lies deeper has a further pair of brackets, and a list is one pair for each of its values. */
function deepParts(name: string, value: JsonValue, encode: Encode): readonly Part[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => deepParts(name, item, encode));
  if (!isObject(value) || isExactNumber(value)) return [[encode(name), encode(stringifyValue(value))]];
  return Object.entries(value).flatMap(([key, one]) => deepParts(`${name}[${key}]`, one, encode));
}

function pair(name: string, text: string, encode: Encode): string {
  return `${encode(name)}=${encode(text)}`;
}

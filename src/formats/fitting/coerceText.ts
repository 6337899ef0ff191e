// Untyped text → JSON text by the schema's word: never invents a value, and a text that does not convert stays the string it is.
import type { JsonValue } from "../../core/messages.ts";
import { decodeJson } from "../bodies/decodeJson.ts";
import type { ValueText } from "../bodies/jsonSpans.ts";
import { trimBlanks } from "../text/whiteSpace.ts";
import type { JsonType, SchemaReader } from "./schemaTypes.ts";

/** Strict JSON text, and what was mended in it. */
export type JsonText = Pick<ValueText, "text" | "repairs">;

/** The value that a text of unknown type stands for (a tagged parameter, a ReAct input); the string itself where nothing else fits. */
export function coerceText(text: string, schema: JsonValue | undefined, reader: SchemaReader): JsonText {
  const asString = { text: JSON.stringify(text), repairs: [] };
  const shapes = schema === undefined ? [] : reader.shapes(schema);
  if (shapes.length === 0 || shapes.some((shape) => !shape.types)) return asString;
  const trimmed = trimBlanks(text);
  const literal = JSON.stringify(trimmed);
  if (shapes.some((shape) => shape.literals?.has(literal))) return { text: literal, repairs: [] };
  const types = new Set(shapes.flatMap((shape) => [...(shape.types ?? [])]));
  const scalar = wordAs(trimmed, types) ?? numberAs(trimmed, types);
  if (scalar !== undefined) return { text: scalar, repairs: [] };
  return containerAs(trimmed, types) ?? asString;
}

/** `null` and the booleans, by the types that are allowed. */
export function wordAs(word: string, types: ReadonlySet<JsonType>): string | undefined {
  if (types.has("null") && (word === "null" || word === "None" || word === "nil")) return "null";
  if (!types.has("boolean")) return undefined;
  if (/^(?:true|false|True|False|TRUE|FALSE)$/.test(word)) return word.toLowerCase();
  if (types.size > (types.has("null") ? 2 : 1)) return undefined;
  const answer = word.toLowerCase();
  if (answer === "1" || answer === "yes" || answer === "on") return "true";
  return answer === "0" || answer === "no" || answer === "off" ? "false" : undefined;
}

/** The digits of a number in JSON's spelling. Where a string is allowed too, only what is spelled that way already is a number. */
export function numberAs(word: string, types: ReadonlySet<JsonType>): string | undefined {
  if (word.length > maxNumberLength || !(types.has("number") || types.has("integer"))) return undefined;
  const isStrict = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word);
  const spelled = isStrict ? word : types.has("string") ? undefined : respell(word);
  if (spelled === undefined || types.has("number") || isInteger(spelled)) return spelled;
  const whole = /^(-?\d+)\.0+$/.exec(spelled)?.[1];
  return types.has("string") ? undefined : whole;
}

/** True for a lexeme of digits alone, whatever its size. */
export function isInteger(lexeme: string): boolean {
  return /^-?\d+$/.test(lexeme);
}

/** Characters of a number: longer ones are an attack on whoever reads them. */
export const maxNumberLength = 1000;

/** `+5`, `.5`, `5.`, `007`, `1_000`: spellings that can be read in one way only. */
function respell(word: string): string | undefined {
  const match = /^([+-]?)((?:\d+(?:_\d+)*)?)(\.\d*)?([eE][+-]?\d+)?$/.exec(word);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", exponent = ""] = match;
  if (!/\d/.test(whole + fraction)) return undefined;
  const digits = whole.replaceAll("_", "").replace(/^0+(?=\d)/, "") || "0";
  return `${sign === "-" ? "-" : ""}${digits}${fraction === "." ? "" : fraction}${exponent}`;
}

/** An object or array that is written out in the text, where one is allowed. */
export function containerAs(text: string, types: ReadonlySet<JsonType>): ValueText | undefined {
  const wanted = (types.has("object") && text.startsWith("{")) || (types.has("array") && /^[[(]/.test(text));
  const decoded = wanted ? decodeJson(text) : undefined;
  const kind = decoded?.node.kind;
  return (kind === "object" || kind === "array") && types.has(kind) ? decoded : undefined;
}

// Converts texts and scalars to a type that the schema takes, if there is only one reading. Never rounds or invents values.

import type { JsonType } from "../../core/json/jsonTypes.ts";
import type { JsonValue } from "../../core/messages.ts";
import { decodeJson } from "../decoders/decodeJson.ts";
import {
  type JsonNode,
  parseStrictValue,
  parseStringSpan,
  type ValueAt,
  type ValueText,
} from "../decoders/jsonTree.ts";
import { trimBlanks } from "../scanner/whitespace.ts";
import type { CompiledSchema } from "./CompiledSchema.ts";
import { isInteger, type Literals, type Shape } from "./schemaAlternatives.ts";

type Types = ReadonlySet<JsonType>;

/** One way from a kind of values to a type, tried where the schema takes that type. */
interface Conversion {
  readonly from: JsonNode["kind"];
  readonly to: readonly JsonType[];
  /** Returns strict JSON, or a value with its repairs; undefined if the text has no value of that type. */
  readonly read: (written: string, types: Types, literals: Literals | undefined) => string | ValueText | undefined;
}

/** The first that reads something counts; it is reported as `string-to-integer` and so on. */
const CONVERSIONS: readonly Conversion[] = [
  { from: "string", to: ["null"], read: (word) => (/^(?:null|None|nil)$/.test(word) ? "null" : undefined) },
  { from: "string", to: ["boolean"], read: readBoolean },
  { from: "string", to: ["number", "integer"], read: readNumber },
  { from: "string", to: ["object", "array"], read: readContainer },
  { from: "number", to: ["string"], read: (lexeme) => `"${lexeme}"` },
  {
    from: "number",
    to: ["boolean"],
    read: (lexeme, types) => (/^[01]$/.test(lexeme) ? readBoolean(lexeme, types) : undefined),
  },
  {
    from: "boolean",
    to: ["string"],
    read: (word, _, literals) => (literals?.has(`"${word}"`) ? `"${word}"` : undefined),
  },
];

/** The same value in a kind that the alternative takes; undefined if that would be a guess. */
export function convertValue({ text, node }: ValueAt, { types, literals }: Shape): ValueText | undefined {
  const written = node.kind === "string" ? trimBlanks(parseStringSpan(text, node)) : text.slice(node.start, node.end);
  return types && convert(node.kind, written, types, literals);
}

function convert(kind: Conversion["from"], written: string, types: Types, literals?: Literals): ValueText | undefined {
  for (const { from, to, read } of CONVERSIONS) {
    const convertedText =
      from === kind && to.some((type) => types.has(type)) ? read(written, types, literals) : undefined;
    const value = typeof convertedText === "string" ? parseStrictValue(convertedText) : convertedText;
    if (!value) continue;
    const type = value.node.kind === "number" && isInteger(value.text) ? "integer" : value.node.kind;
    return { ...value, repairs: [`${from}-to-${type}`, ...value.repairs] };
  }
  return undefined;
}

/** Strict JSON, with its repairs. */
type ReadText = Omit<ValueText, "node">;

/** The value that a text of unknown type stands for (a tagged parameter, a ReAct input); the string itself where nothing else fits. */
export function convertText(text: string, schema: JsonValue | undefined, compiledSchema: CompiledSchema): ReadText {
  const stringLiteral = { text: JSON.stringify(text), repairs: [] };
  const shapes = schema === undefined ? [] : compiledSchema.getShapes(schema);
  if (shapes.length === 0 || shapes.some((shape) => !shape.types)) return stringLiteral;
  const trimmed = trimBlanks(text);
  const literal = JSON.stringify(trimmed);
  if (shapes.some((shape) => shape.literals?.has(literal))) return { text: literal, repairs: [] };
  const value = convert("string", trimmed, new Set(shapes.flatMap((shape) => [...(shape.types ?? [])])));
  // A text has no type that would have been left.
  return value ? { text: value.text, repairs: value.repairs.slice(1) } : stringLiteral;
}

/** Words such as `yes` stand for a boolean only if the schema takes nothing else, apart from `null`. */
function readBoolean(word: string, types: Types): string | undefined {
  if (/^(?:true|false|True|False|TRUE|FALSE)$/.test(word)) return word.toLowerCase();
  if (types.size > (types.has("null") ? 2 : 1)) return undefined;
  const answer = word.toLowerCase();
  if (answer === "1" || answer === "yes" || answer === "on") return "true";
  return answer === "0" || answer === "no" || answer === "off" ? "false" : undefined;
}

/** The digits of a number in JSON's spelling. Where a string is taken too, only what is spelled that way already is a number. */
function readNumber(word: string, types: Types): string | undefined {
  if (word.length > maxNumberLength) return undefined;
  const isStrict = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word);
  const spelled = isStrict ? word : types.has("string") ? undefined : normalizeNumber(word);
  if (spelled === undefined || types.has("number") || isInteger(spelled)) return spelled;
  return types.has("string") ? undefined : toIntegerLexeme(spelled);
}

/** Characters of a number: longer ones are an attack on whoever reads them. */
export const maxNumberLength = 1000;

/** Converts `5.0` if only an integer is accepted: the same number, but not for every JSON parser. */
export function toIntegerLexeme(lexeme: string): string | undefined {
  return /^(-?\d+)\.0+$/.exec(lexeme)?.[1];
}

/** `+5`, `.5`, `5.`, `007`, `1_000`: spellings that can be read in one way only. */
function normalizeNumber(word: string): string | undefined {
  const match = /^([+-]?)((?:\d+(?:_\d+)*)?)(\.\d*)?([eE][+-]?\d+)?$/.exec(word);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", exponent = ""] = match;
  if (!/\d/.test(whole + fraction)) return undefined;
  const digits = whole.replaceAll("_", "").replace(/^0+(?=\d)/, "") || "0";
  return `${sign === "-" ? "-" : ""}${digits}${fraction === "." ? "" : fraction}${exponent}`;
}

/** An object or array that is written out in the text. */
function readContainer(text: string, types: Types): ValueText | undefined {
  const isContainer = (types.has("object") && text.startsWith("{")) || (types.has("array") && /^[[(]/.test(text));
  const decoded = isContainer ? decodeJson(text) : undefined;
  const kind = decoded?.node.kind;
  return (kind === "object" || kind === "array") && types.has(kind) ? decoded : undefined;
}

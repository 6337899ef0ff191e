// What is wrong with a value, in a sentence that a model can follow: where, what was found, what is wanted. Validates nothing.
import type { OutputUnit } from "@cfworker/json-schema";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import type { Misfit } from "./coercion.ts";

/** What did not fit on the way through a schema's types and keys. */
export function misfitWords(misfits: readonly Misfit[]): string {
  return misfits
    .map(({ path, problem }) => `${placeOf(path)} ${problem.replace(/^is no parameter/, "is no property")}`)
    .join("; ");
}

/** What a validator's errors come to. `schema` is the one that it read, `value` what it was given. */
export function errorWords(errors: readonly OutputUnit[], schema: JsonObject, value: JsonValue): string {
  const error = mostTelling(errors);
  if (!error) return "the answer does not fit the schema";
  const path = stepsOf(error.instanceLocation);
  const found = path.reduce<JsonValue | undefined>(memberOf, value);
  return `${placeOf(path)} ${demand(error, wantedBy(error, schema), found)}`;
}

/** Where a value stands, as one would write it in code. */
function placeOf(path: readonly string[]): string {
  const [first, ...rest] = path;
  if (first === undefined) return "the answer";
  return JSON.stringify(first + rest.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join(""));
}

/** Keywords whose error only says that something inside of them is wrong. */
const AROUND: ReadonlySet<string> = new Set([
  "$ref",
  "$recursiveRef",
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "allOf",
  "if",
  "dependentSchemas",
]);
const UNIONS: ReadonlySet<string> = new Set(["anyOf", "oneOf"]);
/** By these an alternative says that it is not meant. */
const TELL_APART: ReadonlySet<string> = new Set(["type", "const", "enum", "required", "false"]);

/** The innermost error; of alternatives the one that was meant, where only its bounds are broken. */
function mostTelling(errors: readonly OutputUnit[]): OutputUnit | undefined {
  const inner = errors.filter(({ keyword }) => !AROUND.has(keyword));
  const union = inner.find(({ keyword }) => UNIONS.has(keyword));
  if (!union) return inner.at(-1) ?? errors.at(-1);
  return inner.findLast(({ keyword }) => !UNIONS.has(keyword) && !TELL_APART.has(keyword)) ?? union;
}

function demand({ keyword, error }: OutputUnit, wanted: JsonValue | undefined, found: JsonValue | undefined): string {
  const limit = shown(wanted);
  const size = sizeOf(found);
  switch (keyword) {
    case "type":
      return `must be ${Array.isArray(wanted) ? wanted.join(" or ") : String(wanted)}, got ${shown(found)}`;
    case "enum":
      return `must be one of ${limit.replace(/^\[|\]$/g, "")}, got ${shown(found)}`;
    case "const":
      return `must be ${limit}, got ${shown(found)}`;
    case "required":
      return `must have the property ${/"(.*)"\.$/s.exec(error)?.[1] ?? "that is missing"}`;
    case "minimum":
      return `must be at least ${limit}, got ${shown(found)}`;
    case "exclusiveMinimum":
      return `must be more than ${limit}, got ${shown(found)}`;
    case "maximum":
      return `must be at most ${limit}, got ${shown(found)}`;
    case "exclusiveMaximum":
      return `must be less than ${limit}, got ${shown(found)}`;
    case "multipleOf":
      return `must be a multiple of ${limit}, got ${shown(found)}`;
    case "minLength":
      return `must have at least ${limit} characters, got ${size}`;
    case "maxLength":
      return `must have at most ${limit} characters, got ${size}`;
    case "minItems":
      return `must have at least ${limit} items, got ${size}`;
    case "maxItems":
      return `must have at most ${limit} items, got ${size}`;
    case "minProperties":
      return `must have at least ${limit} properties, got ${size}`;
    case "maxProperties":
      return `must have at most ${limit} properties, got ${size}`;
    case "anyOf":
    case "oneOf":
      return `must have exactly one of the forms that the schema allows, got ${shown(found)}`;
    case "false":
      return "is not allowed";
    default:
      return `does not satisfy "${keyword}" of the schema, got ${shown(found)}`;
  }
}

/** Characters of a value that a sentence repeats. */
const SHOWN = 80;

function shown(value: JsonValue | undefined): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function sizeOf(value: JsonValue | undefined): number {
  if (typeof value === "string") return [...value].length;
  if (typeof value !== "object" || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** The value of the keyword that failed, whose location leads through references. */
function wantedBy({ keywordLocation }: OutputUnit, schema: JsonObject): JsonValue | undefined {
  return stepsOf(keywordLocation).reduce<JsonValue | undefined>((at, step) => {
    const next = memberOf(at, step);
    return step === "$ref" && typeof next === "string"
      ? stepsOf(next).reduce<JsonValue | undefined>(memberOf, schema)
      : next;
  }, schema);
}

function memberOf(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return value[Number(step)];
  return Object.hasOwn(value, step) ? (value as JsonObject)[step] : undefined;
}

/** The steps of a pointer such as `#/a/0`. */
function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}

// What is wrong with a value, in a sentence that a model can follow: where, what was found, what is wanted. Validates nothing.
import type { JsonValue } from "../../core/messages.ts";
import type { Misfit } from "./coercion.ts";
import type { SchemaFault } from "./schemaFaults.ts";

/** What did not fit on the way through a schema's types and keys. */
export function misfitWords(misfits: readonly Misfit[]): string {
  return misfits
    .map(({ path, problem }) => `${placeOf(path)} ${problem.replace(/^is no parameter/, "is no property")}`)
    .join("; ");
}

/** Where a value stands, as one would write it in code. */
function placeOf(path: readonly string[]): string {
  const [first, ...rest] = path;
  if (first === undefined) return "the answer";
  return JSON.stringify(first + rest.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join(""));
}

/** What a value that breaks a rule of its schema must be, and what it is. */
export function ruleMisfit({ path, keyword, wanted, found }: SchemaFault): Misfit {
  return { path, problem: demand(keyword, wanted, found) };
}

function demand(keyword: string, wanted: JsonValue, found: JsonValue): string {
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
      return `must have the property ${typeof wanted === "string" ? wanted.slice(0, SHOWN) : limit}`;
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
    case "uniqueItems":
      return "must not hold an item twice";
    case "pattern":
      return `must match the pattern ${limit}, got ${shown(found)}`;
    case "dependentRequired":
      return `must have the property ${limit} too`;
    case "false":
      return "is not allowed";
    default:
      return `does not satisfy "${keyword}" of the schema, got ${shown(found)}`;
  }
}

/** Characters of a value that a sentence repeats. */
const SHOWN = 80;

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function sizeOf(value: JsonValue): number {
  if (typeof value === "string") return [...value].length;
  if (typeof value !== "object" || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

// Checks JSON Schemas in configuration files, and refuses keywords that would have no effect. Validates no values.
import { toJsonType } from "../core/json/jsonTypes.ts";
import { visitSchemas } from "../core/json/subschemas.ts";
import { isObject, type JsonValue } from "../core/messages.ts";
import { plainObject } from "./fields.ts";
import { suggestName } from "./load/suggestName.ts";

/** Receives each fault and its path in the schema. */
type Fail = (path: (string | number)[], message: string) => void;

/** A keyword: its expected value for messages, and the check of it. */
interface Keyword {
  readonly names: readonly string[];
  readonly expected: string;
  readonly isFit: (value: JsonValue) => boolean;
}

/** The gateway's own formats, by which it confines paths and assesses risk, then those of JSON Schema 2020-12. */
const FORMATS = [
  ...["path", "sql", "command", "argv"],
  ...["date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"],
  ...["uri", "uri-reference", "uri-template", "iri", "iri-reference", "uuid", "regex"],
  ...["json-pointer", "relative-json-pointer"],
];

const KEYWORDS: readonly Keyword[] = [
  {
    names: ["format"],
    expected: "path, sql, command or argv, a format of JSON Schema, or one of your own that begins with x-",
    isFit: isFormat,
  },
  {
    names: ["type"],
    expected: "string, number, integer, boolean, null, object or array, or a list of them",
    isFit: isType,
  },
  { names: ["pattern"], expected: "a regular expression", isFit: isPattern },
  { names: ["required"], expected: "a list of the names of properties", isFit: isNames },
  { names: ["enum"], expected: "a list of values", isFit: Array.isArray },
  {
    names: ["properties", "patternProperties", "$defs", "definitions"],
    expected: "names with JSON Schemas",
    isFit: isObject,
  },
  {
    names: ["anyOf", "oneOf", "allOf", "prefixItems"],
    expected: "a list of JSON Schemas",
    isFit: Array.isArray,
  },
  {
    names: ["items", "not", "if", "then", "else", "contains", "additionalProperties", "propertyNames"],
    expected: "a JSON Schema",
    isFit: isSchema,
  },
  {
    names: ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"],
    expected: "a number",
    isFit: isNumber,
  },
];
const keywords = new Map(KEYWORDS.flatMap((keyword) => keyword.names.map((name) => [name, keyword] as const)));

/**
 * Keywords that are not checked. They are listed so that none counts as a misspelling; custom keywords (`x-…`) are accepted
 * too.
 */
const OTHERS = ["const", "default", "title", "description", "examples", "example", "$ref", "dependencies"];

/** A mapping that is a JSON Schema. A misspelled keyword or type would allow everything. */
export function createJsonSchemaField(what: string) {
  return plainObject(what).superRefine((schema, context) =>
    checkConfigSchema(schema, (path, message) => context.addIssue({ code: "custom", path, message })),
  );
}

/** Reports each keyword of the schema and its subschemas that has no effect or is probably misspelled. */
export function checkConfigSchema(schema: JsonValue, fail: Fail, path: (string | number)[] = []): void {
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) fail(path, "expected a JSON Schema");
  else
    for (const [name, value] of Object.entries(schema)) {
      const keyword = keywords.get(name);
      const meant = keyword || OTHERS.includes(name) || name.startsWith("x-") ? "" : suggestName(name, keywords.keys());
      if (meant) fail([...path, name], `\`${name}\` says nothing in a JSON Schema${meant}`);
      if (keyword && !keyword.isFit(value)) fail([...path, name], `expected ${keyword.expected}`);
      else if (keyword)
        visitSchemas(name, value, (inner, key) =>
          checkConfigSchema(inner, fail, [...path, name, ...(key === undefined ? [] : [key])]),
        );
    }
}

function isType(value: JsonValue): boolean {
  return [value].flat().every((name) => toJsonType(name) !== undefined);
}

/** Returns true if the value is a known format, or a custom one that begins with `x-`. */
export function isFormat(value: JsonValue | undefined): value is string {
  return typeof value === "string" && (FORMATS.includes(value) || value.startsWith("x-"));
}

/** Returns true if the value is a valid regular expression. */
export function isPattern(value: JsonValue | undefined): value is string {
  if (typeof value !== "string") return false;
  return ["u", ""].some((flags) => {
    try {
      return new RegExp(value, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}

function isNames(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isSchema(value: JsonValue): boolean {
  return typeof value === "boolean" || (value !== null && typeof value === "object");
}

function isNumber(value: JsonValue): boolean {
  return typeof value === "number";
}

// Says whether a value satisfies a JSON Schema that a client sent, in bounded time. Generates no code and runs no pattern of the schema's.
import { type Schema, Validator } from "@cfworker/json-schema";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { maxJsonDepth } from "../decoders/jsonSpans.ts";
import { errorWords } from "./faultWords.ts";

/** UTF-16 units of a schema's JSON text; larger ones are refused. */
const MAX_SCHEMA = 256 * 1024;
/** Subschemas that one check may visit: references can make a small schema stand for any number. */
const MAX_VISITS = 200_000;

/**
 * Not checked: `pattern`, `patternProperties`, `format` and `uniqueItems`, whose cost the schema's author decides, and what stands
 * beside `patternProperties` for all other properties. Everything else of 2020-12 is.
 */
export class SchemaCheck {
  readonly #schema: JsonObject;
  readonly #validator: Validator | undefined;
  readonly #refusal: string = "";
  #visits = 0;

  constructor(schema: JsonObject) {
    this.#schema = schema;
    if (JSON.stringify(schema).length > MAX_SCHEMA) {
      this.#refusal = `the schema is larger than ${MAX_SCHEMA} characters`;
      return;
    }
    try {
      this.#validator = new Validator(this.#bounded(schema, 0) as Schema, "2020-12");
    } catch (error) {
      this.#refusal = `the schema cannot be used: ${messageOf(error)}`;
    }
  }

  /** False where nothing can be checked by this schema. */
  get isUsable(): boolean {
    return this.#validator !== undefined;
  }

  /** What is wrong with `value`, and where, in words without a full stop; `undefined` if nothing is. */
  fault(value: JsonValue): string | undefined {
    if (!this.#validator) return this.#refusal;
    this.#visits = 0;
    try {
      const { valid, errors } = this.#validator.validate(value);
      return valid ? undefined : errorWords(errors, this.#schema, value);
    } catch (error) {
      return `the schema cannot be used: ${messageOf(error)}`;
    }
  }

  /** A copy without the unchecked keywords that counts its visits: the validator reads `type` once a visit. */
  #bounded(schema: JsonObject, depth: number): JsonObject {
    if (depth > maxJsonDepth) throw new RangeError(`it is nested more than ${maxJsonDepth} levels deep`);
    const copy: Record<string, JsonValue> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (isChecked(keyword, schema)) copy[keyword] = this.#inside(keyword, value, depth);
    }
    const { type } = copy;
    return Object.defineProperty(copy, "type", { enumerable: type !== undefined, get: () => this.#visit(type) });
  }

  #inside(keyword: string, value: JsonValue, depth: number): JsonValue {
    if (SCHEMA_MAPS.has(keyword) && isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, this.#subschema(schema, depth)]));
    }
    if (SCHEMA_LISTS.has(keyword) && Array.isArray(value)) return value.map((schema) => this.#subschema(schema, depth));
    return SCHEMAS.has(keyword) ? this.#subschema(value, depth) : value;
  }

  #subschema(value: JsonValue, depth: number): JsonValue {
    return isObject(value) ? this.#bounded(value, depth + 1) : value;
  }

  #visit(type: JsonValue | undefined): JsonValue | undefined {
    this.#visits += 1;
    if (this.#visits > MAX_VISITS) throw new RangeError(`checking takes more than ${MAX_VISITS} steps`);
    return type;
  }
}

const UNCHECKED: ReadonlySet<string> = new Set(["pattern", "patternProperties", "format", "uniqueItems"]);
const OTHER_PROPERTIES: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);
const SCHEMA_MAPS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
const SCHEMA_LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
const SCHEMAS: ReadonlySet<string> = new Set([
  "items",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
]);

function isChecked(keyword: string, schema: JsonObject): boolean {
  if (UNCHECKED.has(keyword)) return false;
  return !(OTHER_PROPERTIES.has(keyword) && "patternProperties" in schema);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

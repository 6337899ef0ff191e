// Converts schemas of an OpenAPI document to bounded JSON Schemas for models: references are inlined, response-only
// properties removed.
import { isObject, type JsonObject, type JsonValue, toItems } from "../../core/messages.ts";
import { sanitizeToolText } from "../../core/tools/sanitizeToolText.ts";
import { isFormat, isPattern } from "../jsonSchema.ts";
import { joinPointer, listEntries, type OpenApiDocument } from "./OpenApiDocument.ts";

/** Maximum number of characters of an argument's description. */
export const MOST_CHARS = 500;
/** Maximum depth of a schema that models receive; deeper values may be anything. */
const MOST_LEVELS = 8;
/** Maximum number of schemas in the arguments of an operation; further values may be anything. */
const MOST_SCHEMAS = 300;
/** Characters of an `enum`, and of a `default`, as JSON; a longer one is left out. */
const MOST_ENUM = 8_000;
const MOST_DEFAULT = 500;

/** Keywords that are copied unchanged. Others are not validated here, or do not apply to requests. */
const PLAIN = [
  ...["minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"],
  ...["minProperties", "maxProperties", "exclusiveMinimum", "exclusiveMaximum"],
];

/** Reads the schemas of one operation, whose total size is limited. */
export class SchemaReader {
  readonly #document: OpenApiDocument;
  #remainingSchemas = MOST_SCHEMAS;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** @param open the references that are being inlined around this one, to detect cycles. */
  read(raw: JsonValue | undefined, at: string, open: readonly string[] = []): JsonObject {
    if (typeof raw === "boolean") return raw ? {} : { not: {} };
    const found = this.#document.resolveReference(raw, at);
    if (!found || open.length >= MOST_LEVELS) return {};
    this.#remainingSchemas -= 1;
    if (this.#remainingSchemas < 0) return {};
    if (open.includes(found.at)) return createCircularError(found.value, found.at);
    const path = [...open, found.at];
    const schema = isObject(raw) && found.value !== raw ? { ...found.value, ...readSiblings(raw) } : found.value;
    return {
      ...readType(schema),
      ...readTexts(schema),
      ...readValues(schema),
      ...toPlainSchema(schema),
      ...this.#readChildren(schema, found.at, path),
      ...this.#members(schema, found.at, path),
    };
  }

  /**
   * Keywords that are dropped here would make `not` refuse more, and let several of `oneOf` match. So `not` is dropped, and
   * `oneOf` becomes `anyOf`.
   */
  #readChildren(schema: JsonObject, at: string, open: readonly string[]): JsonObject {
    const listed = (key: string): readonly JsonObject[] =>
      toItems(schema[key]).map((item, index) => this.read(item, joinPointer(at, key, index), open));
    const choices = {
      allOf: listed("allOf"),
      anyOf: [...listed("anyOf"), ...listed("oneOf")],
      prefixItems: listed("prefixItems"),
    };
    const raw = Object.entries(choices).filter(([, list]) => list.length > 0);
    return {
      ...Object.fromEntries(raw),
      ...(schema.items !== undefined && { items: this.read(schema.items, joinPointer(at, "items"), open) }),
    };
  }

  /** Properties except those that only answers have. */
  #members(schema: JsonObject, at: string, open: readonly string[]): JsonObject {
    const { additionalProperties: others } = schema;
    const raw = listEntries(schema.properties);
    const readOnlyEntries = raw.filter(([name, one]) => this.#isReadOnly(one, joinPointer(at, "properties", name)));
    const hiddenNames = new Set(readOnlyEntries.map(([name]) => name));
    const properties = raw
      .filter(([name]) => !hiddenNames.has(name))
      .map(([name, one]) => [name, this.read(one, joinPointer(at, "properties", name), open)] as const);
    const required = toItems(schema.required).filter((name) => typeof name === "string" && !hiddenNames.has(name));
    return {
      ...(raw.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
      ...(others !== undefined && {
        additionalProperties:
          typeof others === "boolean" ? others : this.read(others, joinPointer(at, "additionalProperties"), open),
      }),
    };
  }

  #isReadOnly(raw: JsonValue, at: string): boolean {
    return (
      isObject(raw) && (raw.readOnly === true || this.#document.resolveReference(raw, at)?.value.readOnly === true)
    );
  }
}

function createCircularError({ type }: JsonObject, at: string): JsonObject {
  const name = at.slice(at.lastIndexOf("/") + 1);
  return {
    ...(type !== undefined && { type }),
    description: sanitizeToolText(`Another ${name}, as described around this.`, MOST_CHARS),
  };
}

/** Siblings of a reference override its target. */
function readSiblings({ $ref: _, ...siblings }: JsonObject): JsonObject {
  return siblings;
}

/** `nullable` allows null in OpenAPI 3.0. */
function readType({ type, nullable }: JsonObject): JsonObject {
  if (type === undefined) return {};
  return { type: nullable === true && !toItems(type).includes("null") ? [...[type].flat(), "null"] : type };
}

function readTexts({ description, format, pattern }: JsonObject): JsonObject {
  const text = typeof description === "string" ? sanitizeToolText(description, MOST_CHARS).trim() : "";
  return {
    ...(text && { description: text }),
    ...(isFormat(format) && { format }),
    ...(isPattern(pattern) && { pattern }),
  };
}

function readValues({ enum: allowed, const: only, default: defaultValue }: JsonObject): JsonObject {
  const isShort = (value: JsonValue | undefined, limit: number): boolean =>
    value !== undefined && JSON.stringify(value).length <= limit;
  return {
    ...(toItems(allowed).length > 0 && isShort(allowed, MOST_ENUM) && { enum: allowed }),
    ...(isShort(only, MOST_ENUM) && { const: only }),
    ...(isShort(defaultValue, MOST_DEFAULT) && { default: defaultValue }),
  };
}

/** Copies the plain keywords. OpenAPI 3.0 marks a bound as exclusive by a sibling boolean. */
function toPlainSchema(schema: JsonObject): JsonObject {
  const { exclusiveMinimum: exclusiveMin, exclusiveMaximum: exclusiveMax, minimum, maximum } = schema;
  const plain = Object.fromEntries(
    PLAIN.filter((key) => typeof schema[key] === "number" || key === "uniqueItems").flatMap((key) =>
      schema[key] === undefined ? [] : [[key, schema[key]]],
    ),
  );
  return {
    ...plain,
    ...(exclusiveMin === true && typeof minimum === "number" && { exclusiveMinimum: minimum }),
    ...(exclusiveMax === true && typeof maximum === "number" && { exclusiveMaximum: maximum }),
  };
}

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
  #left = MOST_SCHEMAS;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** @param open the references that are being inlined around this one, to detect cycles. */
  read(written: JsonValue | undefined, at: string, open: readonly string[] = []): JsonObject {
    if (typeof written === "boolean") return written ? {} : { not: {} };
    const found = this.#document.follow(written, at);
    if (!found || open.length >= MOST_LEVELS) return {};
    this.#left -= 1;
    if (this.#left < 0) return {};
    if (open.includes(found.at)) return circular(found.value, found.at);
    const around = [...open, found.at];
    const schema =
      isObject(written) && found.value !== written ? { ...found.value, ...readSiblings(written) } : found.value;
    return {
      ...readType(schema),
      ...readTexts(schema),
      ...readValues(schema),
      ...toPlainSchema(schema),
      ...this.#below(schema, found.at, around),
      ...this.#members(schema, found.at, around),
    };
  }

  /**
   * Keywords that are dropped here would make `not` refuse more, and let several of `oneOf` match. So `not` is dropped, and
   * `oneOf` becomes `anyOf`.
   */
  #below(schema: JsonObject, at: string, open: readonly string[]): JsonObject {
    const listed = (key: string): readonly JsonObject[] =>
      toItems(schema[key]).map((item, index) => this.read(item, joinPointer(at, key, index), open));
    const choices = {
      allOf: listed("allOf"),
      anyOf: [...listed("anyOf"), ...listed("oneOf")],
      prefixItems: listed("prefixItems"),
    };
    const written = Object.entries(choices).filter(([, list]) => list.length > 0);
    return {
      ...Object.fromEntries(written),
      ...(schema.items !== undefined && { items: this.read(schema.items, joinPointer(at, "items"), open) }),
    };
  }

  /** Properties except those that only answers have. */
  #members(schema: JsonObject, at: string, open: readonly string[]): JsonObject {
    const { additionalProperties: others } = schema;
    const written = listEntries(schema.properties);
    const answered = written.filter(([name, one]) => this.#isReadOnly(one, joinPointer(at, "properties", name)));
    const hidden = new Set(answered.map(([name]) => name));
    const properties = written
      .filter(([name]) => !hidden.has(name))
      .map(([name, one]) => [name, this.read(one, joinPointer(at, "properties", name), open)] as const);
    const required = toItems(schema.required).filter((name) => typeof name === "string" && !hidden.has(name));
    return {
      ...(written.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
      ...(others !== undefined && {
        additionalProperties:
          typeof others === "boolean" ? others : this.read(others, joinPointer(at, "additionalProperties"), open),
      }),
    };
  }

  #isReadOnly(written: JsonValue, at: string): boolean {
    return (
      isObject(written) && (written.readOnly === true || this.#document.follow(written, at)?.value.readOnly === true)
    );
  }
}

function circular({ type }: JsonObject, at: string): JsonObject {
  const name = at.slice(at.lastIndexOf("/") + 1);
  return {
    ...(type !== undefined && { type }),
    description: sanitizeToolText(`Another ${name}, as described around this.`, MOST_CHARS),
  };
}

/** Siblings of a reference override its target. */
function readSiblings({ $ref: _, ...beside }: JsonObject): JsonObject {
  return beside;
}

/** `nullable` allows null in OpenAPI 3.0. */
function readType({ type, nullable }: JsonObject): JsonObject {
  if (type === undefined) return {};
  return { type: nullable === true && !toItems(type).includes("null") ? [...[type].flat(), "null"] : type };
}

function readTexts({ description, format, pattern }: JsonObject): JsonObject {
  const said = typeof description === "string" ? sanitizeToolText(description, MOST_CHARS).trim() : "";
  return {
    ...(said && { description: said }),
    ...(isFormat(format) && { format }),
    ...(isPattern(pattern) && { pattern }),
  };
}

function readValues({ enum: allowed, const: only, default: usual }: JsonObject): JsonObject {
  const isShort = (value: JsonValue | undefined, most: number): boolean =>
    value !== undefined && JSON.stringify(value).length <= most;
  return {
    ...(toItems(allowed).length > 0 && isShort(allowed, MOST_ENUM) && { enum: allowed }),
    ...(isShort(only, MOST_ENUM) && { const: only }),
    ...(isShort(usual, MOST_DEFAULT) && { default: usual }),
  };
}

/** Copies the plain keywords. OpenAPI 3.0 marks a bound as exclusive by a sibling boolean. */
function toPlainSchema(schema: JsonObject): JsonObject {
  const { exclusiveMinimum: above, exclusiveMaximum: under, minimum, maximum } = schema;
  const plain = Object.fromEntries(
    PLAIN.filter((key) => typeof schema[key] === "number" || key === "uniqueItems").flatMap((key) =>
      schema[key] === undefined ? [] : [[key, schema[key]]],
    ),
  );
  return {
    ...plain,
    ...(above === true && typeof minimum === "number" && { exclusiveMinimum: minimum }),
    ...(under === true && typeof maximum === "number" && { exclusiveMaximum: maximum }),
  };
}

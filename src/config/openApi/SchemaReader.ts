// Schemas of an OpenAPI document as JSON Schemas for models: references written out, what only answers have left out, bounded. Knows no operation.
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { sanitizeToolText } from "../../core/tools/sanitizeToolText.ts";
import { isFormat, isPattern } from "../jsonSchema.ts";
import { joinPointer, listEntries, type OpenApiDocument, toItems } from "./OpenApiDocument.ts";

/** Characters of what a document says of one argument. */
export const MOST_CHARS = 500;
/** Levels of a schema that models are shown; what is deeper may be anything. */
const MOST_LEVELS = 8;
/** Schemas within the arguments of one operation; what is beyond may be anything. */
const MOST_SCHEMAS = 300;
/** Characters of an `enum`, and of a `default`, as JSON; a longer one is left out. */
const MOST_ENUM = 8_000;
const MOST_DEFAULT = 500;

/** Keywords that are taken as they are. Others say nothing that a value is held to here, or nothing of requests. */
const PLAIN = [
  ...["minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"],
  ...["minProperties", "maxProperties", "exclusiveMinimum", "exclusiveMaximum"],
];

/** For one operation: what its schemas may be together is bounded. */
export class SchemaReader {
  readonly #document: OpenApiDocument;
  #left = MOST_SCHEMAS;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** @param open the places that are being written out around this one, by which a circle is seen. */
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

  /** What is left out of a schema here would make `not` refuse more, and several of `oneOf` fit at once: the one says nothing, the other is `anyOf`. */
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

  /** Without those that only answers have. */
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

/** What stands beside a reference goes before what it leads to. */
function readSiblings({ $ref: _, ...beside }: JsonObject): JsonObject {
  return beside;
}

/** `nullable` is how 3.0 says that null will do. */
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

/** In 3.0 a bound is exclusive by a boolean beside it. */
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

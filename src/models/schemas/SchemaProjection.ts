// Projects one JSON Schema to a dialect. Unsupported keywords are omitted, since calls are validated against the original schema.
import { resolvePointer } from "../../core/json/jsonPointer.ts";
import { mapSchemas } from "../../core/json/subschemas.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { asArray, asObject, asObjects } from "../looseJson.ts";
import { mergeAlternatives, mergeSchemas } from "./mergeSchemas.ts";
import type { SchemaDialect } from "./schemaDialects.ts";
import { getItemSchema, getTypes, pickTypeKeywords } from "./typeKeywords.ts";

/** Maximum number of schemas in one projection, and of nested references. Deeper parts are omitted. */
const MAX_SCHEMAS = 4_096;
const MAX_REFERENCES = 16;

const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);
const NOT_AT_ROOT: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "enum", "const", "not"]);

/** A schema, and the references that led to it. */
interface Placed {
  readonly schema: JsonObject;
  readonly within: readonly string[];
}

export class SchemaProjection {
  readonly #dialect: SchemaDialect;
  readonly #root: JsonObject;
  #remaining = MAX_SCHEMAS;

  constructor(root: JsonObject, dialect: SchemaDialect) {
    this.#root = root;
    this.#dialect = dialect;
  }

  /** Projects the complete schema, whose root is an object and no union. References at the root are followed in every dialect. */
  read(): JsonObject {
    const { schema: whole } = this.#resolveAll({ schema: this.#root, within: [] });
    const names = asObjects(whole.anyOf ?? whole.oneOf);
    const branches = names.map((schema) => this.#resolveAll({ schema, within: [] }).schema);
    const ownKeywords = only(whole, (name) => !NOT_AT_ROOT.has(name));
    const object = {
      ...(branches.length > 0 ? mergeSchemas(ownKeywords, mergeAlternatives(branches)) : ownKeywords),
      type: "object",
    };
    const { rootKeywords } = this.#dialect;
    // However much the references at the root led to, it is read.
    this.#remaining = MAX_SCHEMAS;
    const projected = this.#schema(object, []);
    return rootKeywords ? only(projected, (name) => rootKeywords.has(name)) : projected;
  }

  #schema(value: JsonValue, within: readonly string[]): JsonObject {
    const { shape, references } = this.#dialect;
    const schema = asObject(value);
    if (!schema || this.#remaining <= 0) return shape === "free" ? {} : { type: "string" };
    this.#remaining -= 1;
    const located = { schema, within };
    if (shape === "simple") return this.#simple(this.#resolveAll(located));
    return this.#simplify(references === "inlined" ? this.#inlined(located) : located);
  }

  #simplify({ schema, within }: Placed): JsonObject {
    if (Array.isArray(schema.items)) {
      return this.#members({ ...schema, prefixItems: schema.items, items: {} }, within);
    }
    const lacksItems = schema.items === undefined && asArray(schema.type).includes("array");
    return this.#members(lacksItems ? { ...schema, items: {} } : schema, within);
  }

  #members(schema: JsonObject, within: readonly string[]): JsonObject {
    const { keywords, references } = this.#dialect;
    const known = only(schema, (name) => {
      if (references === "inlined" && DEFINITIONS.has(name)) return false;
      return keywords?.has(name) ?? true;
    });
    const members = Object.entries(known).map(([name, value]) => [name, this.#member(name, value, within)]);
    return Object.fromEntries(members);
  }

  /** `true` and `false` are schemas too. As one of several, only dialects with free shapes can express them. */
  #member(name: string, value: JsonValue, within: readonly string[]): JsonValue {
    return mapSchemas(name, value, (one, key) => {
      const isFlag = typeof one === "boolean" && (key === undefined || this.#dialect.shape === "free");
      return isFlag ? one : this.#schema(one, within);
    });
  }

  #simple({ schema, within }: Placed): JsonObject {
    const { anyOf, oneOf, nullable, ...ownKeywords } = schema;
    const names = asObjects(anyOf ?? oneOf).map((branch) => this.#resolveAll({ schema: branch, within }));
    const types = getTypes(ownKeywords);
    const branches = names.length > 0 ? names : types.map((type): Placed => ({ schema: { type }, within }));
    const some = branches.filter((branch) => branch.schema.type !== "null");
    const isNull = nullable === true || some.length < branches.length;
    if (some.length > 1 || (names.length > 0 && some.length === 1)) {
      const { type, ...rest } = ownKeywords;
      return this.#union(some, { siblings: typeof type === "string" ? ownKeywords : rest, isNull });
    }
    const [type = "string"] = types.filter((one) => one !== "null");
    return this.#addNull(this.#oneType(type, { schema: ownKeywords, within }), isNull);
  }

  /** Keywords next to a union apply to each of its branches. */
  #union(
    branches: readonly Placed[],
    { siblings, isNull }: { readonly siblings: JsonObject; readonly isNull: boolean },
  ): JsonObject {
    const projected = branches.flatMap(({ schema, within }) => {
      if (this.#remaining <= 0) return [];
      const one = this.#schema(mergeSchemas(schema, siblings), within);
      return one.anyOf === undefined ? [one] : asObjects(one.anyOf);
    });
    const [one = { type: "string" }, ...more] = projected;
    return this.#addNull(more.length > 0 ? { anyOf: projected } : one, isNull);
  }

  #addNull(schema: JsonObject, isNull: boolean): JsonObject {
    if (!isNull) return schema;
    const branches = schema.anyOf === undefined ? [schema] : asObjects(schema.anyOf);
    if (this.#dialect.nulls === "branch") return { anyOf: [...branches, { type: "null" }] };
    const nullable = branches.map((branch) => ({ ...branch, nullable: true }));
    const [one = {}, ...more] = nullable;
    return more.length > 0 ? { anyOf: nullable } : one;
  }

  /** Projects a schema of one type with the keywords of that type. */
  #oneType(type: string, { schema, within }: Placed): JsonObject {
    const { const: value, enum: listed, items: _items, prefixItems: _places, format, required, ...rest } = schema;
    const { formats } = this.#dialect;
    const values = this.#values(value === undefined ? asArray(listed) : [value], type);
    const properties = asObject(rest.properties) ?? {};
    const demanded = asArray(required).filter((name) => Object.hasOwn(properties, String(name)));
    const ownKeywords: JsonObject = {
      ...pickTypeKeywords(type, rest),
      type,
      ...(values.length > 0 && { enum: values }),
      ...(type === "array" && { items: getItemSchema(schema) }),
      ...(format !== undefined && (formats?.has(String(format)) ?? true) && { format }),
      ...(type === "object" && demanded.length > 0 && { required: demanded }),
    };
    return this.#members(ownKeywords, within);
  }

  #values(listed: readonly JsonValue[], type: string): readonly JsonValue[] {
    if (this.#dialect.enums === "any") return listed.filter((value) => value !== null);
    const texts = listed.filter((value) => typeof value === "string");
    return type === "string" && !texts.includes("") ? texts : [];
  }

  /** Resolves the reference of a schema and merges its `allOf` into it. */
  #resolveAll(located: Placed): Placed {
    const { schema, within } = this.#inlined(located);
    const { allOf, ...ownKeywords } = schema;
    if (!Array.isArray(allOf)) return { schema: ownKeywords, within };
    const parts = asObjects(allOf).map((part) => this.#resolveAll({ schema: part, within }));
    return {
      schema: parts.map((part) => part.schema).reduce(mergeSchemas, ownKeywords),
      within: [...new Set([within, ...parts.map((part) => part.within)].flat())],
    };
  }

  /** Resolves the `$ref` of a schema and adds the keywords next to it. A circular reference gives only its type. */
  #inlined({ schema, within }: Placed): Placed {
    const { $ref: reference, ...siblings } = schema;
    if (typeof reference !== "string") return { schema, within };
    const target = this.#target(reference);
    this.#remaining -= 1;
    const isEndless = within.includes(reference) || within.length >= MAX_REFERENCES || this.#remaining <= 0;
    if (!target || isEndless)
      return { schema: { ...(target && { type: [...getTypes(target)] }), ...siblings }, within };
    return this.#inlined({ schema: mergeSchemas(siblings, target), within: [...within, reference] });
  }

  #target(reference: string): JsonObject | undefined {
    return asObject(resolvePointer(this.#root, reference));
  }
}

function only(schema: JsonObject, has: (keyword: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => has(name)));
}

// What a JSON Schema allows, as a flat list of alternatives: bounded work, local references only, patterns never run. Sees no data.
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { Literals } from "./Literals.ts";
import { Spellings } from "./Spellings.ts";

export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

/** One alternative: everything in it holds together. */
export interface Shape {
  /** Undefined: any type. */
  readonly types: ReadonlySet<JsonType> | undefined;
  /** `enum` and `const` as their JSON texts; undefined: any value. */
  readonly literals: Literals | undefined;
  readonly properties: ReadonlyMap<string, JsonValue>;
  readonly required: ReadonlySet<string>;
  /** `additionalProperties`: a schema, or false; undefined: anything. */
  readonly additional: JsonValue | undefined;
  readonly items: JsonValue | undefined;
  /** Schemas by position, before `items`. */
  readonly prefixItems: readonly JsonValue[];
}

/** The alternative that allows everything. */
const anyShape: Shape = {
  types: undefined,
  literals: undefined,
  properties: new Map(),
  required: new Set(),
  additional: undefined,
  items: undefined,
  prefixItems: [],
};

/** Reads the schemas of one tool. What lies beyond its bounds (100,000 steps, 64 alternatives, 64 levels, foreign references) allows everything. */
export class SchemaReader {
  readonly #root: JsonValue;
  readonly #known = new WeakMap<JsonObject, readonly Shape[]>();
  readonly #spellings = new WeakMap<Shape, Spellings>();
  #steps = 0;

  constructor(root: JsonValue) {
    this.#root = root;
  }

  /** The alternatives of a schema of this tool, in its order; none: no value is allowed. */
  shapes(schema: JsonValue): readonly Shape[] {
    if (schema === false) return [];
    if (!isObject(schema)) return [anyShape];
    const known = this.#known.get(schema);
    if (known) return known;
    const shapes = this.#expand(schema, []);
    this.#known.set(schema, shapes);
    return shapes;
  }

  /** The properties of an alternative by their spelling. */
  spellings(shape: Shape): Spellings {
    const known = this.#spellings.get(shape) ?? new Spellings(shape.properties.keys());
    this.#spellings.set(shape, known);
    return known;
  }

  /** `above`: the schemas that are being expanded, so that a reference to one of them ends. */
  #expand(schema: JsonValue, above: readonly JsonObject[]): readonly Shape[] {
    if (schema === false) return [];
    if (!isObject(schema) || above.includes(schema)) return [anyShape];
    this.#steps += stepsPerSchema;
    if (this.#steps > maxSteps || above.length >= maxLevels) return [anyShape];
    const below = [...above, schema];
    const reference = own(schema, "$ref");
    let shapes: readonly Shape[] = [shapeOf(schema)];
    if (typeof reference === "string") {
      const target = followReference(this.#root, reference) ?? true;
      shapes = this.#conjoin(shapes, this.#expand(target, below));
    }
    for (const part of listOf(own(schema, "allOf"))) shapes = this.#conjoin(shapes, this.#expand(part, below));
    for (const union of ["anyOf", "oneOf"]) {
      const parts = listOf(own(schema, union));
      if (parts.length > maxShapes) return [anyShape];
      if (parts.length > 0) {
        const ways = parts.flatMap((part) => this.#expand(part, below));
        shapes = this.#conjoin(shapes, ways);
      }
    }
    return shapes;
  }

  /** Joining costs what the properties of both are. */
  #conjoin(left: readonly Shape[], right: readonly Shape[]): readonly Shape[] {
    const [one] = right;
    if (right.length === 1 && one === anyShape) return left;
    if (left.length * right.length > maxShapes) return [anyShape];
    this.#steps += right.length * sizeOf(left) + left.length * sizeOf(right);
    return this.#steps > maxSteps ? [anyShape] : conjoin(left, right);
  }
}

const maxSteps = 100_000;
const stepsPerSchema = 10;
const maxShapes = 64;
const maxLevels = 64;

/** A property of the object itself: a key such as `constructor` is data like any other. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** What a reference inside a schema leads to; undefined for any other, and for one that leads nowhere. */
export function followReference(root: JsonValue, reference: string): JsonValue | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let at: JsonValue | undefined = root;
  for (const step of reference.split("/").slice(1)) {
    const key = pointerStep(step);
    at = Array.isArray(at) ? at[Number(key)] : isObject(at) ? own(at, key) : undefined;
    if (at === undefined) return undefined;
  }
  return at;
}

function pointerStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The keywords that stand in the schema itself. */
function shapeOf(schema: JsonObject): Shape {
  const literals = own(schema, "const") === undefined ? own(schema, "enum") : [own(schema, "const") ?? null];
  const members = Array.isArray(literals) && literals.length > 0 ? literals : undefined;
  const properties = own(schema, "properties");
  const items = own(schema, "items");
  return {
    types: typesOf(schema, members),
    literals: members && new Literals(members.map((member) => JSON.stringify(member))),
    properties: new Map(isObject(properties) ? Object.entries(properties) : []),
    required: new Set(listOf(own(schema, "required")).filter((key) => typeof key === "string")),
    additional: own(schema, "patternProperties") === undefined ? own(schema, "additionalProperties") : undefined,
    items: Array.isArray(items) ? own(schema, "additionalItems") : items,
    prefixItems: Array.isArray(items) ? items : listOf(own(schema, "prefixItems")),
  };
}

function typesOf(schema: JsonObject, members: readonly JsonValue[] | undefined): ReadonlySet<JsonType> | undefined {
  const type = own(schema, "type");
  const names = typeof type === "string" ? [type] : listOf(type).filter((name) => typeof name === "string");
  const types = new Set<JsonType>();
  if (names.length === 0) {
    if (members) for (const member of members) types.add(typeOf(member));
    else if (isObject(own(schema, "properties"))) types.add("object");
    else if (own(schema, "items") !== undefined) types.add("array");
    else return undefined;
  }
  for (const name of names) {
    const known = typeNames.get(name.toLowerCase());
    if (!known) return undefined;
    types.add(known);
  }
  if (own(schema, "nullable") === true) types.add("null");
  return types;
}

/** Whether a value is of a type by any of its names; a name that nobody knows says nothing. */
export function isOfType(value: JsonValue, name: JsonValue, fractions: boolean): boolean {
  const type = typeof name === "string" ? typeNames.get(name.toLowerCase()) : undefined;
  if (type === "integer") return fractions ? typeof value === "number" : Number.isInteger(value);
  return type === undefined || type === typeOf(value);
}

function typeOf(value: JsonValue): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

/** Type names that tool authors write (Python's, SQL's, OpenAPI's); any other name allows everything. */
const typeNames: ReadonlyMap<string, JsonType> = new Map([
  ["string", "string"],
  ["str", "string"],
  ["text", "string"],
  ["varchar", "string"],
  ["char", "string"],
  ["enum", "string"],
  ["number", "number"],
  ["float", "number"],
  ["float32", "number"],
  ["float64", "number"],
  ["double", "number"],
  ["decimal", "number"],
  ["integer", "integer"],
  ["int", "integer"],
  ["int32", "integer"],
  ["int64", "integer"],
  ["long", "integer"],
  ["boolean", "boolean"],
  ["bool", "boolean"],
  ["null", "null"],
  ["none", "null"],
  ["object", "object"],
  ["dict", "object"],
  ["map", "object"],
  ["array", "array"],
  ["list", "array"],
  ["tuple", "array"],
]);

function sizeOf(shapes: readonly Shape[]): number {
  const sizes = shapes.map((shape) => shape.properties.size + shape.required.size + (shape.literals?.size ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function conjoin(left: readonly Shape[], right: readonly Shape[]): readonly Shape[] {
  return left.flatMap((one) => right.map((other) => merge(one, other)).filter((shape) => shape.types?.size !== 0));
}

function merge(one: Shape, other: Shape): Shape {
  if (one === anyShape || other === anyShape) return one === anyShape ? other : one;
  const properties = new Map(one.properties);
  for (const [key, schema] of other.properties) {
    const before = properties.get(key);
    properties.set(key, before === undefined ? schema : { allOf: [before, schema] });
  }
  return {
    types: commonTypes(one.types, other.types),
    literals: one.literals && other.literals ? one.literals.and(other.literals) : (one.literals ?? other.literals),
    properties,
    required: new Set([...one.required, ...other.required]),
    additional: one.additional ?? other.additional,
    items: one.items ?? other.items,
    prefixItems: one.prefixItems.length > 0 ? one.prefixItems : other.prefixItems,
  };
}

function commonTypes(one: Shape["types"], other: Shape["types"]): Shape["types"] {
  if (!one || !other) return one ?? other;
  const types = common(one, other);
  if ((one.has("integer") && other.has("number")) || (one.has("number") && other.has("integer"))) types.add("integer");
  return types;
}

function common<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): Set<T> {
  return new Set([...one].filter((member) => other.has(member)));
}

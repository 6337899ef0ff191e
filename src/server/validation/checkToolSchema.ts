// Bounds the JSON Schemas that clients send: size, remote references, loops and gross malformations. Validates no data.
import { resolvePointer } from "../../core/json/jsonPointer.ts";
import { getSchemaForm, visitSchemas } from "../../core/json/subschemas.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";

/** Characters of JSON text that one schema may have. */
const MAX_SCHEMA_CHARS = 256 * 1024;

const MAX_SCHEMA_DEPTH = 64;

const TYPES = new Set(["null", "boolean", "object", "array", "number", "string", "integer"]);

/** Keywords that apply to the same value: a cycle through them would never end. */
const IN_PLACE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"] as const;

/** Steps that are left for all schemas of one request; each value in a schema, objects and lists included, is one. */
export interface SchemaBudget {
  /** `limits.schema_steps`, for the message. */
  readonly limit: number;
  remaining: number;
}

export function createSchemaBudget(limit: number): SchemaBudget {
  return { limit, remaining: limit };
}

/** Returns the fault of a tool's parameter schema with a pointer to it, or undefined if it is valid. */
export function checkToolSchema(schema: JsonObject, budget: SchemaBudget): string | undefined {
  if (schema.type !== undefined && schema.type !== "object") return 'its "type" must be "object"';
  return checkSchema(schema, budget);
}

/** Same as `checkToolSchema`, for a schema of any value. */
export function checkSchema(schema: JsonObject, budget: SchemaBudget): string | undefined {
  const outgrown = measure(schema, MAX_SCHEMA_DEPTH, { budget, chars: 0 });
  if (outgrown) return outgrown;
  // The work from here on is bounded by the measured size.
  const schemas = new Map<JsonObject, string>();
  return gather(schema, "#", schemas) ?? checkReferences(schema, schemas);
}

interface Measured {
  readonly budget: SchemaBudget;
  /** Characters of names, texts and brackets: about the length of the JSON text. */
  chars: number;
}

/** The first bound that a value is beyond. */
function measure(value: JsonValue, levels: number, measured: Measured): string | undefined {
  const { budget } = measured;
  if (--budget.remaining < 0) {
    return `the schemas of one request may take ${budget.limit} steps to check (\`limits.schema_steps\`), and these take more`;
  }
  measured.chars += typeof value === "string" ? value.length + 3 : 2;
  if (measured.chars > MAX_SCHEMA_CHARS) return `it is longer than ${MAX_SCHEMA_CHARS} characters`;
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return `it nests deeper than ${MAX_SCHEMA_DEPTH} levels`;
  if (Array.isArray(value)) return findFirst(value, (inner) => measure(inner, levels - 1, measured));
  // Not by its entries: an array for each of 50,000 keys is half of the work.
  const object = value as JsonObject;
  return findFirst(Object.keys(object), (key) => {
    measured.chars += key.length + 3;
    return measure(object[key] ?? null, levels - 1, measured);
  });
}

function findFirst<T>(values: readonly T[], fault: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = fault(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Fills `found` with every subschema and its pointer; returns the first malformation. */
function gather(schema: JsonObject, at: string, found: Map<JsonObject, string>): string | undefined {
  found.set(schema, at);
  return findFirst(Object.keys(schema), (keyword) =>
    gatherKeyword(keyword, schema[keyword] ?? null, `${at}/${keyword}`, found),
  );
}

function gatherKeyword(
  keyword: string,
  value: JsonValue,
  at: string,
  found: Map<JsonObject, string>,
): string | undefined {
  if (keyword === "type")
    return isType(value) ? undefined : `${at} must be a JSON Schema type or a list of different ones`;
  if (keyword === "required") return isNames(value) ? undefined : `${at} must be a list of names`;
  if (keyword === "enum") return Array.isArray(value) ? undefined : `${at} must be a list`;
  if (keyword === "pattern") return typeof value === "string" ? undefined : `${at} must be a string`;
  if (keyword === "$dynamicRef" || keyword === "$recursiveRef") return `${at} is not supported; use $ref`;
  const form = getSchemaForm(keyword, value);
  if (form === "map" && !isObject(value)) return `${at} must be an object of schemas`;
  if (form === "list" && !Array.isArray(value)) return `${at} must be a list of schemas`;
  return visitSchemas(keyword, value, (inner, key) =>
    gatherSchema(inner, key === undefined ? at : `${at}/${key}`, found),
  );
}

function gatherSchema(value: JsonValue, at: string, found: Map<JsonObject, string>): string | undefined {
  if (typeof value === "boolean") return undefined;
  return isObject(value) ? gather(value, at, found) : `${at} must be a schema (an object, true or false)`;
}

function checkReferences(root: JsonObject, schemas: ReadonlyMap<JsonObject, string>): string | undefined {
  const targets = new Map<JsonObject, JsonObject>();
  for (const [schema, at] of schemas) {
    const reference = schema.$ref;
    if (reference === undefined) continue;
    if (typeof reference !== "string") return `${at}/$ref must be a string`;
    if (!reference.startsWith("#"))
      return `${at}/$ref points outside the schema; only references such as #/$defs/name are followed`;
    const target = resolvePointer(root, reference);
    if (target === undefined) return `${at}/$ref points to nothing: ${reference.slice(0, 100)}`;
    if (isObject(target)) targets.set(schema, target);
  }
  if (targets.size === 0) return undefined;
  const loop = findLoop(schemas, targets);
  return loop && `${schemas.get(loop) ?? "a $ref"} refers back to itself without end`;
}

/**
 * Finds a schema from which references and in-place keywords lead back to itself. Uses its own stack, because chains may be
 * long.
 */
function findLoop(
  schemas: ReadonlyMap<JsonObject, string>,
  targets: ReadonlyMap<JsonObject, JsonObject>,
): JsonObject | undefined {
  const state = new Map<JsonObject, "open" | "done">();
  for (const start of schemas.keys()) {
    const path: { schema: JsonObject; rest: JsonObject[] }[] = [];
    const enter = (schema: JsonObject) => {
      state.set(schema, "open");
      path.push({ schema, rest: sameValueSchemas(schema, targets) });
    };
    if (!state.has(start)) enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.pop();
      if (!next) {
        state.set(top.schema, "done");
        path.pop();
      } else if (state.get(next) === "open") return next;
      else if (!state.has(next)) enter(next);
    }
  }
  return undefined;
}

function sameValueSchemas(schema: JsonObject, targets: ReadonlyMap<JsonObject, JsonObject>): JsonObject[] {
  const target = targets.get(schema);
  const inner = IN_PLACE.flatMap((keyword) => {
    const value = schema[keyword];
    return Array.isArray(value) ? value : [value];
  });
  return [...(target ? [target] : []), ...inner.filter(isObject)];
}

function isType(value: JsonValue): boolean {
  if (!Array.isArray(value)) return typeof value === "string" && TYPES.has(value);
  return value.every((type) => typeof type === "string" && TYPES.has(type)) && new Set(value).size === value.length;
}

function isNames(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

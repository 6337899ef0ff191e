// Expands a JSON Schema to the alternatives that a value may take: types, listed values, keys and items. Follows no reference.
import { type JsonType, toJsonType } from "../../core/json/jsonTypes.ts";
import { getOwn, isObject, type JsonObject, type JsonValue, toItems } from "../../core/messages.ts";
import {
  type JsonMember,
  type JsonNode,
  parseStrictValue,
  parseStringSpan,
  type ValueAt,
} from "../decoders/jsonTree.ts";
import type { StepBudget } from "./LinearRegExp.ts";
import { Spellings } from "./resolveToolName.ts";

/** Returns true if the type takes this value. */
export function isOfType({ text, node }: ValueAt, type: JsonType): boolean {
  if (type === node.kind) return true;
  return type === "integer" && node.kind === "number" && isIntegral(text.slice(node.start, node.end));
}

function isIntegral(lexeme: string): boolean {
  return Number.isInteger(Number(lexeme)) || isInteger(lexeme);
}

/** Returns true for a lexeme of digits alone, whatever its size. */
export function isInteger(lexeme: string): boolean {
  return /^-?\d+$/.test(lexeme);
}

/** One spelling for values that JSON Schema takes for equal: members in the order of their keys, numbers by their value. */
export function canonicalize({ text, node }: ValueAt, budget: StepBudget = { steps: Infinity }): string {
  const isContainer = node.kind === "array" || node.kind === "object";
  budget.steps -= isContainer ? 2 : 2 + ((node.end - node.start) >> 5);
  if (node.kind === "string") return JSON.stringify(parseStringSpan(text, node));
  if (node.kind === "number") return JSON.stringify(Number(text.slice(node.start, node.end)));
  if (budget.steps < 0) return "";
  if (node.kind === "array")
    return `[${node.elements.map((one) => canonicalize({ text, node: one }, budget)).join(",")}]`;
  if (node.kind !== "object") return text.slice(node.start, node.end);
  const members = [...indexMembers(node).values()].sort((one, other) => (one.key < other.key ? -1 : 1));
  const written = members.map(
    ({ key, value }) => `${JSON.stringify(key)}:${canonicalize({ text, node: value }, budget)}`,
  );
  return `{${written.join(",")}}`;
}

/** Returns the members of an object by key. The last of repeated keys counts, as in every JSON parser. */
export function indexMembers(node: JsonNode): ReadonlyMap<string, JsonMember> {
  return new Map(node.members.map((member) => [member.key, member]));
}

/** Listed values up to which a near miss is looked for: indexing more by their spelling takes over 25 ms of CPU in one slice. */
const MAX_SPELLED = 20_000;

/** The values of `enum` or `const`. A lookup by value or spelling takes one step. */
export class Literals {
  /** JSON texts by their canonical spelling. */
  readonly #texts: ReadonlyMap<string, string>;
  #strings: Spellings | undefined;

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  static fromValues(values: readonly JsonValue[]): Literals {
    const texts = new Map<string, string>();
    for (const value of values) {
      const isContainer = typeof value === "object" && value !== null;
      // A finite number as a string is its JSON text.
      const text = typeof value === "number" ? `${value}` : JSON.stringify(value);
      // The JSON text of a value without parts is its canonical spelling.
      texts.set(isContainer ? canonicalizeText(text) : text, text);
    }
    return new Literals(texts);
  }

  get size(): number {
    return this.#texts.size;
  }

  has(canonical: string): boolean {
    return this.#texts.has(canonical);
  }

  /** Strings that differ from `word` only in case and separators; none if more than `MAX_SPELLED` values are listed. */
  findSimilar(word: string): readonly string[] {
    if (this.#texts.size > MAX_SPELLED) return [];
    const strings = () => [...this].filter((text) => text.startsWith('"')).map((text) => String(JSON.parse(text)));
    this.#strings ??= new Spellings(strings());
    return this.#strings.findSimilar(word, "fold");
  }

  /** Returns the values that both list. */
  intersect(other: Literals): Literals {
    return new Literals(new Map([...this.#texts].filter(([spelling]) => other.has(spelling))));
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#texts.values();
  }
}

/** Returns the canonical text, or the text itself if the value is deeper or larger than the fitter accepts. */
export function canonicalizeText(strictJson: string): string {
  const value = parseStrictValue(strictJson);
  return value ? canonicalize(value) : strictJson;
}

/** Returns the values that the schema lists under the keyword. An empty list is ignored as a mistake: it would allow no value at all. */
export function readListedValues(schema: JsonObject, keyword: "const" | "enum"): readonly JsonValue[] {
  const keywordValue = getOwn(schema, keyword);
  if (keyword === "enum") return toItems(keywordValue);
  return keywordValue === undefined ? [] : [keywordValue];
}

/** One alternative: all its members apply together. */
export interface Shape {
  /** Undefined: any type. */
  readonly types: ReadonlySet<JsonType> | undefined;
  /** Undefined: any value. */
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
export const anyShape: Shape = {
  types: undefined,
  literals: undefined,
  properties: new Map(),
  required: new Set(),
  additional: undefined,
  items: undefined,
  prefixItems: [],
};

/** The keywords that stand in the schema itself. `literalsOf` makes a look-up table of what one of them lists. */
export function toShape(schema: JsonObject, getLiterals: (keyword: "const" | "enum") => Literals): Shape {
  const keyword = getOwn(schema, "const") === undefined ? "enum" : "const";
  const listed = readListedValues(schema, keyword);
  const properties = getOwn(schema, "properties");
  const items = getOwn(schema, "items");
  return {
    types: readTypes(schema, listed),
    literals: listed.length > 0 ? getLiterals(keyword) : undefined,
    properties: new Map(isObject(properties) ? Object.entries(properties) : []),
    required: new Set(toItems(getOwn(schema, "required")).filter((key) => typeof key === "string")),
    additional: getOwn(schema, "patternProperties") === undefined ? getOwn(schema, "additionalProperties") : undefined,
    items: Array.isArray(items) ? getOwn(schema, "additionalItems") : items,
    prefixItems: Array.isArray(items) ? items : toItems(getOwn(schema, "prefixItems")),
  };
}

function readTypes(schema: JsonObject, listed: readonly JsonValue[]): ReadonlySet<JsonType> | undefined {
  const type = getOwn(schema, "type");
  const names = typeof type === "string" ? [type] : toItems(type).filter((name) => typeof name === "string");
  const found = names.length > 0 ? names.map(toJsonType) : inferTypes(schema, listed);
  const types = found.filter((one) => one !== undefined);
  if (types.length === 0 || types.length < found.length) return undefined;
  return new Set(getOwn(schema, "nullable") === true ? [...types, "null"] : types);
}

/** Infers the types of a schema without `type` from its other keywords. */
function inferTypes(schema: JsonObject, listed: readonly JsonValue[]): readonly JsonType[] {
  if (listed.length > 0) return listed.map(detectType);
  if (isObject(getOwn(schema, "properties"))) return ["object"];
  return getOwn(schema, "items") === undefined ? [] : ["array"];
}

function detectType(value: JsonValue): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

/** Cost of intersecting with these alternatives, in steps. */
export function countSteps(shapes: readonly Shape[]): number {
  let steps = 0;
  for (const { properties, required, literals } of shapes)
    steps += properties.size + required.size + (literals?.size ?? 0);
  return steps;
}

/** Returns the alternatives that satisfy one of the left and one of the right at once. */
export function intersectShapes(left: readonly Shape[], right: readonly Shape[]): readonly Shape[] {
  return left.flatMap((one) =>
    right.map((other) => mergeShapes(one, other)).filter((shape) => shape.types?.size !== 0),
  );
}

function mergeShapes(one: Shape, other: Shape): Shape {
  if (one === anyShape || other === anyShape) return one === anyShape ? other : one;
  const properties = new Map(one.properties);
  for (const [key, schema] of other.properties) {
    const existing = properties.get(key);
    properties.set(key, existing === undefined ? schema : { allOf: [existing, schema] });
  }
  return {
    types: commonTypes(one.types, other.types),
    literals:
      one.literals && other.literals ? one.literals.intersect(other.literals) : (one.literals ?? other.literals),
    properties,
    required: new Set([...one.required, ...other.required]),
    additional: one.additional ?? other.additional,
    items: one.items ?? other.items,
    prefixItems: one.prefixItems.length > 0 ? one.prefixItems : other.prefixItems,
  };
}

function commonTypes(one: Shape["types"], other: Shape["types"]): Shape["types"] {
  if (!one || !other) return one ?? other;
  const types = new Set([...one].filter((type) => other.has(type)));
  if ((one.has("integer") && other.has("number")) || (one.has("number") && other.has("integer"))) types.add("integer");
  return types;
}

// Validates one value against one schema in counted steps. Finds the first violated rule, and if a rule stayed undecided.

import { memoize } from "../../core/async/memoize.ts";
import { getOwn, isObject, type JsonObject, type JsonValue, toItems } from "../../core/messages.ts";
import type { JsonMember, JsonNode } from "../decoders/jsonTree.ts";
import type { CompiledSchema } from "./CompiledSchema.ts";
import type { StepBudget } from "./LinearRegExp.ts";
import { indexMembers } from "./schemaAlternatives.ts";
import { type Held, KEYWORD_RULES, matches } from "./schemaKeywords.ts";

/** The first rule that a value breaks. */
export interface SchemaViolation {
  /** The keyword of JSON Schema; `false` for a value where none is allowed. */
  readonly keyword: string;
  /** Requirement of the schema at that path. */
  readonly wanted: JsonValue;
  /** From the value down. */
  readonly path: readonly string[];
  /** Value at that path. */
  readonly found: JsonNode;
}

export interface ValidationOptions {
  /** True if nested lists are accepted for a flat list in the schema (decisions/0006). */
  readonly deeperArrays?: boolean;
  /** A number with a fraction passes for an integer. */
  readonly fractions?: boolean;
}

/** Keys and positions that a rule has evaluated, which `unevaluatedProperties` and `unevaluatedItems` skip. */
type Seen = Set<string>;

/** A long number is read again at each. */
const STEPS_PER_VISIT = 3;
/** Maximum nesting of schemas: those of a value 64 levels deep, each after a few references. */
const MAX_LEVELS = 400;

/** Validates one value against one schema. A violation is certain; `unknowns` counts undecided rules. */
export class SchemaValidator {
  readonly text: string;
  readonly prepared: CompiledSchema;
  readonly leave: ValidationOptions;
  readonly budget: StepBudget;
  /** Number of rules that could not be evaluated. */
  unknowns = 0;
  hasOtherFormat = false;
  readonly #members = new Map<JsonNode, ReadonlyMap<string, JsonMember>>();
  #level = 0;

  constructor(text: string, prepared: CompiledSchema, leave: ValidationOptions, steps: number) {
    this.text = text;
    this.prepared = prepared;
    this.leave = leave;
    this.budget = { steps };
  }

  get isSpent(): boolean {
    return this.budget.steps < 0;
  }

  spend(steps: number): boolean {
    this.budget.steps -= steps;
    return this.budget.steps >= 0;
  }

  /** Cached, since many rules may need the members of one object. */
  membersOf(node: JsonNode): ReadonlyMap<string, JsonMember> {
    return memoize(this.#members, node, indexMembers);
  }

  /** `seen` gets the keys and positions that were looked at, where the value fits. */
  fault(node: JsonNode, schema: JsonValue | undefined, seen?: Seen): SchemaViolation | undefined {
    if (schema === false) return createViolation(node, "false", false);
    if (!isObject(schema)) return undefined;
    const length = node.kind === "number" ? (node.end - node.start) >> 5 : 0;
    if (!this.spend(STEPS_PER_VISIT + length) || this.#level >= MAX_LEVELS) {
      this.unknowns++;
      return undefined;
    }
    this.#level++;
    const looked: Seen | undefined = this.prepared.tracksSteps ? new Set() : undefined;
    const before = this.unknowns;
    const found = this.#broken({ node, schema, validator: this }, looked);
    const left = found ?? (looked && this.unknowns === before ? this.#unevaluated(node, schema, looked) : undefined);
    this.#level--;
    if (!left && seen && looked) {
      this.spend(looked.size);
      for (const key of looked) seen.add(key);
    }
    return left;
  }

  /** As `fault`, and whether a rule stayed open on the way. */
  judge(node: JsonNode, schema: JsonValue | undefined, seen?: Seen): SchemaViolation | "fits" | "open" {
    const before = this.unknowns;
    return this.fault(node, schema, seen) ?? (before === this.unknowns ? "fits" : "open");
  }

  #broken(held: Held<SchemaValidator>, looked: Seen | undefined): SchemaViolation | undefined {
    for (const { wanted, kind, ask } of memoize(known, held.schema, collectRules)) {
      const fault = kind === undefined || kind === held.node.kind ? ask(wanted, held, looked) : undefined;
      if (fault) return fault;
    }
    return undefined;
  }

  #unevaluated(node: JsonNode, schema: JsonObject, seen: Seen): SchemaViolation | undefined {
    const wanted = getOwn(schema, node.kind === "array" ? "unevaluatedItems" : "unevaluatedProperties");
    if (wanted === undefined) return undefined;
    const listed = node.elements.map((value, index) => ({ key: `${index}`, value }));
    return first(node.kind === "array" ? listed : this.membersOf(node).values(), this, ({ key, value }) => {
      if (seen.has(key)) return undefined;
      seen.add(key);
      return below(this.fault(value, wanted), key);
    });
  }
}

/** Test of one rule: the value of its keyword, the value, and the record of evaluated members. */
type Ask = (wanted: JsonValue, held: Held<SchemaValidator>, seen: Seen | undefined) => SchemaViolation | undefined;

const reference: Ask = (wanted, { node, validator }, seen) => {
  if (typeof wanted !== "string") return undefined;
  const target = validator.prepared.resolve(wanted);
  if (target === undefined) validator.unknowns++;
  return validator.fault(node, target, seen);
};

const allOf: Ask = (wanted, { node, validator }, seen) =>
  first(toItems(wanted), validator, (part) => validator.fault(node, part, seen));

/** One of the schemas at least, and `most` of them. */
function union(keyword: string, most: number): Ask {
  return (wanted, { node, validator }, seen) => {
    const ways: ReturnType<SchemaValidator["judge"]>[] = [];
    for (const way of toItems(wanted)) {
      if (validator.isSpent) return undefined;
      ways.push(validator.judge(node, way, seen));
    }
    const faults = ways.filter((way) => typeof way === "object");
    if (ways.filter((way) => way === "fits").length > most) return createViolation(node, keyword, null);
    return ways.length === 0 || faults.length < ways.length
      ? undefined
      : (meant(faults) ?? createViolation(node, keyword, null));
  };
}

/** Keywords whose violation shows that an alternative was not meant. */
const TELL_APART: ReadonlySet<string> = new Set(["type", "const", "enum", "required", "false"]);

/** Selects the alternative that was meant: the one of which only a bound is violated. */
function meant(faults: readonly SchemaViolation[]): SchemaViolation | undefined {
  return faults.findLast((fault) => !TELL_APART.has(fault.keyword));
}

const not: Ask = (wanted, { node, validator }) =>
  validator.judge(node, wanted) === "fits" ? createViolation(node, "not", wanted) : undefined;

const condition: Ask = (wanted, { node, schema, validator }, seen) => {
  const judged = validator.judge(node, wanted, seen);
  return judged === "open"
    ? undefined
    : validator.fault(node, getOwn(schema, judged === "fits" ? "then" : "else"), seen);
};

const dependent: Ask = (wanted, { node, validator }, seen) => {
  if (!isObject(wanted)) return undefined;
  // By the keys of the value: those of the schema may be thousands.
  return first(validator.membersOf(node).keys(), validator, (key) => {
    const schema = validator.spend(1) ? getOwn(wanted, key) : undefined;
    return Array.isArray(schema) ? undefined : validator.fault(node, schema, seen);
  });
};

const items: Ask = (_, { node, schema, validator }, seen) => {
  const listed = getOwn(schema, "items");
  const leading = toItems(Array.isArray(listed) ? listed : getOwn(schema, "prefixItems"));
  const rest = Array.isArray(listed) ? getOwn(schema, "additionalItems") : listed;
  const maxOffset = rest === undefined ? leading.length : node.elements.length;
  for (const [index, value] of node.elements.entries()) {
    if (index >= maxOffset || validator.isSpent) break;
    const wanted = index < leading.length ? leading[index] : rest;
    const fault = validator.fault(value, wanted);
    if (fault && !isRow(fault, value, wanted, validator)) return below(fault, `${index}`);
    seen?.add(`${index}`);
  }
  return undefined;
};

function isRow(
  fault: SchemaViolation,
  value: JsonNode,
  wanted: JsonValue | undefined,
  validator: SchemaValidator,
): boolean {
  if (!validator.leave.deeperArrays || value.kind !== "array" || fault.path.length > 0) return false;
  return value.elements.every((one) => validator.fault(one, wanted) === undefined);
}

const contains: Ask = (wanted, { node, schema, validator }, seen) => {
  const found = node.elements.map((value) => validator.judge(value, wanted));
  for (const [index, judged] of found.entries()) if (typeof judged === "string") seen?.add(`${index}`);
  const possible = found.filter((judged) => typeof judged === "string").length;
  const certain = found.filter((judged) => judged === "fits").length;
  const min = getOwn(schema, "minContains") ?? 1;
  const max = getOwn(schema, "maxContains");
  if (typeof min === "number" && possible < min) return createViolation(node, "contains", wanted);
  return typeof max === "number" && certain > max ? createViolation(node, "maxContains", max) : undefined;
};

const members: Ask = (_, { node, schema, validator }, seen) => {
  const names = getOwn(schema, "propertyNames");
  for (const { key, keyStart, keyEnd, value } of validator.membersOf(node).values()) {
    if (!validator.spend(1)) return undefined;
    if (names !== undefined) {
      const name: JsonNode = { kind: "string", start: keyStart, end: keyEnd, members: [], elements: [] };
      if (validator.fault(name, names)) return below(createViolation(name, "propertyNames", names), key);
    }
    for (const inner of listSubschemas(key, schema, validator)) {
      const fault = validator.fault(value, inner);
      if (fault) return below(fault, key);
      seen?.add(key);
    }
  }
  return undefined;
};

/** The schemas for the member of that key. */
function listSubschemas(key: string, schema: JsonObject, validator: SchemaValidator): readonly JsonValue[] {
  const [properties, patterns] = [getOwn(schema, "properties"), getOwn(schema, "patternProperties")];
  const before = validator.unknowns;
  const named = isObject(properties) ? getOwn(properties, key) : undefined;
  const found = named === undefined ? [] : [named];
  for (const [source, one] of isObject(patterns) ? memoize(entries, patterns, Object.entries) : []) {
    if (!validator.spend(1)) break;
    if (matches(source, key, validator)) found.push(one);
  }
  const others = getOwn(schema, "additionalProperties");
  return found.length > 0 || others === undefined || before !== validator.unknowns ? found : [others];
}

/** The patterns of a schema in a list: each key of a value asks for all of them. */
const entries = new WeakMap<JsonObject, readonly [string, JsonValue][]>();

interface ValidatorRule {
  /** One of them must stand in the schema. */
  readonly keywords: readonly string[];
  readonly kind?: JsonNode["kind"] | undefined;
  readonly ask: Ask;
}

/** The rules that look at the value alone, then those whose schemas apply to the same value, then those for what is inside it. */
const ALL_RULES: readonly ValidatorRule[] = [
  ...KEYWORD_RULES.map(({ keyword, kind, broken, as = keyword }): ValidatorRule => {
    const ask: Ask = (wanted, held) => {
      const lacking = broken(wanted, held);
      return lacking === false ? undefined : createViolation(held.node, as, lacking === true ? wanted : lacking);
    };
    return { keywords: [keyword], kind, ask };
  }),
  { keywords: ["$ref"], ask: reference },
  { keywords: ["allOf"], ask: allOf },
  { keywords: ["anyOf"], ask: union("anyOf", Infinity) },
  { keywords: ["oneOf"], ask: union("oneOf", 1) },
  { keywords: ["not"], ask: not },
  { keywords: ["if"], ask: condition },
  { keywords: ["dependentSchemas"], kind: "object", ask: dependent },
  // Keyword of older drafts.
  { keywords: ["dependencies"], kind: "object", ask: dependent },
  { keywords: ["items", "prefixItems"], kind: "array", ask: items },
  { keywords: ["contains"], kind: "array", ask: contains },
  {
    keywords: ["properties", "patternProperties", "additionalProperties", "propertyNames"],
    kind: "object",
    ask: members,
  },
];

/** Every keyword that a rule, or what is left to one, asks for. */
export const KEYWORDS: readonly string[] = [
  ...ALL_RULES.flatMap(({ keywords }) => keywords),
  ...["unevaluatedItems", "unevaluatedProperties"],
];

/** The rules of a schema, worked out once: most have few, and are visited often. */
const known = new WeakMap<JsonObject, readonly AskedRule[]>();

type AskedRule = Omit<ValidatorRule, "keywords"> & { readonly wanted: JsonValue };

function collectRules(schema: JsonObject): readonly AskedRule[] {
  return ALL_RULES.flatMap(({ keywords, kind, ask }) => {
    const stands = keywords.some((keyword) => Object.hasOwn(schema, keyword));
    return stands ? [{ kind, ask, wanted: getOwn(schema, keywords[0] ?? "") ?? null }] : [];
  });
}

function createViolation(found: JsonNode, keyword: string, wanted: JsonValue): SchemaViolation {
  return { keyword, wanted, path: [], found };
}

/** The fault as the value around it has it. */
function below(fault: SchemaViolation | undefined, step: string): SchemaViolation | undefined {
  return fault && { ...fault, path: [step, ...fault.path] };
}

/** Returns the first result before the steps are spent: a schema may list thousands more. */
function first<T, F>(list: Iterable<T>, validator: SchemaValidator, find: (one: T) => F | undefined): F | undefined {
  for (const one of list) {
    if (validator.isSpent) return undefined;
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

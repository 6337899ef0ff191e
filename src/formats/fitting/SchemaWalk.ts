// One value against one schema, rule by rule, in counted steps: the first rule that it breaks, and whether one stayed open. Mends nothing.

import { isObject, type JsonObject, type JsonValue, own } from "../../core/messages.ts";
import { remembered } from "../../core/remembered.ts";
import type { JsonMember, JsonNode } from "../bodies/jsonSpans.ts";
import type { StepBudget } from "./BoundedPattern.ts";
import type { PreparedSchema } from "./PreparedSchema.ts";
import { type Held, matches, RULES } from "./schemaRules.ts";
import { listOf, membersOf } from "./schemaTypes.ts";

/** The first rule that a value breaks. */
export interface SchemaFault {
  /** The keyword of JSON Schema; `false` for a value where none is allowed. */
  readonly keyword: string;
  /** What the schema says there. */
  readonly wanted: JsonValue;
  /** From the value down. */
  readonly path: readonly string[];
  /** What stands there. */
  readonly found: JsonNode;
}

export interface Leave {
  /** Rows where a flat list was described pass (decisions/0006). */
  readonly deeperArrays?: boolean;
  /** A number with a fraction passes for an integer. */
  readonly fractions?: boolean;
}

/** Keys and positions that some rule has looked at: what `unevaluatedProperties` and `unevaluatedItems` leave out. */
type Seen = Set<string>;

/** A long number is read again at each. */
const STEPS_PER_VISIT = 3;
/** Schemas on the way to one: those of a value 64 levels deep, each behind a few references. */
const MAX_LEVELS = 400;

/** One value against one schema. A fault is certain; where a rule is not known to hold, `unknowns` has grown. */
export class SchemaWalk {
  readonly text: string;
  readonly prepared: PreparedSchema;
  readonly leave: Leave;
  readonly budget: StepBudget;
  /** Rules that could not be held against a value. */
  unknowns = 0;
  hasOtherFormat = false;
  readonly #members = new Map<JsonNode, ReadonlyMap<string, JsonMember>>();
  #level = 0;

  constructor(text: string, prepared: PreparedSchema, leave: Leave, steps: number) {
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

  /** Many rules may ask for those of one object. */
  membersOf(node: JsonNode): ReadonlyMap<string, JsonMember> {
    return remembered(this.#members, node, membersOf);
  }

  /** `seen` gets the keys and positions that were looked at, where the value fits. */
  fault(node: JsonNode, schema: JsonValue | undefined, seen?: Seen): SchemaFault | undefined {
    if (schema === false) return faultAt(node, "false", false);
    if (!isObject(schema)) return undefined;
    const length = node.kind === "number" ? (node.end - node.start) >> 5 : 0;
    if (!this.spend(STEPS_PER_VISIT + length) || this.#level >= MAX_LEVELS) {
      this.unknowns++;
      return undefined;
    }
    this.#level++;
    const looked: Seen | undefined = this.prepared.tracks ? new Set() : undefined;
    const before = this.unknowns;
    const found = this.#broken({ node, schema, walk: this }, looked);
    const left = found ?? (looked && this.unknowns === before ? this.#unevaluated(node, schema, looked) : undefined);
    this.#level--;
    if (!left && seen && looked) {
      this.spend(looked.size);
      for (const key of looked) seen.add(key);
    }
    return left;
  }

  /** As `fault`, and whether a rule stayed open on the way. */
  judge(node: JsonNode, schema: JsonValue | undefined, seen?: Seen): SchemaFault | "fits" | "open" {
    const before = this.unknowns;
    return this.fault(node, schema, seen) ?? (before === this.unknowns ? "fits" : "open");
  }

  #broken(held: Held<SchemaWalk>, looked: Seen | undefined): SchemaFault | undefined {
    for (const { wanted, kind, ask } of remembered(known, held.schema, rulesIn)) {
      const fault = kind === undefined || kind === held.node.kind ? ask(wanted, held, looked) : undefined;
      if (fault) return fault;
    }
    return undefined;
  }

  #unevaluated(node: JsonNode, schema: JsonObject, seen: Seen): SchemaFault | undefined {
    const wanted = own(schema, node.kind === "array" ? "unevaluatedItems" : "unevaluatedProperties");
    if (wanted === undefined) return undefined;
    const listed = node.elements.map((value, index) => ({ key: `${index}`, value }));
    return first(node.kind === "array" ? listed : this.membersOf(node).values(), this, ({ key, value }) => {
      if (seen.has(key)) return undefined;
      seen.add(key);
      return below(this.fault(value, wanted), key);
    });
  }
}

/** A rule as a walk asks it: what stands under its keyword, the value, and where to note what was looked at. */
type Ask = (wanted: JsonValue, held: Held<SchemaWalk>, seen: Seen | undefined) => SchemaFault | undefined;

const reference: Ask = (wanted, { node, walk }, seen) => {
  if (typeof wanted !== "string") return undefined;
  const target = walk.prepared.resolve(wanted);
  if (target === undefined) walk.unknowns++;
  return walk.fault(node, target, seen);
};

const allOf: Ask = (wanted, { node, walk }, seen) =>
  first(listOf(wanted), walk, (part) => walk.fault(node, part, seen));

/** One of the schemas at least, and `most` of them. */
function union(keyword: string, most: number): Ask {
  return (wanted, { node, walk }, seen) => {
    const ways: ReturnType<SchemaWalk["judge"]>[] = [];
    for (const way of listOf(wanted)) {
      if (walk.isSpent) return undefined;
      ways.push(walk.judge(node, way, seen));
    }
    const faults = ways.filter((way) => typeof way === "object");
    if (ways.filter((way) => way === "fits").length > most) return faultAt(node, keyword, null);
    return ways.length === 0 || faults.length < ways.length
      ? undefined
      : (meant(faults) ?? faultAt(node, keyword, null));
  };
}

/** By these an alternative says that it is not meant. */
const TELL_APART: ReadonlySet<string> = new Set(["type", "const", "enum", "required", "false"]);

/** Of alternatives the one that was meant is the one of which only a bound is broken. */
function meant(faults: readonly SchemaFault[]): SchemaFault | undefined {
  return faults.findLast((fault) => !TELL_APART.has(fault.keyword));
}

const not: Ask = (wanted, { node, walk }) =>
  walk.judge(node, wanted) === "fits" ? faultAt(node, "not", wanted) : undefined;

const condition: Ask = (wanted, { node, schema, walk }, seen) => {
  const judged = walk.judge(node, wanted, seen);
  return judged === "open" ? undefined : walk.fault(node, own(schema, judged === "fits" ? "then" : "else"), seen);
};

const dependent: Ask = (wanted, { node, walk }, seen) => {
  if (!isObject(wanted)) return undefined;
  // By the keys of the value: those of the schema may be thousands.
  return first(walk.membersOf(node).keys(), walk, (key) => {
    const schema = walk.spend(1) ? own(wanted, key) : undefined;
    return Array.isArray(schema) ? undefined : walk.fault(node, schema, seen);
  });
};

const items: Ask = (_, { node, schema, walk }, seen) => {
  const listed = own(schema, "items");
  const leading = listOf(Array.isArray(listed) ? listed : own(schema, "prefixItems"));
  const rest = Array.isArray(listed) ? own(schema, "additionalItems") : listed;
  const until = rest === undefined ? leading.length : node.elements.length;
  for (const [index, value] of node.elements.entries()) {
    if (index >= until || walk.isSpent) break;
    const wanted = index < leading.length ? leading[index] : rest;
    const fault = walk.fault(value, wanted);
    if (fault && !isRow(fault, value, wanted, walk)) return below(fault, `${index}`);
    seen?.add(`${index}`);
  }
  return undefined;
};

function isRow(fault: SchemaFault, value: JsonNode, wanted: JsonValue | undefined, walk: SchemaWalk): boolean {
  if (!walk.leave.deeperArrays || value.kind !== "array" || fault.path.length > 0) return false;
  return value.elements.every((one) => walk.fault(one, wanted) === undefined);
}

const contains: Ask = (wanted, { node, schema, walk }, seen) => {
  const found = node.elements.map((value) => walk.judge(value, wanted));
  for (const [index, judged] of found.entries()) if (typeof judged === "string") seen?.add(`${index}`);
  const possible = found.filter((judged) => typeof judged === "string").length;
  const certain = found.filter((judged) => judged === "fits").length;
  const min = own(schema, "minContains") ?? 1;
  const max = own(schema, "maxContains");
  if (typeof min === "number" && possible < min) return faultAt(node, "contains", wanted);
  return typeof max === "number" && certain > max ? faultAt(node, "maxContains", max) : undefined;
};

const members: Ask = (_, { node, schema, walk }, seen) => {
  const names = own(schema, "propertyNames");
  for (const { key, keyStart, keyEnd, value } of walk.membersOf(node).values()) {
    if (!walk.spend(1)) return undefined;
    if (names !== undefined) {
      const name: JsonNode = { kind: "string", start: keyStart, end: keyEnd, members: [], elements: [] };
      if (walk.fault(name, names)) return below(faultAt(name, "propertyNames", names), key);
    }
    for (const inner of schemasOf(key, schema, walk)) {
      const fault = walk.fault(value, inner);
      if (fault) return below(fault, key);
      seen?.add(key);
    }
  }
  return undefined;
};

/** The schemas for the member of that key. */
function schemasOf(key: string, schema: JsonObject, walk: SchemaWalk): readonly JsonValue[] {
  const [properties, patterns] = [own(schema, "properties"), own(schema, "patternProperties")];
  const before = walk.unknowns;
  const named = isObject(properties) ? own(properties, key) : undefined;
  const found = named === undefined ? [] : [named];
  for (const [source, one] of isObject(patterns) ? remembered(entries, patterns, Object.entries) : []) {
    if (!walk.spend(1)) break;
    if (matches(source, key, walk)) found.push(one);
  }
  const others = own(schema, "additionalProperties");
  return found.length > 0 || others === undefined || before !== walk.unknowns ? found : [others];
}

/** The patterns of a schema in a list: each key of a value asks for all of them. */
const entries = new WeakMap<JsonObject, readonly [string, JsonValue][]>();

interface WalkRule {
  /** One of them must stand in the schema. */
  readonly keywords: readonly string[];
  readonly kind?: JsonNode["kind"] | undefined;
  readonly ask: Ask;
}

/** The rules that look at the value alone, then those whose schemas apply to the same value, then those for what is inside it. */
const ALL_RULES: readonly WalkRule[] = [
  ...RULES.map(({ keyword, kind, broken, as = keyword }): WalkRule => {
    const ask: Ask = (wanted, held) => {
      const lacking = broken(wanted, held);
      return lacking === false ? undefined : faultAt(held.node, as, lacking === true ? wanted : lacking);
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
  // Of older drafts.
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

type AskedRule = Omit<WalkRule, "keywords"> & { readonly wanted: JsonValue };

function rulesIn(schema: JsonObject): readonly AskedRule[] {
  return ALL_RULES.flatMap(({ keywords, kind, ask }) => {
    const stands = keywords.some((keyword) => Object.hasOwn(schema, keyword));
    return stands ? [{ kind, ask, wanted: own(schema, keywords[0] ?? "") ?? null }] : [];
  });
}

function faultAt(found: JsonNode, keyword: string, wanted: JsonValue): SchemaFault {
  return { keyword, wanted, path: [], found };
}

/** The fault as the value around it has it. */
function below(fault: SchemaFault | undefined, step: string): SchemaFault | undefined {
  return fault && { ...fault, path: [step, ...fault.path] };
}

/** The first that is found before the steps of the walk are spent: a schema may list thousands more. */
function first<T, F>(list: Iterable<T>, walk: SchemaWalk, find: (one: T) => F | undefined): F | undefined {
  for (const one of list) {
    if (walk.isSpent) return undefined;
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

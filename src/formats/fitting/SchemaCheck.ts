// Holds a value where it stands against a JSON Schema that a client sent: every rule of 2020-12, interpreted, in counted steps. Mends nothing.
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { JsonMember, JsonNode, ValueAt } from "../bodies/jsonSpans.ts";
import type { StepBudget } from "./BoundedPattern.ts";
import type { PreparedSchema } from "./PreparedSchema.ts";
import { type Held, matches, RULES, SHOWN, type Walk, type Words } from "./schemaRules.ts";
import { listOf, membersOf, own } from "./schemaTypes.ts";

export interface SchemaVerdict {
  readonly fault?: SchemaFault | undefined;
  /** True where a rule could not be held against the value: a pattern that is not run, a reference that leads nowhere, steps that are spent. */
  readonly isPartial: boolean;
  /** A text that is not in the `format` that the schema names. By the standard that is a remark and no rule. */
  readonly hasOtherFormat: boolean;
}

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

export function checkValue({ text, node }: ValueAt, prepared: PreparedSchema, leave: Leave = {}): SchemaVerdict {
  const walk = new SchemaWalk(
    text,
    prepared,
    leave,
    Math.min(MAX_STEPS, MIN_STEPS + STEPS_PER_CHAR * (node.end - node.start)),
  );
  const fault = walk.fault(node, prepared.root);
  return {
    fault: walk.isSpent ? undefined : fault,
    isPartial: walk.isSpent || walk.unknowns > 0,
    hasOtherFormat: walk.hasOtherFormat,
  };
}

/** Steps of one check beside those that the value's length allows, and the most that they come to: about 30 ms. */
const MIN_STEPS = 10_000;
const STEPS_PER_CHAR = 16;
const MAX_STEPS = 200_000;
const STEPS_PER_VISIT = 3;
/** Schemas on the way to one: those of a value 64 levels deep, each behind a few references. */
const MAX_LEVELS = 400;

/** What a report says of a value that passed, as stable codes. */
export function remarksOf({ isPartial, hasOtherFormat }: SchemaVerdict): readonly string[] {
  return [...(isPartial ? ["schema-unchecked"] : []), ...(hasOtherFormat ? ["format-unmet"] : [])];
}

/** What the value must be, and what it is. */
export function faultWords({ keyword, wanted, found }: SchemaFault, text: string): string {
  const value: JsonValue = JSON.parse(text.slice(found.start, found.end));
  const said = { wanted, limit: shown(wanted), found: shown(value), size: sizeOf(value) };
  return WORDS.get(keyword)?.(said) ?? `does not satisfy "${keyword}" of the schema, got ${said.found}`;
}

const oneForm: Words = ({ found }) => `must have exactly one of the forms that the schema allows, got ${found}`;
const WORDS: ReadonlyMap<string, Words> = new Map([
  ...RULES.flatMap(({ keyword, words }) => (words ? [[keyword, words] as const] : [])),
  ["anyOf", oneForm],
  ["oneOf", oneForm],
  ["false", () => "is not allowed"],
]);

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function sizeOf(value: JsonValue): number {
  if (typeof value === "string") return [...value].length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

/** Keys and positions that some rule has looked at: what `unevaluatedProperties` and `unevaluatedItems` leave out. */
type Seen = Set<string>;

/** A rule as a walk asks it. */
interface WalkRule {
  /** One of them must stand in the schema. */
  readonly keywords: readonly string[];
  readonly kind?: JsonNode["kind"] | undefined;
  readonly fault: (wanted: JsonValue, held: Held<SchemaWalk>, seen: Seen | undefined) => SchemaFault | undefined;
}

/** The rules that look at the value alone, then those whose schemas apply to the same value, then those for what is inside it. */
const ALL_RULES: readonly WalkRule[] = [
  ...RULES.map(({ keyword, before, kind, broken }) => ({
    keywords: [before ?? keyword],
    kind,
    fault: (wanted: JsonValue, held: Held) => {
      const lacking = broken(wanted, held);
      return lacking === undefined ? undefined : faultAt(held.node, keyword, lacking);
    },
  })),
  { keywords: ["$ref"], fault: reference },
  {
    keywords: ["allOf"],
    fault: (wanted, { node, walk }, seen) => first(listOf(wanted), (part) => walk.fault(node, part, seen)),
  },
  { keywords: ["anyOf"], fault: anyOf },
  { keywords: ["oneOf"], fault: oneOf },
  {
    keywords: ["not"],
    fault: (wanted, { node, walk }) => (walk.isSure(node, wanted) ? faultAt(node, "not", wanted) : undefined),
  },
  { keywords: ["if"], fault: condition },
  { keywords: ["dependentSchemas"], kind: "object", fault: dependent },
  { keywords: ["dependencies"], kind: "object", fault: dependent },
  { keywords: ["items", "prefixItems"], kind: "array", fault: items },
  { keywords: ["contains"], kind: "array", fault: contains },
  {
    keywords: ["properties", "patternProperties", "additionalProperties", "propertyNames"],
    kind: "object",
    fault: members,
  },
];

/** The rules of a schema, worked out once: most have few, and are visited often. */
const known = new WeakMap<JsonObject, readonly WalkRule[]>();

function rulesOf(schema: JsonObject): readonly WalkRule[] {
  const before = known.get(schema);
  if (before) return before;
  const rules = ALL_RULES.filter(({ keywords }) => keywords.some((keyword) => Object.hasOwn(schema, keyword)));
  known.set(schema, rules);
  return rules;
}

function faultAt(found: JsonNode, keyword: string, wanted: JsonValue): SchemaFault {
  return { keyword, wanted, path: [], found };
}

/** The fault as the value around it has it. */
function below(fault: SchemaFault | undefined, step: string): SchemaFault | undefined {
  return fault && { ...fault, path: [step, ...fault.path] };
}

function first<T, F>(list: Iterable<T>, find: (one: T) => F | undefined): F | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** One value against one schema. A fault is certain; where a rule is not known to hold, `unknowns` has grown. */
class SchemaWalk implements Walk {
  readonly text: string;
  readonly prepared: PreparedSchema;
  readonly budget: StepBudget;
  readonly fractions: boolean;
  readonly deeperArrays: boolean;
  unknowns = 0;
  hasOtherFormat = false;
  readonly #members = new Map<JsonNode, ReadonlyMap<string, JsonMember>>();
  #level = 0;

  constructor(text: string, prepared: PreparedSchema, { fractions, deeperArrays }: Leave, steps: number) {
    this.text = text;
    this.prepared = prepared;
    this.budget = { steps };
    this.fractions = fractions === true;
    this.deeperArrays = deeperArrays === true;
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
    const known = this.#members.get(node) ?? membersOf(node);
    this.#members.set(node, known);
    return known;
  }

  /** `seen` gets the keys and positions that were looked at, where the value fits. */
  fault(node: JsonNode, schema: JsonValue | undefined, seen?: Seen): SchemaFault | undefined {
    if (schema === false) return faultAt(node, "false", false);
    if (!isObject(schema)) return undefined;
    if (!this.spend(STEPS_PER_VISIT) || this.#level >= MAX_LEVELS) {
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

  /** Whether the value fits, and no rule stayed open. */
  isSure(node: JsonNode, schema: JsonValue | undefined): boolean {
    const before = this.unknowns;
    return this.fault(node, schema) === undefined && before === this.unknowns;
  }

  #broken(held: Held<SchemaWalk>, looked: Seen | undefined): SchemaFault | undefined {
    for (const { keywords, kind, fault } of rulesOf(held.schema)) {
      if (kind !== undefined && kind !== held.node.kind) continue;
      const found = fault(own(held.schema, keywords[0] ?? "") ?? null, held, looked);
      if (found) return found;
    }
    return undefined;
  }

  #unevaluated(node: JsonNode, schema: JsonObject, seen: Seen): SchemaFault | undefined {
    const wanted = own(schema, node.kind === "array" ? "unevaluatedItems" : "unevaluatedProperties");
    if (wanted === undefined) return undefined;
    const listed = node.elements.map((value, index) => ({ key: `${index}`, value }));
    return first(node.kind === "array" ? listed : this.membersOf(node).values(), ({ key, value }) => {
      if (seen.has(key)) return undefined;
      seen.add(key);
      return below(this.fault(value, wanted), key);
    });
  }
}

function reference(
  wanted: JsonValue,
  { node, walk }: Held<SchemaWalk>,
  seen: Seen | undefined,
): SchemaFault | undefined {
  if (typeof wanted !== "string") return undefined;
  const target = walk.prepared.resolve(wanted);
  if (target === undefined) walk.unknowns++;
  return walk.fault(node, target, seen);
}

/** By these an alternative says that it is not meant. */
const TELL_APART: ReadonlySet<string> = new Set(["type", "const", "enum", "required", "false"]);

/** Of alternatives the one that was meant is the one of which only a bound is broken. */
function meant(faults: readonly (SchemaFault | undefined)[]): SchemaFault | undefined {
  return faults.findLast((fault) => fault !== undefined && !TELL_APART.has(fault.keyword));
}

function anyOf(wanted: JsonValue, { node, walk }: Held<SchemaWalk>, seen: Seen | undefined): SchemaFault | undefined {
  const faults = listOf(wanted).map((way) => walk.fault(node, way, seen));
  if (faults.length === 0 || faults.includes(undefined)) return undefined;
  return meant(faults) ?? faultAt(node, "anyOf", null);
}

function oneOf(wanted: JsonValue, { node, walk }: Held<SchemaWalk>, seen: Seen | undefined): SchemaFault | undefined {
  let certain = 0;
  const faults = listOf(wanted).map((way) => {
    const before = walk.unknowns;
    const fault = walk.fault(node, way, seen);
    if (!fault && before === walk.unknowns) certain++;
    return fault;
  });
  const broken = faultAt(node, "oneOf", null);
  if (certain > 1) return broken;
  return faults.length === 0 || faults.includes(undefined) ? undefined : (meant(faults) ?? broken);
}

function condition(
  wanted: JsonValue,
  { node, schema, walk }: Held<SchemaWalk>,
  seen: Seen | undefined,
): SchemaFault | undefined {
  const before = walk.unknowns;
  if (walk.fault(node, wanted, seen)) return walk.fault(node, own(schema, "else"), seen);
  return before === walk.unknowns ? walk.fault(node, own(schema, "then"), seen) : undefined;
}

/** `dependentSchemas`, and the `dependencies` of older drafts. */
function dependent(
  wanted: JsonValue,
  { node, walk }: Held<SchemaWalk>,
  seen: Seen | undefined,
): SchemaFault | undefined {
  if (!isObject(wanted)) return undefined;
  const inside = walk.membersOf(node);
  return first(Object.keys(wanted), (key) => {
    const schema = wanted[key];
    return walk.spend(1) && inside.has(key) && !Array.isArray(schema) ? walk.fault(node, schema, seen) : undefined;
  });
}

function items(
  _: JsonValue,
  { node, schema, walk }: Held<SchemaWalk>,
  seen: Seen | undefined,
): SchemaFault | undefined {
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
}

function isRow(fault: SchemaFault, value: JsonNode, wanted: JsonValue | undefined, walk: SchemaWalk): boolean {
  if (!walk.deeperArrays || value.kind !== "array" || fault.path.length > 0) return false;
  return value.elements.every((one) => walk.fault(one, wanted) === undefined);
}

function contains(
  wanted: JsonValue,
  { node, schema, walk }: Held<SchemaWalk>,
  seen: Seen | undefined,
): SchemaFault | undefined {
  let certain = 0;
  let possible = 0;
  for (const [index, value] of node.elements.entries()) {
    const before = walk.unknowns;
    if (walk.fault(value, wanted)) continue;
    possible++;
    if (before === walk.unknowns) certain++;
    seen?.add(`${index}`);
  }
  const min = own(schema, "minContains") ?? 1;
  const max = own(schema, "maxContains");
  if (typeof min === "number" && possible < min) return faultAt(node, "contains", wanted);
  return typeof max === "number" && certain > max ? faultAt(node, "maxContains", max) : undefined;
}

function members(
  _: JsonValue,
  { node, schema, walk }: Held<SchemaWalk>,
  seen: Seen | undefined,
): SchemaFault | undefined {
  const [properties, patterns] = [own(schema, "properties"), own(schema, "patternProperties")];
  const [names, others] = [own(schema, "propertyNames"), own(schema, "additionalProperties")];
  for (const { key, keyStart, keyEnd, value } of walk.membersOf(node).values()) {
    if (!walk.spend(1)) return undefined;
    const name: JsonNode = { kind: "string", start: keyStart, end: keyEnd, members: [], elements: [] };
    const nameFault = names !== undefined && walk.fault(name, names);
    if (nameFault) return below(faultAt(name, "propertyNames", names), key);
    const before = walk.unknowns;
    const schemas: JsonValue[] = [];
    if (isObject(properties) && Object.hasOwn(properties, key)) schemas.push(properties[key] ?? true);
    if (isObject(patterns)) schemas.push(...matching(patterns, key, walk));
    if (schemas.length === 0 && others !== undefined && before === walk.unknowns) schemas.push(others);
    const fault = first(schemas, (one) => {
      const inner = walk.fault(value, one);
      if (!inner) seen?.add(key);
      return below(inner, key);
    });
    if (fault) return fault;
  }
  return undefined;
}

function matching(patterns: JsonObject, key: string, walk: SchemaWalk): readonly JsonValue[] {
  return Object.keys(patterns).flatMap((source) => (matches(source, key, walk) ? [patterns[source] ?? true] : []));
}

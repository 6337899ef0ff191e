// One value held against one schema, rule by rule, in counted steps: the first rule that it breaks, and whether one stayed open. Prepares nothing.
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { StepBudget } from "./BoundedPattern.ts";
import type { PreparedSchema, SchemaParts } from "./PreparedSchema.ts";
import { below, meant, type SchemaFault } from "./schemaFaults.ts";
import {
  canonical,
  listFault,
  numberFault,
  objectFault,
  type RuleBreak,
  stringFault,
  unmetFormat,
} from "./schemaRules.ts";
import { isOfType, own } from "./schemaTypes.ts";

export interface WalkLeave {
  /** Rows where a flat list was described pass (decisions/0006). */
  readonly deeperArrays?: boolean | undefined;
  /** A number with a fraction passes for an integer. */
  readonly fractions?: boolean | undefined;
}

const STEPS_PER_VISIT = 3;
/** Schemas on the way to one: those of a value 64 levels deep, each behind a few references. */
const MAX_LEVELS = 400;

/** Keys and positions that some rule has looked at: what `unevaluatedProperties` and `unevaluatedItems` leave out. */
type Seen = Set<string>;

export interface WalkOptions extends WalkLeave {
  readonly prepared: PreparedSchema;
  readonly steps: number;
}

/** One value against one schema. A fault is certain; where a rule is not known to hold, `unknowns` has grown. */
export class SchemaWalk {
  readonly #options: WalkOptions;
  readonly #budget: StepBudget;
  #level = 0;
  unknowns = 0;
  hasOtherFormat = false;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#budget = { steps: options.steps };
  }

  get isSpent(): boolean {
    return this.#budget.steps < 0;
  }

  /** `seen` gets the keys and positions that were looked at, where the value fits. */
  fault(value: JsonValue, schema: JsonValue | undefined, seen?: Seen): SchemaFault | undefined {
    if (schema === false) return { keyword: "false", wanted: false, path: [], found: value };
    if (!isObject(schema)) return undefined;
    if (!this.#spend(STEPS_PER_VISIT) || this.#level >= MAX_LEVELS) {
      this.unknowns++;
      return undefined;
    }
    this.#level++;
    const { prepared } = this.#options;
    const parts = prepared.partsOf(schema);
    const looked: Seen | undefined = prepared.tracks ? new Set() : undefined;
    const before = this.unknowns;
    const found =
      this.#ownFault(value, schema, parts) ??
      (parts.applied ? this.#applied(value, schema, looked) : undefined) ??
      (parts.inner ? this.#inner(value, schema, looked) : undefined);
    const left = found ?? (looked && this.unknowns === before ? this.#unevaluated(value, schema, looked) : undefined);
    this.#level--;
    if (!left && seen && looked) this.#pass(looked, seen);
    return left;
  }

  #pass(looked: Seen, seen: Seen): void {
    this.#spend(looked.size);
    for (const key of looked) seen.add(key);
  }

  #spend(steps: number): boolean {
    this.#budget.steps -= steps;
    return this.#budget.steps >= 0;
  }

  /** What stands in the schema itself and looks at the value alone. */
  #ownFault(value: JsonValue, schema: JsonObject, parts: SchemaParts): SchemaFault | undefined {
    const broken =
      this.#typeFault(value, schema) ??
      (parts.listed ? this.#listFault(value, schema) : undefined) ??
      (parts.ruled ? this.#sizeFault(value, schema) : undefined);
    return broken && { ...broken, path: [], found: value };
  }

  #typeFault(value: JsonValue, schema: JsonObject): RuleBreak | undefined {
    const wanted = own(schema, "type");
    if (wanted === undefined || (value === null && own(schema, "nullable") === true)) return undefined;
    const types = Array.isArray(wanted) ? wanted : [wanted];
    const fits = types.some((type) => isOfType(value, type, this.#options.fractions === true));
    return fits || types.length === 0 ? undefined : { keyword: "type", wanted };
  }

  #listFault(value: JsonValue, schema: JsonObject): RuleBreak | undefined {
    for (const keyword of ["const", "enum"] as const) {
      const wanted = own(schema, keyword);
      // An empty list is an author's slip: it would allow no value at all.
      if (wanted === undefined || (keyword === "enum" && !(Array.isArray(wanted) && wanted.length > 0))) continue;
      const text = canonical(value, this.#budget);
      if (!this.isSpent && !this.#options.prepared.allowed(schema, keyword).has(text)) return { keyword, wanted };
    }
    return undefined;
  }

  #sizeFault(value: JsonValue, schema: JsonObject): RuleBreak | undefined {
    if (typeof value === "number") return numberFault(value, schema, this.#budget);
    if (typeof value === "string") {
      if (unmetFormat(value, schema)) this.hasOtherFormat = true;
      return stringFault(value, schema, this.#budget) ?? this.#patternFault(value, schema);
    }
    if (Array.isArray(value)) return listFault(value, schema, this.#budget);
    return isObject(value) ? objectFault(value, schema, this.#budget) : undefined;
  }

  #patternFault(value: string, schema: JsonObject): RuleBreak | undefined {
    const wanted = own(schema, "pattern");
    return typeof wanted === "string" && this.#matches(wanted, value) === false
      ? { keyword: "pattern", wanted }
      : undefined;
  }

  #matches(source: string, text: string): boolean | undefined {
    const matches = this.#options.prepared.pattern(source, this.#budget)?.test(text, this.#budget);
    if (matches === undefined) this.unknowns++;
    return matches;
  }

  /** Schemas that apply to the same value. */
  #applied(value: JsonValue, schema: JsonObject, seen: Seen | undefined): SchemaFault | undefined {
    const reference = own(schema, "$ref");
    if (typeof reference === "string") {
      const target = this.#options.prepared.resolve(reference);
      if (target === undefined) this.unknowns++;
      const fault = this.fault(value, target, seen);
      if (fault) return fault;
    }
    for (const part of listOf(own(schema, "allOf"))) {
      const fault = this.fault(value, part, seen);
      if (fault) return fault;
    }
    return (
      this.#anyOf(value, schema, seen) ??
      this.#oneOf(value, schema, seen) ??
      this.#not(value, schema) ??
      this.#condition(value, schema, seen) ??
      this.#dependent(value, schema, seen)
    );
  }

  #anyOf(value: JsonValue, schema: JsonObject, seen: Seen | undefined): SchemaFault | undefined {
    const ways = listOf(own(schema, "anyOf"));
    const faults = ways.map((way) => this.fault(value, way, seen));
    if (ways.length === 0 || faults.includes(undefined)) return undefined;
    return meant(faults) ?? { keyword: "anyOf", wanted: null, path: [], found: value };
  }

  #oneOf(value: JsonValue, schema: JsonObject, seen: Seen | undefined): SchemaFault | undefined {
    const ways = listOf(own(schema, "oneOf"));
    let certain = 0;
    const faults = ways.map((way) => {
      const before = this.unknowns;
      const fault = this.fault(value, way, seen);
      if (!fault && before === this.unknowns) certain++;
      return fault;
    });
    const broken = { keyword: "oneOf", wanted: null, path: [], found: value };
    if (certain > 1) return broken;
    return ways.length === 0 || faults.includes(undefined) ? undefined : (meant(faults) ?? broken);
  }

  #not(value: JsonValue, schema: JsonObject): SchemaFault | undefined {
    const wanted = own(schema, "not");
    if (wanted === undefined) return undefined;
    const before = this.unknowns;
    const fits = this.fault(value, wanted) === undefined && before === this.unknowns;
    return fits ? { keyword: "not", wanted, path: [], found: value } : undefined;
  }

  #condition(value: JsonValue, schema: JsonObject, seen: Seen | undefined): SchemaFault | undefined {
    const condition = own(schema, "if");
    if (condition === undefined) return undefined;
    const before = this.unknowns;
    if (this.fault(value, condition, seen)) return this.fault(value, own(schema, "else"), seen);
    return before === this.unknowns ? this.fault(value, own(schema, "then"), seen) : undefined;
  }

  /** `dependentSchemas`, and the `dependencies` of older drafts. */
  #dependent(value: JsonValue, schema: JsonObject, seen: Seen | undefined): SchemaFault | undefined {
    if (!isObject(value)) return undefined;
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      const dependents = own(schema, keyword);
      if (!isObject(dependents)) continue;
      for (const key of Object.keys(dependents)) {
        if (!this.#spend(1)) return undefined;
        const wanted = dependents[key];
        const fault = Object.hasOwn(value, key) && !Array.isArray(wanted) ? this.fault(value, wanted, seen) : undefined;
        if (fault) return fault;
      }
    }
    return undefined;
  }

  /** Schemas that apply to what is inside the value. */
  #inner(value: JsonValue, schema: JsonObject, seen: Seen | undefined): SchemaFault | undefined {
    if (Array.isArray(value)) return this.#items(value, schema, seen) ?? this.#contains(value, schema, seen);
    return isObject(value) ? this.#members(value, schema, seen) : undefined;
  }

  #items(values: readonly JsonValue[], schema: JsonObject, seen: Seen | undefined): SchemaFault | undefined {
    const items = own(schema, "items");
    const first = listOf(Array.isArray(items) ? items : own(schema, "prefixItems"));
    const rest = Array.isArray(items) ? own(schema, "additionalItems") : items;
    const until = rest === undefined ? first.length : values.length;
    for (const [index, value] of values.entries()) {
      if (index >= until || this.isSpent) break;
      const wanted = index < first.length ? first[index] : rest;
      const fault = this.fault(value, wanted);
      if (fault && !this.#isRow(value, wanted, fault)) return below(fault, index);
      seen?.add(`${index}`);
    }
    return undefined;
  }

  #isRow(value: JsonValue, wanted: JsonValue | undefined, fault: SchemaFault): boolean {
    if (!this.#options.deeperArrays || !Array.isArray(value) || fault.path.length > 0) return false;
    return value.every((one) => this.fault(one, wanted) === undefined);
  }

  #contains(values: readonly JsonValue[], schema: JsonObject, seen: Seen | undefined): SchemaFault | undefined {
    const wanted = own(schema, "contains");
    if (wanted === undefined) return undefined;
    let certain = 0;
    let possible = 0;
    for (const [index, value] of values.entries()) {
      const before = this.unknowns;
      if (this.fault(value, wanted)) continue;
      possible++;
      if (before === this.unknowns) certain++;
      seen?.add(`${index}`);
    }
    const min = own(schema, "minContains") ?? 1;
    const max = own(schema, "maxContains");
    if (typeof min === "number" && possible < min) return { keyword: "contains", wanted, path: [], found: values };
    return typeof max === "number" && certain > max
      ? { keyword: "maxContains", wanted: max, path: [], found: values }
      : undefined;
  }

  #members(value: JsonObject, schema: JsonObject, seen: Seen | undefined): SchemaFault | undefined {
    const properties = own(schema, "properties");
    const patterns = own(schema, "patternProperties");
    const names = own(schema, "propertyNames");
    const others = own(schema, "additionalProperties");
    for (const key of Object.keys(value)) {
      if (!this.#spend(1)) return undefined;
      const inner = value[key] ?? null;
      const nameFault = names === undefined ? undefined : this.fault(key, names);
      if (nameFault) return { ...nameFault, path: [key], keyword: "propertyNames", wanted: names ?? null };
      const before = this.unknowns;
      const schemas: JsonValue[] = [];
      if (isObject(properties) && Object.hasOwn(properties, key)) schemas.push(properties[key] ?? true);
      if (isObject(patterns)) schemas.push(...this.#matching(patterns, key));
      if (schemas.length === 0 && others !== undefined && before === this.unknowns) schemas.push(others);
      for (const one of schemas) {
        const fault = this.fault(inner, one);
        if (fault) return below(fault, key);
        seen?.add(key);
      }
    }
    return undefined;
  }

  #matching(patterns: JsonObject, key: string): readonly JsonValue[] {
    return Object.keys(patterns).flatMap((source) => (this.#matches(source, key) ? [patterns[source] ?? true] : []));
  }

  #unevaluated(value: JsonValue, schema: JsonObject, seen: Seen): SchemaFault | undefined {
    if (typeof value !== "object" || value === null) return undefined;
    const wanted = own(schema, Array.isArray(value) ? "unevaluatedItems" : "unevaluatedProperties");
    if (wanted === undefined) return undefined;
    for (const key of Object.keys(value)) {
      if (seen.has(key)) continue;
      const fault = this.fault((value as JsonObject)[key] ?? null, wanted);
      if (fault) return below(fault, key);
      seen.add(key);
    }
    return undefined;
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

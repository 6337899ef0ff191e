// Says whether a value satisfies a JSON Schema that a client sent: every rule of 2020-12, interpreted, in counted steps. Mends nothing.
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { BoundedPattern, type StepBudget } from "./BoundedPattern.ts";
import type { PreparedSchema, SchemaParts } from "./PreparedSchema.ts";
import { SchemaWalk, type WalkLeave } from "./SchemaWalk.ts";
import type { SchemaFault } from "./schemaFaults.ts";
import { canonical } from "./schemaRules.ts";
import { followReference, own } from "./schemaTypes.ts";

export interface SchemaVerdict {
  readonly fault?: SchemaFault | undefined;
  /** True where a rule could not be held against the value: a pattern that is not run, a reference that leads nowhere, steps that are spent. */
  readonly isPartial: boolean;
  /** A text that is not in the `format` that the schema names. By the standard that is a remark and no rule. */
  readonly hasOtherFormat: boolean;
}

/** What a report says of a value that passed, as stable codes. */
export function remarksOf({ isPartial, hasOtherFormat }: SchemaVerdict): readonly string[] {
  return [...(isPartial ? ["schema-unchecked"] : []), ...(hasOtherFormat ? ["format-unmet"] : [])];
}

/** Steps of one check beside those that the value's length allows, and the most that they come to: about 30 ms. */
const MIN_STEPS = 10_000;
const STEPS_PER_CHAR = 16;
const MAX_STEPS = 200_000;

/** Characters and instructions of all patterns of one schema that are made ready. */
const MAX_PATTERNS = 100_000;

/** Prepares lists and patterns once for many values. */
export class SchemaCheck implements PreparedSchema {
  readonly #root: JsonObject;
  readonly #references = new Map<string, JsonValue | undefined>();
  readonly #allowed = {
    const: new Map<JsonObject, ReadonlySet<string>>(),
    enum: new Map<JsonObject, ReadonlySet<string>>(),
  };
  readonly #patterns = new Map<string, BoundedPattern | undefined>();

  readonly #parts = new Map<JsonObject, SchemaParts>();
  readonly tracks: boolean;
  #patternRoom = MAX_PATTERNS;

  constructor(root: JsonObject) {
    this.#root = root;
    this.tracks = JSON.stringify(root).includes('"unevaluated');
  }

  check(strictJson: string, options: WalkLeave = {}): SchemaVerdict {
    const steps = Math.min(MAX_STEPS, MIN_STEPS + STEPS_PER_CHAR * strictJson.length);
    const walk = new SchemaWalk({ ...options, prepared: this, steps });
    const fault = walk.fault(JSON.parse(strictJson) as JsonValue, this.#root);
    return {
      fault: walk.isSpent ? undefined : fault,
      isPartial: walk.isSpent || walk.unknowns > 0,
      hasOtherFormat: walk.hasOtherFormat,
    };
  }

  /** What a reference inside the root leads to. */
  resolve(reference: string): JsonValue | undefined {
    if (this.#references.has(reference)) return this.#references.get(reference);
    const target = followReference(this.#root, reference);
    this.#references.set(reference, target);
    return target;
  }

  /** What `const` or `enum` of a schema lists, in one spelling: looking a value up costs the same however many there are. */
  allowed(schema: JsonObject, keyword: "const" | "enum"): ReadonlySet<string> {
    const known = this.#allowed[keyword].get(schema);
    if (known) return known;
    const value = own(schema, keyword) ?? null;
    const listed = keyword === "enum" && Array.isArray(value) ? value : [value];
    const allowed = new Set(listed.map((one) => canonical(one)));
    this.#allowed[keyword].set(schema, allowed);
    return allowed;
  }

  /** Making one ready costs steps as running it does. */
  pattern(source: string, budget: StepBudget): BoundedPattern | undefined {
    if (this.#patterns.has(source)) return this.#patterns.get(source);
    const pattern = this.#patternRoom > 0 ? BoundedPattern.of(source) : undefined;
    const size = source.length + 2 * (pattern?.size ?? 0);
    this.#patternRoom -= size;
    budget.steps -= size;
    this.#patterns.set(source, pattern);
    return pattern;
  }

  partsOf(schema: JsonObject): SchemaParts {
    const known = this.#parts.get(schema);
    if (known) return known;
    const has = (keywords: readonly string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword));
    const parts = { listed: has(LISTED), ruled: has(RULED), applied: has(APPLIED), inner: has(INNER) };
    this.#parts.set(schema, parts);
    return parts;
  }
}

const LISTED = ["const", "enum"];
const RULED = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"],
  ...["format", "minItems", "maxItems", "uniqueItems", "required", "dependentRequired", "dependencies"],
  ...["minProperties", "maxProperties"],
];
const APPLIED = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "dependencies"];
const INNER = [
  ...["items", "prefixItems", "contains", "properties", "patternProperties", "additionalProperties", "propertyNames"],
];

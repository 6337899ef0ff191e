// What is worked out of a schema once, before many values are held against it. Holds no value against it.
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import type { BoundedPattern, StepBudget } from "./BoundedPattern.ts";

/** What is worked out once for many values. */
export interface PreparedSchema {
  /** What a reference inside the schema leads to. */
  resolve(reference: string): JsonValue | undefined;
  /** What `const` or `enum` of a subschema lists, each in its canonical spelling. */
  allowed(schema: JsonObject, keyword: "const" | "enum"): ReadonlySet<string>;
  /** `undefined`: a pattern that is not run. */
  pattern(source: string, budget: StepBudget): BoundedPattern | undefined;
  partsOf(schema: JsonObject): SchemaParts;
  /** Whether a rule somewhere asks what the others have looked at. */
  readonly tracks: boolean;
}

/** Which kinds of rules a schema has: most have few, and are visited often. */
export interface SchemaParts {
  readonly listed: boolean;
  readonly ruled: boolean;
  readonly applied: boolean;
  readonly inner: boolean;
}

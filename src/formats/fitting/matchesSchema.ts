// Whether a value keeps the rules of a schema, as a predicate: nothing is mended. Knows neither calls nor answers.
import type { JsonObject } from "../../core/messages.ts";
import { remembered } from "../../core/remembered.ts";
import { strictValue } from "../bodies/jsonSpans.ts";
import { checkValue } from "./fitValue.ts";
import { PreparedSchema } from "./PreparedSchema.ts";

/** By the schema, which comes again with every value that it is asked of. */
const prepared = new WeakMap<JsonObject, PreparedSchema>();

/** True where no rule is broken, so far as that could be told: a rule that could not be held against the value counts as kept. */
export function matchesSchema(strictJson: string, schema: JsonObject): boolean {
  const value = strictValue(strictJson);
  return (
    !value ||
    checkValue(
      value,
      remembered(prepared, schema, () => new PreparedSchema(schema)),
    ).fault === undefined
  );
}

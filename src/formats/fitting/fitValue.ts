// One value brought to a schema: coerced by edits where it stands, then held against every rule as it leaves. Knows no tool and no answer.
import { strictValue, type ValueAt } from "../bodies/jsonSpans.ts";
import { applyEdits, coerceJson, type Misfit } from "./coerceJson.ts";
import type { PreparedSchema } from "./PreparedSchema.ts";
import { checkValue, faultWords, remarksOf } from "./SchemaCheck.ts";
import type { Leave } from "./SchemaWalk.ts";

export type FittedValue =
  /** `text` is the value's own with its misfits edited where they stood. */
  | { readonly type: "fits"; readonly text: string; readonly repairs: readonly string[] }
  | { readonly type: "misfit"; readonly misfits: readonly Misfit[] };

/** What needs no edit is checked where it stands; the text that edits make is walked once more, and never parsed. */
export function fitValue(
  { text, node }: ValueAt,
  prepared: PreparedSchema,
  leave: Leave & { readonly strict: boolean },
): FittedValue {
  const budget = { steps: MAX_STEPS + STEPS_PER_CHAR * (node.end - node.start) };
  const { strict, fractions = false } = leave;
  const fitting = { text, prepared, budget, strict, fractions, conversions: MAX_CONVERSIONS };
  const fit = coerceJson(node, prepared.root, fitting);
  if (fit.type === "misfit") return fit;
  const fitted = applyEdits(text, fit.edits, node);
  const value = fit.edits.length === 0 ? { text, node } : strictValue(fitted);
  // What was opened may be more or deeper than what is fitted.
  if (!value) return { type: "fits", text: fitted, repairs: [...fit.repairs, "schema-unchecked"] };
  const verdict = checkValue(value, prepared, leave);
  if (verdict.fault) {
    const { path } = verdict.fault;
    return { type: "misfit", misfits: [{ path, problem: faultWords(verdict.fault, value.text) }] };
  }
  return { type: "fits", text: fitted, repairs: [...fit.repairs, ...remarksOf(verdict)] };
}

/** Schema steps of one value, beside those that its text's length allows. */
const MAX_STEPS = 10_000;
const STEPS_PER_CHAR = 4;
/** Conversions on the way down to one value: a string in a string, then the value itself. */
const MAX_CONVERSIONS = 3;

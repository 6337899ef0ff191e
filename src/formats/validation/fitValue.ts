// Fits one value to a schema: coerces it by edits in place, then validates the result against all rules that this did not decide.
// Can also validate only.

import { memoize } from "../../core/async/memoize.ts";
import { getOwn, isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { parseStrictValue, sliceValue, type ValueAt } from "../decoders/jsonTree.ts";
import { CompiledSchema } from "./CompiledSchema.ts";
import { applyEdits, coerceJson, type Fitting, type Misfit } from "./coerceJson.ts";
import { KEYWORDS, SchemaValidator, type SchemaViolation, type ValidationOptions } from "./SchemaValidator.ts";
import { KEYWORD_RULES } from "./schemaKeywords.ts";

export type FittedValue =
  /** `text` is the value's own text with edits at its misfits. */
  | { readonly type: "fits"; readonly text: string; readonly repairs: readonly string[] }
  | { readonly type: "misfit"; readonly misfits: readonly Misfit[] };

/** `among`: how many values of one body share the steps that one may take. */
type FitLeave = ValidationOptions & { readonly strict: boolean; readonly among?: number | undefined };

/**
 * Unedited values are validated in place, unless `checked` has the verdict. Edited text is read once more and never parsed. A plain schema needs no validation.
 */
export function fitValue(
  { text, node }: ValueAt,
  prepared: CompiledSchema,
  leave: FitLeave,
  checked?: SchemaVerdict,
): FittedValue {
  const { strict: isStrict, fractions: allowsFractions = false, among = 1 } = leave;
  const least = Math.min(MIN_STEPS, Math.ceil(MAX_STEPS / among));
  const budget = { steps: least + FITTING_STEPS_PER_CHAR * (node.end - node.start) };
  const fitting: Fitting = {
    text,
    schema: prepared,
    canonicalTexts: new Map(),
    budget,
    isStrict,
    allowsFractions,
    conversions: MAX_CONVERSIONS,
  };
  const fit = coerceJson(node, prepared.root, fitting);
  if (fit.type === "misfit") return fit;
  const isVerbatim = fit.edits.length === 0;
  const fitted = isVerbatim ? sliceValue({ text, node }) : applyEdits(text, fit.edits, node);
  const value = isVerbatim ? { text, node } : parseStrictValue(fitted);
  // An opened string may have more or deeper values than the fitter accepts.
  if (!value) return { type: "fits", text: fitted, repairs: [...fit.repairs, "schema-unchecked"] };
  // If the steps are spent, the result is unknown. Inner lists are validated against their items below.
  const isDecided = budget.steps >= 0 && !fit.repairs.includes("deeper-array") && isPlain(prepared.root);
  if (isDecided) return { type: "fits", text: fitted, repairs: fit.repairs };
  const verdict = (isVerbatim ? checked : undefined) ?? checkValue(value, prepared, leave, among);
  if (verdict.fault) {
    const { path } = verdict.fault;
    return { type: "misfit", misfits: [{ path, problem: faultWords(verdict.fault, value.text) }] };
  }
  return { type: "fits", text: fitted, repairs: [...fit.repairs, ...repairCodes(verdict)] };
}

/** Keywords that coercion decides, as long as the schema has no others. */
const DECIDED = ["type", "enum", "required", "properties", "additionalProperties", "items"];
const ASKED = KEYWORDS.filter((keyword) => !DECIDED.includes(keyword));
/** In how many schemas others are looked for. */
const PLAIN_SCHEMAS = 1_000;

const plain = new WeakMap<JsonObject, boolean>();

/** Returns true if coercion alone decides all rules of the schema. Then no rule needs validation. */
function isPlain(root: JsonObject): boolean {
  return memoize(plain, root, () => {
    let schemas = 0;
    const holds = (schema: JsonValue | undefined): boolean => {
      if (!isObject(schema)) return !Array.isArray(schema);
      schemas += 1;
      if (schemas > PLAIN_SCHEMAS || ASKED.some((key) => Object.hasOwn(schema, key))) return false;
      const inside = [schema.items, schema.additionalProperties, ...Object.values(getOwn(schema, "properties") ?? {})];
      // Values inside a listed value are not coerced.
      return inside.every((one) => (getOwn(schema, "enum") === undefined ? holds(one) : one === undefined));
    };
    return holds(root);
  });
}

/** Schema steps of one value, in addition to `MIN_STEPS`. */
const FITTING_STEPS_PER_CHAR = 4;
/** Conversions on the way down to one value: a string in a string, then the value itself. */
const MAX_CONVERSIONS = 3;

export interface SchemaVerdict {
  readonly fault?: SchemaViolation | undefined;
  /** True if a rule could not be evaluated: a pattern that was not run, a reference without a target, or spent steps. */
  readonly isPartial: boolean;
  /** A text that is not in the `format` that the schema names. By the standard that is a remark and no rule. */
  readonly hasOtherFormat: boolean;
}

export function checkValue(
  { text, node }: ValueAt,
  prepared: CompiledSchema,
  leave: ValidationOptions = {},
  among = 1,
): SchemaVerdict {
  const least = Math.min(MIN_STEPS, Math.ceil(MAX_STEPS / among));
  const perChar = among * MIN_STEPS > MAX_STEPS ? FITTING_STEPS_PER_CHAR : STEPS_PER_CHAR;
  const steps = Math.min(MAX_STEPS, least + perChar * (node.end - node.start));
  const validator = new SchemaValidator(text, prepared, leave, steps);
  const fault = validator.fault(node, prepared.root);
  const { isSpent, hasOtherFormat } = validator;
  return { fault: isSpent ? undefined : fault, isPartial: isSpent || validator.unknowns > 0, hasOtherFormat };
}

/** Base steps of one check, steps for each character of the value, and their maximum: about 30 ms. */
const MIN_STEPS = 10_000;
const STEPS_PER_CHAR = 16;
const MAX_STEPS = 200_000;

/** Those that are asked by their schema alone, which comes again with every value. */
const asked = new WeakMap<JsonObject, CompiledSchema>();

/** Returns true if the value violates no rule of the schema. A rule that could not be evaluated counts as satisfied. */
export function matchesSchema(strictJson: string, schema: JsonObject): boolean {
  const value = parseStrictValue(strictJson);
  const prepared = memoize(asked, schema, () => new CompiledSchema(schema));
  return !value || checkValue(value, prepared).fault === undefined;
}

/** Returns stable codes about a value that passed, for the report. */
export function repairCodes({ isPartial, hasOtherFormat }: SchemaVerdict): readonly string[] {
  return [...(isPartial ? ["schema-unchecked"] : []), ...(hasOtherFormat ? ["format-unmet"] : [])];
}

/** Describes the required and the given value. */
function faultWords({ keyword, wanted, found }: SchemaViolation, text: string): string {
  const value: JsonValue = JSON.parse(text.slice(found.start, found.end));
  const words = WORDS.get(keyword) ?? `does not satisfy "${keyword}" of the schema, got @`;
  return words.replace(/[#@%]/g, (sign) =>
    sign === "#" ? limitWords(keyword, wanted) : sign === "@" ? shown(value) : `${measureValue(value)}`,
  );
}

const ONE_FORM = "must have exactly one of the forms that the schema allows, got @";
const WORDS: ReadonlyMap<string, string> = new Map([
  ...KEYWORD_RULES.map(({ keyword, words }) => [keyword, words] as const),
  ["anyOf", ONE_FORM],
  ["oneOf", ONE_FORM],
  ["false", "is not allowed"],
]);

/** Describes the requirement of the schema in plain words. */
function limitWords(keyword: string, wanted: JsonValue): string {
  if (keyword === "type") return Array.isArray(wanted) ? wanted.join(" or ") : `${wanted}`;
  if (keyword === "required" && typeof wanted === "string") return wanted.slice(0, SHOWN);
  return keyword === "enum" ? shown(wanted).replace(/^\[|\]$/g, "") : shown(wanted);
}

/** Characters of a value that a sentence repeats. */
const SHOWN = 80;

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function measureValue(value: JsonValue): number {
  if (typeof value === "string") return [...value].length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

// A bound answer held against its schema: taken as it is, else mended like an argument, else refused in words. Knows no text around the JSON.
import type { JsonObject } from "../../core/messages.ts";
import { strictValue, type ValueAt } from "../bodies/jsonSpans.ts";
import { coerceJson } from "./coerceJson.ts";
import { applyEdits, type Fit } from "./coercion.ts";
import { misfitWords, ruleMisfit } from "./faultWords.ts";
import { remarksOf, SchemaCheck } from "./SchemaCheck.ts";
import type { SchemaFault } from "./schemaFaults.ts";
import { SchemaReader } from "./schemaTypes.ts";

export type FittedAnswer =
  /** `text` is the given one with its misfits edited where they stand. */
  | { readonly type: "ok"; readonly text: string; readonly repairs: readonly string[] }
  /** `reason` is a sentence without its full stop. */
  | { readonly type: "invalid"; readonly reason: string };

export class AnswerFitter {
  readonly #schema: JsonObject;
  readonly #strict: boolean;
  readonly #check: SchemaCheck;
  readonly #reader: SchemaReader;

  /** `strict`: the caller wants the schema to the letter. */
  constructor(schema: JsonObject, strict: boolean) {
    this.#schema = schema;
    this.#strict = strict;
    this.#check = new SchemaCheck(schema);
    this.#reader = new SchemaReader(schema);
  }

  /** Whether the schema has a property for each key of this object. */
  names(strictJson: string): boolean {
    const node = strictValue(strictJson)?.node;
    if (node?.kind !== "object" || node.members.length === 0) return false;
    const shapes = this.#reader.shapes(this.#schema);
    return shapes.some(({ properties }) => node.members.every(({ key }) => properties.has(key)));
  }

  /** Any blanks around the value stay. */
  fit(value: ValueAt): FittedAnswer {
    const verdict = this.#check.check(value.text);
    if (!verdict.fault) return { type: "ok", text: value.text, repairs: remarksOf(verdict) };
    const coerced = this.#coerce(value);
    if (coerced.type === "misfit") return { type: "invalid", reason: misfitWords(coerced.misfits) };
    const text = applyEdits(value.text, coerced.edits);
    if (text === value.text) return refused(verdict.fault);
    const left = this.#check.check(text);
    return left.fault ? refused(left.fault) : { type: "ok", text, repairs: [...coerced.repairs, ...remarksOf(left)] };
  }

  #coerce({ text, node }: ValueAt): Fit {
    const budget = { steps: MAX_STEPS + STEPS_PER_CHAR * text.length };
    return coerceJson(
      { node, schema: this.#schema, path: [] },
      {
        text,
        reader: this.#reader,
        budget,
        strict: this.#strict,
        fractions: false,
        conversions: MAX_CONVERSIONS,
      },
    );
  }
}

function refused(fault: SchemaFault): FittedAnswer {
  return { type: "invalid", reason: misfitWords([ruleMisfit(fault)]) };
}

/** Schema steps of one answer, beside those that its length allows. */
const MAX_STEPS = 10_000;
const STEPS_PER_CHAR = 4;
/** Conversions on the way down to one value. */
const MAX_CONVERSIONS = 3;

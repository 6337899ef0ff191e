// A bound answer held against its schema: taken as it is, else mended like an argument, else refused in words. Knows no text around the JSON.
import type { JsonObject } from "../../core/messages.ts";
import { strictValue, type ValueAt } from "../bodies/jsonSpans.ts";
import type { Misfit } from "./coerceJson.ts";
import { checkValue, fitValue, remarksOf } from "./fitValue.ts";
import { PreparedSchema } from "./PreparedSchema.ts";

export type FittedAnswer =
  /** `text` is the given one with its misfits edited where they stand. */
  | { readonly type: "ok"; readonly text: string; readonly repairs: readonly string[] }
  /** `reason` is a sentence without its full stop. */
  | { readonly type: "invalid"; readonly reason: string };

export class AnswerFitter {
  readonly #schema: PreparedSchema;
  readonly #strict: boolean;

  /** `strict`: the caller wants the schema to the letter. */
  constructor(schema: JsonObject, strict: boolean) {
    this.#schema = new PreparedSchema(schema);
    this.#strict = strict;
  }

  /** Whether the schema has a property for each key of this object. */
  names(strictJson: string): boolean {
    const node = strictValue(strictJson)?.node;
    if (node?.kind !== "object" || node.members.length === 0) return false;
    const shapes = this.#schema.shapes(this.#schema.root);
    return shapes.some(({ properties }) => node.members.every(({ key }) => properties.has(key)));
  }

  /** Any blanks around the value stay. */
  fit(value: ValueAt): FittedAnswer {
    const { text, node } = value;
    const verdict = checkValue(value, this.#schema);
    if (!verdict.fault) return { type: "ok", text, repairs: remarksOf(verdict) };
    const fitted = fitValue(value, this.#schema, { strict: this.#strict }, verdict);
    if (fitted.type === "misfit") return { type: "invalid", reason: fitted.misfits.map(words).join("; ") };
    const whole = text.slice(0, node.start) + fitted.text + text.slice(node.end);
    return { type: "ok", text: whole, repairs: fitted.repairs };
  }
}

function words({ path, problem }: Misfit): string {
  return `${placeOf(path)} ${problem.replace(/^is no parameter/, "is no property")}`;
}

/** Where a value stands, as one would write it in code. */
function placeOf(path: readonly string[]): string {
  const [first, ...rest] = path;
  if (first === undefined) return "the answer";
  return JSON.stringify(first + rest.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join(""));
}

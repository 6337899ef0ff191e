// The rules of a schema that look at one value alone: bounds of numbers, texts, lists and objects, and formats. Follows no subschema.
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { StepBudget } from "./BoundedPattern.ts";
import { own } from "./schemaTypes.ts";

/** A rule that a value breaks. */
export interface RuleBreak {
  /** The keyword of JSON Schema; `false` for a value where none is allowed. */
  readonly keyword: string;
  /** What the schema says there. */
  readonly wanted: JsonValue;
}

/** One spelling for values that JSON Schema takes for equal: members in the order of their keys, numbers by their value. */
export function canonical(value: JsonValue, budget?: StepBudget): string {
  if (budget) budget.steps -= typeof value === "string" ? 2 + (value.length >> 5) : 2;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (budget && budget.steps < 0) return "";
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one, budget)).join(",")}]`;
  const object = value as JsonObject;
  const members = Object.keys(object).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(object[key] ?? null, budget)}`).join(",")}}`;
}

export function numberFault(value: number, schema: JsonObject, budget: StepBudget): RuleBreak | undefined {
  // Where an older draft has a boolean, it sharpens the bound beside it.
  const isAbove = own(schema, "exclusiveMinimum") === true;
  const isBelow = own(schema, "exclusiveMaximum") === true;
  return brokenBound(schema, [
    ["minimum", (bound) => value > bound || (value === bound && !isAbove)],
    ["maximum", (bound) => value < bound || (value === bound && !isBelow)],
    ["exclusiveMinimum", (bound) => value > bound],
    ["exclusiveMaximum", (bound) => value < bound],
    ["multipleOf", (bound) => bound <= 0 || !Number.isFinite(bound) || isMultiple(value, bound, budget)],
  ]);
}

export function stringFault(value: string, schema: JsonObject, budget: StepBudget): RuleBreak | undefined {
  return brokenBound(schema, [
    [
      "minLength",
      (bound) => value.length >= bound && (value.length >= 2 * bound || codePoints(value, budget) >= bound),
    ],
    [
      "maxLength",
      (bound) => value.length <= bound || (value.length <= 2 * bound && codePoints(value, budget) <= bound),
    ],
  ]);
}

export function listFault(value: readonly JsonValue[], schema: JsonObject, budget: StepBudget): RuleBreak | undefined {
  const broken = brokenBound(schema, [
    ["minItems", (bound) => value.length >= bound],
    ["maxItems", (bound) => value.length <= bound],
  ]);
  if (broken || own(schema, "uniqueItems") !== true) return broken;
  const spellings = new Set<string>();
  for (const one of value) {
    spellings.add(canonical(one, budget));
    if (budget.steps < 0) return undefined;
  }
  return spellings.size < value.length ? { keyword: "uniqueItems", wanted: true } : undefined;
}

export function objectFault(value: JsonObject, schema: JsonObject, budget: StepBudget): RuleBreak | undefined {
  const absent = (name: JsonValue): boolean => {
    budget.steps--;
    return budget.steps >= 0 && typeof name === "string" && !Object.hasOwn(value, name);
  };
  const required = own(schema, "required");
  const missing = Array.isArray(required) ? required.find(absent) : undefined;
  if (missing !== undefined) return { keyword: "required", wanted: missing };
  for (const keyword of ["dependentRequired", "dependencies"]) {
    const dependents = own(schema, keyword);
    if (!isObject(dependents)) continue;
    for (const key of Object.keys(dependents)) {
      budget.steps--;
      const names = dependents[key];
      if (!Array.isArray(names) || !Object.hasOwn(value, key)) continue;
      const lacking = names.find(absent);
      if (lacking !== undefined) return { keyword: "dependentRequired", wanted: lacking };
    }
  }
  const size = Object.keys(value).length;
  return brokenBound(schema, [
    ["minProperties", (bound) => size >= bound],
    ["maxProperties", (bound) => size <= bound],
  ]);
}

type Bound = readonly [keyword: string, holds: (bound: number) => boolean];

function brokenBound(schema: JsonObject, bounds: readonly Bound[]): RuleBreak | undefined {
  for (const [keyword, holds] of bounds) {
    const wanted = own(schema, keyword);
    if (typeof wanted === "number" && !holds(wanted)) return { keyword, wanted };
  }
  return undefined;
}

/** By their decimal digits: 0.3 is a multiple of 0.1, though no two doubles say so. */
function isMultiple(value: number, of: number, budget: StepBudget): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return value % of === 0;
  budget.steps -= STEPS_PER_DECIMAL;
  if (budget.steps < 0 || !Number.isFinite(value)) return true;
  const one = decimal(value);
  const other = decimal(of);
  const exponent = Math.min(one.exponent, other.exponent);
  const whole = ({ digits, exponent: own }: Decimal): bigint => digits * 10n ** BigInt(own - exponent);
  return whole(one) % whole(other) === 0n;
}

const STEPS_PER_DECIMAL = 16;

interface Decimal {
  readonly digits: bigint;
  /** Of ten. */
  readonly exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function codePoints(text: string, budget: StepBudget): number {
  budget.steps -= text.length >> 4;
  if (budget.steps < 0) return text.length;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++;
    count++;
  }
  return count;
}

/** True where a text is not in the format that the schema names; formats that are not listed here say nothing. */
export function unmetFormat(text: string, schema: JsonObject): boolean {
  const format = own(schema, "format");
  const isMet = typeof format === "string" ? FORMATS.get(format) : undefined;
  return isMet !== undefined && text.length <= MAX_FORMATTED && !isMet(text);
}

/** Characters beyond which a text is not looked at for its format. */
const MAX_FORMATTED = 1_000;

/** Each looks at a text once: no pattern here has two ways to go. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["time", isTime],
  ["date-time", (text) => /[Tt]/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11))],
  ["uuid", (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)],
  ["ipv4", (text) => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text)],
  ["ipv6", isIPv6],
  ["email", (text) => /^[^\s@]+@[^\s@]+$/.test(text)],
  ["uri", (text) => URL.canParse(text)],
]);

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return false;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
}

/** As a host of a URL takes it, with or without a zone. */
function isIPv6(text: string): boolean {
  const address = text.replace(/%[\w.:-]+$/, "");
  return /^[\da-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]`);
}

function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/.test(text);
}

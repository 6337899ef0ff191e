// Table of schema rules that need only one value: the violation test and its message. Follows no subschema.

import { toJsonType } from "../../core/json/jsonTypes.ts";
import { getOwn, isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { type JsonMember, type JsonNode, parseStringSpan } from "../decoders/jsonTree.ts";
import type { CompiledSchema } from "./CompiledSchema.ts";
import type { StepBudget } from "./LinearRegExp.ts";
import { canonicalize, isOfType } from "./schemaAlternatives.ts";

/** State while one text is validated against a schema, with the results so far. */
interface Walk {
  readonly text: string;
  readonly prepared: CompiledSchema;
  readonly leave: { readonly fractions?: boolean };
  readonly budget: StepBudget;
  /** Number of rules that could not be evaluated. */
  unknowns: number;
  hasOtherFormat: boolean;
  membersOf(node: JsonNode): ReadonlyMap<string, JsonMember>;
}

/** One value, and the schema in which the rule stands. */
export interface Held<W extends Walk = Walk> {
  readonly node: JsonNode;
  readonly schema: JsonObject;
  readonly validator: W;
}

export interface Rule {
  readonly keyword: string;
  /** The values that it looks at; absent: any. */
  readonly kind?: JsonNode["kind"];
  /** Returns true if the value violates the keyword. If a name is missing, returns that name. */
  readonly broken: (wanted: JsonValue, held: Held) => boolean | string;
  /** Requirement as text: `#` is the value of the keyword, `@` the value, `%` its size. */
  readonly words: string;
  /** Keyword reported in the error, if it differs from the rule's own. */
  readonly as?: string;
}

/** Rules in the order of evaluation: the first violated rule is reported. */
export const KEYWORD_RULES: readonly Rule[] = [
  { keyword: "type", broken: isOfNoType, words: "must be #, got @" },
  { keyword: "const", broken: (_, held) => isUnlisted("const", held), words: "must be #, got @" },
  { keyword: "enum", broken: (_, held) => isUnlisted("enum", held), words: "must be one of #, got @" },
  { keyword: "format", kind: "string", broken: noteFormat, words: "" },
  { keyword: "required", kind: "object", broken: findAbsent, words: "must have the property #" },
  { keyword: "dependentRequired", kind: "object", broken: absentDependent, words: "must have the property # too" },
  { keyword: "dependencies", kind: "object", broken: absentDependent, words: "", as: "dependentRequired" },
  { keyword: "minimum", kind: "number", broken: below("exclusiveMinimum"), words: "must be at least #, got @" },
  { keyword: "maximum", kind: "number", broken: above("exclusiveMaximum"), words: "must be at most #, got @" },
  {
    keyword: "exclusiveMinimum",
    kind: "number",
    broken: limit((n, bound) => n <= bound),
    words: "must be more than #, got @",
  },
  {
    keyword: "exclusiveMaximum",
    kind: "number",
    broken: limit((n, bound) => n >= bound),
    words: "must be less than #, got @",
  },
  { keyword: "multipleOf", kind: "number", broken: limit(isNoMultiple), words: "must be a multiple of #, got @" },
  { keyword: "minLength", kind: "string", broken: below(), words: "must have at least # characters, got %" },
  { keyword: "maxLength", kind: "string", broken: above(), words: "must have at most # characters, got %" },
  { keyword: "minItems", kind: "array", broken: below(), words: "must have at least # items, got %" },
  { keyword: "maxItems", kind: "array", broken: above(), words: "must have at most # items, got %" },
  { keyword: "minProperties", kind: "object", broken: below(), words: "must have at least # properties, got %" },
  { keyword: "maxProperties", kind: "object", broken: above(), words: "must have at most # properties, got %" },
  { keyword: "pattern", kind: "string", broken: isUnmatched, words: "must match the pattern #, got @" },
  { keyword: "uniqueItems", kind: "array", broken: hasTwins, words: "must not hold an item twice" },
];

type Broken = Rule["broken"];

/** Compares with the bound: the number itself, or the count of characters, items or members. */
function limit(breaks: (size: number, bound: number, held: Held) => boolean): Broken {
  return (wanted, held) => typeof wanted === "number" && breaks(measureHeld(held, wanted), wanted, held);
}

/** If an older draft has a boolean under `sharpener`, the bound itself is excluded. */
function below(sharpener = ""): Broken {
  return limit((size, bound, { schema }) => size < bound || (size === bound && getOwn(schema, sharpener) === true));
}

function above(sharpener = ""): Broken {
  return limit((size, bound, { schema }) => size > bound || (size === bound && getOwn(schema, sharpener) === true));
}

function measureHeld(held: Held, bound: number): number {
  const { node, validator } = held;
  if (node.kind === "number") return Number(validator.text.slice(node.start, node.end));
  if (node.kind !== "string") return node.kind === "array" ? node.elements.length : validator.membersOf(node).size;
  const value = readString(held);
  // Two units at most are one character: where that decides, nothing is counted.
  return value.length < bound || value.length > 2 * bound ? value.length : codePoints(value, validator.budget);
}

/** A long text is read again by each rule that asks for it, which costs steps. */
function readString({ node, validator }: Held): string {
  validator.budget.steps -= (node.end - node.start) >> 5;
  return parseStringSpan(validator.text, node);
}

function isOfNoType(wanted: JsonValue, { node, schema, validator }: Held): boolean {
  if (wanted === node.kind) return false;
  const types = Array.isArray(wanted) ? wanted : [wanted];
  if (types.length === 0 || (node.kind === "null" && getOwn(schema, "nullable") === true)) return false;
  return types.map(toJsonType).every((type) => {
    const asked = type === "integer" && validator.leave.fractions ? "number" : type;
    return asked !== undefined && !isOfType({ text: validator.text, node }, asked);
  });
}

function isUnlisted(keyword: "const" | "enum", { node, schema, validator }: Held): boolean {
  const allowed = validator.prepared.getAllowedLiterals(schema, keyword);
  const spelling = allowed.size > 0 ? canonicalize({ text: validator.text, node }, validator.budget) : "";
  return allowed.size > 0 && validator.budget.steps >= 0 && !allowed.has(spelling);
}

function isUnmatched(wanted: JsonValue, held: Held): boolean {
  return typeof wanted === "string" && matches(wanted, readString(held), held.validator) === false;
}

/** Returns true if the pattern matches; undefined if it could not be run. */
export function matches(source: string, text: string, validator: Walk): boolean | undefined {
  const found = validator.prepared.getPattern(source, validator.budget)?.test(text, validator.budget);
  if (found === undefined) validator.unknowns++;
  return found;
}

function hasTwins(wanted: JsonValue, { node, validator: { text, budget } }: Held): boolean {
  const spellings = new Set<string>();
  for (const one of wanted === true ? node.elements : []) {
    spellings.add(canonicalize({ text, node: one }, budget));
    if (budget.steps < 0) return false;
  }
  return wanted === true && spellings.size < node.elements.length;
}

/** The first of the names that the object has not. */
function findAbsent(names: JsonValue, { node, validator }: Held): string | false {
  const members = validator.membersOf(node);
  for (const name of Array.isArray(names) ? names : []) {
    if (--validator.budget.steps < 0) return false;
    if (typeof name === "string" && !members.has(name)) return name;
  }
  return false;
}

/** Returns the first name that is missing although a key requires it. */
function absentDependent(wanted: JsonValue, held: Held): string | false {
  // By the keys of the value: those of the schema may be thousands, and are asked for with every value.
  for (const key of isObject(wanted) ? held.validator.membersOf(held.node).keys() : []) {
    held.validator.budget.steps--;
    const absent = findAbsent((isObject(wanted) && getOwn(wanted, key)) ?? null, held);
    if (absent !== false) return absent;
  }
  return false;
}

/** Compares decimal digits: 0.3 is a multiple of 0.1, though not as doubles. */
function isNoMultiple(value: number, of: number, { validator: { budget } }: Held): boolean {
  if (of <= 0 || !Number.isFinite(of)) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return value % of !== 0;
  budget.steps -= STEPS_PER_DECIMAL;
  if (budget.steps < 0 || !Number.isFinite(value)) return false;
  const [one, other] = [decimal(value), decimal(of)];
  const exponent = Math.min(one.exponent, other.exponent);
  const whole = ({ digits, exponent: own }: Decimal): bigint => digits * 10n ** BigInt(own - exponent);
  return whole(one) % whole(other) !== 0n;
}

const STEPS_PER_DECIMAL = 16;

interface Decimal {
  readonly digits: bigint;
  /** Exponent of ten. */
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

/** By the standard `format` is an annotation and no rule. Formats that are not listed are ignored. */
function noteFormat(wanted: JsonValue, held: Held): false {
  const isMet = typeof wanted === "string" ? FORMATS.get(wanted) : undefined;
  const text = isMet && readString(held);
  if (text !== undefined && text.length <= MAX_FORMATTED && !isMet?.(text)) held.validator.hasOtherFormat = true;
  return false;
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

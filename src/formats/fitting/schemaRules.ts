// The rules of a schema that look at one value alone, a row each: when the value breaks it, and how that is said. Follows no subschema.
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { type JsonMember, type JsonNode, stringAt } from "../bodies/jsonSpans.ts";
import type { StepBudget } from "./BoundedPattern.ts";
import type { PreparedSchema } from "./PreparedSchema.ts";
import { canonical, isOfType, own, typeNamed } from "./schemaTypes.ts";

/** What stays the same while one text is held against a schema, and what becomes known on the way. */
export interface Walk {
  readonly text: string;
  readonly prepared: PreparedSchema;
  readonly budget: StepBudget;
  /** A number with a fraction passes for an integer. */
  readonly fractions: boolean;
  /** Rules that could not be held against a value. */
  unknowns: number;
  hasOtherFormat: boolean;
  membersOf(node: JsonNode): ReadonlyMap<string, JsonMember>;
}

/** One value, and the schema in which the rule stands. */
export interface Held<W extends Walk = Walk> {
  readonly node: JsonNode;
  readonly schema: JsonObject;
  readonly walk: W;
}

export interface Rule {
  readonly keyword: string;
  /** The values that it looks at; absent: any. */
  readonly kind?: JsonNode["kind"];
  /** What the schema wants there that the value has not; undefined where the rule holds. */
  readonly broken: (wanted: JsonValue, held: Held) => JsonValue | undefined;
  /** The keyword that it has in an older draft. */
  readonly before?: string;
  readonly words?: Words;
}

/** The sentence for a value that breaks the rule, behind where the value stands. */
export type Words = (said: {
  readonly wanted: JsonValue;
  /** `wanted` and the value, each shortened. */
  readonly limit: string;
  readonly found: string;
  readonly size: number;
}) => string;

type Compare = (size: number, bound: number, budget: StepBudget) => boolean;
const atLeast: Compare = (size, bound) => size >= bound;
const atMost: Compare = (size, bound) => size <= bound;
const more: Compare = (size, bound) => size > bound;
const less: Compare = (size, bound) => size < bound;

const DEPENDENT_REQUIRED: Rule = {
  keyword: "dependentRequired",
  kind: "object",
  broken: absentDependent,
  words: ({ limit }) => `must have the property ${limit} too`,
};

/** In the order in which they are asked: of several broken rules the first is told. */
export const RULES: readonly Rule[] = [
  {
    keyword: "type",
    broken: (wanted, held) => (hasType(wanted, held) ? undefined : wanted),
    words: ({ wanted, found }) => `must be ${Array.isArray(wanted) ? wanted.join(" or ") : wanted}, got ${found}`,
  },
  {
    keyword: "const",
    broken: (wanted, held) => (isListed("const", held) ? undefined : wanted),
    words: ({ limit, found }) => `must be ${limit}, got ${found}`,
  },
  {
    keyword: "enum",
    broken: (wanted, held) => (isListed("enum", held) ? undefined : wanted),
    words: ({ limit, found }) => `must be one of ${limit.replace(/^\[|\]$/g, "")}, got ${found}`,
  },
  { keyword: "format", kind: "string", broken: noteFormat },
  {
    keyword: "required",
    kind: "object",
    broken: absentOf,
    words: ({ wanted, limit }) =>
      `must have the property ${typeof wanted === "string" ? wanted.slice(0, SHOWN) : limit}`,
  },
  DEPENDENT_REQUIRED,
  { ...DEPENDENT_REQUIRED, before: "dependencies" },
  limit("minimum", "number", "be at least", atLeast),
  limit("maximum", "number", "be at most", atMost),
  limit("exclusiveMinimum", "number", "be more than", more),
  limit("exclusiveMaximum", "number", "be less than", less),
  limit("multipleOf", "number", "be a multiple of", isMultiple),
  limit("minLength", "string", "have at least", atLeast, " characters"),
  limit("maxLength", "string", "have at most", atMost, " characters"),
  limit("minItems", "array", "have at least", atLeast, " items"),
  limit("maxItems", "array", "have at most", atMost, " items"),
  limit("minProperties", "object", "have at least", atLeast, " properties"),
  limit("maxProperties", "object", "have at most", atMost, " properties"),
  {
    keyword: "pattern",
    kind: "string",
    broken: (wanted, held) =>
      typeof wanted === "string" && matches(wanted, stringOf(held), held.walk) === false ? wanted : undefined,
    words: ({ limit, found }) => `must match the pattern ${limit}, got ${found}`,
  },
  {
    keyword: "uniqueItems",
    kind: "array",
    broken: (wanted, held) => (wanted !== true || isUnique(held) ? undefined : wanted),
    words: () => "must not hold an item twice",
  },
];

/** Characters of a value that a sentence repeats. */
export const SHOWN = 80;

function limit(keyword: string, kind: Rule["kind"] & string, words: string, holds: Compare, unit = ""): Rule {
  return {
    keyword,
    kind,
    broken: (wanted, held) =>
      typeof wanted !== "number" ||
      (sharpened(keyword, held.schema) ?? holds)(sizeOf(held, wanted), wanted, held.walk.budget)
        ? undefined
        : wanted,
    words: ({ limit, found, size }) => `must ${words} ${limit}${unit}, got ${unit === "" ? found : size}`,
  };
}

/** Where an older draft has a boolean, it sharpens the bound beside it. */
function sharpened(keyword: string, schema: JsonObject): Compare | undefined {
  if (keyword === "minimum" && own(schema, "exclusiveMinimum") === true) return more;
  return keyword === "maximum" && own(schema, "exclusiveMaximum") === true ? less : undefined;
}

/** What a limit bounds: a number itself, else characters, items or members. */
function sizeOf(held: Held, bound: number): number {
  const { node, walk } = held;
  if (node.kind === "number") return Number(lexemeOf(held));
  if (node.kind !== "string") return node.kind === "array" ? node.elements.length : walk.membersOf(node).size;
  const value = stringOf(held);
  // Two units at most are one character: where that decides, nothing is counted.
  return value.length < bound || value.length > 2 * bound ? value.length : codePoints(value, walk.budget);
}

/** A long value is read again by each rule that asks for it, which costs steps. */
function lexemeOf({ node, walk }: Held): string {
  walk.budget.steps -= (node.end - node.start) >> 5;
  return walk.text.slice(node.start, node.end);
}

function stringOf({ node, walk }: Held): string {
  walk.budget.steps -= (node.end - node.start) >> 5;
  return stringAt(walk.text, node);
}

function hasType(wanted: JsonValue, { node, schema, walk }: Held): boolean {
  if (wanted === node.kind) return true;
  if (node.kind === "number") walk.budget.steps -= (node.end - node.start) >> 5;
  const types = Array.isArray(wanted) ? wanted : [wanted];
  if (types.length === 0 || (node.kind === "null" && own(schema, "nullable") === true)) return true;
  return types.map(typeNamed).some((type) => {
    const asked = type === "integer" && walk.fractions ? "number" : type;
    return asked === undefined || isOfType({ text: walk.text, node }, asked);
  });
}

function isListed(keyword: "const" | "enum", { node, schema, walk }: Held): boolean {
  const allowed = walk.prepared.allowed(schema, keyword);
  if (allowed.size === 0) return true;
  const spelling = canonical({ text: walk.text, node }, walk.budget);
  return walk.budget.steps < 0 || allowed.has(spelling);
}

/** Whether the pattern matches; where it is not run nobody knows. */
export function matches(source: string, text: string, walk: Walk): boolean | undefined {
  const found = walk.prepared.pattern(source, walk.budget)?.test(text, walk.budget);
  if (found === undefined) walk.unknowns++;
  return found;
}

function isUnique({ node, walk: { text, budget } }: Held): boolean {
  const spellings = new Set<string>();
  for (const one of node.elements) {
    spellings.add(canonical({ text, node: one }, budget));
    if (budget.steps < 0) return true;
  }
  return spellings.size === node.elements.length;
}

/** The first of the names that the object has not. */
function absentOf(names: JsonValue, { node, walk }: Held): JsonValue | undefined {
  if (!Array.isArray(names)) return undefined;
  const members = walk.membersOf(node);
  return names.find((name) => --walk.budget.steps >= 0 && typeof name === "string" && !members.has(name));
}

/** The first name that is missing beside a key that is there. */
function absentDependent(wanted: JsonValue, held: Held): JsonValue | undefined {
  if (!isObject(wanted)) return undefined;
  const members = held.walk.membersOf(held.node);
  for (const key of Object.keys(wanted)) {
    held.walk.budget.steps--;
    const absent = members.has(key) ? absentOf(wanted[key] ?? null, held) : undefined;
    if (absent !== undefined) return absent;
  }
  return undefined;
}

/** By their decimal digits: 0.3 is a multiple of 0.1, though no two doubles say so. */
function isMultiple(value: number, of: number, budget: StepBudget): boolean {
  if (of <= 0 || !Number.isFinite(of)) return true;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return value % of === 0;
  budget.steps -= STEPS_PER_DECIMAL;
  if (budget.steps < 0 || !Number.isFinite(value)) return true;
  const [one, other] = [decimal(value), decimal(of)];
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

/** By the standard `format` is a remark and no rule; formats that are not listed here say nothing. */
function noteFormat(wanted: JsonValue, held: Held): undefined {
  const isMet = typeof wanted === "string" ? FORMATS.get(wanted) : undefined;
  const text = isMet && stringOf(held);
  if (text !== undefined && text.length <= MAX_FORMATTED && !isMet?.(text)) held.walk.hasOtherFormat = true;
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

// Reads the arguments of a call without losing a digit: a number that JavaScript cannot hold exactly keeps the text that the model wrote.
import { isObject, type JsonObject } from "../messages.ts";
import { parseObject } from "./jsonObjectText.ts";

/** The two members of ECMAScript's `JSON` that the TypeScript library does not declare yet. */
const RawJson = JSON as unknown as {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/** Sixteen digits in a row, with or without a point, or an exponent: a text without one holds exact numbers only. */
const MAY_LOSE_DIGITS = /\d[\d.]{15}|\d[eE]/;
/** Decimal digits that every double keeps. */
const EXACT_DIGITS = 15;

/**
 * The object whose JSON `text` is, for code that sends or shows its values. A number that a double cannot hold exactly becomes a raw JSON
 * value: `JSON.stringify` writes its digits as they stood. Undefined for a text that is not the JSON of an object.
 */
export function parseExactObject(text: string): JsonObject | undefined {
  if (!MAY_LOSE_DIGITS.test(text)) return parseObject(text);
  try {
    const value: unknown = JSON.parse(text, keepDigits);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** True for a number that `parseExactObject` kept as its text. */
export function isExactNumber(value: unknown): boolean {
  return typeof value === "object" && value !== null && RawJson.isRawJSON(value);
}

function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== "number" || source === undefined || isExact(value, source)) return value;
  return RawJson.rawJSON(source);
}

function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  const [digits = ""] = source.split(/[eE]/, 1);
  return digits.replace(/^-?[0.]*/, "").replace(".", "").length <= EXACT_DIGITS;
}

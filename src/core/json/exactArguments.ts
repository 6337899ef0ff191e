// Parses the arguments of a call without losing digits: a number that JavaScript cannot store exactly keeps its text.
import { isObject, type JsonObject } from "../messages.ts";
import { parseObject } from "./jsonObjectText.ts";

/** The two members of ECMAScript's `JSON` that the TypeScript library does not declare yet. */
const RawJson = JSON as unknown as {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/** Sixteen digits in a row, with or without a point, or an exponent. A text without a match contains only exact numbers. */
const MAY_LOSE_DIGITS = /\d[\d.]{15}|\d[eE]/;
/** Number of decimal digits that every double preserves. */
const EXACT_DIGITS = 15;

/**
 * Parses a JSON object for code that sends or shows its values. A number that a double cannot store exactly becomes a
 * raw JSON value, which `JSON.stringify` writes with its original digits. Undefined if the text is no JSON object.
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

/** Returns true for a number that `parseExactObject` kept as text. */
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

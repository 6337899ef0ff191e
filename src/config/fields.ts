// Field types shared by both configuration files, each with its error message.
import { z } from "zod";
import type { JsonObject, JsonValue } from "../core/messages.ts";
import { parseTemplate } from "../core/template/parseTemplate.ts";

/**
 * An integer of `unit` (empty: no unit) from `min` to `max`. A text of digits is accepted, because environment variables are
 * texts.
 */
export function integerField(unit: string, min: number, max: number) {
  const error = `expected a whole number${unit && ` of ${unit}`}, ${min} to ${max}`;
  return z.preprocess(toNumber, z.number({ error }).int({ error }).min(min, { error }).max(max, { error }));
}

/** A number from `min` to `max`. */
export function decimal(min: number, max: number) {
  const error = `expected a number, ${min} to ${max}`;
  return z.preprocess(toNumber, z.number({ error }).min(min, { error }).max(max, { error }));
}

/** `true` or `false`. */
export function flag() {
  const read = (value: unknown): unknown => (value === "true" ? true : value === "false" ? false : value);
  return z.preprocess(read, z.boolean({ error: "expected true or false" }));
}

/** A text without placeholders. */
export function textField(expectation = "a text (quote what looks like a number or a boolean)") {
  return z.string({ error: `expected ${expectation}` }).transform((value, context) => {
    const parsed = parseTemplate(value);
    const parts = parsed.type === "template" ? parsed.parts : [];
    let result = "";
    for (const part of parts) {
      if (part.type === "text") result += part.text;
      else context.addIssue({ code: "custom", message: `\`${part.source}\` has no meaning here; only \${env.…} has` });
    }
    return result;
  });
}

/** A text of at least one character. */
export function nonEmptyText(expectation: string) {
  return textField(expectation).refine((value) => value.trim() !== "", { error: `expected ${expectation}` });
}

/** An identifier that may also be a tool's name. */
export function identifier() {
  const error = "expected an id: 1–64 letters, digits, `_` or `-`";
  return textField(error.slice("expected ".length)).refine((value) => /^[A-Za-z0-9_-]{1,64}$/.test(value), { error });
}

export function enumField<const T extends readonly string[]>(values: T) {
  return z.enum(values, { error: `expected one of ${values.join(", ")}` });
}

export function listField<T extends z.ZodType>(item: T, expectation: string) {
  return z.array(item, { error: `expected a list of ${expectation}` });
}

/** An http(s) base URL without credentials, query and fragment; a closing slash is dropped. */
export function baseUrl() {
  return webUrl().transform((value) => value.replace(/\/+$/, ""));
}

/** Same as `baseUrl`, but the value stays as written. */
export function webUrl() {
  const error = "expected an http:// or https:// URL without user, query or fragment";
  return textField("an http:// or https:// URL").refine(isBaseUrl, { error });
}

/** A key that a header can carry; an empty text means no key. */
export function key() {
  const error =
    "expected a key in one line without control characters; take them out, as a line break at the end of the variable or its file";
  return textField("a key").refine(isOneLine, { error });
}

/** A valid header name. */
export function headerName() {
  const error = "this name has characters that are not allowed here";
  return z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error });
}

/** Header names (made lower case) and values, without placeholders and control characters. */
export function headers() {
  const error = "expected a header value in one line without control characters; take them out";
  const value = textField().refine(isOneLine, { error });
  return z
    .record(headerName(), value, { error: "expected header names with values" })
    .transform((record) =>
      Object.fromEntries(Object.entries(record).map(([name, header]) => [name.toLowerCase(), header])),
    );
}

/** A mapping of plain data, without placeholders. */
export function plainObject(expectation: string) {
  return z.record(z.string(), z.json(), { error: `expected ${expectation}` }).transform((value): JsonObject => {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unescapeAll(item)]));
  });
}

function unescapeAll(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.replaceAll("$${", () => "${");
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(unescapeAll);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unescapeAll(item)]));
}

function toNumber(value: unknown): unknown {
  return typeof value === "string" && /^[+-]?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
}

/** Returns true if a header can carry the value: no control characters except tabs. */
export function isOneLine(value: string): boolean {
  return !/[^\P{Cc}\t]/u.test(value);
}

function isBaseUrl(value: string): boolean {
  // URL parsers treat a backslash as a slash, but a human reader does not.
  if (!/^https?:\/\/[^/?#\\@]+[^\\]*$/i.test(value) || !URL.canParse(value)) return false;
  const url = new URL(value);
  return url.username === "" && url.password === "" && !value.includes("?") && !value.includes("#");
}

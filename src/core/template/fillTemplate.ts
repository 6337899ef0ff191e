// Fills the placeholders of a template with values.
import type { JsonObject, JsonValue } from "../messages.ts";
import { parseTemplate, type TemplatePart } from "./parseTemplate.ts";

export type Placeholder = Extract<TemplatePart, { type: "placeholder" }>;

/**
 * Fills a template of any JSON shape. A text that is exactly one placeholder becomes the value itself; otherwise the
 * value's text is inserted.
 * @param scope the value of each root, as in `{input: …, steps: {…}}`.
 * @throws Error that names the first placeholder without a value and without a default.
 */
export function fillTemplate(template: JsonValue, scope: JsonObject): JsonValue {
  if (typeof template === "string") return fillText(template, scope);
  if (template === null || typeof template !== "object") return template;
  if (Array.isArray(template)) return template.map((item) => fillTemplate(item, scope));
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, fillTemplate(item, scope)]));
}

/** All placeholders of a template of any JSON shape, in order. */
export function findPlaceholders(template: JsonValue): readonly Placeholder[] {
  if (typeof template === "string") return parseParts(template).filter((part) => part.type === "placeholder");
  if (template === null || typeof template !== "object") return [];
  return Object.values(template).flatMap(findPlaceholders);
}

/** Configuration is validated when it is loaded, so a malformed template is treated as text here. */
export function parseParts(template: string): readonly TemplatePart[] {
  const parsed = parseTemplate(template);
  return parsed.type === "template" ? parsed.parts : [{ type: "text", text: template }];
}

/** Reads own keys only, so that `constructor` counts as missing. @throws Error if there is no value. */
export function resolvePlaceholder({ root, path, fallback, source }: Placeholder, scope: JsonObject): JsonValue {
  let value: JsonValue | undefined = scope;
  for (const key of [root, ...path]) value = getChild(value, key);
  const resolved = value ?? fallback;
  if (resolved !== undefined) return resolved;
  if (value === null) return null;
  throw new Error(`${source} has no value.`);
}

/** The text of a value inside a text: empty for null, JSON for objects. */
export function stringifyValue(value: JsonValue): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function fillText(template: string, scope: JsonObject): JsonValue {
  const parts = parseParts(template);
  const [first] = parts;
  if (parts.length === 1 && first?.type === "placeholder") return resolvePlaceholder(first, scope);
  return parts
    .map((part) => (part.type === "text" ? part.text : stringifyValue(resolvePlaceholder(part, scope))))
    .join("");
}

function getChild(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
  return (value as JsonObject)[key];
}

// Values for the placeholders of a template, out of a scope of roots. Knows no root by name, and decides nothing about where a value goes.
import type { JsonObject, JsonValue } from "../messages.ts";
import { parseTemplate, type TemplatePart } from "./parseTemplate.ts";

export type Placeholder = Extract<TemplatePart, { type: "placeholder" }>;

/**
 * Fills a template of any JSON shape: a text that is one whole placeholder takes the value itself, else its text is spliced.
 * @param scope the value of each root, as in `{input: …, steps: {…}}`.
 * @throws Error that names the first placeholder without a value and without a default.
 */
export function fillTemplate(template: JsonValue, scope: JsonObject): JsonValue {
  if (typeof template === "string") return fillText(template, scope);
  if (template === null || typeof template !== "object") return template;
  if (Array.isArray(template)) return template.map((item) => fillTemplate(item, scope));
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, fillTemplate(item, scope)]));
}

/** All placeholders of a template of any JSON shape, in their order. */
export function findPlaceholders(template: JsonValue): readonly Placeholder[] {
  if (typeof template === "string") return parseParts(template).filter((part) => part.type === "placeholder");
  if (template === null || typeof template !== "object") return [];
  return Object.values(template).flatMap(findPlaceholders);
}

/** Configuration is checked when it is loaded, so a malformed template is only text here. */
export function parseParts(template: string): readonly TemplatePart[] {
  const parsed = parseTemplate(template);
  return parsed.type === "template" ? parsed.parts : [{ type: "text", text: template }];
}

/** Follows own keys only, so that `constructor` is a missing value like any other. @throws Error where there is none. */
export function resolvePlaceholder({ root, path, fallback, source }: Placeholder, scope: JsonObject): JsonValue {
  let value: JsonValue | undefined = scope;
  for (const key of [root, ...path]) value = getChild(value, key);
  const found = value ?? fallback;
  if (found !== undefined) return found;
  if (value === null) return null;
  throw new Error(`${source} has no value.`);
}

/** A value within a text: a text as it is, nothing for null, anything else as JSON. */
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

// The `${input.…}` placeholders of an HTTP action: which parameters they imply, and their values in one call. Sends nothing.
import type { HttpActionConfig } from "../core/configuration.ts";
import type { JsonObject, JsonValue } from "../core/messages.ts";
import { parseTemplate, type TemplatePart } from "../core/template.ts";

type Placeholder = Extract<TemplatePart, { type: "placeholder" }>;

/**
 * The JSON Schema of an action's parameters: a placeholder without a default is required, a default gives the type, a text
 * is assumed where nothing says more; `params` goes over all of it.
 */
export function parametersOf(action: HttpActionConfig): JsonObject {
  const properties = new Map<string, JsonObject>();
  const required = new Set<string>();
  for (const placeholder of [action.path, ...templatesIn(action.body)].flatMap(placeholdersIn)) {
    const [name, ...below] = placeholder.path;
    if (name === undefined) continue;
    if (placeholder.fallback === undefined) required.add(name);
    const implied = below.length > 0 ? { type: "object" } : impliedBy(placeholder.fallback);
    properties.set(name, { ...implied, ...properties.get(name) });
  }
  for (const [name, refinement] of Object.entries(action.params))
    properties.set(name, { ...properties.get(name), ...refinement });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: [...required],
    additionalProperties: false,
  };
}

/** Fills a template of any JSON shape: a text that is one whole placeholder takes the value itself, else its text is spliced. */
export function fillTemplate(template: JsonValue, root: string, data: JsonValue): JsonValue {
  if (typeof template === "string") return fillText(template, root, data);
  if (template === null || typeof template !== "object") return template;
  if (Array.isArray(template)) return template.map((item) => fillTemplate(item, root, data));
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, fillTemplate(item, root, data)]));
}

/**
 * Fills a path with its query: every value is encoded, so that it stays one segment or one query value.
 * @throws Error for a value that would be no segment: an empty one, `.` and `..`.
 */
export function fillPath(template: string, args: JsonObject): string {
  let filled = "";
  for (const part of partsOf(template)) {
    if (part.type === "text") filled += part.text;
    else {
      const text = textOf(valueIn(part, { input: args }));
      if (text === "" && !filled.includes("?")) throw new Error(`${part.source} must not be empty.`);
      filled += encodeURIComponent(text.toWellFormed());
    }
  }
  const [path = ""] = filled.split("?");
  // URL parsers resolve these segments even where their dots are escaped, so no encoding can hold them.
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path)) throw new Error("a value of `.` or `..` would leave the path.");
  return filled;
}

function fillText(template: string, root: string, data: JsonValue): JsonValue {
  const parts = partsOf(template);
  const [first] = parts;
  const scope = { [root]: data };
  if (parts.length === 1 && first?.type === "placeholder") return valueIn(first, scope);
  return parts.map((part) => (part.type === "text" ? part.text : textOf(valueIn(part, scope)))).join("");
}

/** Follows own keys only, so that `constructor` is a missing value like any other. */
function valueIn({ root, path, fallback, source }: Placeholder, scope: JsonObject): JsonValue {
  let value: JsonValue | undefined = scope;
  for (const key of [root, ...path]) value = childOf(value, key);
  const found = value ?? fallback;
  if (found !== undefined) return found;
  if (value === null) return null;
  throw new Error(`${source} has no value.`);
}

function childOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
  return (value as JsonObject)[key];
}

function textOf(value: JsonValue): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function impliedBy(fallback: JsonValue | undefined): JsonObject {
  if (typeof fallback === "number") return { type: "number", default: fallback };
  if (typeof fallback === "boolean") return { type: "boolean", default: fallback };
  return fallback === undefined ? { type: "string" } : { type: "string", default: fallback };
}

function templatesIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(templatesIn);
}

function placeholdersIn(template: string): readonly Placeholder[] {
  return partsOf(template).filter((part) => part.type === "placeholder");
}

/** Configuration is checked when it is loaded, so a malformed template is only text here. */
function partsOf(template: string): readonly TemplatePart[] {
  const parsed = parseTemplate(template);
  return parsed.type === "template" ? parsed.parts : [{ type: "text", text: template }];
}

// Fills `${env.…}` into a scalar after the YAML was parsed, so that no value can change the file's structure. Other
// placeholders remain.
import type { JsonValue } from "../../core/messages.ts";
import { escapeTemplate, parseTemplate, type TemplatePart } from "../../core/template/parseTemplate.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A part of a filled scalar: from the file, the environment, or a placeholder's default. */
export interface Piece {
  readonly from: "file" | "environment" | "default";
  readonly text: string;
  /** The variable's name, of a part from the environment. */
  readonly variable?: string;
}

export type Interpolated =
  | {
      readonly type: "value";
      readonly value: JsonValue;
      readonly pieces: readonly Piece[];
    }
  | { readonly type: "refused"; readonly reason: string };

/**
 * A scalar that consists of one placeholder takes the type of its default: if that is a number or boolean, the variable is
 * parsed as one. An empty variable counts as unset. The result is still a template: values are escaped.
 */
export function interpolateEnvironment(text: string, env: Environment): Interpolated {
  const parsed = parseTemplate(text);
  if (parsed.type === "malformed") return { type: "refused", reason: parsed.reason };
  const [first] = parsed.parts;
  if (parsed.parts.length === 1 && first?.type === "placeholder" && first.root === "env")
    return resolvePart(first, env);
  let result = "";
  const pieces: Piece[] = [];
  for (const part of parsed.parts) {
    if (part.type === "placeholder" && part.root === "env") {
      const interpolated = resolvePart(part, env);
      if (interpolated.type === "refused") return interpolated;
      result += typeof interpolated.value === "string" ? interpolated.value : JSON.stringify(interpolated.value);
      for (const piece of interpolated.pieces) pieces.push(piece);
    } else {
      result += part.type === "text" ? escapeTemplate(part.text) : part.source;
      pieces.push({ from: "file", text: part.type === "text" ? part.text : part.source });
    }
  }
  return { type: "value", value: result, pieces };
}

function resolvePart(part: TemplatePart & { type: "placeholder" }, env: Environment): Interpolated {
  const [name, ...rest] = part.path;
  if (name === undefined || rest.length > 0)
    return { type: "refused", reason: `\`${part.source}\` must name one variable, as in \${env.NAME}` };
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value)
    return {
      type: "value",
      value: coerceLike(part.fallback, value),
      pieces: [{ from: "environment", text: value, variable: name }],
    };
  if (part.fallback === undefined)
    return {
      type: "refused",
      reason: `the environment variable ${name} is not set; set it, or write a default: \${env.${name} | default}`,
    };
  const { fallback } = part;
  const text = typeof fallback === "string" ? fallback : JSON.stringify(fallback);
  const escaped = typeof fallback === "string" ? escapeTemplate(fallback) : fallback;
  return { type: "value", value: escaped, pieces: [{ from: "default", text }] };
}

function coerceLike(fallback: JsonValue | undefined, text: string): JsonValue {
  if (typeof fallback === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (typeof fallback === "boolean" && (text === "true" || text === "false")) return text === "true";
  return escapeTemplate(text);
}

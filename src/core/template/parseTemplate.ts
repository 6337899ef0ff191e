// Parses the placeholder syntax of configuration, `${root.path | default}`.
import type { JsonValue } from "../messages.ts";

export type TemplatePart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "placeholder";
      /** The source of the value: `env`, `input`, `response`. */
      readonly root: string;
      /** The keys below the root; empty for the root itself. */
      readonly path: readonly string[];
      /** Used if there is no value; it has the literal's type. */
      readonly fallback?: JsonValue | undefined;
      /** The placeholder's original text. */
      readonly source: string;
    };

export type ParsedTemplate =
  | { readonly type: "template"; readonly parts: readonly TemplatePart[] }
  | { readonly type: "malformed"; readonly reason: string };

/** Reads a template. `$${` stands for a literal `${`; every other `${` must begin a placeholder. */
export function parseTemplate(text: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let literal = "";
  let at = 0;
  for (;;) {
    const open = text.indexOf("${", at);
    if (open < 0) break;
    if (text[open - 1] === "$" && open > at) {
      literal += `${text.slice(at, open - 1)}\${`;
      at = open + 2;
      continue;
    }
    literal += text.slice(at, open);
    const placeholder = readPlaceholder(text, open);
    if (!placeholder) return { type: "malformed", reason: describeMalformed(text, open) };
    if (literal) parts.push({ type: "text", text: literal });
    literal = "";
    parts.push(placeholder.part);
    at = placeholder.end;
  }
  literal += text.slice(at);
  if (literal) parts.push({ type: "text", text: literal });
  return { type: "template", parts };
}

/** Escapes literal text so that `parseTemplate` returns it unchanged. */
export function escapeTemplate(text: string): string {
  return text.replaceAll("${", () => "$${");
}

const HEAD = /\$\{\s*([a-z]+)((?:\.[A-Za-z0-9_-]{1,64}){0,16})\s*(\||\})/y;
const DEFAULT = /\s*(?:("(?:[^"\\]|\\.)*")|'([^']*)'|([^}"']*))\s*\}/y;

function readPlaceholder(text: string, open: number): { part: TemplatePart; end: number } | undefined {
  HEAD.lastIndex = open;
  const head = HEAD.exec(text);
  const root = head?.[1];
  if (!head || !root) return undefined;
  const path = (head[2] ?? "").split(".").slice(1);
  if (head[3] === "}") {
    const end = HEAD.lastIndex;
    return { part: { type: "placeholder", root, path, source: text.slice(open, end) }, end };
  }
  DEFAULT.lastIndex = HEAD.lastIndex;
  const match = DEFAULT.exec(text);
  const fallback = match ? readLiteral(match) : undefined;
  if (fallback === undefined) return undefined;
  const end = DEFAULT.lastIndex;
  return { part: { type: "placeholder", root, path, fallback, source: text.slice(open, end) }, end };
}

function readLiteral(match: RegExpExecArray): JsonValue | undefined {
  const [, double, single, bare] = match;
  if (single !== undefined) return single;
  const text = double ?? bare?.trim() ?? "";
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== "object") return value as JsonValue;
  } catch {
    if (double !== undefined) return undefined;
  }
  return text === "" ? undefined : text;
}

function describeMalformed(text: string, open: number): string {
  const shown = text.slice(open, open + 40);
  return `\`${shown}\` is no placeholder; write \${env.NAME}, \${env.NAME | default} or \${input.name}, and $\${ for a literal \${`;
}

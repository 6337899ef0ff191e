// Checks placeholders in templates: the allowed roots, and faults of others. Fills none.
import { z } from "zod";
import type { JsonValue } from "../core/messages.ts";
import { parseTemplate } from "../core/template/parseTemplate.ts";

type Path = readonly (string | number)[];

/** Receives each fault and its path in the template. */
type Fail = (message: string, path: Path) => void;

export interface Roots {
  /** Allowed roots, in addition to `env`, which is filled in earlier. */
  readonly roots: readonly string[];
  /** True if parameters are inferred from named inputs, so that the complete `${input}` would define none. */
  readonly namesInputs?: true;
}

/** A text with placeholders of these roots. */
export function createTextTemplateField(
  allowed: Roots,
  expectation = `a text with \`${allowed.roots.join("`, `")}\` placeholders`,
) {
  return z
    .string({ error: `expected ${expectation}` })
    .superRefine((text, context) => checkTemplate(text, allowed, createFail(context)));
}

/** Data of any JSON shape whose texts may contain placeholders of these roots. */
export function createJsonTemplateField(allowed: Roots) {
  return z.json().superRefine((template, context) => checkTemplate(template, allowed, createFail(context)));
}

/** Checks a template of any JSON shape: every placeholder is well-formed and has an allowed root. */
function checkTemplate(template: JsonValue, allowed: Roots, fail: Fail, path: Path = []): void {
  if (typeof template === "string") checkText(template, allowed, (message) => fail(message, path));
  else if (Array.isArray(template))
    template.forEach((item, index) => void checkTemplate(item, allowed, fail, [...path, index]));
  else if (template !== null && typeof template === "object")
    for (const [key, item] of Object.entries(template)) checkTemplate(item, allowed, fail, [...path, key]);
}

function createFail(context: z.RefinementCtx): Fail {
  return (message, path) => context.addIssue({ code: "custom", path: [...path], message });
}

function checkText(text: string, { roots, namesInputs }: Roots, fail: (message: string) => void): void {
  const parsed = parseTemplate(text);
  if (parsed.type === "malformed") fail(parsed.reason);
  for (const part of parsed.type === "template" ? parsed.parts : []) {
    if (part.type === "text") continue;
    if (!roots.includes(part.root)) {
      const allowedRoots = ["env", ...roots].map((root) => `\${${root}.…}`);
      fail(`\`${part.source}\` has no meaning here; only ${allowedRoots.join(" and ")} have`);
    } else if (namesInputs && part.root === "input" && part.path.length === 0)
      fail(`\`${part.source}\` must name an input, as in \${input.query}`);
  }
}

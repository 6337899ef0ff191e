// One whole JSON body as a model wrote it → strict JSON. Never completes a cut body, knows no schema and no call.
import { decodeEntities } from "../text/Tag.ts";
import { isStrictJson, strictValue, type ValueText } from "./jsonSpans.ts";
import { normalizeJson } from "./normalizeJson.ts";

/**
 * Reads a whole body as one JSON value; its text is the given one (trimmed) where that was strict already. Undefined where it is none: brackets that do not balance, more than one value,
 * nesting deeper than 64, a text that can be read in two ways. Linear in the length of the text; never throws.
 */
export function decodeJson(text: string): ValueText | undefined {
  const trimmed = text.trim();
  return isStrictJson(trimmed) ? strictValue(trimmed) : decodeLenient(trimmed, maxUnwraps);
}

/** Rounds of undoing an encoding around the whole body (escaped quotes, entities, a fence): more is no accident but an attack. */
const maxUnwraps = 2;

function decodeLenient(text: string, unwraps: number): ValueText | undefined {
  const outer = unwraps > 0 ? unwrap(text) : undefined;
  if (outer) {
    const inner = outer.text.trim();
    const decoded = isStrictJson(inner) ? strictValue(inner) : decodeLenient(inner, unwraps - 1);
    return decoded && { ...decoded, repairs: [...new Set([outer.repair, ...decoded.repairs])] };
  }
  const normal = normalizeJson(text);
  return normal && isStrictJson(normal.text) ? strictValue(normal.text, normal.repairs) : undefined;
}

function unwrap(text: string): { readonly text: string; readonly repair: string } | undefined {
  if (text.startsWith("```") && text.endsWith("```")) {
    const start = /^```+[\w-]{0,20}/.exec(text)?.[0].length ?? 3;
    return { text: text.slice(start, -3), repair: "fence" };
  }
  const opening = text.slice(0, openingChars);
  if (/^[[{\s]*\\+"/.test(opening)) return { text: unescapeOnce(text), repair: "unescape" };
  if (/^[[{\s]*&(?:quot|#34|#x22);/i.test(opening)) return { text: decodeReferences(text), repair: "entities" };
  return undefined;
}

/** How far into a body the first quote is looked for. */
const openingChars = 200;

function unescapeOnce(text: string): string {
  return text.replace(/\\(["\\/nrt])/g, (_, char: string) => ({ n: "\n", r: "\r", t: "\t" })[char] ?? char);
}

/** The entities of XML in any case, and quotation marks by their numbers. */
function decodeReferences(text: string): string {
  const named = text.replace(/&#(?:34|x22);/gi, "&quot;").replace(/&#(?:39|x27);/gi, "&apos;");
  return decodeEntities(named.replace(/&(?:quot|apos|lt|gt|amp);/gi, (name) => name.toLowerCase()));
}

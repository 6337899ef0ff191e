// Repairs an answer that is almost JSON. The repair library is loaded on first use.
import type { JsonValue } from "../../core/messages.ts";

/** Maximum characters of a text that is repaired: the repair takes quadratic time. */
const REPAIR_CHARS = 16_384;
const MOST_LEVELS = 256;

/**
 * The value of a text with comments, trailing commas, single quotes, unquoted keys or words such as NaN, which becomes a
 * text. Undefined for any other text: truncated, HTML, or too long.
 */
export async function repairJson(text: string): Promise<JsonValue | undefined> {
  if (text.length > REPAIR_CHARS || !isAlmostJson(text)) return undefined;
  const { jsonrepair } = await import("jsonrepair");
  try {
    return JSON.parse(jsonrepair(text)) as JsonValue;
  } catch {
    return undefined;
  }
}

const TOKEN =
  /"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'|\/\*[\s\S]*?\*\/|\/\/[^\r\n]*|[{}[\]:,]|[^\s"'{}[\]:,/]+|\s+/y;

/**
 * True for one object or list with balanced brackets and terminated strings. Everything else would be a guess, and some of it
 * takes the repair minutes.
 */
function isAlmostJson(text: string): boolean {
  const open: string[] = [];
  let isOver = false;
  let before = "";
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return false;
    if (/^(?:\s|\/[/*])/.test(token)) continue;
    if (isOver || (open.length === 0 && !CLOSERS.has(token)) || (isValue(before) && isValue(token))) return false;
    before = token;
    const closer = CLOSERS.get(token);
    if (closer !== undefined) open.push(closer);
    else if (token === "}" || token === "]") {
      if (open.pop() !== token) return false;
      isOver = open.length === 0;
    }
    if (open.length > MOST_LEVELS) return false;
  }
  return isOver;
}

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ["{", "}"],
  ["[", "]"],
]);

function isValue(token: string): boolean {
  return token !== "" && !/^[{}[\]:,]$/.test(token);
}

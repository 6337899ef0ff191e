// Fills the values of a call into a path. No value can escape its position; sends nothing.

import type { JsonObject } from "../../core/messages.ts";
import { parseParts, resolvePlaceholder, stringifyValue } from "../../core/template/fillTemplate.ts";

/**
 * Fills a path with its query: every value is encoded, so that it stays one segment or one query value. @param scope the
 * value of each root. @throws Error for a value that is no valid segment: an empty one, `.` and `..`.
 */
export function fillPath(template: string, scope: JsonObject): string {
  let filled = "";
  for (const part of parseParts(template)) {
    if (part.type === "text") filled += part.text;
    else {
      const text = stringifyValue(resolvePlaceholder(part, scope));
      if (text === "" && !filled.includes("?")) throw new Error(`${part.source} must not be empty.`);
      filled += encodeURIComponent(text.toWellFormed());
    }
  }
  const [path = ""] = filled.split("?");
  checkSegments(path);
  return filled;
}

/**
 * URL parsers resolve these segments even if their dots are escaped, so no encoding helps. @throws Error for a path with a
 * segment of `.` or `..`.
 */
export function checkSegments(path: string): void {
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path)) throw new Error("a value of `.` or `..` would leave the path.");
}

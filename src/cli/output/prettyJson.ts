// Formats JSON for a human reader without changing its tokens.

import { escapeMisleadingInJson } from "../../core/json/escapeInvisible.ts";
import { endOfString } from "../../core/json/jsonObjectText.ts";

/**
 * Works on the text: parsing would lose the digits of large numbers and all but the last of duplicate keys. Invisible
 * characters become JSON escapes. @param text strict JSON.
 */
export function formatJson(text: string): string {
  let spaced = "";
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '"') {
      const end = endOfString(text, at);
      spaced += text.slice(at, end + 1);
      at = end;
    } else if (sign === "{" || sign === "[") {
      const close = findEmptyEnd(text, at + 1);
      if (close !== undefined) {
        spaced += sign + text.charAt(close);
        at = close;
      } else {
        level += 1;
        spaced += `${sign}${indentLine(level)}`;
      }
    } else if (sign === "}" || sign === "]") {
      level -= 1;
      spaced += `${indentLine(level)}${sign}`;
    } else if (sign === ",") spaced += `,${indentLine(level)}`;
    else if (sign === ":") spaced += ": ";
    else if (!BLANK.test(sign)) spaced += sign;
  }
  return escapeMisleadingInJson(spaced);
}

const BLANK = /[ \t\r\n]/;

function indentLine(level: number): string {
  return `\n${"  ".repeat(Math.max(0, level))}`;
}

/** Offset of the bracket that closes an empty object or list. */
function findEmptyEnd(text: string, start: number): number | undefined {
  let at = start;
  while (BLANK.test(text.charAt(at))) at += 1;
  return text.charAt(at) === "}" || text.charAt(at) === "]" ? at : undefined;
}

// The attributes of a mark: `key="value"` pairs, quoted or not. Knows no mark.
import { decodeEntities } from "./entities.ts";
import { isBlank } from "./whiteSpace.ts";

const EQUALS = 61;
const DOUBLE = 34;
const SINGLE = 39;

/** Pairs quoted either way or not at all; of a key that is repeated the first counts, and a word without a value is none. */
export function readAttributes(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  let i = 0;
  while (i < text.length) {
    i = skipBlanks(text, i);
    const from = i;
    while (i < text.length && text.charCodeAt(i) !== EQUALS && !isBlank(text.charCodeAt(i))) i += 1;
    const key = text.slice(from, i);
    i = skipBlanks(text, i);
    if (text.charCodeAt(i) !== EQUALS) {
      if (key === "") i += 1;
      continue;
    }
    const value = readValue(text, skipBlanks(text, i + 1));
    i = value.end;
    if (key !== "" && !attributes.has(key)) attributes.set(key, decodeEntities(value.text));
  }
  return attributes;
}

/** The value that begins at `from`, and the index behind it, its closing quote included. */
function readValue(text: string, from: number): { readonly text: string; readonly end: number } {
  const quote = text.charCodeAt(from);
  if (quote === DOUBLE || quote === SINGLE) {
    const end = text.indexOf(text.charAt(from), from + 1);
    const to = end < 0 ? text.length : end;
    return { text: text.slice(from + 1, to), end: to + 1 };
  }
  let end = from;
  while (end < text.length && !isBlank(text.charCodeAt(end))) end += 1;
  return { text: text.slice(from, end), end };
}

function skipBlanks(text: string, from: number): number {
  let i = from;
  while (i < text.length && isBlank(text.charCodeAt(i))) i += 1;
  return i;
}

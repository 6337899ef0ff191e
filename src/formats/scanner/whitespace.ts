// Unicode white space, for markers, bodies and prose alike.
import { SPACE } from "./charCodes.ts";

/** Returns true if a UTF-16 code is white space or a byte order mark, which some servers put in front. False for END and WAIT of a source. */
export function isBlank(code: number): boolean {
  return code <= 32 ? code === SPACE || (code >= 9 && code <= 13) : code >= 0x85 && OTHERS.has(code);
}

/** The text without the white space around it: `trim` leaves U+0085. */
export function trimBlanks(text: string): string {
  const to = findVisibleEnd(text);
  let from = 0;
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  return text.slice(from, to);
}

/** Returns the offset after the last visible character of a text, or of its first `to` ones; 0 if none is visible. */
export function findVisibleEnd(text: string, to = text.length): number {
  let end = to;
  while (isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** White_Space of Unicode beyond ASCII, and U+FEFF: what `\s` matches, and U+0085, which it does not. */
const OTHERS: ReadonlySet<number> = new Set([
  0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028,
  0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
]);

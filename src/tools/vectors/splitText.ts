// Splits a long text into parts at natural boundaries: paragraphs, lines, sentences, words.

/** Boundaries of parts, the best first. */
const ENDS = ["\n\n", "\n", ". ", " "];

/** Parts of at most `most` characters, in order. No part is blank, and only white space at the ends is lost. */
export function splitText(text: string, most: number): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = text.length - from <= most ? text.length : findPieceEnd(text, from, most);
    const part = text.slice(from, to).trim();
    if (part !== "") parts.push(part);
    from = to;
  }
  return parts;
}

/** The last good boundary in the second half of what fits; otherwise all that fits, never splitting a surrogate pair. */
function findPieceEnd(text: string, from: number, most: number): number {
  for (const end of ENDS) {
    const at = text.lastIndexOf(end, from + most - end.length);
    if (at >= from + most / 2) return at + end.length;
  }
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(from + most - 1));
  return from + most - (isHalf ? 1 : 0);
}

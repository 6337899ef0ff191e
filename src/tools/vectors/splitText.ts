// A long text in parts that are understood by themselves as far as their ends can tell: paragraphs, lines, sentences, words. Knows no language.

/** Where a part may end, the best first. */
const ENDS = ["\n\n", "\n", ". ", " "];

/** Parts of at most so many characters, in their order; none is blank, and but for white space at their ends nothing is lost. */
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

/** The last good end in the second half of what fits; else what fits, and no half character. */
function findPieceEnd(text: string, from: number, most: number): number {
  for (const end of ENDS) {
    const at = text.lastIndexOf(end, from + most - end.length);
    if (at >= from + most / 2) return at + end.length;
  }
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(from + most - 1));
  return from + most - (isHalf ? 1 : 0);
}

// The characters of a text that its readers see. Knows no markup.

/** Controls, but for tabs and ends of lines. */
const CONTROL = String.raw`(?![\t\n])\p{Cc}`;
/** Marks that turn the direction of what follows, tags, soft hyphens and signs of no width; not the joiners and signs of scripts. */
const FORMAT = String.raw`(?![\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])\p{Cf}`;
/** Letters that are blank, and variants beyond those of emoji, which may spell anything. */
const BLANK = String.raw`[\u115f\u1160\u3164\uffa0]|\u034f|[\u{e0100}-\u{e01ef}]`;

const UNSEEN = new RegExp(`${CONTROL}|${FORMAT}|${BLANK}`, "gu");

/** The text without what its readers do not see, and under which words are hidden or smuggled. */
export function stripInvisible(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n").replace(UNSEEN, "");
}

// Removes the invisible characters of a text.

/** Control characters, except tabs and line feeds. */
const CONTROL = String.raw`(?![\t\n])\p{Cc}`;
/** Direction marks, tags, soft hyphens and zero-width characters; not the joiners and signs of scripts. */
const FORMAT = String.raw`(?![\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])\p{Cf}`;
/** Blank letters, and variation selectors other than those of emoji, which can encode hidden text. */
const BLANK = String.raw`[\u115f\u1160\u3164\uffa0]|\u034f|[\u{e0100}-\u{e01ef}]`;

const UNSEEN = new RegExp(`${CONTROL}|${FORMAT}|${BLANK}`, "gu");

/** The text without invisible characters, which can hide or smuggle instructions. */
export function stripInvisible(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n").replace(UNSEEN, "");
}

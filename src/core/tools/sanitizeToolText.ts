// Removes invisible characters from untrusted text for models.

/** Control characters except tab and line feed, formatting and bidirectional characters, private characters and lone surrogates. */
const UNSEEN = /[^\P{Cc}\t\n]|(?![\u200c\u200d])\p{Cf}|[\p{Co}\p{Cs}\p{Cn}]/gu;

/**
 * The text without characters that steer or hide. Joiners stay; line and paragraph separators become line feeds.
 * @param most maximum number of characters; a longer text is cut and ends with an ellipsis.
 */
export function sanitizeToolText(text: string, most: number): string {
  const seen = text
    .slice(0, 2 * most)
    .replaceAll(/\r\n?|[\p{Zl}\p{Zp}]/gu, "\n")
    .replaceAll(UNSEEN, "");
  return seen.length <= most ? seen : `${seen.slice(0, most - 1).toWellFormed()}…`;
}

// Removes invisible characters from untrusted text for models.

/** Control characters except tab and line feed, formatting and bidirectional characters, private characters and lone surrogates. */
const UNSEEN = /[^\P{Cc}\t\n]|(?![\u200c\u200d])\p{Cf}|[\p{Co}\p{Cs}\p{Cn}]/gu;

/**
 * The text without characters that steer or hide. Joiners stay; line and paragraph separators become line feeds.
 * @param maxLength maximum number of characters; a longer text is cut and ends with an ellipsis.
 */
export function sanitizeToolText(text: string, maxLength: number): string {
  const visibleText = text
    .slice(0, 2 * maxLength)
    .replaceAll(/\r\n?|[\p{Zl}\p{Zp}]/gu, "\n")
    .replaceAll(UNSEEN, "");
  return visibleText.length <= maxLength ? visibleText : `${visibleText.slice(0, maxLength - 1).toWellFormed()}…`;
}

// What somebody outside writes to be read by models, without what no reader would see. Knows no server and no model.

/** Controls but the tab and the line feed, what only formats or turns the direction of writing, private characters and lone surrogates. */
const UNSEEN = /[^\P{Cc}\t\n]|(?![\u200c\u200d])\p{Cf}|[\p{Co}\p{Cs}\p{Cn}]/gu;

/**
 * The text without characters that steer or hide; what joins and parts letters stays, and line and paragraph separators are line feeds.
 * @param most characters: what is longer is cut, and says so.
 */
export function sanitizeToolText(text: string, most: number): string {
  const seen = text
    .slice(0, 2 * most)
    .replaceAll(/\r\n?|[\p{Zl}\p{Zp}]/gu, "\n")
    .replaceAll(UNSEEN, "");
  return seen.length <= most ? seen : `${seen.slice(0, most - 1).toWellFormed()}…`;
}

// What a program wrote to a terminal that it did not mean.

/** What is drawn with: colours of sixteen, moves of the cursor, lines and the screen below taken away, the cursor and the wrapping of lines put off and on. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: drawing is made of them.
const DRAWN = /\r*\u001b\[(?:\?(?:7|25|2004)[hl]|\d{0,2}m|\d*[ABCDGK]|0?J)/g;

/** Controls and turns of direction that no drawing explains, escaped; ends of lines aside. */
export function strayBytes(written: string): readonly string[] {
  const rest = written.replaceAll(DRAWN, "").replaceAll(/\r+\n/g, "\n");
  return [...rest.matchAll(/[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu)].map(({ 0: sign, index }) =>
    encodeURIComponent(`${sign} in ${rest.slice(Math.max(0, index - 10), index + 10)}`),
  );
}

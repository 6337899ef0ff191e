// Builds a pattern for error sentences that contain several terms in any order.

/** Characters of a sentence that are searched. */
const SENTENCE_CHARS = 300;

/**
 * Matches a sentence that matches each of the given patterns, regardless of case. The match begins at the start of the
 * sentence.
 * @param parts sources of regular expressions.
 */
export function matchSentence(...parts: readonly string[]): RegExp {
  // A full stop within a name or a number, as in `gpt-5.6`, ends no sentence.
  const fastLane = parts.map((part) => String.raw`(?=(?:[^.\n]|\.(?!\s)){0,${SENTENCE_CHARS}}?${part})`);
  return new RegExp(String.raw`(?:^|\n|\.\s)${fastLane.join("")}`, "i");
}

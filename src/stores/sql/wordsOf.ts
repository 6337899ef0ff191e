// The words of a text as search compares them, in any language. Knows no table.

const WORDS = new Intl.Segmenter("und", { granularity: "word" });
/** Characters of a word that count. */
const WORD_CHARS = 64;
/** Characters of a text that are looked at for one word. */
const TEXT_CHARS_A_WORD = 64;

/** At most so many, each once, in one case and one spelling; what is no word (signs, spaces) is left out. */
export function wordsOf(text: string, most: number): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { segment, isWordLike } of WORDS.segment(text.slice(0, most * TEXT_CHARS_A_WORD))) {
    if (!isWordLike) continue;
    found.add(segment.normalize("NFKC").toLowerCase().slice(0, WORD_CHARS));
    if (found.size === most) break;
  }
  return found;
}

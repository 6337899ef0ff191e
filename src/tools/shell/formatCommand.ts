// A command as a person reads it before agreeing to it: every word with its ends, and nothing unseen. No shell is to be given it.
import { escapeMisleading } from "../../core/json/escapeInvisible.ts";

/** Words that need no quotes to be read as one. */
const PLAIN = /^[\w./=:@%+,-]+$/;
/** Characters of a word that are shown; a longer one is told by its length. */
const SHOWN = 1_000;

export function formatCommand(argv: readonly string[]): string {
  return argv.map(shownWord).join(" ");
}

function shownWord(word: string): string {
  if (PLAIN.test(word) && word.length <= SHOWN) return word;
  const cut = word.length > SHOWN ? `… (${word.length} characters)` : "";
  const quoted = JSON.stringify(word.slice(0, SHOWN));
  return escapeMisleading(quoted) + cut;
}

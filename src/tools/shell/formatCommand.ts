// Formats a command for its approver: word boundaries and invisible characters are visible. The result is not for a shell.
import { escapeMisleading } from "../../core/json/escapeInvisible.ts";

/** Words that need no quotes. */
const PLAIN = /^[\w./=:@%+,-]+$/;
/** Maximum characters of a word that are shown; of a longer one the length is shown. */
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

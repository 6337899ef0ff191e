// Formats names of a statement for an approver.
import type { SqlStatements } from "./SqlStatements.ts";

/** Maximum characters of a name that an approver is shown. */
const NAME_CHARS = 60;

/** The name at or after `from`, with its schema; words that match `skipped` are skipped. Empty if there is no name. */
export function formatName(of: SqlStatements, from: number, skipped: RegExp): string {
  let place = namePlace(of, from, skipped);
  if (!of.isName(place)) return "";
  let name = shown(of, place);
  for (; of.isSign(place + 1, ".") && of.isName(place + 2) && name.length < NAME_CHARS; place += 2)
    name += `.${shown(of, place + 2)}`;
  return name.slice(0, NAME_CHARS);
}

/** First index from `from` on after the words to skip, the number of `TOP (n)`, and the sign of `#temporary`. */
export function namePlace(of: SqlStatements, from: number, skipped: RegExp): number {
  let place = from;
  for (;;) {
    const isCount = of.word(place - 1) === "TOP" && of.isSign(place, "(");
    if (!isCount && !of.isSign(place, "#") && !skipped.test(of.word(place))) return place;
    place = isCount ? of.closing(place) + 1 : place + 1;
  }
}

/** Words were tokenized without case; control characters are removed. */
function shown(of: SqlStatements, place: number): string {
  const { type, text } = of.at(place);
  return (type === "word" ? text.toLowerCase() : text).slice(0, NAME_CHARS).replace(/\p{C}/gu, "");
}

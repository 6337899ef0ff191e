// Names of a statement as a person is shown them.
import type { SqlStatements } from "./SqlStatements.ts";

/** Characters of a name that a person is shown. */
const NAME_CHARS = 60;

/** The name at or after `from`, with its schema, words of the given kind skipped; empty where none stands there. */
export function formatName(of: SqlStatements, from: number, skipped: RegExp): string {
  let place = namePlace(of, from, skipped);
  if (!of.isName(place)) return "";
  let name = shown(of, place);
  for (; of.isSign(place + 1, ".") && of.isName(place + 2) && name.length < NAME_CHARS; place += 2)
    name += `.${shown(of, place + 2)}`;
  return name.slice(0, NAME_CHARS);
}

/** The first place from `from` on that has none of the words to skip, nor the number of `TOP (n)`, nor the sign of `#temporary`. */
export function namePlace(of: SqlStatements, from: number, skipped: RegExp): number {
  let place = from;
  for (;;) {
    const isCount = of.word(place - 1) === "TOP" && of.isSign(place, "(");
    if (!isCount && !of.isSign(place, "#") && !skipped.test(of.word(place))) return place;
    place = isCount ? of.closing(place) + 1 : place + 1;
  }
}

/** Words were read without regard to capitals; control characters say nothing to a person. */
function shown(of: SqlStatements, place: number): string {
  const { type, text } = of.at(place);
  return (type === "word" ? text.toLowerCase() : text).slice(0, NAME_CHARS).replace(/\p{C}/gu, "");
}

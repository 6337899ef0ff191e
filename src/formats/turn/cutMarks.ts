// Marks that the text ends in, before they are whole: what they can only be the beginning of. Reads no mark that is whole.
import { beginsMark } from "../families/marks.ts";
import { END, type Source } from "../text/Source.ts";
import type { Turn } from "./Turn.ts";

/** Characters of a mark in square brackets that any text may end with. */
const SHORT_LITERAL = 2;

/**
 * The text ended inside what may be a mark, whose first character stands at the cursor. Where that can be nothing else it is dropped:
 * neither content nor worth a question. So it is where the text was cut, and, however the text ended, behind a call. True where it was.
 */
export function dropCutMark(turn: Turn): boolean {
  if (turn.offered.length === 0) return false;
  const torso = restOf(turn.source);
  const isCut = turn.finish === "cut";
  const isLiteral = torso.startsWith("[") || torso.startsWith("◁");
  const isMark = turn.isBehindCall
    ? isCut || isLiteral || beginsMark(torso, true)
    : isCut && (isLiteral ? torso.length > SHORT_LITERAL : beginsMark(torso));
  if (isMark) turn.dropMark(torso.length, "cut-mark");
  return isMark;
}

/** Whether the text, whose end has been seen, ends inside what can only be a mark where a call stands: at the cursor. */
export function endsInMark(source: Source): boolean {
  return beginsMark(restOf(source), true);
}

/** As `endsInMark`, where program code stands, in which a name behind the sign is a comparison. */
export function endsInToken(source: Source): boolean {
  return /^<(?:$|[/|｜])/.test(restOf(source));
}

/** The rest of a text whose end has been seen. */
function restOf(source: Source): string {
  let length = 1;
  while (source.code(length) !== END) length += 1;
  return source.ahead(length);
}

// A comment in front of a JSON body, as JSON's dialects have them. Knows no JSON.

import { END, type Reading, type Source } from "./Source.ts";
import { peek } from "./waiting.ts";

/** Characters of a comment; a longer one is text. */
const COMMENT_LIMIT = 1_000;

const SLASH = 47;
const STAR = 42;
const NEWLINE = 10;

/** Moves over the comment at the cursor (slash and star, or two slashes to the line's end); false where none stands here. */
export function* skipComment(source: Source): Reading<boolean> {
  if ((yield* peek(source)) !== SLASH) return false;
  const kind = yield* peek(source, 1);
  if (kind !== SLASH && kind !== STAR) return false;
  let before = 0;
  for (let length = 2; length < COMMENT_LIMIT; length += 1) {
    const code = yield* peek(source, length);
    if (code === END) return false;
    if (kind === SLASH ? code === NEWLINE : code === SLASH && before === STAR) {
      source.skip(length + 1);
      return true;
    }
    before = code;
  }
  return false;
}

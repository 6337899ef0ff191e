// Calls as Python between `<code>` and `</code>`, of models that act by writing code. Any other program is text.

import { familyOfForm } from "../../families/tables.ts";
import { LESS_THAN, NEWLINE } from "../../text/codes.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import type { Tag } from "../../text/Tag.ts";
import { endsInside, peek, seek, startsWith } from "../../text/waiting.ts";
import { isBlank } from "../../text/whiteSpace.ts";
import { Capture } from "../../turn/Capture.ts";
import { decodePythonBody } from "../../turn/decodeBody.ts";
import type { Turn } from "../../turn/Turn.ts";
import { isAnswerPosition } from "../shapes/belief.ts";

const FAMILY = familyOfForm("code-element");
const CLOSER = "</code>";
const MARKS = new StopTable("<");

/** The element's name. */
export const CODE_ELEMENT = "code";

/** Whether the model may write calls so; HTML prose writes the same element. */
export function writesCodeElements({ offered, options }: Turn): boolean {
  return offered.length > 0 && (options.toolMode === "text" || options.formats.includes(FAMILY));
}

/**
 * Reads the element whose opening mark stands at the cursor, a line's first visible character; false, and all of it text again,
 * unless it is literal calls of offered tools and nothing else. Those who ask for it stop the model at the closer, so the end of a
 * text that was not cut closes it too.
 */
export function* readCodeElement(turn: Turn, open: Tag): Reading<boolean> {
  const { source } = turn;
  if (open.closing || turn.guard.isRefused || !isAnswerPosition(turn, "fence")) return false;
  const capture = new Capture(turn);
  source.skip(open.raw.length);
  const from = source.offset;
  const end = yield* findCloser(turn, capture.until);
  const candidates = end === "none" ? undefined : decodePythonBody(turn, source.held(from).trim());
  if (end === "closed") source.skip(CLOSER.length);
  else if (end === "ended") turn.skipToEnd();
  const calls = candidates && (yield* endsLine(turn)) ? turn.fit(candidates, FAMILY) : undefined;
  if (!calls) return capture.giveBack("It cannot be read as calls of offered tools and nothing else.");
  capture.fitted(calls.map((call) => ({ ...call, origin: FAMILY })));
  return true;
}

/** Moves to the closer, or to the end of a text that was not cut. */
function* findCloser(turn: Turn, until: number): Reading<"closed" | "ended" | "none"> {
  const { source } = turn;
  for (;;) {
    const code = yield* seek(source, MARKS, until);
    if (source.offset >= until) return "none";
    if (code === END) return turn.finish === "normal" ? "ended" : "none";
    if (yield* startsWith(source, CLOSER)) return "closed";
    if ((yield* endsInside(source, CLOSER)) > 0) return turn.finish === "normal" ? "ended" : "none";
    source.skip(1);
  }
}

/** Whether nothing but white space or a mark follows on the line: words behind it make it a mention. */
function* endsLine({ source }: Turn): Reading<boolean> {
  for (let ahead = 0; ; ahead += 1) {
    const code = yield* peek(source, ahead);
    if (code === NEWLINE || code === LESS_THAN || code === END) return true;
    if (!isBlank(code)) return false;
  }
}

// Program code behind a mark: a call of the offered tool that runs code, unless all of it is calls of other tools.

import type { CallCandidate } from "../../bodies/CallCandidate.ts";
import { CODE_TOOLS } from "../../families/callTags.ts";
import { beginsToken } from "../../families/marks.ts";
import { TURN_ENDS, type WrapperRow } from "../../families/tables.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import { readTagOrCut } from "../../text/Tag.ts";
import { seek } from "../../text/waiting.ts";
import { decodePythonBody } from "../../turn/decodeBody.ts";
import type { Turn } from "../../turn/Turn.ts";
import { spelling } from "./wrapperEnds.ts";

/** Characters in which a built-in tool's `NAME.call(` is looked for. */
const BUILTIN_LIMIT = 160;
const MARKS = new StopTable("<");

/** Reads code up to and with the block's closer, or up to the end of the turn; says what it is if it is no calls. */
export function* readProgram(turn: Turn, row: WrapperRow): Reading<readonly CallCandidate[] | "cut" | "overlong"> {
  const { source } = turn;
  const from = source.offset;
  const until = source.heldFrom + turn.options.captureChars;
  let to = from;
  let closed = false;
  for (;;) {
    const code = yield* seek(source, MARKS, until);
    if (source.offset >= until) return "overlong";
    to = source.offset;
    if (code === END) break;
    const tag = yield* readTagOrCut(source, () => true);
    if (tag === "cut" && beginsToken(source.rest())) {
      turn.skipToEnd();
      break;
    }
    if (tag === "cut" || !tag) {
      source.skip(1);
      continue;
    }
    if (TURN_ENDS.has(spelling(tag))) break;
    if (row.close.includes(spelling(tag))) {
      source.skip(tag.raw.length);
      closed = true;
      break;
    }
    source.skip(1);
  }
  const isCut = source.code() === END && !closed && turn.finish === "cut";
  return isCut ? "cut" : callsOf(turn, turn.captured(from, to));
}

function callsOf(turn: Turn, body: string): readonly CallCandidate[] {
  const builtin = /^\s*([\w.]{1,128})\.call\(/.exec(body.slice(0, BUILTIN_LIMIT))?.[1];
  const plain = builtin === undefined ? body : body.replace(".call(", "(");
  const calls = decodePythonBody(turn, plain.trim());
  if (calls?.every((one) => turn.resolve(one.name) !== undefined)) return calls;
  const name = builtin ?? CODE_TOOLS.find((tool) => turn.offered.includes(tool)) ?? "python";
  return [{ name, arguments: { type: "text", text: withoutFence(body) }, repairs: [] }];
}

/** Code without the fence around it. */
function withoutFence(body: string): string {
  const text = body.trim();
  if (!text.startsWith("```") || !text.endsWith("```")) return body;
  const line = text.indexOf("\n");
  return line < 0 ? body : text.slice(line + 1, -3).trimEnd();
}

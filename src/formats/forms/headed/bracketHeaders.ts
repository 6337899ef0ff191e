// Sections under `[[ ## name ## ]]` headers: a thought, a tool's name, its arguments. Knows no other labels; unknown sections are text.

import { decodeJson } from "../../bodies/decodeJson.ts";
import { familyOfForm } from "../../families/tables.ts";
import { LOWER_A, LOWER_Z, UNDERSCORE } from "../../text/codes.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import { aheadWhile, peek, seek, startsWith } from "../../text/waiting.ts";
import { Capture } from "../../turn/Capture.ts";
import type { Turn } from "../../turn/Turn.ts";

const FAMILY = familyOfForm("bracket-headers");
const OPEN = "[[ ## ";
const CLOSE = " ## ]]";
const NAME_LIMIT = 64;
const LINE = new StopTable("\n");

/** Tool names by which these agents say that they are done. */
const DONE = new Set(["finish", "none", ""]);

/**
 * Reads the section whose header stands at the cursor, a line's first visible character; false where it is no such header. `goesOn`:
 * another one was read before, without which the header that ends them all is a word.
 */
export function* readBracketHeaders(turn: Turn, goesOn: boolean): Reading<boolean> {
  const header = yield* headerAt(turn);
  switch (header?.name) {
    case "next_thought":
      turn.dropMark(header.length, "label");
      turn.sink.enter("reasoning");
      return true;
    case "next_tool_name":
      yield* readCall(turn, header.length);
      turn.startLine();
      return true;
    case "completed":
      if (!goesOn) return false;
      turn.dropMark(header.length, "label");
      turn.sink.enter("text");
      return true;
    default:
      return false;
  }
}

interface Header {
  readonly name: string;
  readonly length: number;
}

function* headerAt(turn: Turn): Reading<Header | undefined> {
  const { source } = turn;
  if (!(yield* startsWith(source, OPEN))) return undefined;
  const length = yield* aheadWhile(source, isNameCharacter, OPEN.length, NAME_LIMIT - OPEN.length);
  const name = source.ahead(length).slice(OPEN.length);
  return (yield* startsWith(source, CLOSE, length)) ? { name, length: length + CLOSE.length } : undefined;
}

/** From the header of the name to the end of the arguments: one call, one issue, or nothing where the agent is done. */
function* readCall(turn: Turn, length: number): Reading<void> {
  const { source } = turn;
  const capture = new Capture(turn);
  source.skip(length);
  const name = yield* readBody(turn, capture.until);
  const header = name === undefined ? undefined : yield* headerAt(turn);
  const isDone = name !== undefined && DONE.has(name.toLowerCase()) && turn.resolve(name) === undefined;
  if (header?.name === "next_tool_args") source.skip(header.length);
  const input = header?.name === "next_tool_args" ? yield* readBody(turn, capture.until) : undefined;
  turn.sink.enter("text");
  if (name === undefined || (input === undefined && (yield* peek(source)) === END && turn.finish === "cut"))
    return capture.cut(FAMILY, "inside the sections of a tool call");
  if (isDone) return capture.drop("no-action");
  const json = decodeJson(input || "{}");
  if (!json) return capture.malformed(`The arguments of ${name} are no JSON.`, FAMILY);
  capture.calls([{ name, arguments: { type: "json", value: json }, repairs: json.repairs }], FAMILY);
}

/** A section's text up to the next header or the end; undefined where the text was cut in it. */
function* readBody(turn: Turn, until: number): Reading<string | undefined> {
  const { source } = turn;
  const from = source.offset;
  for (;;) {
    const code = yield* seek(source, LINE, until);
    if (source.offset >= until) return undefined;
    if (code === END) return turn.finish === "cut" ? undefined : turn.captured(from, source.offset).trim();
    source.skip(1);
    if (yield* headerAt(turn)) return turn.captured(from, source.offset).trim();
  }
}

function isNameCharacter(code: number): boolean {
  return (code >= LOWER_A && code <= LOWER_Z) || code === UNDERSCORE;
}

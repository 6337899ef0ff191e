// Sections under `[[ ## name ## ]]` headers: a thought, a tool's name, its arguments. Knows no other labels; unknown sections are text.

import { jsonCall } from "../../bodies/CallCandidate.ts";
import { decodeJson } from "../../bodies/decodeJson.ts";
import { familyOfForm } from "../../families/tables.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import { aheadWhile, peek, seek, startsWith } from "../../text/waiting.ts";
import { Capture } from "../../turn/Capture.ts";
import type { Turn } from "../../turn/Turn.ts";

const FAMILY = familyOfForm("bracket-headers");
const OPEN = "[[ ## ";
const CLOSE = " ## ]]";
const NAME_LIMIT = 57;
const NAME_CODES = new StopTable("abcdefghijklmnopqrstuvwxyz_");
const LINE = new StopTable("\n");

/** Tool names by which these agents say that they are done. */
const DONE = new Set(["finish", "none", ""]);

/**
 * Reads the section whose header stands at the cursor, a line's first visible character; false where it is no such header. `goesOn`:
 * another one was read before, without which the header that ends them all is a word.
 */
export function* readBracketHeaders(turn: Turn, goesOn: boolean): Reading<boolean> {
  const header = yield* headerAt(turn);
  if (header?.name === "next_tool_name") {
    yield* readCall(turn, header.length);
    turn.lineStart = true;
    return true;
  }
  const isThought = header?.name === "next_thought";
  if (!header || !(isThought || (goesOn && header.name === "completed"))) return false;
  turn.dropMark(header.length, "label");
  turn.sink.enter(isThought ? "reasoning" : "text");
  return true;
}

/** The header at the cursor: its label's name, and how long it is. */
function* headerAt({ source }: Turn): Reading<{ readonly name: string; readonly length: number } | undefined> {
  if (!(yield* startsWith(source, OPEN))) return undefined;
  const end = yield* aheadWhile(source, (code) => NAME_CODES.has(code), OPEN.length, NAME_LIMIT);
  const name = source.ahead(end).slice(OPEN.length);
  return (yield* startsWith(source, CLOSE, end)) ? { name, length: end + CLOSE.length } : undefined;
}

/** From the header of the name to the end of the arguments: one call, one issue, or nothing where the agent is done. */
function* readCall(turn: Turn, length: number): Reading<void> {
  const { source } = turn;
  const capture = new Capture(turn);
  source.skip(length);
  const name = yield* readBody(turn, capture.until);
  const header = name === undefined ? undefined : yield* headerAt(turn);
  const isDone = name !== undefined && DONE.has(name.toLowerCase()) && turn.resolve(name) === undefined;
  let input: string | undefined;
  if (header?.name === "next_tool_args") {
    source.skip(header.length);
    input = yield* readBody(turn, capture.until);
  }
  turn.sink.enter("text");
  if (name === undefined || (input === undefined && (yield* peek(source)) === END && turn.finish === "cut"))
    return capture.cut(FAMILY, "inside the sections of a tool call");
  if (isDone) return capture.drop("no-action");
  const json = decodeJson(input || "{}");
  if (!json) return capture.malformed(`The arguments of ${name} are no JSON.`, FAMILY);
  capture.calls([jsonCall(name, json)], FAMILY);
}

/** A section's text up to the next header or the end; undefined where the text was cut in it. */
function* readBody(turn: Turn, until: number): Reading<string | undefined> {
  const { source } = turn;
  const from = source.offset;
  for (;;) {
    const code = yield* seek(source, LINE, until);
    if (source.offset >= until) return undefined;
    if (code === END) return turn.finish === "cut" ? undefined : source.held(from).trim();
    source.skip(1);
    if (yield* headerAt(turn)) return source.held(from).trim();
  }
}

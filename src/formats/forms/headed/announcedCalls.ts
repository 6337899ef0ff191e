// Calls that plain words announce: a role, a label with a fence, a module's name, a tool's name with a fence. The words are data in
// the families' rows.

import { decodeJson } from "../../bodies/decodeJson.ts";
import { type AnnouncedRow, familyOfForm } from "../../families/tables.ts";
import {
  BACKTICK,
  DIGIT_0,
  DIGIT_9,
  DOT,
  LOWER_A,
  LOWER_Z,
  MINUS,
  OPEN_BRACE,
  UNDERSCORE,
  UPPER_A,
  UPPER_Z,
} from "../../text/codes.ts";
import type { Reading, Source } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { aheadWhile, peek, skipBlanks, startsWith } from "../../text/waiting.ts";
import { isBlank } from "../../text/whiteSpace.ts";
import { Capture } from "../../turn/Capture.ts";
import { decodePythonBody } from "../../turn/decodeBody.ts";
import type { FittedCall } from "../../turn/TextSink.ts";
import type { Turn } from "../../turn/Turn.ts";
import { readWrapped } from "../wrapped/wrappedCalls.ts";

/** White space between the pieces of a header. */
const GAP_LIMIT = 256;
const NAME_LIMIT = 128;

/** A block without an opening mark, known by its first words and by what must follow them. */
export function* readAnnouncedCall(turn: Turn, row: AnnouncedRow): Reading<boolean> {
  const { source } = turn;
  for (const header of row.headers) {
    if (!(yield* startsWith(source, header))) continue;
    let ahead = header.length;
    for (const piece of row.next) {
      ahead = yield* aheadWhile(source, isBlank, ahead, GAP_LIMIT);
      if (!(yield* startsWith(source, piece, ahead))) return false;
      ahead += piece.length;
    }
    yield* readWrapped(turn, { row, raw: header });
    return true;
  }
  return false;
}

/** `NAME⏎` and a fence: JSON arguments where a type word sticks to the name, a Python call of `tool_call` where none does. */
export function* readNameAndFence(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const word = yield* wordAt(source, 0);
  if (word === "" || !(yield* startsWith(source, "\n```", word.length))) return false;
  const typed = word.startsWith("function") && turn.resolve(word) === undefined;
  const name = typed ? word.slice("function".length) : word;
  if (turn.resolve(name) === undefined) return false;
  const capture = new Capture(turn);
  source.skip(word.length + "\n```".length);
  source.skip((yield* wordAt(source, 0)).length);
  yield* skipBlanks(source);
  const from = source.offset;
  if (!typed && (yield* startsWith(source, "tool_call("))) source.skip("tool_call".length);
  const scan = typed === ((yield* peek(source)) === OPEN_BRACE) ? yield* scanBalanced(source, capture.until) : "broken";
  const calls =
    scan === "balanced" ? fencedCalls(turn, { name, typed, body: turn.captured(from, source.offset) }) : undefined;
  const closes = calls !== undefined && (yield* skipBlanks(source)) === BACKTICK && (yield* startsWith(source, "```"));
  if (!calls || !closes) return capture.giveBack("What its fence holds is no call of the tool that is named.");
  source.skip(3);
  capture.fitted(calls);
  return true;
}

function fencedCalls(
  turn: Turn,
  { name, typed, body }: { readonly name: string; readonly typed: boolean; readonly body: string },
): readonly FittedCall[] | undefined {
  if (!typed) {
    const calls = decodePythonBody(turn, `${name}${body.slice("tool_call".length)}`);
    return calls && turn.fit(calls, familyOfForm("name-and-fence"));
  }
  const json = decodeJson(body);
  return (
    json &&
    turn.fit([{ name, arguments: { type: "json", value: json }, repairs: json.repairs }], familyOfForm("typed-section"))
  );
}

/** The name `ahead` of the cursor. */
export function* wordAt(source: Source, ahead: number): Reading<string> {
  const end = yield* aheadWhile(source, isNameCode, ahead, NAME_LIMIT);
  return source.ahead(end).slice(ahead);
}

export function isNameCode(code: number): boolean {
  return (
    (code >= DIGIT_0 && code <= DIGIT_9) ||
    (code >= UPPER_A && code <= UPPER_Z) ||
    (code >= LOWER_A && code <= LOWER_Z) ||
    code === UNDERSCORE ||
    code === DOT ||
    code === MINUS
  );
}

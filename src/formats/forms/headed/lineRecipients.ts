// Messages addressed by lines (`>>>NAME`), whose first sign stands in the prompt. Only models known for them write these.

import { decodeJson } from "../../bodies/decodeJson.ts";
import { CODE_TOOLS } from "../../families/callTags.ts";
import { familyOfForm, TURN_ENDS } from "../../families/tables.ts";
import { GREATER_THAN, LESS_THAN, NEWLINE, OPEN_BRACE } from "../../text/codes.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { readTag } from "../../text/Tag.ts";
import { peek, seek, skipBlanks, startsWith } from "../../text/waiting.ts";
import { Capture } from "../../turn/Capture.ts";
import type { Turn } from "../../turn/Turn.ts";
import { wordAt } from "./announcedCalls.ts";
import { isAnswer } from "./sectionIdentity.ts";

const FAMILY = familyOfForm("recipient-line");

/** Whether the model addresses its messages with `>>>RECIPIENT` lines, which in other models' texts are prose. */
export function writesRecipients(turn: Turn): boolean {
  return turn.offered.length > 0 && turn.options.formats.includes(FAMILY);
}

/** `>>>NAME⏎{json}`, `>>>python⏎code` or `>>>all⏎text`; the first `>>>` stands in the prompt. */
export function* readRecipient(turn: Turn, sign: string): Reading<boolean> {
  const { source } = turn;
  const to = yield* recipientAt(turn, sign);
  if (to === undefined || (sign === "" && !isAnswer(to) && turn.resolve(to) === undefined)) return false;
  const capture = new Capture(turn);
  source.skip(sign.length + to.length + 1);
  if (isAnswer(to)) {
    capture.drop();
    turn.sink.enter("text");
    turn.startLine();
    return true;
  }
  const family = FAMILY;
  const code = yield* skipBlanks(source);
  const from = source.offset;
  const scan = code === OPEN_BRACE ? yield* scanBalanced(source, capture.until) : "broken";
  const json = scan === "balanced" ? decodeJson(turn.captured(from, source.offset)) : undefined;
  if (json) {
    capture.calls([{ name: to, arguments: { type: "json", value: json }, repairs: json.repairs }], family);
    return true;
  }
  if (scan === "cut" && turn.finish === "normal" && turn.guard.mayReadAgain()) source.back(from);
  yield* skipToRecipient(turn, capture.until);
  if (source.code() === END && turn.finish === "cut") capture.cut(family);
  else if (CODE_TOOLS.includes(to) && turn.resolve(to) !== undefined)
    capture.calls([{ name: to, arguments: { type: "text", text: capture.since(from) }, repairs: [] }], family);
  else capture.malformed(`The arguments for ${to} are not a JSON object.`, family);
  return true;
}

/** The recipient of the header at the cursor, which ends with its line. */
function* recipientAt(turn: Turn, sign: string): Reading<string | undefined> {
  if (!(yield* startsWith(turn.source, sign))) return undefined;
  const word = yield* wordAt(turn.source, sign.length);
  return word !== "" && (yield* peek(turn.source, sign.length + word.length)) === NEWLINE ? word : undefined;
}

/** Moves to the next header, the end of the turn or the end. */
function* skipToRecipient(turn: Turn, until: number): Reading<void> {
  const { source } = turn;
  for (;;) {
    const code = yield* seek(source, RECIPIENT_STOPS, until);
    if (code === END) return;
    if (code === GREATER_THAN && (yield* recipientAt(turn, ">>>")) !== undefined) return;
    if (code === LESS_THAN && (yield* readTag(source, (name) => TURN_ENDS.has(name)))) return;
    source.skip(1);
  }
}

const RECIPIENT_STOPS = new StopTable("<>");

// Channel framing: messages with a header (role, recipient, channel) and a body, several in one completion. A recipient makes a call.

import { decodeJson } from "../../bodies/decodeJson.ts";
import { CODE_TOOLS } from "../../families/callTags.ts";
import { WRAPPERS } from "../../families/tables.ts";
import { LESS_THAN, NEWLINE, OPEN_BRACE } from "../../text/codes.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { readTag, readTagOrCut, type Tag } from "../../text/Tag.ts";
import { flow, peek, seek, skipBlanks, startsWith } from "../../text/waiting.ts";
import { endsInToken } from "../../turn/cutMarks.ts";
import { refusalOf } from "../../turn/refusal.ts";
import type { Turn } from "../../turn/Turn.ts";
import { isWordStart } from "../shapes/callWords.ts";
import { readWrapped } from "../wrapped/wrappedCalls.ts";
import { type FrameHeader, isFrame, opensFrame, readFrameHeader } from "./frameHeader.ts";

const BODY_ENDS = new Set(["|end|", "|call|", "|return|", "|eom|", "|eot|"]);
const isBodyEnd = (name: string): boolean => BODY_ENDS.has(name) || name === "|start|";
const FAMILY = "harmony";
const ATEM = WRAPPERS.find((row) => row.open === "function_calls");

/** Reads framed messages from a header on, until the text ends or leaves the framing. */
export function* readFrames(turn: Turn): Reading<void> {
  for (;;) {
    turn.begin();
    const header = yield* readFrameHeader(turn);
    if (header === undefined) {
      turn.endCapture("cut-header");
      return;
    }
    if (header === "none") {
      turn.endCapture("garbled-header");
      turn.sink.enter("text");
    } else {
      yield* readBody(turn, header);
    }
    if (turn.source.holding) turn.endCapture();
    if (!(yield* nextFrame(turn))) return;
  }
}

/** Whether another header stands at the cursor, white space aside. */
function* nextFrame(turn: Turn): Reading<boolean> {
  const { source } = turn;
  if ((yield* peek(source)) !== LESS_THAN) return false;
  const tag = yield* readTag(source, isFrame);
  return tag !== undefined && opensFrame(tag);
}

function* readBody(turn: Turn, header: FrameHeader): Reading<void> {
  const to = header.recipient;
  if (to === "self") return yield* prose(turn, "reasoning");
  if (to === undefined || to === "user" || to === "assistant" || to === "all") {
    if (header.role !== "" && header.role !== "assistant") return yield* foreign(turn);
    return yield* prose(turn, header.channel === "analysis" ? "reasoning" : "text");
  }
  if (turn.mayCall) yield* call(turn, to);
  else yield* shown(turn);
}

/** A message to a tool where nothing may be called: words of an answer, header and end mark among them. */
function* shown(turn: Turn): Reading<void> {
  const { source } = turn;
  if (turn.sink.channel !== "text") turn.sink.enter("text");
  turn.write(source.release());
  while ((yield* flow(source, PROSE, (text) => turn.write(text))) !== END) {
    const tag = yield* readTag(source, isBodyEnd);
    if (tag?.name === "|start|") return;
    turn.pass(tag?.raw.length ?? 1);
    if (tag) return;
  }
}

/** A message that is read by a person: its body streams to the channel. */
function* prose(turn: Turn, channel: "text" | "reasoning"): Reading<void> {
  const { source } = turn;
  turn.endCapture();
  if (turn.sink.channel !== channel) turn.sink.enter(channel);
  let last = "";
  const write = (text: string): void => {
    last = text.slice(-1);
    turn.write(text);
  };
  while ((yield* flow(source, PROSE, write)) !== END) {
    const tag = yield* readTag(source, isBodyEnd);
    if (tag && last !== "`" && (yield* endsBody(turn, tag))) {
      turn.sink.enter("text");
      if (tag.name !== "|start|") turn.dropMark(tag.raw.length);
      return;
    }
    last = tag ? tag.raw.slice(-1) : "<";
    turn.pass(tag ? tag.raw.length : 1);
  }
}

/** A body's end is followed by another header, by nothing, or by stray text at once; anywhere else the mark is quoted. */
function* endsBody(turn: Turn, tag: Tag): Reading<boolean> {
  const { source } = turn;
  if (tag.name === "|start|") {
    const behindStart = yield* peek(source, tag.raw.length);
    return behindStart === END || (yield* startsWith(source, "assistant", tag.raw.length));
  }
  let ahead = tag.raw.length;
  const next = yield* peek(source, ahead);
  if (isWordStart(next) || next > 127) return true;
  while ((yield* peek(source, ahead)) === NEWLINE) ahead += 1;
  const behind = yield* peek(source, ahead);
  if (behind !== LESS_THAN) return behind === END;
  const mark = yield* readTagOrCut(source, isFrame, ahead);
  return mark === "cut" || (mark !== undefined && opensFrame(mark));
}

/** A message to a tool: JSON arguments, program code, or the tags of the one family that writes them into a channel. */
function* call(turn: Turn, recipient: string): Reading<void> {
  const { source } = turn;
  const code = yield* skipBlanks(source);
  if (code === END) {
    turn.issue("truncated-call", "The text ended before the arguments of this tool call.", FAMILY);
    return;
  }
  const tag =
    code === LESS_THAN ? yield* readTag(source, (name) => name === "function_calls" || name === "invoke") : undefined;
  if (tag && ATEM) {
    turn.endCapture();
    yield* readWrapped(turn, { row: ATEM, raw: tag.name === "invoke" ? "" : tag.raw, tag });
    return yield* bodyEnd(turn);
  }
  const from = source.offset;
  if (code === OPEN_BRACE) {
    const read = yield* jsonCall(turn, recipient);
    if (read === "cut") return;
    if (read === "call") return yield* bodyEnd(turn);
  }
  yield* skipBody(turn);
  const offered = turn.resolve(recipient) !== undefined;
  if (CODE_TOOLS.includes(recipient) && offered) {
    if ((yield* peek(source)) === END && turn.finish === "cut") {
      turn.issue("truncated-call", "The text ended inside this program code.", FAMILY);
      return;
    }
    const text = turn.captured(from, source.offset);
    turn.emit([{ name: recipient, arguments: { type: "text", text }, repairs: [] }], FAMILY);
  } else if (offered) {
    turn.issue("malformed-call", `The arguments for ${recipient} are not a JSON object.`, FAMILY);
  } else {
    turn.issue("unknown-tool", `The recipient ${recipient} is not an offered tool.`, FAMILY);
  }
  yield* bodyEnd(turn);
}

/** Reads the object at the cursor as the arguments of a call; `none` where it is none, and may be program code. */
function* jsonCall(turn: Turn, recipient: string): Reading<"call" | "cut" | "none"> {
  const { source } = turn;
  const from = source.offset;
  const scan = yield* scanBalanced(source, source.heldFrom + turn.options.captureChars);
  if (scan === "cut" || scan === "refused") {
    const why = scan === "refused" ? refusalOf(turn) : "The text ended inside the arguments of this tool call.";
    turn.issue("truncated-call", why, FAMILY);
    if (scan === "refused") turn.abandon();
    return "cut";
  }
  const decoded = scan === "balanced" ? decodeJson(turn.captured(from, source.offset)) : undefined;
  if (!decoded) return "none";
  if ((yield* peek(source)) === END && turn.finish === "cut") {
    turn.issue("truncated-call", "The text ended before this tool call was closed.", FAMILY);
    return "cut";
  }
  const name = recipient.replace(/<\|.*$/, "");
  turn.emit([{ name, arguments: { type: "json", text: decoded.text }, repairs: decoded.repairs }], FAMILY);
  return "call";
}

/** Drops the mark that ends a body, if it stands here; other text behind a call is passed over to it. */
function* bodyEnd(turn: Turn): Reading<void> {
  const { source } = turn;
  if (!source.holding) turn.begin();
  yield* skipBody(turn);
  if ((yield* peek(source)) === LESS_THAN) {
    const tag = yield* readTag(source, isBodyEnd);
    if (tag && tag.name !== "|start|") source.skip(tag.raw.length);
  }
  turn.endCapture();
  turn.sink.enter("text");
}

function* skipBody(turn: Turn): Reading<void> {
  const { source } = turn;
  for (;;) {
    if ((yield* seek(source, PROSE, source.heldFrom + turn.options.captureChars)) === END) return;
    const tag = yield* readTagOrCut(source, isBodyEnd);
    // The torso of an end is read by whoever reads on: it is not the body's.
    if (tag && (tag !== "cut" || (turn.finish === "normal" && endsInToken(source)))) return;
    source.skip(1);
  }
}

/** A turn of somebody else, written by the model: nothing behind it is this turn's. */
function* foreign(turn: Turn): Reading<void> {
  turn.endCapture("foreign-turn");
  turn.closeTurn();
  yield* peek(turn.source);
}

const PROSE = new StopTable("<");

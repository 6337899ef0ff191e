// Channel framing: messages with a header (role, recipient, channel) and a body, several in one completion. A recipient makes a call.

import { decodeJson } from "../../bodies/decodeJson.ts";
import { CODE_TOOLS } from "../../families/callTags.ts";
import { beginsToken } from "../../families/marks.ts";
import { familyOfForm, WRAPPERS } from "../../families/tables.ts";
import { LESS_THAN, NEWLINE, OPEN_BRACE } from "../../text/codes.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { readTag, readTagOrCut, type Tag } from "../../text/Tag.ts";
import { flow, peek, seek, skipBlanks, startsWith } from "../../text/waiting.ts";
import { Capture } from "../../turn/Capture.ts";
import type { Turn } from "../../turn/Turn.ts";
import { isWordStart } from "../shapes/callWords.ts";
import { readWrapped } from "../wrapped/wrappedCalls.ts";
import { type FrameHeader, isFrame, opensFrame, readFrameHeader } from "./frameHeader.ts";

const BODY_ENDS = new Set(["|end|", "|call|", "|return|", "|eom|", "|eot|"]);
const isBodyEnd = (name: string): boolean => BODY_ENDS.has(name) || name === "|start|";
const FAMILY = familyOfForm("framed");
const ATEM = WRAPPERS.find((row) => row.open === "function_calls");

/** Reads framed messages from a header on, until the text ends or leaves the framing. */
export function* readFrames(turn: Turn): Reading<void> {
  for (;;) {
    const capture = new Capture(turn);
    const header = yield* readFrameHeader(turn);
    if (header === undefined) return capture.drop("cut-header");
    if (header === "none") {
      capture.drop("garbled-header");
      turn.sink.enter("text");
    } else {
      yield* readBody(turn, capture, header);
    }
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

function* readBody(turn: Turn, capture: Capture, header: FrameHeader): Reading<void> {
  const to = header.recipient;
  if (to !== undefined && !PEOPLE.has(to))
    return turn.mayCall ? yield* call(turn, capture, to) : yield* shown(turn, capture);
  if (header.role !== "" && header.role !== "assistant" && to !== "self") return yield* foreign(turn, capture);
  capture.drop();
  yield* prose(turn, to === "self" || header.channel === "analysis" ? "reasoning" : "text");
}

/** Recipients that are not tools. */
const PEOPLE: ReadonlySet<string> = new Set(["self", "user", "assistant", "all"]);

/** A message to a tool where nothing may be called: words of an answer, header and end mark among them. */
function* shown(turn: Turn, capture: Capture): Reading<void> {
  const { source } = turn;
  if (turn.sink.channel !== "text") turn.sink.enter("text");
  capture.words();
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
function* call(turn: Turn, capture: Capture, recipient: string): Reading<void> {
  const { source } = turn;
  const code = yield* skipBlanks(source);
  if (code === END) return capture.cut(FAMILY, "before the arguments of this tool call");
  const tag =
    code === LESS_THAN ? yield* readTag(source, (name) => name === "function_calls" || name === "invoke") : undefined;
  if (tag && ATEM) {
    capture.drop();
    yield* readWrapped(turn, { row: ATEM, raw: tag.name === "invoke" ? "" : tag.raw, tag });
    return yield* bodyEnd(turn);
  }
  const from = source.offset;
  if (code === OPEN_BRACE) {
    const isRead = yield* jsonCall(turn, capture, recipient);
    if (capture.isOver) return isRead ? yield* bodyEnd(turn) : undefined;
  }
  yield* skipBody(turn, capture.until);
  const offered = turn.resolve(recipient) !== undefined;
  if (CODE_TOOLS.includes(recipient) && offered) {
    if ((yield* peek(source)) === END && turn.finish === "cut") return capture.cut(FAMILY, "inside this program code");
    capture.calls([{ name: recipient, arguments: { type: "text", text: capture.since(from) }, repairs: [] }], FAMILY);
  } else if (offered) {
    capture.malformed(`The arguments for ${recipient} are not a JSON object.`, FAMILY);
  } else {
    const message = `The recipient ${recipient} is not an offered tool.`;
    capture.issue({ code: "unknown-tool", message, family: FAMILY });
  }
  yield* bodyEnd(turn);
}

/** Reads the object at the cursor as the arguments of a call, and ends the capture unless it may be program code; true where it is whole. */
function* jsonCall(turn: Turn, capture: Capture, recipient: string): Reading<boolean> {
  const { source } = turn;
  const from = source.offset;
  const scan = yield* scanBalanced(source, capture.until);
  const decoded = scan === "balanced" ? decodeJson(capture.since(from)) : undefined;
  const isOpen = decoded !== undefined && (yield* peek(source)) === END && turn.finish === "cut";
  if (scan === "cut") capture.cut(FAMILY, "inside the arguments of this tool call");
  else if (scan === "refused") capture.refused(FAMILY);
  else if (isOpen) capture.cut(FAMILY, "before this tool call was closed");
  if (!decoded || isOpen) return false;
  const name = recipient.replace(/<\|.*$/, "");
  capture.calls([{ name, arguments: { type: "json", value: decoded }, repairs: decoded.repairs }], FAMILY);
  return true;
}

/** Drops the mark that ends a body, if it stands here; other text behind a call is passed over to it. */
function* bodyEnd(turn: Turn): Reading<void> {
  const { source } = turn;
  const capture = new Capture(turn);
  yield* skipBody(turn, capture.until);
  if ((yield* peek(source)) === LESS_THAN) {
    const tag = yield* readTag(source, isBodyEnd);
    if (tag && tag.name !== "|start|") source.skip(tag.raw.length);
  }
  capture.drop();
  turn.sink.enter("text");
}

function* skipBody(turn: Turn, until: number): Reading<void> {
  const { source } = turn;
  for (;;) {
    if ((yield* seek(source, PROSE, until)) === END) return;
    const tag = yield* readTagOrCut(source, isBodyEnd);
    // The torso of an end is read by whoever reads on: it is not the body's.
    if (tag && (tag !== "cut" || (turn.finish === "normal" && beginsToken(source.rest())))) return;
    source.skip(1);
  }
}

/** A turn of somebody else, written by the model: nothing behind it is this turn's. */
function* foreign(turn: Turn, capture: Capture): Reading<void> {
  capture.drop("foreign-turn");
  turn.dropRest("after-turn-end");
  yield* peek(turn.source);
}

const PROSE = new StopTable("<");

// Reads channel framing: several messages in one completion, each with a header (role, recipient, channel) and a body. A recipient makes a call.

import { createJsonCall, createTextCall } from "../../decoders/CallCandidate.ts";
import { LESS_THAN, NEWLINE, OPEN_BRACE } from "../../scanner/charCodes.ts";
import { findNext, flowUntil, matchesLiteral, measureWhile, peek, skipBlanks } from "../../scanner/combinators.ts";
import { END, type Parser, StopTable } from "../../scanner/Source.ts";
import { readTag, readTagOrCut, type Tag } from "../../scanner/Tag.ts";
import { isBlank } from "../../scanner/whitespace.ts";
import { CODE_TOOLS } from "../../specs/callTags.ts";
import { getFormatForForm, WRAPPERS } from "../../specs/lookupTables.ts";
import { mayBeginToken } from "../../specs/markers.ts";
import { Capture } from "../../state/Capture.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { isWordStart } from "../unmarked/callTokens.ts";
import { readWrappedCall } from "../wrapped/wrappedCalls.ts";
import { describeMissingObject, readObject } from "./HeadedReader.ts";

/** Characters of a header; a longer one is no header. */
const HEADER_LIMIT = 512;
/** Markers that begin a message or a part of its header. */
const OPENERS = new Set(["|start|", "|channel|", "|message|"]);
const BODY_ENDS = new Set(["|end|", "|call|", "|return|", "|eom|", "|eot|", "|start|"]);
const HEADER_MARKS = new Set([...OPENERS, "|constrain|"]);
const FRAMES = new Set([...HEADER_MARKS, ...BODY_ENDS]);
const isFrame = (name: string): boolean => FRAMES.has(name);
const isBodyEnd = (name: string): boolean => BODY_ENDS.has(name);
/** The channels of the one wire that has them: a header that names another is an example's. */
const CHANNELS: ReadonlySet<string> = new Set(["analysis", "commentary", "final"]);
/** Recipients that are not tools. */
const PEOPLE: ReadonlySet<string> = new Set(["self", "user", "assistant", "all"]);
const FAMILY = getFormatForForm("framed");
const ATEM = WRAPPERS.find((spec) => spec.open === "function_calls");
const PROSE = new StopTable("<");

interface FrameHeader {
  readonly role: string;
  readonly recipient: string | undefined;
  readonly channel: string;
  readonly length: number;
}

/** Text that is no header: `cut` if the text ends first, `garbled` if it cannot be parsed. */
interface NoHeader {
  readonly fault: "cut" | "garbled";
  readonly length: number;
}

/**
 * Returns true if framed messages begin at the cursor. Accepted from the model's own wire: every header where a message may begin
 * (`mayBegin`), and elsewhere one that names a channel or a recipient. Accepted from any other model: such a header at the start of the
 * turn, or one that calls an offered tool and has arguments.
 */
export function* isFrameNext(state: ParserState, mayBegin: boolean): Parser<boolean> {
  const isOwn = state.template?.channels === true;
  if (isOwn && mayBegin) return true;
  const header = yield* peekHeader(state, true);
  if ("fault" in header) return false;
  const { channel, recipient } = header;
  const isNamed = recipient !== undefined || CHANNELS.has(/^\w*/.exec(channel)?.[0] ?? "");
  if (isNamed && (isOwn || state.isAtStart)) return true;
  if (state.callableNames.length === 0 || recipient === undefined || state.resolve(recipient) === undefined)
    return false;
  const body = yield* peek(state.source, yield* measureWhile(state.source, isBlank, header.length, HEADER_LIMIT));
  return body === OPEN_BRACE || body === LESS_THAN;
}

/** Reads framed messages from a header on, until the text ends or leaves the framing. */
export function* readFrames(state: ParserState): Parser<void> {
  const { source } = state;
  for (;;) {
    const header = yield* peekHeader(state, false);
    const capture = new Capture(state);
    source.skip(header.length);
    if (!("fault" in header)) {
      yield* readBody(state, capture, header);
    } else {
      capture.endAsMarkup(`${header.fault}-header`);
      if (header.fault === "cut") return;
      state.sink.enterChannel("text");
    }
    const tag = (yield* peek(source)) === LESS_THAN ? yield* readTag(source, isFrame) : undefined;
    if (!tag || !OPENERS.has(tag.name)) return;
  }
}

/** A part of a header with the marker before it; `<|start|>` if there is none. */
interface HeaderPart {
  readonly mark: string;
  text: string;
}

/** Reads the header at the cursor. `strict`: it stands on one line and ends with its message's marker. */
function* peekHeader(state: ParserState, isStrict: boolean): Parser<FrameHeader | NoHeader> {
  const { source } = state;
  let part: HeaderPart = { mark: "|start|", text: "" };
  const parts = [part];
  for (let ahead = 0; ; ) {
    const code = yield* peek(source, ahead);
    const tag = code === LESS_THAN ? yield* readTag(source, isFrame, ahead) : undefined;
    const isOver = code === END || ahead > HEADER_LIMIT || (tag && !HEADER_MARKS.has(tag.name));
    if (isStrict && (isOver || code === NEWLINE || (code === LESS_THAN && !tag)))
      return { fault: "garbled", length: 0 };
    if (isOver) {
      const header = code === END && state.finish === "cut" ? undefined : parseUnmarkedHeader(parts, part, ahead);
      return header ?? { fault: code === END ? "cut" : "garbled", length: ahead + (tag?.raw.length ?? 0) };
    }
    if (tag) {
      const header = toFrameHeader(parts, ahead + tag.raw.length);
      if (tag.name === "|message|") return header;
      // Another message begins in the header of this one.
      if (!isStrict && tag.name === "|start|" && (header.channel !== "" || header.recipient !== undefined))
        return { fault: "garbled", length: ahead };
      ahead = header.length;
      part = { mark: tag.name, text: "" };
      parts.push(part);
    } else {
      part.text += isBlank(code) ? " " : String.fromCharCode(code);
      ahead += 1;
    }
  }
}

/** Role, recipient and channel, in all the orders in which they are written. */
function toFrameHeader(parts: readonly HeaderPart[], length: number): FrameHeader {
  let role = "";
  let channel = "";
  let recipient: string | undefined;
  for (const { mark, text } of parts) {
    if (mark === "|channel|" && recipient === "assistant") recipient = undefined;
    recipient = RECIPIENT.exec(text)?.[1] ?? recipient;
    const headerText = text.replace(RECIPIENT, " ").trim();
    if (mark === "|start|") role = headerText;
    else if (mark === "|channel|") channel = headerText.split(/\s/)[0] ?? "";
  }
  return { role, channel, recipient, length };
}

const RECIPIENT = /(?:^|\s)to=([^\s<]+)/;

/** Reads a channel header without its message marker, such as `final {"a": 1}`. It ends where the body begins. */
function parseUnmarkedHeader(
  parts: readonly HeaderPart[],
  { mark, text }: HeaderPart,
  ahead: number,
): FrameHeader | undefined {
  if (mark !== "|channel|") return undefined;
  const recipientMatch = /\sto=([^\s<{]+)/.exec(text);
  const recipient = recipientMatch?.[1] ?? toFrameHeader([...parts.slice(0, -1), { mark, text: "" }], 0).recipient;
  const wordMatch = /^\s*(\w+)\s*/.exec(text);
  const bodyAt = recipient === undefined ? wordMatch?.[0].length : text.indexOf("{", recipientMatch?.index);
  if (!wordMatch?.[1] || bodyAt === undefined || bodyAt < 0 || text.slice(bodyAt).trim() === "") return undefined;
  return { role: "", recipient, channel: wordMatch[1], length: ahead - text.length + bodyAt };
}

function* readBody(state: ParserState, capture: Capture, header: FrameHeader): Parser<void> {
  const recipient = header.recipient;
  if (recipient !== undefined && !PEOPLE.has(recipient))
    return state.mayCall ? yield* readCall(state, capture, recipient) : yield* showMessage(state, capture);
  if (header.role !== "" && header.role !== "assistant" && recipient !== "self") {
    // The model wrote a turn of another role: nothing after it belongs to this turn.
    capture.endAsMarkup("foreign-turn");
    state.dropRest("after-turn-end");
    return;
  }
  capture.endAsMarkup();
  yield* readProse(state, recipient === "self" || header.channel === "analysis" ? "reasoning" : "text");
}

/** Emits a message to a tool as text if no call is allowed, with its header and end marker. */
function* showMessage(state: ParserState, capture: Capture): Parser<void> {
  const { source } = state;
  if (state.sink.channel !== "text") state.sink.enterChannel("text");
  capture.endAsText();
  while ((yield* flowUntil(source, PROSE, (text) => state.write(text))) !== END) {
    const tag = yield* readTag(source, isBodyEnd);
    if (tag?.name === "|start|") return;
    state.writeNext(tag?.raw.length ?? 1);
    if (tag) return;
  }
}

/** Reads a message for the user: streams its body to the channel. */
function* readProse(state: ParserState, channel: "text" | "reasoning"): Parser<void> {
  const { source } = state;
  if (state.sink.channel !== channel) state.sink.enterChannel(channel);
  let last = "";
  const writeText = (text: string): void => {
    last = text.slice(-1);
    state.write(text);
  };
  while ((yield* flowUntil(source, PROSE, writeText)) !== END) {
    const tag = yield* readTag(source, isFrame);
    // A header in the position of the body repeats the message's header.
    const isReopened = tag?.name === "|channel|" && !state.sink.hasVisibleText;
    if (isReopened && !("fault" in (yield* peekHeader(state, true)))) return;
    if (tag && isBodyEnd(tag.name) && last !== "`" && (yield* isBodyEndNext(state, tag))) {
      state.sink.enterChannel("text");
      if (tag.name !== "|start|") state.dropMarker(tag.raw.length);
      return;
    }
    last = tag ? ">" : "<";
    state.writeNext(tag ? tag.raw.length : 1);
  }
}

/** Returns true if another header, the end, or stray text directly follows a body's end. Elsewhere the marker is quoted. */
function* isBodyEndNext({ source }: ParserState, tag: Tag): Parser<boolean> {
  const { length } = tag.raw;
  const next = yield* peek(source, length);
  if (tag.name === "|start|") return next === END || (yield* matchesLiteral(source, "assistant", length));
  if (isWordStart(next) || next > 127) return true;
  const ahead = yield* measureWhile(source, (code) => code === NEWLINE, length);
  const nextCode = yield* peek(source, ahead);
  if (nextCode !== LESS_THAN) return nextCode === END;
  const marker = yield* readTagOrCut(source, isFrame, ahead);
  return marker === "cut" || (marker !== undefined && OPENERS.has(marker.name));
}

/** Reads a message to a tool: JSON arguments, program code, or the tags of the one format that writes them into a channel. */
function* readCall(state: ParserState, capture: Capture, recipient: string): Parser<void> {
  const { source } = state;
  const code = yield* skipBlanks(source);
  if (code === END) return capture.endAsCutCall(FAMILY, "before the arguments of this tool call");
  const tag =
    code === LESS_THAN ? yield* readTag(source, (name) => name === "function_calls" || name === "invoke") : undefined;
  if (tag && ATEM) {
    capture.endAsMarkup();
    yield* readWrappedCall(state, { row: ATEM, raw: tag.name === "invoke" ? "" : tag.raw, tag });
    return yield* endBody(state);
  }
  const from = source.offset;
  const body = yield* readObject(state, capture.maxOffset);
  if (body === "cut") return capture.endAsCutCall(FAMILY, "inside the arguments of this tool call");
  if (body === "refused") return capture.endAsOversizedCall(FAMILY);
  if (body !== "broken") {
    if ((yield* peek(source)) === END && state.finish === "cut")
      return capture.endAsCutCall(FAMILY, "before this tool call was closed");
    capture.endAsCalls([createJsonCall(recipient.replace(/<\|.*$/, ""), body)], FAMILY);
    return yield* endBody(state);
  }
  yield* skipBody(state, capture.maxOffset);
  const message = `The recipient ${recipient} is not an offered tool.`;
  if (state.resolve(recipient) === undefined) capture.endAsIssue({ code: "unknown-tool", message, family: FAMILY });
  else if (!CODE_TOOLS.includes(recipient)) capture.endAsMalformedCall(describeMissingObject(recipient), FAMILY);
  else if (source.code() === END && state.finish === "cut") capture.endAsCutCall(FAMILY, "inside this program code");
  else capture.endAsCalls([createTextCall(recipient, capture.getText(from))], FAMILY);
  yield* endBody(state);
}

/** Drops the marker that ends a body, if it stands here. Other text after a call is skipped up to it. */
function* endBody(state: ParserState): Parser<void> {
  const { source } = state;
  const capture = new Capture(state);
  yield* skipBody(state, capture.maxOffset);
  const tag = (yield* peek(source)) === LESS_THAN ? yield* readTag(source, isBodyEnd) : undefined;
  if (tag && tag.name !== "|start|") source.skip(tag.raw.length);
  capture.endAsMarkup();
  state.sink.enterChannel("text");
}

function* skipBody(state: ParserState, maxOffset: number): Parser<void> {
  const { source } = state;
  yield* findNext(source, PROSE, maxOffset, function* () {
    const tag = yield* readTagOrCut(source, isBodyEnd);
    // The next reader handles an incomplete end marker: it is not part of the body.
    return tag !== undefined && (tag !== "cut" || (state.finish === "normal" && mayBeginToken(source.getRest())));
  });
}

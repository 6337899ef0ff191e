// Openings that are no marks in brackets: headers whose special tokens were stripped, role switches, and signs of single families.

import { decodeJson } from "../../bodies/decodeJson.ts";
import { emptyObject } from "../../bodies/jsonSpans.ts";
import { announcedBy, familyOfForm } from "../../families/tables.ts";
import { COLON, COMMA, DOT, LESS_THAN, LOWER_A, NEWLINE, OPEN_BRACE, SPACE } from "../../text/codes.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { aheadWhile, peek, seek, skipBlanks, startsWith } from "../../text/waiting.ts";
import { Capture } from "../../turn/Capture.ts";
import type { Turn } from "../../turn/Turn.ts";
import { beginsSigned } from "../elements/bodyAhead.ts";
import { isNameCode, readAnnouncedCall, wordAt } from "./announcedCalls.ts";
import { framesBegin } from "./frameAhead.ts";
import { readFrames } from "./framedMessages.ts";
import { readRecipient, writesRecipients } from "./lineRecipients.ts";
import { readSectionBehind } from "./markedSections.ts";
import { isAnswer } from "./sectionIdentity.ts";

const ROLE_CALL = announcedBy("role");
const ROLE_HEADER_CALL = announcedBy("role-header");
const FENCED_ACTION = announcedBy("label");
const FUNCTOOLS = announcedBy("module");
const FRAMED = familyOfForm("framed");
const FLOWER_FAMILY = familyOfForm("flower-labels");

/** What such a header begins with at the start of the text, if with no tool's name: a blank, `to=`, `analysis`, or who is spoken to. */
export const TEXT_OPENERS = new StopTable(" tau");

/** A first header without its opening token, or with all tokens stripped. */
export function* readTextStart(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const space = (yield* peek(source)) === SPACE ? 1 : 0;
  if (yield* startsWith(source, "to=", space)) {
    const isOwn = turn.wire?.channels === true;
    if ((isOwn && (yield* isHeader(turn))) || (yield* framesBegin(turn, false))) {
      yield* readFrames(turn);
      return true;
    }
  }
  if (turn.offered.length === 0) return false;
  for (const header of ROLE_HEADER_CALL.headers) {
    if (yield* readAnnouncedCall(turn, { ...ROLE_HEADER_CALL, headers: [header.replace(/^assistant/, "")] }))
      return true;
  }
  if (yield* readFirstHead(turn)) return true;
  if (writesRecipients(turn) && (yield* readRecipient(turn, ""))) return true;
  if (turn.options.formats.includes(FRAMED)) {
    if ((yield* startsWith(source, "analysis")) && !isSpace(yield* peek(source, "analysis".length)))
      return yield* readStripped(turn);
  }
  return false;
}

/** Whether the line at the cursor is a header: a mark of its framing is in it, or it was cut before one. */
function* isHeader(turn: Turn): Reading<boolean> {
  for (let ahead = 0; ahead < HEADER_LIMIT; ahead += 1) {
    const code = yield* peek(turn.source, ahead);
    if (code === END) return turn.finish === "cut";
    if (code === NEWLINE) return false;
    if (code === LESS_THAN && (yield* startsWith(turn.source, "<|", ahead))) return true;
  }
  return false;
}

/** `NAME⏎<|content|>` at the start: the marks before the name stood in the prompt. */
function* readFirstHead(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const word = yield* wordAt(source, 0);
  const newline = (yield* peek(source, word.length)) === NEWLINE ? 1 : 0;
  if (word === "" || !(yield* startsWith(source, "<|content|>", word.length + newline))) return false;
  if (!isAnswer(word) && turn.resolve(word) === undefined) return false;
  yield* readSectionBehind(turn, word, familyOfForm("recipient-section"));
  return true;
}

/** The words that a role's message announces its call with, where its heading has been read. */
export function* readRoleHeader(turn: Turn): Reading<boolean> {
  return turn.offered.length > 0 && (yield* readAnnouncedCall(turn, ROLE_HEADER_CALL));
}

/** Characters of a line that may be a header. */
const HEADER_LIMIT = 512;

/** `analysis…assistantcommentary to=functions.NAME json{…}` and `analysis…assistantfinal…`: the header words alone are left. */
function* readStripped(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const start = source.offset;
  const until = start + turn.options.captureChars;
  source.hold();
  source.skip("analysis".length);
  const from = source.offset;
  for (;;) {
    const code = yield* peek(source);
    if (code === END || source.offset >= until) {
      source.rewind(start);
      return false;
    }
    if (code === LOWER_A) {
      const final = yield* startsWith(source, "assistantfinal");
      if (final || (yield* startsWith(source, "assistantcommentary to="))) {
        const reasoning = turn.captured(from, source.offset);
        source.rewind(from);
        turn.sink.drop("analysis", start, "header");
        turn.sink.enter("reasoning");
        source.skip(reasoning.length);
        turn.write(reasoning);
        turn.sink.enter("text");
        if (final) turn.dropMark("assistantfinal".length, "header");
        else if (!(yield* readRecipientLine(turn))) turn.leaveLine();
        return true;
      }
    }
    source.skip(1);
  }
}

/** `assistant to=functions.NAME code {json}` at the start of a line, with whatever stands between the recipient and the object. */
function* readRecipientLine(turn: Turn): Reading<boolean> {
  const { source } = turn;
  if (turn.guard.isRefused) return false;
  let ahead = 0;
  for (const word of HEADER_WORDS) {
    if (yield* startsWith(source, word)) {
      ahead = word.length;
      break;
    }
  }
  if (ahead > 0 && (yield* peek(source, ahead)) === SPACE) ahead += 1;
  if (!(yield* startsWith(source, RECIPIENT, ahead))) return false;
  ahead += RECIPIENT.length;
  const nameFrom = ahead;
  ahead = yield* aheadWhile(source, isNameCode, ahead);
  const name = source.ahead(ahead).slice(nameFrom);
  if (turn.resolve(name) === undefined) return false;
  const capture = new Capture(turn);
  source.skip(ahead);
  let newlines = 0;
  for (let junk = 0; (yield* peek(source)) !== OPEN_BRACE; junk += 1) {
    const code = yield* peek(source);
    if (code === NEWLINE) newlines += 1;
    if (code === END || junk > JUNK_LIMIT || newlines > 1) return capture.giveBack(NO_ARGUMENTS);
    source.skip(1);
  }
  const from = source.offset;
  if ((yield* scanBalanced(source, from + turn.options.captureChars)) !== "balanced")
    return capture.giveBack(NO_ARGUMENTS);
  const json = decodeJson(capture.since(from));
  if (!json) return capture.giveBack(NO_ARGUMENTS);
  const repairs = ["header-junk", ...json.repairs];
  capture.calls([{ name, arguments: { type: "json", value: json }, repairs }], FRAMED);
  return true;
}

const NO_ARGUMENTS = "No JSON object of arguments stands behind the recipient.";
const RECIPIENT = "to=functions.";
const HEADER_WORDS = ["assistantcommentary", "assistant", "analysis", "commentary", "final"];
/** Characters of noise that are forgiven between a recipient and its arguments. */
const JUNK_LIMIT = 256;

/** Reads a line that begins with its words: a recipient, a role, a label with a fence, a module's name. */
type LineOpener = (turn: Turn) => Reading<boolean>;

const OPENERS: readonly (readonly [words: readonly string[], read: LineOpener])[] = [
  [[RECIPIENT, ...HEADER_WORDS], readRecipientLine],
  [ROLE_CALL.headers, (turn) => readAnnouncedCall(turn, ROLE_CALL)],
  [FENCED_ACTION.headers, (turn) => readAnnouncedCall(turn, FENCED_ACTION)],
  [FUNCTOOLS.headers, readModule],
];

/** The openers of lines by their first character. */
export const LINE_OPENERS: ReadonlyMap<number, readonly LineOpener[]> = new Map(
  [...new Set(OPENERS.flatMap(([words]) => words.map((word) => word.charCodeAt(0))))].map((first) => [
    first,
    OPENERS.filter(([words]) => words.some((word) => word.charCodeAt(0) === first)).map(([, read]) => read),
  ]),
);

function* readModule(turn: Turn): Reading<boolean> {
  return turn.shown === 0 && turn.callCount === 0 && (yield* readAnnouncedCall(turn, FUNCTOOLS));
}

/** `✿FUNCTION✿: NAME⏎✿ARGS✿: {json}`, up to `✿RESULT✿` or the end. */
export function* readFlower(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const mayFrame = turn.announced || (turn.lineStart && turn.options.formats.includes(FLOWER_FAMILY));
  for (const mark of mayFrame ? RESULT_SIGNS : []) {
    if (yield* startsWith(source, mark)) {
      turn.dropMark(mark.length);
      return true;
    }
  }
  if (!(yield* startsWith(source, "✿FUNCTION✿")) || !(yield* beginsSigned(source, "✿FUNCTION✿".length))) return false;
  const capture = new Capture(turn);
  source.skip("✿FUNCTION✿".length);
  if ((yield* skipBlanks(source)) === COLON) source.skip(1);
  yield* skipBlanks(source);
  const from = source.offset;
  let code = yield* peek(source);
  while (code !== END && code !== NEWLINE && code !== 0x273f && source.offset - from < 256) {
    source.skip(1);
    code = yield* peek(source);
  }
  const name = turn.captured(from, source.offset).trim();
  yield* skipBlanks(source);
  if (yield* startsWith(source, "✿ARGS✿")) source.skip("✿ARGS✿".length);
  if ((yield* skipBlanks(source)) === COLON) source.skip(1);
  const next = yield* skipBlanks(source);
  const bodyFrom = source.offset;
  const scan =
    next === OPEN_BRACE
      ? yield* scanBalanced(source, capture.until)
      : next === END && turn.finish === "cut"
        ? "cut"
        : "broken";
  const json = scan === "balanced" ? decodeJson(turn.captured(bodyFrom, source.offset)) : undefined;
  const none = (next === END || next === 0x273f) && scan !== "cut" && turn.parameters(name).length === 0;
  if (json ?? none)
    capture.calls(
      [{ name, arguments: { type: "json", value: json ?? emptyObject }, repairs: json?.repairs ?? [] }],
      FLOWER_FAMILY,
    );
  else {
    if (scan === "cut" && turn.finish === "normal" && turn.guard.mayReadAgain()) source.back(bodyFrom);
    yield* seek(source, FLOWERS, capture.until);
    const isCut = source.code() === END && (scan === "cut" || turn.finish === "cut");
    if (isCut) capture.cut(FLOWER_FAMILY);
    else capture.malformed("This tool call has no readable arguments.", FLOWER_FAMILY);
  }
  return true;
}

/** What the model writes in front of a result or of its answer to one. */
const RESULT_SIGNS = ["✿RETURN✿: ", "✿RETURN✿:", "✿RETURN✿", "✿RESULT✿: ", "✿RESULT✿:", "✿RESULT✿"];

const FLOWERS = new StopTable("✿");

function isSpace(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === COLON || code === COMMA || code === DOT || code === END;
}

// Detects calls without a bracketed marker: at the start of the text (the prompt wrote the marker, or a server removed it), at the first
// words of a line, and at the signs of single formats. Their grammars read on.
import { createJsonCall } from "../../decoders/CallCandidate.ts";
import { decodeJson } from "../../decoders/decodeJson.ts";
import { COLON, COMMA, DOT, GREATER_THAN, LESS_THAN, NEWLINE, OPEN_BRACE, SPACE } from "../../scanner/charCodes.ts";
import { findNext, matchesLiteral, measureWhile, peek, skipBlanks } from "../../scanner/combinators.ts";
import { END, type Parser, Source, StopTable } from "../../scanner/Source.ts";
import { scanBalanced } from "../../scanner/scanBalanced.ts";
import { findVisibleEnd, isBlank } from "../../scanner/whitespace.ts";
import { LEAD } from "../../specs/callTags.ts";
import { type AnnouncedRow, findAnnounced, findHead, getFormatForForm } from "../../specs/lookupTables.ts";
import { isNoMark, SIGNS } from "../../specs/markers.ts";
import { Capture } from "../../state/Capture.ts";
import { decodePythonBody } from "../../state/decodeBody.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { compileToolSet } from "../../validation/ToolSet.ts";
import { readLabelledCall } from "../unmarked/callItems.ts";
import { isWordStart, mayBeginCall, readWord } from "../unmarked/callTokens.ts";
import { readWrappedCall } from "../wrapped/wrappedCalls.ts";
import { readOpenedSection } from "./callSections.ts";
import { isAnswer, peekWord, readHeaded } from "./HeadedReader.ts";
import { isFrameNext, readFrames } from "./harmonyMessages.ts";

const ROLE_CALL = findAnnounced("role");
const ROLE_HEADER_CALL = findAnnounced("role-header");
const FENCED_ACTION = findAnnounced("label");
const FUNCTOOLS = findAnnounced("module");
const STRIPPED_FRAME = findHead("framed");
const RECIPIENT = findHead("recipient-line");
const FLOWER = findHead("flower-labels");
const GLUED = getFormatForForm("labelled-braces");

/** White space between the pieces of an announcement. */
const GAP_LIMIT = 256;
/** Characters of a line that may be a header. */
const HEADER_LIMIT = 512;

/** Reads a call that a role's message announces in words, after its heading was read. */
export function* readRoleHeader(state: ParserState): Parser<boolean> {
  return state.callableNames.length > 0 && (yield* readAnnouncedCall(state, ROLE_HEADER_CALL));
}

/** A sign of `✿`: a call's, or one in front of a result. */
export function* readFlower(state: ParserState): Parser<boolean> {
  const mayFrame = state.hasCallMarker || (state.isAtLineStart && state.options.formats.includes(FLOWER.family));
  for (const sign of mayFrame ? RESULT_SIGNS : []) {
    if (!(yield* matchesLiteral(state.source, sign))) continue;
    state.dropMarker(sign.length);
    return true;
  }
  return yield* readHeaded(state, FLOWER);
}

/** Signs that the model writes before a result, or before its answer to one. */
const RESULT_SIGNS = ["✿RETURN✿: ", "✿RETURN✿:", "✿RETURN✿", "✿RESULT✿: ", "✿RESULT✿:", "✿RESULT✿"];

/** Returns true if the model addresses messages with `>>>RECIPIENT` lines, which are prose in the text of other models. */
export function writesRecipients(state: ParserState): boolean {
  return state.callableNames.length > 0 && state.options.formats.includes(RECIPIENT.family);
}

/** `>>>NAME⏎{json}`, `>>>python⏎code` or `>>>all⏎text`. */
export function readRecipient(state: ParserState): Parser<boolean> {
  return readHeaded(state, RECIPIENT);
}

/** Returns true if the model is known to write `call:…` after any character. */
export function writesGluedCalls(state: ParserState): boolean {
  return state.options.formats.includes(GLUED);
}

/** Reads `call:NAMESPACE:NAME{…}` in the middle of a line, in angle brackets or not. The namespace makes it a marker of its own. */
export function* readGluedCall(state: ParserState): Parser<boolean> {
  const { source } = state;
  const hasAngleBracket = (yield* peek(source)) === LESS_THAN;
  if (state.guard.isRefused || !(yield* matchesLiteral(source, "call:", hasAngleBracket ? 1 : 0))) return false;
  const capture = new Capture(state);
  if (hasAngleBracket) source.skip(1);
  const word = yield* readWord(source, 0, true);
  const [, namespace = "", name = ""] = word.split(":");
  const isCall =
    namespace !== "" && state.resolve(name) !== undefined && (yield* peek(source, word.length)) === OPEN_BRACE;
  const read = isCall ? yield* readLabelledCall(state, "call:".length) : undefined;
  if (!read) return capture.rejectAsCall("It cannot be read as a call of an offered tool.");
  if (hasAngleBracket && (yield* peek(source)) === GREATER_THAN) source.skip(1);
  capture.endAsFittedCalls(read.calls);
  return true;
}

/** Start of a header at the start of the text, other than a tool's name: a blank, `to=`, `analysis`, or an addressee. */
export const TEXT_OPENERS = new StopTable(" tau");

/** The start of the text: a first header without its opening token, or with all tokens stripped. */
export function* readTextStart(state: ParserState): Parser<boolean> {
  const { source } = state;
  const space = (yield* peek(source)) === SPACE ? 1 : 0;
  if (yield* matchesLiteral(source, "to=", space)) {
    const isOwn = state.template?.channels === true;
    if ((isOwn && (yield* isHeader(state))) || (yield* isFrameNext(state, false))) {
      yield* readFrames(state);
      return true;
    }
  }
  if (state.callableNames.length === 0) return false;
  const header = ROLE_HEADER_CALL.header.replace(/^assistant/, "");
  if (yield* readAnnouncedCall(state, ROLE_HEADER_CALL, header)) return true;
  if (yield* readFirstHead(state)) return true;
  if (writesRecipients(state) && (yield* readHeaded(state, RECIPIENT, ""))) return true;
  return state.options.formats.includes(STRIPPED_FRAME.family) && (yield* readStrippedFrames(state));
}

/** Returns true if the line at the cursor is a header: it has a marker of the framing, or was cut before one. */
function* isHeader(state: ParserState): Parser<boolean> {
  for (let ahead = 0; ahead < HEADER_LIMIT; ahead += 1) {
    const code = yield* peek(state.source, ahead);
    if (code === END) return state.finish === "cut";
    if (code === NEWLINE) return false;
    if (code === LESS_THAN && (yield* matchesLiteral(state.source, "<|", ahead))) return true;
  }
  return false;
}

/** Reads `NAME⏎<|content|>` at the start: the markers before the name are in the prompt. */
function* readFirstHead(state: ParserState): Parser<boolean> {
  const { source } = state;
  const word = yield* peekWord(source, 0);
  const newline = (yield* peek(source, word.length)) === NEWLINE ? 1 : 0;
  if (word === "" || !(yield* matchesLiteral(source, "<|content|>", word.length + newline))) return false;
  if (!isAnswer(word) && state.resolve(word) === undefined) return false;
  yield* readOpenedSection(state, word, getFormatForForm("recipient-section"));
  return true;
}

const LOWER_A_STOP = new StopTable("a");
const ANALYSIS = "analysis";
const WORD_ENDS = new Set([SPACE, NEWLINE, COLON, COMMA, DOT, END]);

/** Reads `analysis…assistantcommentary to=functions.NAME json{…}` and `analysis…assistantfinal…`: only the header text is left. */
function* readStrippedFrames(state: ParserState): Parser<boolean> {
  const { source } = state;
  if (!(yield* matchesLiteral(source, ANALYSIS)) || WORD_ENDS.has(yield* peek(source, ANALYSIS.length))) return false;
  const start = source.offset;
  const from = start + ANALYSIS.length;
  source.startBuffering();
  source.skip(ANALYSIS.length);
  const next = yield* findNext(source, LOWER_A_STOP, start + state.options.captureChars, function* () {
    if (yield* matchesLiteral(source, "assistantfinal")) return "final";
    return (yield* matchesLiteral(source, "assistantcommentary to=")) && "call";
  });
  const end = source.offset;
  source.rewind(next ? from : start);
  if (!next) return false;
  state.sink.drop(ANALYSIS, start, "header");
  state.sink.enterChannel("reasoning");
  state.writeNext(end - from);
  state.sink.enterChannel("text");
  if (next === "final") state.dropMarker("assistantfinal".length, "header");
  else if (!(yield* readStrippedRecipient(state))) state.leaveLineStart();
  return true;
}

/** Reader of a line by its first words: a recipient, a role, a label with a fence, a module's name. */
type LineOpener = (state: ParserState) => Parser<boolean>;

const OPENERS: readonly (readonly [words: readonly string[], read: LineOpener])[] = [
  [[STRIPPED_FRAME.open, ...(STRIPPED_FRAME.before ?? [])], readStrippedRecipient],
  [[ROLE_CALL.header], (state) => readAnnouncedCall(state, ROLE_CALL)],
  [[FENCED_ACTION.header], (state) => readAnnouncedCall(state, FENCED_ACTION)],
  [[FUNCTOOLS.header], readModule],
];

/** The openers of lines by their first character. */
export const LINE_OPENERS: ReadonlyMap<number, readonly LineOpener[]> = new Map(
  [...new Set(OPENERS.flatMap(([words]) => words.map((word) => word.charCodeAt(0))))].map((first) => [
    first,
    OPENERS.filter(([words]) => words.some((word) => word.charCodeAt(0) === first)).map(([, read]) => read),
  ]),
);

function* readStrippedRecipient(state: ParserState): Parser<boolean> {
  return !state.guard.isRefused && (yield* readHeaded(state, STRIPPED_FRAME));
}

function* readModule(state: ParserState): Parser<boolean> {
  return state.visibleCount === 0 && state.sink.callCount === 0 && (yield* readAnnouncedCall(state, FUNCTOOLS));
}

/** Reads a block without an opening marker, by its first words and the text that must follow them. */
function* readAnnouncedCall(state: ParserState, spec: AnnouncedRow, header = spec.header): Parser<boolean> {
  const { source } = state;
  if (!(yield* matchesLiteral(source, header))) return false;
  let ahead = header.length;
  for (const piece of spec.next) {
    ahead = yield* measureWhile(source, isBlank, ahead, GAP_LIMIT);
    if (!(yield* matchesLiteral(source, piece, ahead))) return false;
    ahead += piece.length;
  }
  yield* readWrappedCall(state, { row: spec, raw: header });
  return true;
}

/** Reads `NAME⏎` and a fence: JSON arguments if a type word is joined to the name, else a Python call of `tool_call`. */
export function* readNameAndFence(state: ParserState): Parser<boolean> {
  const { source } = state;
  const word = yield* peekWord(source, 0);
  if (word === "" || !(yield* matchesLiteral(source, "\n```", word.length))) return false;
  const isTyped = word.startsWith("function") && state.resolve(word) === undefined;
  const name = isTyped ? word.slice("function".length) : word;
  if (state.resolve(name) === undefined) return false;
  const capture = new Capture(state);
  source.skip(word.length + "\n```".length);
  source.skip((yield* peekWord(source, 0)).length);
  yield* skipBlanks(source);
  const from = source.offset;
  if (!isTyped && (yield* matchesLiteral(source, "tool_call("))) source.skip("tool_call".length);
  const scan =
    isTyped === ((yield* peek(source)) === OPEN_BRACE) ? yield* scanBalanced(source, capture.maxOffset) : "broken";
  const body = scan === "balanced" ? capture.getText(from) : "";
  const json = isTyped ? decodeJson(body) : undefined;
  const read = isTyped
    ? json && [createJsonCall(name, json)]
    : decodePythonBody(state, name + body.slice("tool_call".length));
  const calls = read && state.fitAll(read, getFormatForForm(isTyped ? "typed-section" : "name-and-fence"));
  yield* skipBlanks(source);
  if (!calls || !(yield* matchesLiteral(source, "```")))
    return capture.rejectAsCall("What its fence holds is no call of the tool that is named.");
  source.skip(3);
  capture.endAsFittedCalls(calls);
  return true;
}

/** Characters with which a marker may begin. */
export const OPENING_CHARACTERS = `<${SIGNS}${LEAD.charAt(0)}✿`;
export const OPENING_TABLE = new StopTable(OPENING_CHARACTERS);
/** The same, with those of a line and of a call after a label. */
const STOPS = /* @__PURE__ */ new StopTable(`${OPENING_CHARACTERS}\n{`);
/** First characters, other than of words, of a line after which calls in a fence or after a comment may follow. */
const LINE_STARTS = /* @__PURE__ */ new StopTable("`~/");

/** Returns true if a complete text is plain content that its parser would emit unchanged. False if the parser must read it. */
export function isPlainText(text: string, options: ParserState["options"]): boolean {
  const { tools, toolMode, formats, wire, reasoning, reasoningOpened } = options;
  // Formats that a model is known or asked to write have more start characters than the general ones.
  const isKnown = toolMode === "text" || formats.length > 0 || wire !== undefined || reasoning?.marks !== undefined;
  if (isKnown || reasoningOpened || findVisibleEnd(text) === 0 || TEXT_OPENERS.has(text.charCodeAt(0))) return false;
  const offer = options.callsAllowed && tools.length > 0 ? compileToolSet(tools) : undefined;
  const source = new Source(text.length);
  source.append(text);
  source.endText();
  for (let code = NEWLINE; code !== END; code = source.code()) {
    const isLine = code === NEWLINE;
    while (isLine && isBlank(source.code())) source.skip(1);
    if (isLine ? offer && mayBegin({ toolSet: offer, source }) : offer || !isNoMark(source, code)) return false;
    source.readUntilStop(offer ? STOPS : OPENING_TABLE, isLine ? 0 : 1);
  }
  return true;
}

/** Returns true if a call may begin with the first word of the line, or with its first sign. */
function mayBegin(line: Pick<ParserState, "toolSet" | "source">): boolean {
  const first = line.source.code();
  if (!isWordStart(first)) return LINE_STARTS.has(first);
  return LINE_OPENERS.has(first) || mayBeginCall(line, first).next().value !== false;
}

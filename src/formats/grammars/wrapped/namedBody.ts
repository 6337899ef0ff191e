// Classifies a body that begins with a word: a name before pairs or arguments, a Python call, program code, or prose.

import { type CallCandidate, createTextCall } from "../../decoders/CallCandidate.ts";
import { DIGITS, LESS_THAN, LETTERS, NEWLINE, OPEN_BRACE, OPEN_BRACKET, OPEN_ROUND } from "../../scanner/charCodes.ts";
import {
  findNext,
  matchesLiteral,
  measureMatch,
  measureWhile,
  peek,
  seekStop,
  skipBlanks,
} from "../../scanner/combinators.ts";
import { END, type Parser, type Source, StopTable } from "../../scanner/Source.ts";
import { readTagOrCut } from "../../scanner/Tag.ts";
import { isBlank } from "../../scanner/whitespace.ts";
import { CODE_TOOLS } from "../../specs/callTags.ts";
import { PAIR_FAMILIES, TURN_ENDS, type WrapperRow } from "../../specs/lookupTables.ts";
import { mayBeginToken } from "../../specs/markers.ts";
import { decodePythonBody } from "../../state/decodeBody.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { ANY_NAME, getSpelling, isPairTag } from "../elements/callMarkers.ts";
import { getCallee, readWord } from "../unmarked/callTokens.ts";

/** Characters of a bare name; longer is prose. */
const NAME_LIMIT = 160;
const NAME_STOPS = new StopTable("<{([\n`");
const WORD = new StopTable(`${LETTERS}${DIGITS}_`);
/** Characters in which a built-in tool's `NAME.call(` is looked for. */
const BUILTIN_LIMIT = 160;
const MARKS = new StopTable("<");

/** Meaning of the word at the start of a body. */
export type NamedBody =
  /** A Python call that begins at `from`; the cursor stands at its bracket. */
  | { readonly type: "python"; readonly from: number }
  /** A name; the cursor stands at the object of its arguments. */
  | { readonly type: "arguments"; readonly name: string }
  /** A name; the cursor stands at its first pair. `separated`: a marker ends the name. */
  | { readonly type: "pairs"; readonly name: string; readonly isSeparated: boolean; readonly isOnLine: boolean }
  /** A name alone; the closer has been read. */
  | { readonly type: "empty"; readonly name: string; readonly isOnLine: boolean }
  /** A type word without a meaning. */
  | { readonly type: "filler" }
  | { readonly type: "cut" }
  | { readonly type: "prose" };

/** A word that was read, and the text after it. */
interface Head {
  readonly name: string;
  readonly isKnown: boolean;
  /** True if a line's end follows the name. */
  readonly isOnLine: boolean;
}

/** Reads `NAME` in front of pairs, arguments or nothing, `f(a=1)`, or prose, which is no call. */
export function* readNamedBody(state: ParserState, spec: WrapperRow): Parser<NamedBody> {
  const { source } = state;
  const from = source.offset;
  const maxOffset = from + NAME_LIMIT;
  const code = yield* seekStop(source, NAME_STOPS, maxOffset);
  const text = source.getBuffered(from).trim().replace(/\\n$/, "");
  const name = /(?:^|\s)to=(\S+)/.exec(text)?.[1] ?? text;
  if (code === OPEN_ROUND) {
    const callee = name.split(/[\s=]/).at(-1) ?? "";
    return state.resolve(callee) === undefined && name !== "print" ? { type: "prose" } : { type: "python", from };
  }
  if (name === "function" && code === NEWLINE) return { type: "filler" };
  const isKnown = state.resolve(name) !== undefined;
  if (code === END && source.offset < maxOffset) return { type: isKnown || isCutName(state, name) ? "cut" : "prose" };
  if (code === OPEN_BRACKET) {
    const label = yield* readLabels(source);
    if (label === "cut") return { type: "cut" };
    if (label === "arguments") return { type: "arguments", name };
  }
  return yield* readAfterName(state, spec, { name, isKnown, isOnLine: code === NEWLINE });
}

/** Returns true if a Python call of an offered tool begins at the cursor. */
export function* isPythonNext(state: ParserState): Parser<boolean> {
  const word = yield* readWord(state.source, 0);
  return (yield* peek(state.source, word.length)) === OPEN_ROUND && state.resolve(getCallee(word)) !== undefined;
}

/** Classifies the text after a name, without blanks. */
function* readAfterName(state: ParserState, spec: WrapperRow, { name, isKnown, isOnLine }: Head): Parser<NamedBody> {
  const { source } = state;
  const next = yield* skipBlanks(source);
  if (next === OPEN_BRACE && (isKnown || isIdentifier(name))) return { type: "arguments", name };
  if (next === LESS_THAN && (isKnown || (isIdentifier(name) && !spec.word))) {
    const tag = yield* readTagOrCut(source, ANY_NAME);
    if (tag === "cut") {
      state.skipToEnd();
      return { type: "cut" };
    }
    if (tag && isPairTag(tag)) return { type: "pairs", name, isSeparated: tag.name === "tool_sep", isOnLine };
    if (tag && spec.close.includes(getSpelling(tag)) && (isKnown || writesPairs(state, spec))) {
      source.skip(tag.raw.length);
      return { type: "empty", name, isOnLine };
    }
  }
  if (next === END && isKnown) return { type: "cut" };
  return { type: "prose" };
}

/** `[CALL_ID]…` and `[ARGS]` between a name and its arguments. */
function* readLabels(source: Source): Parser<"arguments" | "cut" | "none"> {
  if (yield* matchesLiteral(source, "[CALL_ID]")) {
    source.skip(yield* measureWhile(source, isWordCode, "[CALL_ID]".length));
  }
  const label = "[ARGS]";
  const matchedLength = yield* measureMatch(source, label);
  if (source.code(matchedLength) === END) {
    source.skip(matchedLength);
    return "cut";
  }
  if (matchedLength < label.length) return "none";
  source.skip(matchedLength);
  const code = yield* skipBlanks(source);
  return code === OPEN_BRACE ? "arguments" : code === END ? "cut" : "none";
}

/** Returns true if the bracket at the cursor opens nothing: another one follows it, or a name with arguments. */
export function* isStrayBracket(source: Source): Parser<boolean> {
  const from = yield* measureWhile(source, isBlank, 1, NAME_LIMIT - 1);
  if ((yield* peek(source, from)) === OPEN_BRACKET) return true;
  const to = yield* measureWhile(source, isWordCode, from, NAME_LIMIT - from);
  const nextCode = yield* peek(source, to);
  return to > from && (nextCode === OPEN_BRACKET || nextCode === OPEN_BRACE);
}

export function isWordCode(code: number): boolean {
  return WORD.has(code);
}

/** Returns true if the model calls tools without arguments by their name alone. From other models, a single word between the markers is text. */
function writesPairs(state: ParserState, { families }: WrapperRow): boolean {
  return families.has("pairs") && state.options.formats.some((format) => PAIR_FAMILIES.has(format));
}

/** Returns true if the text was cut inside a possible name of an offered tool. */
function isCutName({ finish, callableNames }: ParserState, name: string): boolean {
  return (
    finish === "cut" &&
    isIdentifier(name) &&
    callableNames.some((one) => one.startsWith(name.replace(/^functions\./, "")))
  );
}

function isIdentifier(text: string): boolean {
  return text.length > 0 && text.length <= 128 && !/[^\w.:/-]/.test(text);
}

/** Reads code up to and including the block's closer, or up to the end of the turn. Returns its calls, or the reason why it has none. */
export function* readProgram(
  state: ParserState,
  spec: WrapperRow,
): Parser<readonly CallCandidate[] | "cut" | "overlong"> {
  const { source } = state;
  const from = source.offset;
  const maxOffset = source.bufferStart + state.options.captureChars;
  const end = yield* findNext(source, MARKS, maxOffset, function* () {
    const tag = yield* readTagOrCut(source, ANY_NAME);
    if (tag === "cut") return mayBeginToken(source.getRest()) && tag;
    return tag && (TURN_ENDS.has(getSpelling(tag)) || spec.close.includes(getSpelling(tag))) && tag;
  });
  if (source.offset >= maxOffset) return "overlong";
  const body = source.getBuffered(from);
  const closer = end === "cut" || (end && TURN_ENDS.has(getSpelling(end))) ? undefined : end;
  if (end === "cut") state.skipToEnd();
  else if (closer) source.skip(closer.raw.length);
  const isCut = source.code() === END && !closer && state.finish === "cut";
  return isCut ? "cut" : decodeCalls(state, body);
}

function decodeCalls(state: ParserState, body: string): readonly CallCandidate[] {
  const builtinName = /^\s*([\w.]{1,128})\.call\(/.exec(body.slice(0, BUILTIN_LIMIT))?.[1];
  const plainBody = builtinName === undefined ? body : body.replace(".call(", "(");
  const calls = decodePythonBody(state, plainBody.trim());
  if (calls?.every((one) => state.resolve(one.name) !== undefined)) return calls;
  const name = builtinName ?? CODE_TOOLS.find((tool) => state.callableNames.includes(tool)) ?? "python";
  return [createTextCall(name, stripFence(body))];
}

/** Code without the fence around it. */
function stripFence(body: string): string {
  const text = body.trim();
  if (!text.startsWith("```") || !text.endsWith("```")) return body;
  const line = text.indexOf("\n");
  return line < 0 ? body : text.slice(line + 1, -3).trimEnd();
}

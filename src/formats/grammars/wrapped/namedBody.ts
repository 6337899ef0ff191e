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
  | { readonly type: "pairs"; readonly name: string; readonly separated: boolean; readonly onLine: boolean }
  /** A name alone; the closer has been read. */
  | { readonly type: "empty"; readonly name: string; readonly onLine: boolean }
  /** A type word without a meaning. */
  | { readonly type: "filler" }
  | { readonly type: "cut" }
  | { readonly type: "prose" };

/** A word that was read, and the text after it. */
interface Head {
  readonly name: string;
  readonly known: boolean;
  /** True if a line's end follows the name. */
  readonly onLine: boolean;
}

/** Reads `NAME` in front of pairs, arguments or nothing, `f(a=1)`, or prose, which is no call. */
export function* readNamedBody(turn: ParserState, row: WrapperRow): Parser<NamedBody> {
  const { source } = turn;
  const from = source.offset;
  const until = from + NAME_LIMIT;
  const code = yield* seekStop(source, NAME_STOPS, until);
  const text = source.held(from).trim().replace(/\\n$/, "");
  const name = /(?:^|\s)to=(\S+)/.exec(text)?.[1] ?? text;
  if (code === OPEN_ROUND) {
    const callee = name.split(/[\s=]/).at(-1) ?? "";
    return turn.resolve(callee) === undefined && name !== "print" ? { type: "prose" } : { type: "python", from };
  }
  if (name === "function" && code === NEWLINE) return { type: "filler" };
  const known = turn.resolve(name) !== undefined;
  if (code === END && source.offset < until) return { type: known || isCutName(turn, name) ? "cut" : "prose" };
  if (code === OPEN_BRACKET) {
    const label = yield* readLabels(source);
    if (label === "cut") return { type: "cut" };
    if (label === "arguments") return { type: "arguments", name };
  }
  return yield* behindName(turn, row, { name, known, onLine: code === NEWLINE });
}

/** Returns true if a Python call of an offered tool begins at the cursor. */
export function* isPythonNext(turn: ParserState): Parser<boolean> {
  const word = yield* readWord(turn.source, 0);
  return (yield* peek(turn.source, word.length)) === OPEN_ROUND && turn.resolve(getCallee(word)) !== undefined;
}

/** Classifies the text after a name, without blanks. */
function* behindName(turn: ParserState, row: WrapperRow, { name, known, onLine }: Head): Parser<NamedBody> {
  const { source } = turn;
  const next = yield* skipBlanks(source);
  if (next === OPEN_BRACE && (known || isIdentifier(name))) return { type: "arguments", name };
  if (next === LESS_THAN && (known || (isIdentifier(name) && !row.word))) {
    const tag = yield* readTagOrCut(source, ANY_NAME);
    if (tag === "cut") {
      turn.skipToEnd();
      return { type: "cut" };
    }
    if (tag && isPairTag(tag)) return { type: "pairs", name, separated: tag.name === "tool_sep", onLine };
    if (tag && row.close.includes(getSpelling(tag)) && (known || writesPairs(turn, row))) {
      source.skip(tag.raw.length);
      return { type: "empty", name, onLine };
    }
  }
  if (next === END && known) return { type: "cut" };
  return { type: "prose" };
}

/** `[CALL_ID]…` and `[ARGS]` between a name and its arguments. */
function* readLabels(source: Source): Parser<"arguments" | "cut" | "none"> {
  if (yield* matchesLiteral(source, "[CALL_ID]")) {
    source.skip(yield* measureWhile(source, isWordCode, "[CALL_ID]".length));
  }
  const label = "[ARGS]";
  const seen = yield* measureMatch(source, label);
  if (source.code(seen) === END) {
    source.skip(seen);
    return "cut";
  }
  if (seen < label.length) return "none";
  source.skip(seen);
  const code = yield* skipBlanks(source);
  return code === OPEN_BRACE ? "arguments" : code === END ? "cut" : "none";
}

/** Returns true if the bracket at the cursor opens nothing: another one follows it, or a name with arguments. */
export function* isStrayBracket(source: Source): Parser<boolean> {
  const from = yield* measureWhile(source, isBlank, 1, NAME_LIMIT - 1);
  if ((yield* peek(source, from)) === OPEN_BRACKET) return true;
  const to = yield* measureWhile(source, isWordCode, from, NAME_LIMIT - from);
  const behind = yield* peek(source, to);
  return to > from && (behind === OPEN_BRACKET || behind === OPEN_BRACE);
}

export function isWordCode(code: number): boolean {
  return WORD.has(code);
}

/** Returns true if the model calls tools without arguments by their name alone. From other models, a single word between the markers is text. */
function writesPairs(turn: ParserState, { families }: WrapperRow): boolean {
  return families.has("pairs") && turn.options.formats.some((format) => PAIR_FAMILIES.has(format));
}

/** Returns true if the text was cut inside a possible name of an offered tool. */
function isCutName({ finish, offered }: ParserState, name: string): boolean {
  return (
    finish === "cut" && isIdentifier(name) && offered.some((one) => one.startsWith(name.replace(/^functions\./, "")))
  );
}

function isIdentifier(text: string): boolean {
  return text.length > 0 && text.length <= 128 && !/[^\w.:/-]/.test(text);
}

/** Reads code up to and including the block's closer, or up to the end of the turn. Returns its calls, or the reason why it has none. */
export function* readProgram(
  turn: ParserState,
  row: WrapperRow,
): Parser<readonly CallCandidate[] | "cut" | "overlong"> {
  const { source } = turn;
  const from = source.offset;
  const until = source.heldFrom + turn.options.captureChars;
  const end = yield* findNext(source, MARKS, until, function* () {
    const tag = yield* readTagOrCut(source, ANY_NAME);
    if (tag === "cut") return mayBeginToken(source.rest()) && tag;
    return tag && (TURN_ENDS.has(getSpelling(tag)) || row.close.includes(getSpelling(tag))) && tag;
  });
  if (source.offset >= until) return "overlong";
  const body = source.held(from);
  const closer = end === "cut" || (end && TURN_ENDS.has(getSpelling(end))) ? undefined : end;
  if (end === "cut") turn.skipToEnd();
  else if (closer) source.skip(closer.raw.length);
  const isCut = source.code() === END && !closer && turn.finish === "cut";
  return isCut ? "cut" : decodeCalls(turn, body);
}

function decodeCalls(turn: ParserState, body: string): readonly CallCandidate[] {
  const builtin = /^\s*([\w.]{1,128})\.call\(/.exec(body.slice(0, BUILTIN_LIMIT))?.[1];
  const plain = builtin === undefined ? body : body.replace(".call(", "(");
  const calls = decodePythonBody(turn, plain.trim());
  if (calls?.every((one) => turn.resolve(one.name) !== undefined)) return calls;
  const name = builtin ?? CODE_TOOLS.find((tool) => turn.offered.includes(tool)) ?? "python";
  return [createTextCall(name, withoutFence(body))];
}

/** Code without the fence around it. */
function withoutFence(body: string): string {
  const text = body.trim();
  if (!text.startsWith("```") || !text.endsWith("```")) return body;
  const line = text.indexOf("\n");
  return line < 0 ? body : text.slice(line + 1, -3).trimEnd();
}

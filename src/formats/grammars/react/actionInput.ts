// Reads the input of an action: finds its end and converts it to arguments (JSON, elements, pairs, or text).

import {
  type Argument,
  type CallCandidate,
  createJsonCall,
  createTextCall,
  listCall,
} from "../../decoders/CallCandidate.ts";
import { decodeJson } from "../../decoders/decodeJson.ts";
import { decodeElements } from "../../decoders/decodeXml.ts";
import { LETTERS, NEWLINE } from "../../scanner/charCodes.ts";
import { matchesLiteral, measureWhile, peek, seekStop, skipBlanks } from "../../scanner/combinators.ts";
import { END, type Parser, type Source, StopTable } from "../../scanner/Source.ts";
import { scanBalanced } from "../../scanner/scanBalanced.ts";
import { unquote } from "../../scanner/Tag.ts";
import { isBlank } from "../../scanner/whitespace.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { readLabelAfterBlanks } from "./labels.ts";

/** An empty input. */
const NO_INPUT = /^(?:none|null|n\/a|\{\}|"")?$/i;
const FENCE = "```";
const LINE_LIMIT = 2048;
/** Bold or code markers before brackets, and their closers or a surplus bracket after them. */
const DECORATION_CHARACTERS = new StopTable("*`");
const DECORATION_LIMIT = 5;
const LEFTOVERS = new StopTable("*` ]}");
const OPENERS = new StopTable("{[");
const LINE = new StopTable("\n");
const WORDS = new StopTable(LETTERS);

/** Moves past an input label on one of the next lines. Returns false, without a move, if other text stands there. */
export function* skipInputLabel({ source }: ParserState): Parser<boolean> {
  const start = source.offset;
  const marker = yield* readLabelAfterBlanks(source);
  if (marker?.label === "input") source.skip(marker.length);
  else source.moveBack(start);
  return marker?.label === "input";
}

/** Moves over the input label of an action without a call, and over an empty input. */
export function* skipNoInput(state: ParserState): Parser<void> {
  if (!(yield* skipInputLabel(state))) return;
  const from = state.source.offset;
  const line = yield* readLine(state.source);
  if (!NO_INPUT.test(line.trim())) state.source.moveBack(from);
}

/** Returns the input at the cursor and moves to its end, within the line; undefined if its brackets do not close, or it exceeds a capture. */
export function* readInput(state: ParserState): Parser<string | undefined> {
  const { source } = state;
  const maxOffset = source.bufferStart + state.options.captureChars;
  yield* skipBlanks(source);
  const from = source.offset;
  yield* skipFenceStart(source);
  const decorationLength = yield* measureWhile(source, (code) => DECORATION_CHARACTERS.has(code), 0, DECORATION_LIMIT);
  if (OPENERS.has(yield* peek(source, decorationLength))) {
    source.skip(decorationLength);
    const bodyStart = source.offset;
    const scan = yield* scanBalanced(source, maxOffset);
    if (scan === "cut" || scan === "refused") return undefined;
    if (scan === "balanced") {
      const text = source.getBuffered(bodyStart);
      source.skip(yield* measureWhile(source, (code) => LEFTOVERS.has(code)));
      yield* skipFenceEnd(source);
      return text;
    }
  }
  for (;;) {
    const code = yield* seekStop(source, LINE, maxOffset);
    if (source.offset >= maxOffset) return undefined;
    const to = source.offset;
    const marker = code === END ? undefined : yield* readLabelAfterBlanks(source);
    if (code !== END && (!marker || marker.label === "question")) continue;
    const text = source.getBuffered(from, to);
    source.moveBack(to);
    return text;
  }
}

/** Returns the JSON in brackets at the cursor and moves past it and its fence; undefined if brackets do not close, or none stand there. */
export function* readBrackets(state: ParserState): Parser<string | undefined> {
  const { source } = state;
  const from = source.offset;
  if (!OPENERS.has(yield* peek(source))) return undefined;
  if ((yield* scanBalanced(source, source.bufferStart + state.options.captureChars)) !== "balanced") return undefined;
  const text = source.getBuffered(from);
  yield* skipFenceEnd(source);
  return text;
}

/** The rest of the line, which the cursor moves over. */
export function* readLine(source: Source): Parser<string> {
  const length = yield* measureWhile(source, (code) => code !== END && code !== NEWLINE, 0, LINE_LIMIT);
  const line = source.peekText(length);
  source.skip(length);
  return line;
}

/** Moves past an opening fence, its language and the blanks after it, if one stands here. */
export function* skipFenceStart(source: Source): Parser<void> {
  if (!(yield* matchesLiteral(source, FENCE))) return;
  source.skip(yield* measureWhile(source, (code) => WORDS.has(code), FENCE.length));
  yield* skipBlanks(source);
}

/** Moves over a closing fence on one of the next lines. */
function* skipFenceEnd(source: Source): Parser<void> {
  const ahead = yield* measureWhile(source, isBlank);
  if (yield* matchesLiteral(source, FENCE, ahead)) source.skip(ahead + FENCE.length);
}

/**
 * Returns the candidate for the tool `name` with the parameters `known`. Text that is neither JSON nor pairs is the value of the
 * only fitting parameter.
 */
export function decodeInput(name: string, input: string, parameterNames: readonly string[]): CallCandidate {
  const text = stripEmphasis(stripFence(input.trim()));
  if (NO_INPUT.test(text)) return listCall(name, []);
  const json = /^[{[]/.test(text) ? decodeJson(text) : undefined;
  if (json) return createJsonCall(name, json);
  const list = readElements(text, parameterNames) ?? readPairs(text, parameterNames);
  return list ? listCall(name, list) : createTextCall(name, unquote(text));
}

/** Reads `<port>Brest</port>…` if every element is a parameter. */
function readElements(text: string, parameterNames: readonly string[]): readonly Argument[] | undefined {
  const members = text.startsWith("<") ? decodeElements(text) : undefined;
  if (!members || members.length === 0 || !members.every(([key]) => parameterNames.includes(key))) return undefined;
  return members.map(([key, json]) =>
    json.startsWith('"') ? { key, value: String(JSON.parse(json)), form: "raw" } : { key, value: json, form: "json" },
  );
}

/** Reads `port=Brest, day=3` or one pair a line, if every key is a parameter. */
function readPairs(text: string, parameterNames: readonly string[]): readonly Argument[] | undefined {
  const pieces = text.includes("\n") ? text.split("\n") : splitPairs(text, parameterNames);
  const pairs: Argument[] = [];
  for (const piece of pieces.map((one) => one.trim()).filter((one) => one !== "")) {
    const [, writtenKey = "", value = ""] = /^(?:[-*] )?([^=:：]*?)\s*[=:：]\s*(.*)$/s.exec(piece) ?? [];
    const key = unquote(writtenKey);
    if (!parameterNames.includes(key)) return undefined;
    pairs.push({ key, value: unquote(value), form: "raw" });
  }
  return pairs.length > 0 ? pairs : undefined;
}

/** Splits at commas that a known key follows. */
function splitPairs(text: string, parameterNames: readonly string[]): readonly string[] {
  const pieces: string[] = [];
  for (const part of text.split(",")) {
    const [key = ""] = part.split(/[=:：]/, 1);
    pieces.push(pieces.length === 0 || parameterNames.includes(key.trim()) ? part : `${pieces.pop()},${part}`);
  }
  return pieces;
}

/** Removes markers around the complete input, `**words**` or `` `words` ``, and the end of a bold label. */
function stripEmphasis(text: string): string {
  for (const marker of ["**", "`"]) {
    const isWrapped = text.startsWith(marker) && text.endsWith(marker) && text.length > 2 * marker.length;
    if (isWrapped && text.split(marker).length === 3)
      return stripEmphasis(text.slice(marker.length, -marker.length).trim());
  }
  return text.endsWith("**") && text.split("**").length === 2 ? text.slice(0, -2).trim() : text;
}

function stripFence(text: string): string {
  if (!text.startsWith(FENCE)) return text;
  const body = text.slice(FENCE.length).replace(/^[a-zA-Z]*\s*/, "");
  return body.endsWith(FENCE) ? body.slice(0, -FENCE.length).trim() : body;
}

// Calls in a fence or in inline code: its body is calls and nothing else, else it is a quotation. Knows no position.

import { decodeYaml } from "../../bodies/decodeYaml.ts";
import { familyOfForm } from "../../families/tables.ts";
import { BACKTICK, COLON, NEWLINE, OPEN_BRACE, OPEN_BRACKET, SPACE } from "../../text/codes.ts";
import { END, type Reading, type Source, StopTable } from "../../text/Source.ts";
import { aheadWhile, peek, seek, startsWith } from "../../text/waiting.ts";
import type { FittedCall } from "../../turn/TextSink.ts";
import type { Turn } from "../../turn/Turn.ts";
import { isTrusted } from "./answerPosition.ts";
import { readBracketed } from "./bracketedCalls.ts";
import { callee, isLineEnd, isWordStart, readWord } from "./callWords.ts";
import { fitShape, type ShapeRead } from "./fitShape.ts";
import { skipJoints } from "./joints.ts";
import { readNamed } from "./namedCalls.ts";

/** Characters of the words behind an opening fence. */
const INFO_LIMIT = 40;

/** Fence languages whose body may be calls: those that announce one, and those of code and data. */
const LANGUAGES = new Set([
  "tool_call",
  "tool_calls",
  "tool_code",
  "tool",
  "function_call",
  "tool_use",
  "",
  "json",
  "python",
  "py",
  "xml",
  "yaml",
  "yml",
  "javascript",
  "js",
  "plaintext",
  "text",
  "jsonc",
  "json5",
]);

interface Fence {
  /** The character it is made of, and how many of them opened it. */
  readonly mark: number;
  readonly width: number;
}

/** Characters of a fence's mark, and of the blanks before the closing one, that are looked at ahead of the cursor. */
export const WIDEST_FENCE = 256;

/** How often a fence's mark stands `ahead` of the cursor; `WIDEST_FENCE` where it does so as often or more. */
export function* fenceWidth(source: Source, mark: number, ahead = 0): Reading<number> {
  return (yield* aheadWhile(source, (code) => code === mark, ahead, WIDEST_FENCE)) - ahead;
}

/** Reads the fence or the inline code at the cursor, whose mark is `mark`; undefined where it is a quotation. */
export function* readFence(turn: Turn, mark: number): Reading<ShapeRead | undefined> {
  const { source } = turn;
  const width = yield* fenceWidth(source, mark);
  if (width === WIDEST_FENCE) return undefined;
  source.skip(width);
  if (width < 3) return width === 1 && mark === BACKTICK ? yield* readInlineCode(turn) : undefined;
  const language = yield* readLanguage(turn);
  if (!LANGUAGES.has(language)) return undefined;
  const fence = { mark, width };
  const yaml = language === "yaml" || language === "yml";
  return yaml ? yield* readYaml(turn, fence) : yield* readBody(turn, fence);
}

/** The word behind an opening fence, in lower case; none where a call stands there. */
function* readLanguage(turn: Turn): Reading<string> {
  const { source } = turn;
  const from = source.offset;
  let code = yield* peek(source);
  while (
    code !== END &&
    code !== NEWLINE &&
    code !== OPEN_BRACE &&
    code !== OPEN_BRACKET &&
    source.offset - from < INFO_LIMIT
  ) {
    source.skip(1);
    code = yield* peek(source);
  }
  const language = turn.captured(from, source.offset).trim().toLowerCase();
  if (turn.resolve(callee(language.split("(")[0] ?? "")) === undefined) return language;
  source.back(from);
  return "";
}

/** The calls up to the closing fence, or to the end of a text that was not cut. */
function* readBody(turn: Turn, fence: Fence): Reading<ShapeRead | undefined> {
  const { source } = turn;
  const calls: FittedCall[] = [];
  let assigned = "";
  for (;;) {
    const code = yield* skipJoints(source);
    const printed = `print(${assigned})`;
    if (assigned !== "" && (yield* startsWith(source, printed))) {
      source.skip(printed.length);
      continue;
    }
    const closed = code === END ? turn.finish === "normal" : code === fence.mark && (yield* fenceCloses(turn, fence));
    if (closed) return calls.length > 0 ? { calls, shape: "fence" } : undefined;
    if (code !== OPEN_BRACE && code !== OPEN_BRACKET && !isWordStart(code)) return undefined;
    const from = source.offset;
    const word = yield* readWord(source, 0);
    if (calls.length === 0 && word === "name" && (yield* peek(source, word.length)) === COLON)
      return yield* readYaml(turn, fence);
    const read = code === OPEN_BRACE || code === OPEN_BRACKET ? yield* readBracketed(turn) : yield* readNamed(turn);
    if (!read) return undefined;
    if (turn.captured(from, source.offset).startsWith(`${word} = `)) assigned = word;
    calls.push(...read.calls);
  }
}

/** A line that is nothing but calls in inline code, for models that were asked for the bare call. */
function* readInlineCode(turn: Turn): Reading<ShapeRead | undefined> {
  const { source } = turn;
  const code = yield* peek(source);
  const read = code === OPEN_BRACKET || code === OPEN_BRACE ? yield* readBracketed(turn) : yield* readNamed(turn, true);
  if (!read || !isTrusted(turn, read.shape) || (yield* peek(source)) !== BACKTICK) return undefined;
  source.skip(1);
  const behind = yield* peek(source);
  return isLineEnd(behind) || behind === SPACE ? read : undefined;
}

function* readYaml(turn: Turn, fence: Fence): Reading<ShapeRead | undefined> {
  const { source } = turn;
  const from = source.offset;
  const until = from + turn.options.captureChars;
  const stops = new StopTable(String.fromCharCode(fence.mark));
  for (;;) {
    if ((yield* seek(source, stops, until)) === END) return undefined;
    const to = source.offset;
    if (yield* fenceCloses(turn, fence)) {
      const candidate = decodeYaml(turn.captured(from, to));
      return fitShape(turn, "fence", candidate && [candidate], familyOfForm("yaml"));
    }
    source.skip(1);
  }
}

/** Moves over a closing fence, if it stands here. */
function* fenceCloses(turn: Turn, { mark, width }: Fence): Reading<boolean> {
  for (let i = 0; i < width; i += 1) {
    if ((yield* peek(turn.source, i)) !== mark) return false;
  }
  turn.source.skip(width);
  while ((yield* peek(turn.source)) === mark) turn.source.skip(1);
  return true;
}

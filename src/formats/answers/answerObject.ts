// A whole message that is an answer in a call's clothes (`{"action": "Final Answer", …}`, `final_answer("…")`): its words are the content. Reads no call.

import { readAnswerObject } from "../bodies/callObjects.ts";
import { decodeJson } from "../bodies/decodeJson.ts";
import { decodePython } from "../bodies/decodePython.ts";
import { ANSWER_FUNCTION } from "../families/finalAnswer.ts";
import { DRESSED_ANSWERS, IN_RESPONSE } from "../families/tables.ts";
import { BACKTICK, LESS_THAN, OPEN_BRACE, OPEN_BRACKET } from "../text/codes.ts";
import { END, type Reading, type Source } from "../text/Source.ts";
import { scanBalanced } from "../text/scanBalanced.ts";
import { peek, skipBlanks, startsWith } from "../text/waiting.ts";
import { isBlank } from "../text/whiteSpace.ts";
import type { Capture } from "../turn/Capture.ts";
import type { ParserOptions } from "../turn/ParserEvent.ts";
import type { Turn } from "../turn/Turn.ts";

/** Keys that such an object begins with. */
const FIRST_KEYS = ["response", "action", "tool", "tool_name", "name", "function"];
const BLANKS_LIMIT = 256;

/** Fences around an answer that is a Python call. */
const CODE_FENCES = ["```py\n", "```python\n"];

/**
 * Reads an answer object or an answering call at the cursor, in a fence or not, which must be the whole message: true where its words
 * were written. The capture begins at the cursor; where false is returned, the cursor is somewhere behind it.
 */
export function* readAnswerMessage(turn: Turn, capture: Capture): Reading<boolean> {
  const { source } = turn;
  const { toolMode, formats } = turn.options;
  if (toolMode !== "text" && !formats.some((format) => DRESSED_ANSWERS.includes(format))) return false;
  if (turn.shown > 0 || turn.callCount > 0) return false;
  const start = source.offset;
  const inCode = yield* skipFence(source, CODE_FENCES);
  if (yield* startsWith(source, `${ANSWER_FUNCTION.name}(`)) return yield* readAnswerCall(turn, capture, inCode);
  source.back(start);
  const fenced = yield* skipFence(source, ["```json\n"]);
  const first = yield* skipBlanks(source);
  if ((first !== OPEN_BRACE && first !== OPEN_BRACKET) || !(yield* mayAnswer(turn))) return false;
  const body = yield* readWhole(turn, fenced);
  const json = body === undefined ? undefined : decodeJson(body);
  const answer = json && readAnswerObject(json);
  if (answer === undefined) return false;
  capture.answer(answer);
  return true;
}

/** `final_answer("…")`: the one literal in its brackets is the answer. */
function* readAnswerCall(turn: Turn, capture: Capture, fenced: boolean): Reading<boolean> {
  const { name, parameter } = ANSWER_FUNCTION;
  if (turn.resolve(name) !== undefined) return false;
  turn.source.skip(name.length);
  const body = yield* readWhole(turn, fenced);
  const calls = decodePython(name + (body ?? ""), {
    offered: [name],
    knownParameters: () => [parameter],
  });
  const given = calls?.[0]?.arguments;
  const [only, ...more] = given?.type === "list" ? given.list : [];
  if (!only || more.length > 0 || (only.key ?? parameter) !== parameter) return false;
  capture.answer(only.form === "json" && only.value.startsWith('"') ? String(JSON.parse(only.value)) : only.value);
  return true;
}

function* skipFence(source: Source, openers: readonly string[]): Reading<boolean> {
  for (const opener of openers) {
    if (yield* startsWith(source, opener)) {
      source.skip(opener.length);
      return true;
    }
  }
  return false;
}

/** The brackets at the cursor, if the message ends behind them and their fence; undefined where it does not. */
function* readWhole(turn: Turn, fenced: boolean): Reading<string | undefined> {
  const { source } = turn;
  const from = source.offset;
  if ((yield* scanBalanced(source, from + turn.options.captureChars)) !== "balanced") return undefined;
  const body = turn.captured(from, source.offset);
  if (fenced && (yield* skipBlanks(source)) === BACKTICK && (yield* startsWith(source, "```"))) source.skip(3);
  const code = yield* skipBlanks(source);
  if (code === LESS_THAN && (yield* startsWith(source, ANSWER_FUNCTION.end))) source.skip(ANSWER_FUNCTION.end.length);
  return (yield* skipBlanks(source)) === END && turn.finish === "normal" ? body : undefined;
}

/** Whether the first key of the object at the cursor is one of an answer's, so that other JSON is not held back. */
function* mayAnswer(turn: Turn): Reading<boolean> {
  const { source, options } = turn;
  let ahead = 0;
  for (let code = yield* peek(source); ahead < BLANKS_LIMIT; code = yield* peek(source, ahead)) {
    if (code !== OPEN_BRACE && code !== OPEN_BRACKET && !isBlank(code)) break;
    ahead += 1;
  }
  for (const key of FIRST_KEYS) {
    if (mayBegin(key, options) && (yield* startsWith(source, `"${key}"`, ahead))) return true;
  }
  return false;
}

function mayBegin(key: string, { toolMode, formats }: ParserOptions): boolean {
  return key !== "response" || toolMode === "text" || formats.some((format) => IN_RESPONSE.has(format));
}

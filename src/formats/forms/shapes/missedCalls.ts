// A whole answer in the form that was asked for, which is no call: of a tool that nobody offers, or arguments without a name. It is
// reported, so that the model can be asked again. Reads no call that could leave.

import type { CallCandidate } from "../../bodies/CallCandidate.ts";
import { readCallObjects } from "../../bodies/callObjects.ts";
import { decodeJson } from "../../bodies/decodeJson.ts";
import { decodePython } from "../../bodies/decodePython.ts";
import { MARKED_JSON } from "../../families/tables.ts";
import { namelessWords, toolOfBareArguments } from "../../fitting/fitCall.ts";
import { APOSTROPHE, BACKTICK, OPEN_BRACE, OPEN_BRACKET, OPEN_ROUND, QUOTE } from "../../text/codes.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { peek, seek, skipBlanks, startsWith } from "../../text/waiting.ts";
import { isBlank } from "../../text/whiteSpace.ts";
import type { Capture } from "../../turn/Capture.ts";
import type { Turn } from "../../turn/Turn.ts";
import { isTrusted } from "./answerPosition.ts";
import { CALL_KEYS } from "./bracketedCalls.ts";
import { readWord } from "./callWords.ts";
import { familyOf } from "./fitShape.ts";

const FENCES = ["```json\n", "```\n"];
/** Brackets and blanks in front of the first key. */
const LEAD_LIMIT = 64;
/** A list of Python calls, and the name of its first. */
const PYTHON_LIST = /^\[\s*([A-Za-z_][\w.-]*)\(/;
/** A line of code that is a call, printed or not, and its name without the module that a prompt may give its tools. */
const PYTHON_CALL = /^\s*(?:print\()?\s*(?:[A-Za-z_]\w*\.)?([A-Za-z_][\w-]*)\(/;
const CODE_FENCE = "```tool_code\n";
const BACKTICKS = new StopTable("`");
const UNREADABLE = "The JSON of this tool call cannot be read: its values or its brackets are none of JSON.";
/** What no other JSON begins with. */
const CALL_BEGINS = /^\[?\s*\{\s*"(?:name|function)"\s*:\s*"[^"]*"\s*,\s*"(?:arguments|parameters?)"\s*:\s*\{/;

/**
 * Reports the message at the cursor, which must be whole. The capture begins at the cursor; where false is returned, the cursor
 * is somewhere behind it.
 */
export function* readMissedCall(turn: Turn, capture: Capture): Reading<boolean> {
  const { source } = turn;
  if (turn.shown > 0 || turn.callCount > 0 || turn.offered.length === 0) return false;
  if (turn.options.toolMode === "text" && isTrusted(turn, "fence") && (yield* startsWith(source, CODE_FENCE)))
    return yield* readMissedCode(turn, capture);
  if (!isJsonAsked(turn) && !isTrusted(turn, "python")) return false;
  const fenced = yield* skipFence(turn);
  const first = yield* skipBlanks(source);
  if ((first !== OPEN_BRACE && first !== OPEN_BRACKET) || !(yield* mayBeMissed(turn))) return false;
  const from = source.offset;
  const scan = yield* scanBalanced(source, from + turn.options.captureChars);
  if (scan === "refused") return false;
  const body = turn.captured(from, source.offset);
  if (fenced && (yield* skipBlanks(source)) === BACKTICK && (yield* startsWith(source, "```"))) source.skip(3);
  if (scan === "balanced" && (yield* isAtEnd(turn)))
    return isJsonAsked(turn)
      ? reportJson(turn, capture, body)
      : reportPython(turn, capture, body, PYTHON_LIST.exec(body)?.[1]);
  return CALL_BEGINS.test(body) && (yield* reportBroken(turn, capture));
}

/** A fence of calls as code, which only the prompt can have made the model write. */
function* readMissedCode(turn: Turn, capture: Capture): Reading<boolean> {
  const { source } = turn;
  source.skip(CODE_FENCE.length);
  const from = source.offset;
  const until = from + turn.options.captureChars;
  while ((yield* seek(source, BACKTICKS, until)) !== END && !(yield* startsWith(source, "```"))) source.skip(1);
  const body = turn.captured(from, source.offset);
  source.skip((yield* startsWith(source, "```")) ? 3 : 0);
  if (!(yield* isAtEnd(turn))) return false;
  const name = PYTHON_CALL.exec(body)?.[1];
  return name !== undefined && reportPython(turn, capture, body, name);
}

function* skipFence({ source }: Turn): Reading<boolean> {
  for (const fence of FENCES) {
    if (!(yield* startsWith(source, fence))) continue;
    source.skip(fence.length);
    return true;
  }
  return false;
}

function* isAtEnd(turn: Turn): Reading<boolean> {
  return (yield* skipBlanks(turn.source)) === END && turn.finish === "normal";
}

/** Whether a call was to be JSON that holds its name, in marks or not: a model that forgets the marks means the same. */
function isJsonAsked(turn: Turn): boolean {
  return isTrusted(turn, "json") || markedJson(turn) !== undefined;
}

function markedJson({ options }: Turn): string | undefined {
  return options.toolMode === "text" ? MARKED_JSON.find((family) => family === options.emulate) : undefined;
}

/** The family in whose form the model is asked again. */
function familyAsked(turn: Turn): string {
  return markedJson(turn) ?? familyOf(turn, "json");
}

/** Reports a message that begins like a call and has a bracket too few or too many; in text mode, where its form was asked for. */
function* reportBroken(turn: Turn, capture: Capture): Reading<boolean> {
  const { source } = turn;
  if (turn.options.toolMode !== "text") return false;
  while ((yield* peek(source)) !== END && source.offset < capture.until) source.skip(1);
  if (turn.finish !== "normal" || !/[}\]][\s`]*$/.test(source.peekHeld())) return false;
  capture.malformed(UNREADABLE, familyAsked(turn));
  return true;
}

/** Whether the first word of the brackets at the cursor is one of a call's, or a parameter's, so that other JSON is not held back. */
function* mayBeMissed(turn: Turn): Reading<boolean> {
  const { source, options } = turn;
  let ahead = 0;
  for (let code = yield* peek(source); ahead < LEAD_LIMIT; code = yield* peek(source, ahead)) {
    if (code !== OPEN_BRACE && code !== OPEN_BRACKET && code !== QUOTE && code !== APOSTROPHE && !isBlank(code)) break;
    ahead += 1;
  }
  const word = yield* readWord(source, ahead);
  if ((yield* peek(source, ahead + word.length)) === OPEN_ROUND) return isTrusted(turn, "python");
  if (CALL_KEYS.has(word)) return true;
  return options.toolMode === "text" && options.tools.some(({ name }) => turn.parameters(name).includes(word));
}

function reportJson(turn: Turn, capture: Capture, body: string): boolean {
  const json = decodeJson(body);
  if (!json) return reportUnreadable(turn, capture, body);
  const family = familyAsked(turn);
  const candidates = readCallObjects(json, {
    offered: (name) => turn.resolve(name) !== undefined,
    allowFlat: false,
  });
  if (candidates) return candidates.every(hasObject) && reportRefused(turn, capture, candidates, family);
  // A row's word that a model leaks JSON says nothing of the JSON that it was asked for.
  const tool = turn.options.toolMode === "text" ? toolOfBareArguments(json, turn.options.tools) : undefined;
  if (tool === undefined) return false;
  capture.issue({ code: "malformed-call", message: namelessWords(tool), family, tool });
  return true;
}

/** As `reportBroken`, where the brackets match. */
function reportUnreadable(turn: Turn, capture: Capture, body: string): boolean {
  if (turn.options.toolMode !== "text" || !CALL_BEGINS.test(body)) return false;
  capture.malformed(UNREADABLE, familyAsked(turn));
  return true;
}

function reportPython(turn: Turn, capture: Capture, body: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  const calls = decodePython(body, {
    offered: [...turn.offered, name],
    knownParameters: (tool) => turn.parameters(turn.resolve(tool) ?? ""),
  });
  return calls !== undefined && reportRefused(turn, capture, calls, familyOf(turn, "python"));
}

/** Whether the arguments are an object: `{"name": "Ada", "input": "…"}` may be any JSON. */
function hasObject({ arguments: given }: CallCandidate): boolean {
  return given.type === "json" && given.value.node.kind === "object";
}

function reportRefused(turn: Turn, capture: Capture, candidates: readonly CallCandidate[], family: string): boolean {
  if (candidates.length === 0 || turn.fit(candidates, family) || !turn.guard.refusal) return false;
  const { code, message, tool } = turn.guard.refusal.issue;
  capture.issue({ code, message, tool, family });
  return true;
}

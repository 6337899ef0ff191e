// Calls without marks of their own: bare JSON, Python calls, fences, `NAME{json}`. They count only where the position is an answer's,
// the names are offered and the arguments fit; otherwise everything read here is text again.
import type { CallCandidate } from "../CallCandidate.ts";
import { readAnswerObject } from "../callObjects.ts";
import { decodeBody, decodePythonBody } from "../decodeBody.ts";
import { decodeBraces } from "../decodeBraces.ts";
import { decodeJson } from "../decodeJson.ts";
import { decodeYaml } from "../decodeYaml.ts";
import { SHAPE_FAMILIES, type Shape } from "../families/shapes.ts";
import { END, type Reading, StopTable, WAIT } from "../Source.ts";
import { scanBalanced } from "../scanBalanced.ts";
import { peek, startsWith } from "../Tag.ts";
import { isBlank } from "../TextSink.ts";
import { type FittedCall, skipBlanks, type Turn } from "../Turn.ts";
import { scanBraces } from "./braces.ts";

/** Characters of content that may precede a fenced call of a model that is not known to write them. */
const LEAD_IN_LIMIT = 300;
const WORD_LIMIT = 128;

/** Fence languages that announce a call by themselves, and those whose body must be one. */
const CALL_LANGUAGES = new Set(["tool_call", "tool_calls", "tool_code", "tool", "function_call", "tool_use"]);
const BODY_LANGUAGES = new Set([
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

/** What one candidate shape turned out to be. */
interface Read {
  readonly calls: readonly FittedCall[];
  readonly shape: Shape;
}

/** The words in front of a bracket that are no callee. */
const CALLEE_WORDS = new Set(["print", "await", "return", "call", "Call"]);

/** How a model's known habits and the request make a shape credible. */
export function isTrusted(turn: Turn, shape: Shape): boolean {
  const { toolMode, emulate, formats } = turn.options;
  const families = SHAPE_FAMILIES[shape];
  if (toolMode === "text") return emulate === undefined || families.includes(emulate);
  return formats.some((format) => families.includes(format));
}

/** The family that a generic shape is counted as: the model's own, if it is known for one of this shape. */
export function familyOf(turn: Turn, shape: Shape): string {
  const families = SHAPE_FAMILIES[shape];
  const { emulate, formats } = turn.options;
  const own = [...(emulate ? [emulate] : []), ...formats].find((format) => families.includes(format));
  return own ?? families[0] ?? shape;
}

/**
 * Tries to read calls at the cursor, at the start of a line. True where they were emitted; false where all of it is unread
 * again, and then `turn.floor` keeps the same stretch from being tried twice.
 */
export function* readGeneric(turn: Turn): Reading<boolean> {
  const { source } = turn;
  source.hold();
  const start = source.offset;
  const first = yield* readShape(turn);
  if (!first) {
    turn.floor = Math.max(turn.floor, source.offset);
    source.back(start);
    source.release();
    return false;
  }
  const calls = [...first.calls];
  let end = source.offset;
  let code = yield* skipSeparators(turn);
  while (code !== END && startsShape(code)) {
    const next = yield* readShape(turn);
    if (!next) break;
    calls.push(...next.calls);
    end = source.offset;
    code = yield* skipSeparators(turn);
  }
  const whole = code === END && turn.finish === "normal";
  if (!isTrusted(turn, first.shape) && !whole) {
    turn.floor = Math.max(turn.floor, source.offset);
    source.back(start);
    source.release();
    return false;
  }
  if (!whole) source.back(end);
  turn.emitFitted(calls);
  source.release();
  return true;
}

/** Whether a generic shape could stand here at all, by the text before it. */
export function isAnswerPosition(turn: Turn, shape: Shape): boolean {
  if (turn.shown === 0 || turn.shown === turn.shownAtCall) return true;
  if (turn.callCount > 0) return false;
  if (isTrusted(turn, shape)) return true;
  return shape === "fence" ? turn.shown <= LEAD_IN_LIMIT : turn.lastShown === ":" && turn.shown <= LEAD_IN_LIMIT;
}

function startsShape(code: number): boolean {
  return code === 123 || code === 91 || code === 96 || code === 126 || isWordStart(code);
}

/** White space and the joints between calls: commas, semicolons, list bullets. */
function* skipSeparators(turn: Turn): Reading<number> {
  const { source } = turn;
  for (;;) {
    const code = yield* skipBlanks(source);
    if (code === 44 || code === 59) source.skip(1);
    else if (code === 45 && (yield* peek(source, 1)) === 32) source.skip(2);
    else return code;
  }
}

function* readShape(turn: Turn): Reading<Read | undefined> {
  const code = yield* peek(turn.source);
  if (code === 96 || code === 126) return yield* readFence(turn, code);
  if (code === 123 || code === 91) return yield* readBracketed(turn);
  return yield* readNamed(turn);
}

function* readBracketed(turn: Turn): Reading<Read | undefined> {
  const { source } = turn;
  const from = source.offset;
  const object = (yield* peek(source)) === 123;
  if (!(yield* mayHoldCall(turn, object))) return undefined;
  if ((yield* scanBalanced(source, from + turn.options.captureChars)) !== "balanced") return undefined;
  const body = turn.captured(from, source.offset);
  const decoded = decodeBody(turn, body, false);
  if (decoded) {
    const shape: Shape = decoded.grammar === "python" ? "python" : "json";
    const calls = turn.fit(decoded.candidates, familyOf(turn, shape));
    return calls && { calls, shape };
  }
  return undefined;
}

/** Refutes early: an object must begin with a key that a call may have, a list with an object, a list, a string or an offered name. */
function* mayHoldCall(turn: Turn, object: boolean): Reading<boolean> {
  const { source } = turn;
  let ahead = 1;
  let code = yield* peek(source, ahead);
  while (isBlank(code) && ahead < 256) {
    ahead += 1;
    code = yield* peek(source, ahead);
  }
  if (code === 123 || (!object && (code === 91 || code === 40))) return true;
  if (code === 34 || code === 39) {
    if (!object) return true;
    const key = yield* readWord(turn, ahead + 1);
    return CALL_KEYS.has(key) || turn.resolve(key) !== undefined || key === "";
  }
  if (object) return isWordStart(code) || code === 93;
  if (!isWordStart(code) && code !== 92) return false;
  const word = yield* readWord(turn, ahead);
  const before = yield* peek(source, ahead + word.length);
  return (
    turn.resolve(callee(word)) !== undefined ||
    CALLEE_WORDS.has(word) ||
    before === 32 ||
    turn.offered.some((name) => name.startsWith(word))
  );
}

/** The first keys that a call object may begin with. */
const CALL_KEYS = new Set([
  "name",
  "function",
  "tool",
  "tool_name",
  "function_name",
  "action",
  "recipient_name",
  "arguments",
  "parameters",
  "args",
  "input",
  "action_input",
  "tool_input",
  "params",
  "kwargs",
  "type",
  "id",
  "index",
  "thought",
  "thoughts",
  "tool_call",
  "tool_calls",
  "tool_uses",
  "function_call",
  "tool_call_id",
  "command",
]);

/** `f(a=1)`, `NAME{json}`, `NAME` and JSON on the next line, `call:NAME{…}`, `functools[…]`. */
function* readNamed(turn: Turn, quoted = false): Reading<Read | undefined> {
  const { source } = turn;
  const from = source.offset;
  const word = yield* readWord(turn, 0);
  if (word === "") return undefined;
  let after = yield* peek(source, word.length);
  if (word === "functools" && after === 91) {
    source.skip(word.length);
    return yield* readBracketed(turn);
  }
  if ((word === "call" || word === "Call") && after === 58) return yield* readCallColon(turn, from);
  if (word === "return" && (after === 32 || after === 40)) {
    source.skip(word.length);
    yield* skipBlanks(source);
    after = yield* peek(source);
    return after === 91 || after === 123 ? yield* readBracketed(turn) : yield* readNamed(turn);
  }
  const name = callee(word);
  const offered = turn.resolve(name) !== undefined;
  const assigned = !offered && after === 32 && (yield* startsWith(source, " = ", word.length));
  if (assigned) {
    source.skip(word.length + 3);
    const right = yield* readWord(turn, 0);
    after = yield* peek(source, right.length);
    if (turn.resolve(callee(right)) === undefined || after !== 40) return undefined;
    source.skip(right.length);
    return yield* readCallLine(turn, from);
  }
  if (after === 40 && (offered || CALLEE_WORDS.has(word))) {
    source.skip(word.length);
    return yield* readCallLine(turn, from, quoted);
  }
  if (!offered) return undefined;
  source.skip(word.length);
  if (after === 91 && (yield* startsWith(source, "[ARGS]"))) source.skip("[ARGS]".length);
  if ((yield* skipBlanks(source)) !== 123 || (after === 10 && turn.shown > 0)) return undefined;
  const body = source.offset;
  if ((yield* scanBalanced(source, from + turn.options.captureChars)) !== "balanced") return undefined;
  const json = decodeJson(turn.captured(body, source.offset));
  if (!json) return undefined;
  const candidate: CallCandidate = { name, arguments: { type: "json", text: json.text }, repairs: json.repairs };
  const calls = turn.fit([candidate], familyOf(turn, "named-json"));
  return calls && { calls, shape: "named-json" };
}

/** A Python call from its bracket on; nothing but a joint may follow it on its line. */
function* readCallLine(turn: Turn, from: number, quoted = false): Reading<Read | undefined> {
  const { source } = turn;
  if ((yield* scanBalanced(source, from + turn.options.captureChars)) !== "balanced") return undefined;
  let ahead = 0;
  let code = yield* peek(source, ahead);
  while ((code === 32 || code === 9) && ahead < WORD_LIMIT) {
    ahead += 1;
    code = yield* peek(source, ahead);
  }
  const ends = code === END || code === 10 || code === 13 || code === 59 || code === 44 || code === 96;
  if (!ends || (code === 96 && !quoted && !(yield* startsWith(source, "```", ahead)))) return undefined;
  return pythonCalls(turn, turn.captured(from, source.offset));
}

function pythonCalls(turn: Turn, body: string): Read | undefined {
  const candidates = decodePythonBody(turn, body);
  const calls = candidates && turn.fit(candidates, familyOf(turn, "python"));
  return calls && { calls, shape: "python" };
}

/** `call:NAME{k:v}` with or without a namespace, or `Call: f(a=1)`. */
function* readCallColon(turn: Turn, from: number): Reading<Read | undefined> {
  const { source } = turn;
  source.skip("call:".length);
  yield* skipBlanks(source);
  const name = yield* readWord(turn, 0, true);
  const after = yield* peek(source, name.length);
  if (turn.resolve(callee(name.split(":").at(-1) ?? "")) === undefined) return undefined;
  if (after === 40) {
    const callFrom = source.offset;
    source.skip(name.length);
    if ((yield* scanBalanced(source, from + turn.options.captureChars)) !== "balanced") return undefined;
    const read = pythonCalls(turn, turn.captured(callFrom, source.offset));
    if (yield* startsWith(source, "<bot_end>")) source.skip("<bot_end>".length);
    return read;
  }
  if (after !== 123) return undefined;
  if ((yield* scanBraces(turn, "<ctrl46>", undefined)) !== "balanced") return undefined;
  const candidates = decodeBraces(turn.captured(from, source.offset), {
    strings: ["<ctrl46>", '<|"|>'],
    knownParameters: turn.parameters,
  });
  const calls = candidates && turn.fit(candidates, "gemini-call-text");
  return calls && { calls, shape: "named-json" };
}

/** A fence whose body is calls and nothing else. */
function* readFence(turn: Turn, mark: number): Reading<Read | undefined> {
  const { source } = turn;
  let width = 0;
  while ((yield* peek(source)) === mark) {
    source.skip(1);
    width += 1;
  }
  if (width < 3) return width === 1 && mark === 96 ? yield* readInlineCode(turn) : undefined;
  const infoFrom = source.offset;
  let code = yield* peek(source);
  while (code !== END && code !== 10 && code !== 123 && code !== 91 && source.offset - infoFrom < 40) {
    source.skip(1);
    code = yield* peek(source);
  }
  let language = turn.captured(infoFrom, source.offset).trim().toLowerCase();
  if (turn.resolve(callee(language.split("(")[0] ?? "")) !== undefined) {
    source.back(infoFrom);
    language = "";
  }
  if (!CALL_LANGUAGES.has(language) && !BODY_LANGUAGES.has(language)) return undefined;
  const calls: FittedCall[] = [];
  if (language === "yaml" || language === "yml") return yield* readYaml(turn, mark, width);
  for (;;) {
    code = yield* skipSeparators(turn);
    if (code === END) return turn.finish === "normal" && calls.length > 0 ? { calls, shape: "fence" } : undefined;
    if (code === mark && (yield* fenceCloses(turn, mark, width)))
      return calls.length > 0 ? { calls, shape: "fence" } : undefined;
    if (code !== 123 && code !== 91 && !isWordStart(code)) return undefined;
    const read = code === 123 || code === 91 ? yield* readBracketed(turn) : yield* readNamed(turn);
    if (!read) return undefined;
    calls.push(...read.calls);
  }
}

/** A line that is nothing but calls in inline code, for models that were asked for the bare call. */
function* readInlineCode(turn: Turn): Reading<Read | undefined> {
  const { source } = turn;
  const code = yield* peek(source);
  const read = code === 91 || code === 123 ? yield* readBracketed(turn) : yield* readNamed(turn, true);
  if (!read || !isTrusted(turn, read.shape) || (yield* peek(source)) !== 96) return undefined;
  source.skip(1);
  const behind = yield* peek(source);
  return behind === END || behind === 10 || behind === 13 || behind === 32 ? read : undefined;
}

function* readYaml(turn: Turn, mark: number, width: number): Reading<Read | undefined> {
  const { source } = turn;
  const from = source.offset;
  const until = from + turn.options.captureChars;
  const stops = new StopTable(String.fromCharCode(mark));
  for (;;) {
    source.advance(stops, until);
    const code = source.code();
    if (code === WAIT && source.offset < until) {
      yield;
      continue;
    }
    if (code === END || source.offset >= until) return undefined;
    const to = source.offset;
    if (yield* fenceCloses(turn, mark, width)) {
      const candidate = decodeYaml(turn.captured(from, to));
      const calls = candidate && turn.fit([candidate], "yaml-block");
      return calls && { calls, shape: "fence" };
    }
    source.skip(1);
  }
}

/** Moves over a closing fence, if it stands here. */
function* fenceCloses(turn: Turn, mark: number, width: number): Reading<boolean> {
  for (let i = 0; i < width; i += 1) {
    if ((yield* peek(turn.source, i)) !== mark) return false;
  }
  turn.source.skip(width);
  while ((yield* peek(turn.source)) === mark) turn.source.skip(1);
  return true;
}

/** The identifier `ahead` of the cursor, dots and Markdown escapes included, without moving. */
function* readWord(turn: Turn, ahead: number, colons = false): Reading<string> {
  const { source } = turn;
  let i = ahead;
  for (;;) {
    const code = yield* peek(source, i);
    const fits =
      isWordStart(code) ||
      (code >= 48 && code <= 57) ||
      code === 46 ||
      code === 45 ||
      code === 92 ||
      (colons && code === 58);
    if (!fits || i - ahead > WORD_LIMIT) break;
    i += 1;
  }
  return source.ahead(i).slice(ahead);
}

/** What a spelling calls: without the namespace that one vendor's runtime puts in front, and without Markdown's escapes. */
function callee(word: string): string {
  return word.replaceAll("\\_", "_").replace(/^default_api\./, "");
}

export function isWordStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

/** A whole text that is an answer in JSON clothes (`{"response": "…"}`): its words. */
export function answerIn(text: string): string | undefined {
  const json = decodeJson(text);
  return json && readAnswerObject(json.text);
}

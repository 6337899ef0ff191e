// Calls without marks of their own: bare JSON, Python calls, fences, `NAME{json}`. They count only where the position is an answer's,
// the names are offered and the arguments fit; otherwise everything read here is text again.
import type { CallCandidate } from "../CallCandidate.ts";
import { decodeBody, decodePythonBody } from "../decodeBody.ts";
import { decodeBraces } from "../decoders/decodeBraces.ts";
import { decodeJson } from "../decoders/decodeJson.ts";
import { decodeYaml } from "../decoders/decodeYaml.ts";
import { SHAPE_FAMILIES, type Shape } from "../families/shapes.ts";
import { END, type Reading, type Source, StopTable, WAIT } from "../Source.ts";
import { scanBalanced } from "../scanBalanced.ts";
import { peek, startsWith } from "../Tag.ts";
import { isBlank } from "../TextSink.ts";
import { type FittedCall, skipBlanks, type Turn } from "../Turn.ts";
import { readAnswerMessage } from "./answerObject.ts";
import { scanBraces } from "./braces.ts";
import { skipComment } from "./comment.ts";
import { isCallLabel, readLinePairs } from "./labelledCall.ts";

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
function isTrusted(turn: Turn, shape: Shape): boolean {
  const { toolMode, emulate, formats } = turn.options;
  const families = SHAPE_FAMILIES[shape];
  if (toolMode === "text") return emulate === undefined || families.includes(emulate);
  return formats.some((format) => families.includes(format));
}

/** Whether a model is known to write `call:…` behind any character. */
export function writesGluedCalls(turn: Turn): boolean {
  return turn.options.formats.includes("gemini-call-text");
}

/** The family that a generic shape is counted as: the model's own, if it is known for one of this shape. */
function familyOf(turn: Turn, shape: Shape): string {
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
  if (!first && (yield* isCutList(turn))) {
    turn.issue("truncated-call", "The text ended inside this list of tool calls.", familyOf(turn, "json"));
    source.release();
    return true;
  }
  if (!first) {
    const behind = source.offset;
    source.back(start);
    if (yield* readAnswerMessage(turn)) return true;
    source.skip(Math.max(0, behind - source.offset));
    turn.noteRelease("It cannot be read as calls of offered tools and nothing else.");
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
  const closed = first.shape === "python" && (yield* startsWith(source, CALLS_END));
  const whole = closed || (code === END && turn.finish === "normal");
  if (!isTrusted(turn, first.shape) && !whole) {
    turn.noteRelease("Text follows it: an answer's calls are its last words.");
    turn.floor = Math.max(turn.floor, source.offset);
    source.back(start);
    source.release();
    return false;
  }
  if (code === 60 && first.shape === "named-json" && (yield* realCallFollows(turn, calls.at(-1)?.name ?? ""))) {
    turn.endCapture("preview");
    return true;
  }
  if (closed) source.skip(CALLS_END.length);
  else if (!whole) source.back(end);
  turn.emitFitted(closed ? calls.map((call) => ({ ...call, origin: "raven" })) : calls);
  source.release();
  // What follows is the model's comment on its calls.
  if (closed) turn.rest = "after-action";
  return true;
}

/** Whether the same tool's call follows in tags: then what stands before it was the model's preview of it. */
function* realCallFollows(turn: Turn, name: string): Reading<boolean> {
  const { source } = turn;
  let ahead = (yield* startsWith(source, "<tool_call>")) ? "<tool_call>".length : 0;
  while (ahead < WORD_LIMIT && isBlank(yield* peek(source, ahead))) ahead += 1;
  if (yield* startsWith(source, `<function=${name}>`, ahead)) return true;
  return yield* startsWith(source, `{"name": "${name}"`, ahead);
}

/** The mark by which one family ends its calls. */
const CALLS_END = "<bot_end>";

/**
 * Whether the capture is a JSON list of calls that the end of the text cut off behind one of them: the list is a unit of which nothing
 * is finished (design §5), and too much of a call to be an answer.
 */
function* isCutList(turn: Turn): Reading<boolean> {
  const { source } = turn;
  if ((yield* peek(source)) !== END) return false;
  const body = source.peekHeld();
  const last = body.lastIndexOf("}");
  if (!/^\[\s*\{/.test(body) || last < 0) return false;
  const decoded = decodeBody(turn, `${body.slice(0, last + 1)}]`, false);
  return decoded !== undefined && turn.fit(decoded.candidates, familyOf(turn, "json")) !== undefined;
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

/** White space and the joints between calls: commas, semicolons, continued lines, list bullets and numbers. */
function* skipSeparators(turn: Turn): Reading<number> {
  const { source } = turn;
  for (;;) {
    const code = yield* skipBlanks(source);
    if (code === 44 || code === 59) source.skip(1);
    else if (code === 45 && (yield* peek(source, 1)) === 32) source.skip(2);
    else if (code === 92 && (yield* peek(source, 1)) === 10) source.skip(2);
    else {
      const number = yield* listNumber(source);
      if (number === 0) return code;
      source.skip(number);
    }
  }
}

/** The length of a list's number with its dot and space (`2. `), or 0. */
export function* listNumber(source: Source): Reading<number> {
  let digits = 0;
  for (let code = yield* peek(source); code >= 48 && code <= 57 && digits < 3; code = yield* peek(source, digits)) {
    digits += 1;
  }
  const sign = digits === 0 ? END : yield* peek(source, digits);
  return (sign === 46 || sign === 41) && (yield* peek(source, digits + 1)) === 32 ? digits + 2 : 0;
}

function* readShape(turn: Turn): Reading<Read | undefined> {
  const code = yield* peek(turn.source);
  if (code === 96 || code === 126) return yield* readFence(turn, code);
  if (code === 123 || code === 91) return yield* readBracketed(turn);
  return code === 47 ? yield* readCommented(turn) : yield* readNamed(turn);
}

/** A comment and a bracketed shape behind it. */
function* readCommented(turn: Turn): Reading<Read | undefined> {
  if (!(yield* skipComment(turn.source))) return undefined;
  const code = yield* skipBlanks(turn.source);
  return code === 123 || code === 91 ? yield* readBracketed(turn) : undefined;
}

function* readBracketed(turn: Turn): Reading<Read | undefined> {
  const { source } = turn;
  const from = source.offset;
  const object = (yield* peek(source)) === 123;
  if (!(yield* mayHoldCall(turn, object))) return undefined;
  const until = from + turn.options.captureChars;
  const end = yield* scanBalanced(source, until);
  const read = end === "balanced" ? bracketedCalls(turn, from) : undefined;
  if (read || end === "refused") return read;
  const behind = source.offset;
  source.back(from);
  if (yield* opensQuotedCall(turn)) {
    if ((yield* scanBalanced(source, until, true)) === "balanced") return bracketedCalls(turn, from);
  } else source.skip(behind - from);
  return undefined;
}

function bracketedCalls(turn: Turn, from: number): Read | undefined {
  const decoded = decodeBody(turn, turn.captured(from, turn.source.offset), false);
  if (!decoded) return undefined;
  const shape: Shape = decoded.grammar === "python" ? "python" : "json";
  const calls = turn.fit(decoded.candidates, familyOf(turn, shape));
  return calls && { calls, shape };
}

/** Whether the brackets at the cursor begin with a quotation mark and a call: its quotes may not pair. */
function* opensQuotedCall(turn: Turn): Reading<boolean> {
  const { source } = turn;
  let ahead = 1;
  let code = yield* peek(source, ahead);
  while (ahead < 64 && (isBlank(code) || code === 91 || code === 123 || code === 40)) {
    ahead += 1;
    code = yield* peek(source, ahead);
  }
  if (!isQuote(code) && code !== 96) return false;
  const word = yield* readWord(turn, ahead + 1);
  return turn.resolve(callee(word)) !== undefined && (yield* peek(source, ahead + 1 + word.length)) === 40;
}

function isQuote(code: number): boolean {
  return code === 34 || code === 39;
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
  if (code === 96) return yield* opensQuotedCall(turn);
  if (isQuote(code)) {
    if (!object) return true;
    const key = yield* readWord(turn, ahead + 1);
    return CALL_KEYS.has(key) || turn.resolve(key) !== undefined || key === "";
  }
  if (object) return isWordStart(code) || code === 93;
  if (!isWordStart(code) && code !== 92) return false;
  const word = yield* readWord(turn, ahead);
  if (STRING_PREFIXES.has(word.toLowerCase()) && isQuote(yield* peek(source, ahead + word.length))) return true;
  const before = yield* peek(source, ahead + word.length);
  return (
    turn.resolve(callee(word)) !== undefined ||
    CALLEE_WORDS.has(word) ||
    before === 32 ||
    turn.offered.some((name) => name.startsWith(word))
  );
}

/** What may stand before a Python string: a list of strings may hold calls. */
const STRING_PREFIXES = new Set(["r", "f", "b", "u"]);

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
  "func",
  "role",
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
  if (isCallLabel(word) && (after === 58 || after === 61)) return yield* readLabelled(turn, word.length + 1);
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
  return yield* namedJson(turn, name);
}

/** A JSON object at the cursor, whose tool's name stands before it. */
function* namedJson(turn: Turn, name: string): Reading<Read | undefined> {
  const { source } = turn;
  const body = source.offset;
  if ((yield* scanBalanced(source, body + turn.options.captureChars)) !== "balanced") return undefined;
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
  const ends =
    isLineEnd(code) || code === 59 || code === 44 || code === 96 || (yield* startsWith(source, CALLS_END, ahead));
  if (!ends || (code === 96 && !quoted && !(yield* startsWith(source, "```", ahead)))) return undefined;
  return pythonCalls(turn, turn.captured(from, source.offset));
}

function pythonCalls(turn: Turn, body: string): Read | undefined {
  const candidates = decodePythonBody(turn, body);
  const calls = candidates && turn.fit(candidates, familyOf(turn, "python"));
  return calls && { calls, shape: "python" };
}

/** Behind `call:`, `tool:` and the like: a name with its arguments in any form, or calls in brackets. */
function* readLabelled(turn: Turn, label: number): Reading<Read | undefined> {
  const { source } = turn;
  const from = source.offset;
  source.skip(label);
  const code = yield* skipBlanks(source);
  if (code === 123 || code === 91) return yield* readBracketed(turn);
  const word = yield* readWord(turn, 0, true);
  const name = callee(word.split(":").at(-1) ?? "");
  const tool = turn.resolve(name);
  if (tool === undefined) return undefined;
  const nameFrom = source.offset;
  source.skip(word.length);
  const after = yield* peek(source);
  if (after === 40) {
    if ((yield* scanBalanced(source, from + turn.options.captureChars)) !== "balanced") return undefined;
    return pythonCalls(turn, turn.captured(nameFrom, source.offset));
  }
  if (after === 123) return yield* readBraces(turn, from);
  const lineFrom = source.offset;
  if (after === 32 && (yield* peek(source, 1)) === 123) {
    source.skip(1);
    return yield* namedJson(turn, name);
  }
  while (!isLineEnd(yield* peek(source)) && source.offset - lineFrom < LINE_LIMIT) source.skip(1);
  const list = readLinePairs(turn.captured(lineFrom, source.offset), turn.parameters(tool));
  if (!list) return undefined;
  const calls = turn.fit([{ name, arguments: { type: "list", list }, repairs: [] }], familyOf(turn, "json"));
  return calls && { calls, shape: "json" };
}

const LINE_LIMIT = 4096;

function isLineEnd(code: number): boolean {
  return code === END || code === 10 || code === 13;
}

/** The braces of `call:NAME{k:v}`, whose label begins at `from`. */
function* readBraces(turn: Turn, from: number): Reading<Read | undefined> {
  if ((yield* scanBraces(turn, "<ctrl46>", undefined)) !== "balanced") return undefined;
  const candidates = decodeBraces(turn.captured(from, turn.source.offset), {
    strings: ["<ctrl46>", '<|"|>'],
    knownParameters: turn.parameters,
  });
  const calls = candidates && turn.fit(candidates, "gemini-call-text");
  return calls && { calls, shape: "named-json" };
}

/**
 * `call:NAMESPACE:NAME{…}` in the middle of a line, also in angle brackets: the namespace makes it a mark of its own. The cursor
 * stands at `call:` or at the `<` before it. False where it is none; then nothing was consumed.
 */
export function* readGluedCall(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const angle = (yield* peek(source)) === 60;
  const start = source.offset;
  if (start < turn.floor || !(yield* startsWith(source, "call:", angle ? 1 : 0))) return false;
  source.hold();
  if (angle) source.skip(1);
  const word = yield* readWord(turn, 0, true);
  const [, namespace = "", name = ""] = word.split(":");
  let read: Read | undefined;
  if (namespace !== "" && turn.resolve(name) !== undefined && (yield* peek(source, word.length)) === 123) {
    read = yield* readLabelled(turn, "call:".length);
    if (read && angle && (yield* peek(source)) === 62) source.skip(1);
  }
  if (!read) {
    turn.floor = Math.max(turn.floor, source.offset);
    source.back(start);
    source.release();
    return false;
  }
  turn.emitFitted(read.calls);
  source.release();
  return true;
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
  let assigned = "";
  for (;;) {
    code = yield* skipSeparators(turn);
    const printed = `print(${assigned})`;
    if (assigned !== "" && (yield* startsWith(source, printed))) {
      source.skip(printed.length);
      continue;
    }
    if (code === END) return turn.finish === "normal" && calls.length > 0 ? { calls, shape: "fence" } : undefined;
    if (code === mark && (yield* fenceCloses(turn, mark, width)))
      return calls.length > 0 ? { calls, shape: "fence" } : undefined;
    if (code !== 123 && code !== 91 && !isWordStart(code)) return undefined;
    const from = source.offset;
    const word = yield* readWord(turn, 0);
    if (calls.length === 0 && word === "name" && (yield* peek(source, word.length)) === 58)
      return yield* readYaml(turn, mark, width);
    const read = code === 123 || code === 91 ? yield* readBracketed(turn) : yield* readNamed(turn);
    if (!read) return undefined;
    if (turn.captured(from, source.offset).startsWith(`${word} = `)) assigned = word;
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

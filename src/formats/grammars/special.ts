// Openings that are no marks in brackets: headers whose special tokens were stripped, role switches, and signs of single families.
import { decodePythonBody } from "../decodeBody.ts";
import { decodeJson } from "../decodeJson.ts";
import { CODE_TOOLS, COMMAND_R, FUNCTOOLS, GIGACHAT, type HeadedRow, HYPERCLOVAX } from "../families/blocks.ts";
import { TURN_ENDS } from "../families/frames.ts";
import { END, type Reading, type Source, StopTable } from "../Source.ts";
import { scanBalanced } from "../scanBalanced.ts";
import { peek, readTag, startsWith } from "../Tag.ts";
import { isBlank } from "../TextSink.ts";
import { type FittedCall, skipBlanks, type Turn } from "../Turn.ts";
import { readBlock } from "./block.ts";
import { readFrames } from "./harmony.ts";
import { isAnswer, readHeadedSection } from "./section.ts";

/** Where in the text the caller stands. */
export type Place = "start" | "line" | "turn" | "role" | "flower" | "recipient";

/** True where something was read. */
export function* readSpecial(turn: Turn, place: Place): Reading<boolean> {
  if (turn.offered.length === 0 && place !== "start") return false;
  switch (place) {
    case "start":
      return yield* readStart(turn);
    case "line":
      return yield* readLine(turn);
    case "recipient":
      return yield* readRecipient(turn, ">>>");
    case "turn":
      return yield* readRole(turn, GIGACHAT);
    case "role":
      return yield* readRole(turn, HYPERCLOVAX);
    case "flower":
      return yield* readFlower(turn);
    default:
      return place satisfies never;
  }
}

/** A first header without its opening token, or with all tokens stripped. */
function* readStart(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const space = (yield* peek(source)) === 32 ? 1 : 0;
  if ((yield* startsWith(source, "to=", space)) && (yield* isHeader(turn))) {
    yield* readFrames(turn);
    return true;
  }
  if (turn.offered.length === 0) return false;
  for (const header of HYPERCLOVAX.headers) {
    if (yield* readHeadedBlock(turn, { ...HYPERCLOVAX, headers: [header.replace(/^assistant/, "")] })) return true;
  }
  if (yield* readFirstHead(turn)) return true;
  if (writesRecipients(turn) && (yield* readRecipient(turn, ""))) return true;
  if (turn.options.formats.includes("harmony")) {
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
    if (code === 10) return false;
    if (code === 60 && (yield* startsWith(turn.source, "<|", ahead))) return true;
  }
  return false;
}

/** `NAME⏎<|content|>` at the start: the marks before the name stood in the prompt. */
function* readFirstHead(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const word = yield* wordAt(source, 0);
  const newline = (yield* peek(source, word.length)) === 10 ? 1 : 0;
  if (word === "" || !(yield* startsWith(source, "<|content|>", word.length + newline))) return false;
  if (!isAnswer(word) && turn.resolve(word) === undefined) return false;
  turn.begin();
  source.skip(word.length);
  yield* readHeadedSection(turn, word, "functionary-v2");
  return true;
}

/** Openings of a line that are no marks: a recipient, a role, a label with a fence, a module's name, a name with its fence. */
function* readLine(turn: Turn): Reading<boolean> {
  if (yield* readRecipientLine(turn)) return true;
  if (yield* readHeadedBlock(turn, GIGACHAT)) return true;
  if (yield* readHeadedBlock(turn, COMMAND_R)) return true;
  if (turn.shown > 0 || turn.callCount > 0) return false;
  return (yield* readHeadedBlock(turn, FUNCTOOLS)) || (yield* readNameAndFence(turn));
}

/** A block without an opening mark, known by its first words and by what must follow them. */
function* readHeadedBlock(turn: Turn, row: HeadedRow): Reading<boolean> {
  const { source } = turn;
  for (const header of row.headers) {
    if (!(yield* startsWith(source, header))) continue;
    let ahead = header.length;
    for (const piece of row.next) {
      while (isBlank(yield* peek(source, ahead)) && ahead < HEADER_LIMIT) ahead += 1;
      if (!(yield* startsWith(source, piece, ahead))) return false;
      ahead += piece.length;
    }
    yield* readBlock(turn, { row, raw: header });
    return true;
  }
  return false;
}

/** `NAME⏎` and a fence: JSON arguments where a type word sticks to the name, a Python call of `tool_call` where none does. */
function* readNameAndFence(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const start = source.offset;
  const word = yield* wordAt(source, 0);
  if (word === "" || !(yield* startsWith(source, "\n```", word.length))) return false;
  const typed = word.startsWith("function") && turn.resolve(word) === undefined;
  const name = typed ? word.slice("function".length) : word;
  if (turn.resolve(name) === undefined) return false;
  source.hold();
  source.skip(word.length + "\n```".length);
  source.skip((yield* wordAt(source, 0)).length);
  yield* skipBlanks(source);
  const from = source.offset;
  if (!typed && (yield* startsWith(source, "tool_call("))) source.skip("tool_call".length);
  const scan =
    typed === ((yield* peek(source)) === 123)
      ? yield* scanBalanced(source, start + turn.options.captureChars)
      : "broken";
  const calls =
    scan === "balanced" ? fencedCalls(turn, { name, typed, body: turn.captured(from, source.offset) }) : undefined;
  const closes = calls !== undefined && (yield* skipBlanks(source)) === 96 && (yield* startsWith(source, "```"));
  if (!calls || !closes) {
    turn.floor = Math.max(turn.floor, source.offset);
    source.back(start);
    source.release();
    return false;
  }
  source.skip(3);
  turn.emitFitted(calls);
  turn.endCapture();
  return true;
}

function fencedCalls(
  turn: Turn,
  { name, typed, body }: { readonly name: string; readonly typed: boolean; readonly body: string },
): readonly FittedCall[] | undefined {
  if (!typed) {
    const calls = decodePythonBody(turn, `${name}${body.slice("tool_call".length)}`);
    return calls && turn.fit(calls, "glm4-legacy");
  }
  const json = decodeJson(body);
  return (
    json && turn.fit([{ name, arguments: { type: "json", text: json.text }, repairs: json.repairs }], "deepseek-v3")
  );
}

/** Whether the model addresses its messages with `>>>RECIPIENT` lines, which in other models' texts are prose. */
export function writesRecipients(turn: Turn): boolean {
  return turn.offered.length > 0 && turn.options.formats.includes("functionary-v32");
}

/** `>>>NAME⏎{json}`, `>>>python⏎code` or `>>>all⏎text`; the first `>>>` stands in the prompt. */
function* readRecipient(turn: Turn, sign: string): Reading<boolean> {
  const { source } = turn;
  const to = yield* recipientAt(turn, sign);
  if (to === undefined || (sign === "" && !isAnswer(to) && turn.resolve(to) === undefined)) return false;
  turn.begin();
  source.skip(sign.length + to.length + 1);
  if (isAnswer(to)) {
    turn.endCapture();
    turn.sink.enter("text");
    turn.lineStart = true;
    return true;
  }
  const family = "functionary-v32";
  const code = yield* skipBlanks(source);
  const from = source.offset;
  const scan = code === 123 ? yield* scanBalanced(source, source.heldFrom + turn.options.captureChars) : "broken";
  const json = scan === "balanced" ? decodeJson(turn.captured(from, source.offset)) : undefined;
  if (json) {
    turn.emit([{ name: to, arguments: { type: "json", text: json.text }, repairs: json.repairs }], family);
    turn.endCapture();
    return true;
  }
  if (scan === "cut" && turn.finish === "normal" && turn.mayReadAgain()) source.back(from);
  yield* skipToRecipient(turn);
  if (source.code() === END && turn.finish === "cut")
    turn.issue("truncated-call", "The text ended inside this tool call.", family);
  else if (CODE_TOOLS.includes(to) && turn.resolve(to) !== undefined)
    turn.emit(
      [{ name: to, arguments: { type: "text", text: turn.captured(from, source.offset) }, repairs: [] }],
      family,
    );
  else turn.issue("malformed-call", `The arguments for ${to} are not a JSON object.`, family);
  turn.endCapture();
  return true;
}

/** The recipient of the header at the cursor, which ends with its line. */
function* recipientAt(turn: Turn, sign: string): Reading<string | undefined> {
  if (!(yield* startsWith(turn.source, sign))) return undefined;
  const word = yield* wordAt(turn.source, sign.length);
  return word !== "" && (yield* peek(turn.source, sign.length + word.length)) === 10 ? word : undefined;
}

/** Moves to the next header, the end of the turn or the end. */
function* skipToRecipient(turn: Turn): Reading<void> {
  const { source } = turn;
  const until = source.heldFrom + turn.options.captureChars;
  for (;;) {
    source.advance(RECIPIENT_STOPS, until);
    const code = yield* peek(source);
    if (code === END || source.offset >= until) return;
    if (code === 62 && (yield* recipientAt(turn, ">>>")) !== undefined) return;
    if (code === 60 && (yield* readTag(source, (name) => TURN_ENDS.has(name)))) return;
    source.skip(1);
  }
}

const RECIPIENT_STOPS = new StopTable("<>");
/** Characters of a line that may be a header. */
const HEADER_LIMIT = 512;

/** The name `ahead` of the cursor. */
function* wordAt(source: Source, ahead: number): Reading<string> {
  let end = ahead;
  while (isNameCode(yield* peek(source, end)) && end - ahead < NAME_LIMIT) end += 1;
  return source.ahead(end).slice(ahead);
}

const NAME_LIMIT = 128;

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
      source.back(start);
      source.release();
      return false;
    }
    if (code === 97) {
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
        else if (!(yield* readRecipientLine(turn))) turn.lineStart = false;
        return true;
      }
    }
    source.skip(1);
  }
}

/** `assistant to=functions.NAME code {json}` at the start of a line, with whatever stands between the recipient and the object. */
function* readRecipientLine(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const start = source.offset;
  if (start < turn.floor) return false;
  let ahead = 0;
  for (const word of HEADER_WORDS) {
    if (yield* startsWith(source, word)) {
      ahead = word.length;
      break;
    }
  }
  if (ahead > 0 && (yield* peek(source, ahead)) === 32) ahead += 1;
  if (!(yield* startsWith(source, "to=functions.", ahead))) return false;
  ahead += "to=functions.".length;
  const nameFrom = ahead;
  while (isNameCode(yield* peek(source, ahead))) ahead += 1;
  const name = source.ahead(ahead).slice(nameFrom);
  if (turn.resolve(name) === undefined) return false;
  source.hold();
  source.skip(ahead);
  let newlines = 0;
  const giveBack = (): false => {
    turn.floor = Math.max(turn.floor, source.offset);
    source.back(start);
    source.release();
    return false;
  };
  for (let junk = 0; (yield* peek(source)) !== 123; junk += 1) {
    const code = yield* peek(source);
    if (code === 10) newlines += 1;
    if (code === END || junk > JUNK_LIMIT || newlines > 1) return giveBack();
    source.skip(1);
  }
  const from = source.offset;
  if ((yield* scanBalanced(source, from + turn.options.captureChars)) !== "balanced") return giveBack();
  const json = decodeJson(turn.captured(from, source.offset));
  if (!json) return giveBack();
  const repairs = ["header-junk", ...json.repairs];
  turn.emit([{ name, arguments: { type: "json", text: json.text }, repairs }], "harmony");
  turn.endCapture();
  return true;
}

const HEADER_WORDS = ["assistantcommentary", "assistant", "analysis", "commentary", "final"];
/** Characters of noise that are forgiven between a recipient and its arguments. */
const JUNK_LIMIT = 256;

/** A role switch inside the completion, whose body is a call; what stands before it is captured. */
function* readRole(turn: Turn, row: HeadedRow): Reading<boolean> {
  for (const header of row.headers) {
    if (!(yield* startsWith(turn.source, header))) continue;
    turn.endCapture("header");
    return yield* readHeadedBlock(turn, row);
  }
  return false;
}

/** `✿FUNCTION✿: NAME⏎✿ARGS✿: {json}`, up to `✿RESULT✿` or the end. */
function* readFlower(turn: Turn): Reading<boolean> {
  const { source } = turn;
  for (const mark of ["✿RETURN✿: ", "✿RETURN✿:", "✿RETURN✿", "✿RESULT✿: ", "✿RESULT✿:", "✿RESULT✿"]) {
    if (yield* startsWith(source, mark)) {
      turn.dropMark(mark.length);
      return true;
    }
  }
  if (!(yield* startsWith(source, "✿FUNCTION✿"))) return false;
  source.hold();
  source.skip("✿FUNCTION✿".length);
  if ((yield* skipBlanks(source)) === 58) source.skip(1);
  yield* skipBlanks(source);
  const from = source.offset;
  let code = yield* peek(source);
  while (code !== END && code !== 10 && code !== 0x273f && source.offset - from < 256) {
    source.skip(1);
    code = yield* peek(source);
  }
  const name = turn.captured(from, source.offset).trim();
  yield* skipBlanks(source);
  if (yield* startsWith(source, "✿ARGS✿")) source.skip("✿ARGS✿".length);
  if ((yield* skipBlanks(source)) === 58) source.skip(1);
  const next = yield* skipBlanks(source);
  const bodyFrom = source.offset;
  const scan =
    next === 123
      ? yield* scanBalanced(source, source.heldFrom + turn.options.captureChars)
      : next === END && turn.finish === "cut"
        ? "cut"
        : "broken";
  const json = scan === "balanced" ? decodeJson(turn.captured(bodyFrom, source.offset)) : undefined;
  const none = (next === END || next === 0x273f) && scan !== "cut" && turn.parameters(name).length === 0;
  if (json ?? none)
    turn.emit(
      [{ name, arguments: { type: "json", text: json?.text ?? "{}" }, repairs: json?.repairs ?? [] }],
      "qwen-agent",
    );
  else {
    if (scan === "cut" && turn.finish === "normal" && turn.mayReadAgain()) source.back(bodyFrom);
    yield* skipToFlower(turn);
    const cut = source.code() === END && (scan === "cut" || turn.finish === "cut");
    turn.issue(cut ? "truncated-call" : "malformed-call", "This tool call has no readable arguments.", "qwen-agent");
  }
  turn.endCapture();
  return true;
}

/** Moves to the next sign of this family, or to the end. */
function* skipToFlower(turn: Turn): Reading<void> {
  const { source } = turn;
  const until = source.heldFrom + turn.options.captureChars;
  do source.advance(FLOWERS, until);
  while ((yield* peek(source)) !== END && source.offset < until && source.code() !== 0x273f);
}

const FLOWERS = new StopTable("✿");

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 58 || code === 44 || code === 46 || code === END;
}

function isNameCode(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 46 ||
    code === 45
  );
}

// Labelled text: Thought, Action, Action Input, Observation, Final Answer. Knows labels at the start of a line and what follows them.
import type { CallCandidate } from "../CallCandidate.ts";
import { decodeBody, decodePythonBody } from "../decodeBody.ts";
import { decodeElements } from "../decoders/decodeElements.ts";
import { decodeJson } from "../decoders/decodeJson.ts";
import { ANSWER_ACTIONS, ANSWER_LABELS, WEAK_ANSWER_LABELS } from "../families/finalAnswer.ts";
import { END, type Reading, StopTable, WAIT } from "../Source.ts";
import { scanBalanced } from "../scanBalanced.ts";
import { peek, startsWith } from "../Tag.ts";
import { isBlank } from "../TextSink.ts";
import { skipBlanks, type Turn } from "../Turn.ts";

/** `answer` is a final label only behind a thought. */
type Label = "thought" | "action" | "input" | "observation" | "final" | "answer";

/** Labels as models spell them, without decoration and case; localised ones are from bilingual prompts. */
const LABELS: ReadonlyMap<string, Label> = new Map<string, Label>([
  ["thought", "thought"],
  ["thoughts", "thought"],
  ["思考", "thought"],
  ["action", "action"],
  ["行动", "action"],
  ["acción", "action"],
  ["action input", "input"],
  ["action_input", "input"],
  ["action inputs", "input"],
  ["行动输入", "input"],
  ["observation", "observation"],
  ["观察", "observation"],
  ["pensamiento", "thought"],
  ["entrada de la acción", "input"],
  ["observación", "observation"],
  ...ANSWER_LABELS.map((label) => [label, "final"] as const),
  ...WEAK_ANSWER_LABELS.map((label) => [label, "answer"] as const),
]);
const LABEL_LIMIT = 40;
const FAMILY = "react-text";

/** Names in the action's place that mean that nothing is called. */
const NO_ACTION = new Set(["none", "n/a", "na", "no_action", "no action", ...ANSWER_ACTIONS, "null", ""]);

/** An input that says nothing. */
const NO_INPUT = /^(?:none|null|n\/a|\{\}|"")?$/i;

export interface LabelMark {
  readonly label: Label;
  readonly length: number;
}

/** The label at the cursor (a line's first visible character), decorations included; undefined where there is none. */
export function* readLabel(turn: Turn): Reading<LabelMark | undefined> {
  const { source } = turn;
  const heading = (yield* peek(source)) === 35;
  let i = 0;
  let word = "";
  for (; i < LABEL_LIMIT; i += 1) {
    const code = yield* peek(source, i);
    if (code === 10 && heading && LABELS.get(word.trim()) === "final") return { label: "final", length: i + 1 };
    if (code === END || code === 10 || code === 13) return undefined;
    if (code === 58 || code === 0xff1a) break;
    const char = String.fromCharCode(code);
    if (DECORATION.has(char)) continue;
    word += char.toLowerCase();
    if (!couldBeLabel(word)) return undefined;
  }
  const label = LABELS.get(
    word
      .replace(/[\d\s]+$/, "")
      .replace(/ \d+ /, " ")
      .trim(),
  );
  if (label === undefined) return undefined;
  i += 1;
  while ((yield* peek(source, i)) === 42) i += 1;
  return { label, length: (yield* peek(source, i)) === 32 ? i + 1 : i };
}

const DECORATION = new Set(["*", "#", "`", ">", "-"]);
const SPELLINGS = [...LABELS.keys()];

function couldBeLabel(word: string): boolean {
  const plain = word.trimStart().replace(/\d+ ?/, "");
  const bare = plain.trimEnd();
  return bare === "" || SPELLINGS.some((spelling) => spelling.startsWith(bare) || bare === spelling);
}

/** What an `Action:` label turned out to be. */
export type ActionEnd = "called" | "text" | "no-action" | "refused" | "answered";

/**
 * Reads an action whose label stands at the cursor, with its input. `trusted`: the format was asked for, so that an unknown or
 * unfinished action is an issue; otherwise it is text again. `name` is given where only an input's label stands here.
 */
export function* readAction(
  turn: Turn,
  mark: LabelMark,
  how: { readonly trusted: boolean; readonly name?: string | undefined },
): Reading<ActionEnd> {
  const { source } = turn;
  const start = source.offset;
  source.hold();
  source.skip(mark.length);
  const giveBack = (): ActionEnd => {
    turn.noteRelease("It names no offered tool, or has no input.");
    turn.floor = Math.max(turn.floor, source.offset);
    source.back(start);
    source.release();
    return "text";
  };
  let candidates: readonly CallCandidate[] | undefined;
  let name = how.name;
  if (name === undefined) {
    if (yield* readAnswerAction(turn)) return "answered";
    const head = yield* readHead(turn);
    candidates = head.candidates;
    name = head.name;
  }
  if (candidates === undefined && NO_ACTION.has(name.toLowerCase())) {
    if (!how.trusted) return giveBack();
    yield* skipNoInput(turn);
    turn.endCapture("no-action");
    return "no-action";
  }
  const resolved = turn.resolve(name);
  if (candidates === undefined && resolved === undefined && !how.trusted) return giveBack();
  if (candidates === undefined) {
    const input = how.name === undefined ? yield* inputLabel(turn) : true;
    const body = input ? yield* readInput(turn) : undefined;
    if (body === "cut" || (body !== undefined && turn.finish === "cut" && (yield* peek(source)) === END)) {
      if (!how.trusted && resolved === undefined) return giveBack();
      turn.issue("truncated-call", "The text ended inside the input of this action.", FAMILY);
      turn.endCapture();
      return "refused";
    }
    const bare = resolved !== undefined && turn.parameters(resolved).length === 0;
    if (body === undefined && !bare) {
      if (!how.trusted) return giveBack();
      turn.issue("malformed-call", `The action ${name} has no "Action Input:" line.`, FAMILY);
      turn.endCapture();
      return "refused";
    }
    candidates = [readInputText(turn, name, body ?? "")];
  }
  if (!how.trusted && !turn.fit(candidates, FAMILY)) return giveBack();
  turn.emit(candidates, FAMILY);
  turn.endCapture();
  return "called";
}

/** `Finish[…]`, whose brackets hold the answer: it is content, the rest is markup. */
function* readAnswerAction(turn: Turn): Reading<boolean> {
  const { source } = turn;
  const from = source.offset;
  const line = yield* readLine(turn);
  const action = /^\s*(\w[\w ]*)\[(.*)\]\s*$/.exec(line);
  const [, name = "", answer = ""] = action ?? [];
  const isAnswer = ANSWER_ACTIONS.includes(name.trim().toLowerCase()) && turn.resolve(name.trim()) === undefined;
  source.back(isAnswer ? from + line.indexOf("[") + 1 : from);
  if (!isAnswer) return false;
  turn.endCapture("label");
  turn.sink.enter("text");
  turn.pass(answer.length);
  turn.dropMark(1, "label");
  return true;
}

/** The action's own line: a name, a call in brackets, or JSON that says both name and input. */
function* readHead(
  turn: Turn,
): Reading<{ readonly name: string; readonly candidates?: readonly CallCandidate[] | undefined }> {
  const { source } = turn;
  yield* skipBlanks(source);
  if (yield* startsWith(source, "```")) {
    source.skip(3);
    while (isLetter(yield* peek(source))) source.skip(1);
    yield* skipBlanks(source);
  }
  const code = yield* peek(source);
  const from = source.offset;
  if (code === 123 || (code === 91 && (yield* peek(source, 1)) === 123)) {
    if ((yield* scanBalanced(source, source.heldFrom + turn.options.captureChars)) !== "balanced") return { name: "" };
    const decoded = decodeBody(turn, turn.captured(from, source.offset), true);
    yield* skipFenceEnd(turn);
    return { name: decoded?.candidates[0]?.name ?? "?", candidates: decoded?.candidates };
  }
  const line = yield* readLine(turn);
  const plain = cleanName(line);
  if (turn.resolve(plain) === undefined && line.includes("(")) {
    const calls = decodePythonBody(turn, line.trim().replace(/\.$/, ""));
    if (calls) return { name: calls[0]?.name ?? plain, candidates: calls };
  }
  return { name: plain };
}

/** A name without the dress that models put on it. */
function cleanName(line: string): string {
  const bare = line.trim().replace(/^[*`"'[]+|[*`"'\].]+$/g, "");
  const used = /^use (?:the )?(?:tool )?(\S+)/i.exec(bare);
  return (used?.[1] ?? bare).replaceAll("\\_", "_");
}

/** Moves over the input label of an action that calls nothing, and over an input that says nothing. */
function* skipNoInput(turn: Turn): Reading<void> {
  const { source } = turn;
  const start = source.offset;
  if (!(yield* inputLabel(turn))) return source.back(start);
  const from = source.offset;
  const line = yield* readLine(turn);
  if (!NO_INPUT.test(line.trim())) source.back(from);
}

/** Moves to behind an input label on one of the next lines; false where something else stands there. */
function* inputLabel(turn: Turn): Reading<boolean> {
  yield* skipBlanks(turn.source);
  const mark = yield* readLabel(turn);
  if (mark?.label !== "input") return false;
  turn.source.skip(mark.length);
  return true;
}

const INPUT_STOPS = new StopTable("\n");

/** The input up to the next label at the start of a line, or the end. */
function* readInput(turn: Turn): Reading<string | "cut"> {
  const { source } = turn;
  const until = source.heldFrom + turn.options.captureChars;
  yield* skipBlanks(source);
  const from = source.offset;
  if (yield* startsWith(source, "```")) {
    source.skip(3);
    while (isLetter(yield* peek(source))) source.skip(1);
    yield* skipBlanks(source);
  }
  const code = yield* peek(source);
  if (code === 123 || code === 91) {
    const scan = yield* scanBalanced(source, until);
    if (scan === "cut" || scan === "refused") return "cut";
    if (scan === "balanced") return turn.captured(from, source.offset);
  }
  for (;;) {
    source.advance(INPUT_STOPS, until);
    if (source.offset >= until) return "cut";
    const next = source.code();
    if (next === WAIT) {
      yield;
      continue;
    }
    if (next === END) break;
    const to = source.offset;
    yield* skipBlanks(source);
    if (yield* readLabel(turn)) {
      const text = turn.captured(from, to);
      return text;
    }
  }
  return turn.captured(from, source.offset);
}

/** An input as a candidate: JSON, elements, `key=value` pairs, nothing, or the text of the only fitting parameter. */
function readInputText(turn: Turn, name: string, input: string): CallCandidate {
  const text = stripFence(input.trim());
  const none: CallCandidate = { name, arguments: { type: "list", list: [] }, repairs: [] };
  if (NO_INPUT.test(text)) return none;
  if (text.startsWith("{") || text.startsWith("[")) {
    const json = decodeJson(text);
    if (json) return { name, arguments: { type: "json", text: json.text }, repairs: json.repairs };
  }
  const tool = turn.resolve(name);
  const known = tool === undefined ? [] : turn.parameters(tool);
  if (text.startsWith("<")) {
    const members = decodeElements(text);
    if (members && members.length > 0 && members.every(([key]) => known.includes(key))) {
      const list = members.map(([key, json]) => ({
        key,
        value: leaf(json),
        form: json.startsWith('"') ? ("raw" as const) : ("json" as const),
      }));
      return { name, arguments: { type: "list", list }, repairs: [] };
    }
  }
  const pairs = readPairs(text, known);
  if (pairs) return { name, arguments: { type: "list", list: pairs }, repairs: [] };
  return { name, arguments: { type: "text", text: unquote(text) }, repairs: [] };
}

function leaf(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/** `port=Brest, day=3` or one pair a line; only where every key is a parameter. */
function readPairs(
  text: string,
  known: readonly string[],
): readonly { key: string; value: string; form: "raw" }[] | undefined {
  const pieces = text.includes("\n") ? text.split("\n") : splitPairs(text, known);
  const pairs: { key: string; value: string; form: "raw" }[] = [];
  for (const piece of pieces) {
    const trimmed = piece.trim();
    if (trimmed === "") continue;
    const at = trimmed.search(/[=:：]/);
    const key =
      at < 0
        ? ""
        : unquote(
            trimmed
              .slice(0, at)
              .trim()
              .replace(/^[-*] /, ""),
          );
    if (!known.includes(key)) return undefined;
    pairs.push({ key, value: unquote(trimmed.slice(at + 1).trim()), form: "raw" });
  }
  return pairs.length > 0 ? pairs : undefined;
}

/** Splits at commas that a known key follows. */
function splitPairs(text: string, known: readonly string[]): readonly string[] {
  const pieces: string[] = [];
  for (const part of text.split(",")) {
    const key = part.split(/[=:：]/)[0]?.trim() ?? "";
    if (pieces.length === 0 || known.includes(key)) pieces.push(part);
    else pieces.push(`${pieces.pop()},${part}`);
  }
  return pieces;
}

function unquote(text: string): string {
  const first = text.charAt(0);
  const quoted = text.length > 1 && (first === '"' || first === "'") && text.endsWith(first);
  return quoted ? text.slice(1, -1) : text;
}

function stripFence(text: string): string {
  if (!text.startsWith("```")) return text;
  const body = text.slice(3).replace(/^[a-zA-Z]*\s*/, "");
  return body.endsWith("```") ? body.slice(0, -3).trim() : body;
}

function* readLine(turn: Turn): Reading<string> {
  const { source } = turn;
  const from = source.offset;
  while (source.offset - from < 2048) {
    const code = yield* peek(source);
    if (code === END || code === 10) break;
    source.skip(1);
  }
  return turn.captured(from, source.offset);
}

function* skipFenceEnd(turn: Turn): Reading<void> {
  let ahead = 0;
  while (isBlank(yield* peek(turn.source, ahead))) ahead += 1;
  if (yield* startsWith(turn.source, "```", ahead)) turn.source.skip(ahead + 3);
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

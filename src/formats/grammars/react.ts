// An action of labelled text: its name, its input, and whether both make a call. Knows no other label.
import type { CallCandidate } from "../CallCandidate.ts";
import { decodeBody, decodePythonBody } from "../decodeBody.ts";
import { ANSWER_ACTIONS } from "../families/finalAnswer.ts";
import { END, type Reading } from "../Source.ts";
import { scanBalanced } from "../scanBalanced.ts";
import { peek, startsWith } from "../Tag.ts";
import { isBlank } from "../TextSink.ts";
import { skipBlanks, type Turn } from "../Turn.ts";
import { readInput, readLine, skipFenceStart, skipInputLabel, skipNoInput } from "./actionInput.ts";
import { decodeActionInput } from "./decodeActionInput.ts";
import type { LabelMark } from "./labels.ts";

const FAMILY = "react-text";

/** Names in the action's place that mean that nothing is called. */
const NO_ACTION = new Set(["none", "n/a", "na", "no_action", "no action", ...ANSWER_ACTIONS, "null", ""]);

/** What an `Action:` label turned out to be. */
export type ActionEnd = "called" | "text" | "no-action" | "refused" | "answered";

export interface ActionContext {
  /** The format was asked for, so that an unknown or unfinished action is an issue; otherwise it is text again. */
  readonly trusted: boolean;
  /** The tool that is called, where only an input's label stands at the cursor. */
  readonly name?: string | undefined;
}

/** Reads an action whose label stands at the cursor, with its input. */
export function* readAction(turn: Turn, mark: LabelMark, context: ActionContext): Reading<ActionEnd> {
  const { source } = turn;
  const start = source.offset;
  source.hold();
  source.skip(mark.length);
  if (context.name === undefined && (yield* readAnswerAction(turn))) return "answered";
  const head: Head = context.name === undefined ? yield* readHead(turn) : { name: context.name };
  const read = head.candidates ?? (yield* readByName(turn, head.name, context));
  if (read === "text" || (typeof read !== "string" && !context.trusted && !turn.fit(read, FAMILY))) {
    turn.noteRelease("It names no offered tool, or has no input.");
    turn.floor = Math.max(turn.floor, source.offset);
    source.back(start);
    source.release();
    return "text";
  }
  if (typeof read !== "string") turn.emit(read, FAMILY);
  turn.endCapture(read === "no-action" ? read : undefined);
  return typeof read === "string" ? read : "called";
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

interface Head {
  readonly name: string;
  readonly candidates?: readonly CallCandidate[] | undefined;
}

/** The action's own line: a name, a call in brackets, or JSON that says both name and input. */
function* readHead(turn: Turn): Reading<Head> {
  const { source } = turn;
  yield* skipBlanks(source);
  yield* skipFenceStart(turn);
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

/** The call that a name and the input behind it make; `refused` where it was reported as an issue. */
function* readByName(
  turn: Turn,
  name: string,
  { trusted, name: given }: ActionContext,
): Reading<readonly CallCandidate[] | "text" | "no-action" | "refused"> {
  if (NO_ACTION.has(name.toLowerCase())) {
    if (!trusted) return "text";
    yield* skipNoInput(turn);
    return "no-action";
  }
  const tool = turn.resolve(name);
  if (tool === undefined && !trusted) return "text";
  const known = tool === undefined ? undefined : turn.parameters(tool);
  const labelled = given !== undefined || (yield* skipInputLabel(turn));
  const input = labelled ? yield* readInput(turn) : undefined;
  if (input === "cut" || (input && turn.finish === "cut" && (yield* peek(turn.source)) === END)) {
    turn.issue("truncated-call", "The text ended inside the input of this action.", FAMILY);
    return "refused";
  }
  if (!input && known?.length !== 0) {
    if (!trusted) return "text";
    turn.issue("malformed-call", `The action ${name} has no "Action Input:" line.`, FAMILY);
    return "refused";
  }
  const dressed = tool === undefined && input?.text.trim() === "" ? bracketedTool(turn, name) : undefined;
  if (dressed !== undefined) {
    turn.issue("malformed-call", `The action ${dressed} has no input behind "Action Input:".`, FAMILY);
    return "refused";
  }
  return [decodeActionInput(name, input?.text ?? "", known ?? [])];
}

/** The offered tool of `NAME[words`, whose words are no input: another label introduces that. */
function bracketedTool(turn: Turn, name: string): string | undefined {
  const at = name.indexOf("[");
  return at > 0 ? turn.resolve(name.slice(0, at).trim()) : undefined;
}

function* skipFenceEnd(turn: Turn): Reading<void> {
  let ahead = 0;
  while (isBlank(yield* peek(turn.source, ahead))) ahead += 1;
  if (yield* startsWith(turn.source, "```", ahead)) turn.source.skip(ahead + 3);
}

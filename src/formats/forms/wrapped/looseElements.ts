// Call elements without their wrapper: believed on their own closing mark and an offered name; anything else is text again.

import { decodeBraces } from "../../bodies/decodeBraces.ts";
import { familyOfForm } from "../../families/tables.ts";
import { LESS_THAN, OPEN_BRACE } from "../../text/codes.ts";
import { END, type Reading } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { readTag, type Tag } from "../../text/Tag.ts";
import { endsInside, peek, skipBlanks, startsWith } from "../../text/waiting.ts";
import { Capture } from "../../turn/Capture.ts";
import type { Turn } from "../../turn/Turn.ts";
import { looseFamilyOf } from "../elements/callFamily.ts";
import { nameOf } from "../elements/callMarks.ts";
import { readElementCall } from "../elements/taggedCall.ts";
import { KEY_LIMIT } from "../elements/ValueReader.ts";
import { scanBraces } from "../shapes/braceCalls.ts";

/** Reads `<invoke …>`, `<function=…>` and their like at the cursor; false where the mark is text. */
export function* readLooseElement(turn: Turn, tag: Tag): Reading<boolean> {
  const { source } = turn;
  if (tag.name === "tool" && nameOf(tag) === undefined) return yield* readToolInput(turn, tag);
  const name = nameOf(tag);
  const explicit = tag.prefix === "xtml" || tag.name === "use_mcp_tool";
  if (name !== undefined && !explicit && turn.resolve(name) === undefined) return false;
  if (turn.guard.isRefused) return false;
  const capture = new Capture(turn);
  source.skip(tag.raw.length);
  if (!tag.selfClosing && !(yield* bodyFollows(turn))) return capture.giveBack(NO_CALL);
  const call = yield* readElementCall(turn, { tag, lead: false });
  const json = tag.name === "function" && call.candidate?.arguments.type === "json";
  const family = json ? familyOfForm("json-element") : looseFamilyOf(tag);
  const known = call.candidate !== undefined && turn.resolve(call.candidate.name) !== undefined;
  if (call.candidate && (known || explicit) && (call.end === "closed" || call.end === "implied")) {
    capture.calls([call.candidate], family);
    return true;
  }
  if (call.end === "cut" && (known || name !== undefined || explicit)) {
    capture.cut(family);
    return true;
  }
  return capture.giveBack(NO_CALL);
}

/** `<tool>NAME</tool><tool_input>TEXT`, whose closing tag is the stop word of those who ask for it. */
function* readToolInput(turn: Turn, tag: Tag): Reading<boolean> {
  const { source } = turn;
  if (turn.guard.isRefused || tag.closing || tag.selfClosing) return false;
  const capture = new Capture(turn);
  source.skip(tag.raw.length);
  let length = 0;
  let code = yield* peek(source);
  while (code !== LESS_THAN && code !== END && length < KEY_LIMIT) {
    length += 1;
    code = yield* peek(source, length);
  }
  const name = source.ahead(length).trim();
  if (turn.resolve(name) === undefined || !(yield* startsWith(source, "</tool>", length)))
    return capture.giveBack(NO_CALL);
  source.skip(length + "</tool>".length);
  yield* skipBlanks(source);
  if (!(yield* startsWith(source, "<tool_input>"))) return capture.giveBack(NO_CALL);
  source.skip("<tool_input>".length);
  const from = source.offset;
  const closed = yield* passInput(turn, capture.until);
  const text = turn.captured(from, source.offset);
  if (closed) source.skip(INPUT_END.length);
  else yield* skipTorso(turn, INPUT_END);
  if (closed || turn.finish === "normal") {
    capture.calls([{ name, arguments: { type: "text", text: text.trim() }, repairs: [] }], INPUT_FAMILY);
  } else {
    capture.cut(INPUT_FAMILY);
  }
  return true;
}

const INPUT_FAMILY = familyOfForm("tool-input");
const LABEL_FAMILY = familyOfForm("tool-label");
const INPUT_END = "</tool_input>";
const LABEL_END = "</tool>";
const BRACKET_END = "[/TOOL_CALL]";

/** Moves over a closer, or over the beginning of one that the text ends in. */
function* skipTorso(turn: Turn, closer: string): Reading<void> {
  const whole = yield* startsWith(turn.source, closer);
  turn.source.skip(whole ? closer.length : yield* endsInside(turn.source, closer));
}

/** Moves to the closing tag of the input, or to the end; the strings of a JSON object may hold that tag. */
function* passInput(turn: Turn, until: number): Reading<boolean> {
  const { source } = turn;
  if ((yield* skipBlanks(source)) === OPEN_BRACE && !turn.guard.areBracketsRefused) {
    const from = source.offset;
    if ((yield* scanBalanced(source, until)) !== "balanced") {
      turn.guard.refuseBrackets();
      source.back(from);
    }
  }
  for (;;) {
    const code = yield* peek(source);
    if (code === END || source.offset >= until) return false;
    if (code === LESS_THAN && (yield* startsWith(source, INPUT_END))) return true;
    if (code === LESS_THAN && (yield* endsInside(source, INPUT_END)) > 0) return false;
    source.skip(1);
  }
}

/** Reads an element that is named after an offered tool, if its children are that tool's parameters. */
export function* readOfferedElement(turn: Turn, tag: Tag): Reading<boolean> {
  const { source } = turn;
  if (turn.guard.isRefused) return false;
  const known = turn.parameters(tag.name);
  const capture = new Capture(turn);
  source.skip(tag.raw.length);
  const code = yield* skipBlanks(source);
  const child =
    code === LESS_THAN ? yield* readTag(source, (name) => name === tag.name || known.includes(name)) : undefined;
  const cut = turn.finish === "normal" && (yield* endsInside(source, `</${tag.name}>`)) > 1;
  if (!child && !cut && !(tag.selfClosing && known.length === 0)) return capture.giveBack(NO_CALL);
  const call = yield* readElementCall(turn, { tag, name: tag.name, lead: false });
  const fitted =
    call.candidate &&
    (call.end === "closed" || call.end === "implied") &&
    turn.fit([call.candidate], familyOfForm("offered-element"));
  const members = call.candidate?.arguments.type === "list" ? call.candidate.arguments.list : [];
  if (!fitted || members.some((member) => member.key === undefined || !known.includes(member.key)))
    return capture.giveBack(NO_CALL);
  capture.fitted(fitted);
  return true;
}

/** `<tool: LABEL>NAME free text or JSON</tool>`. */
export function* readToolLabel(turn: Turn, tag: Tag): Reading<boolean> {
  const { source } = turn;
  if (turn.guard.isRefused) return false;
  const capture = new Capture(turn);
  source.skip(tag.raw.length);
  const from = source.offset;
  for (;;) {
    const code = yield* peek(source);
    if (code === END && announcesCall(turn, tag, turn.captured(from, source.offset))) {
      capture.cut(LABEL_FAMILY);
      return true;
    }
    if (code === END || source.offset >= capture.until) return capture.giveBack(NO_CALL);
    if (code === LESS_THAN && ((yield* startsWith(source, LABEL_END)) || (yield* isCutCloser(turn)))) break;
    source.skip(1);
  }
  const body = turn.captured(from, source.offset).trim();
  yield* skipTorso(turn, LABEL_END);
  const label = tag.value ?? "";
  const [first = "", ...rest] = body.split(/\s+/);
  const byLabel = turn.resolve(label) !== undefined;
  const name = byLabel ? label : first;
  const text = byLabel ? body : body.slice(first.length).trim();
  if (turn.resolve(name) === undefined || (!byLabel && rest.length === 0 && turn.parameters(name).length > 0))
    return capture.giveBack(NO_CALL);
  const calls = turn.fit([{ name, arguments: { type: "text", text }, repairs: [] }], LABEL_FAMILY);
  if (!calls) return capture.giveBack(NO_CALL);
  capture.fitted(calls);
  return true;
}

/** Whether a text that was not cut ends inside the closer at the cursor: its first sign alone may be any other. */
function* isCutCloser({ source, finish }: Turn): Reading<boolean> {
  return finish === "normal" && (yield* endsInside(source, LABEL_END)) > 1;
}

/** Whether an unclosed label and what follows it name an offered tool, or were cut while they might. */
function announcesCall(turn: Turn, { value = "" }: Tag, body: string): boolean {
  const [first = "", ...rest] = body.trim().split(/\s+/);
  if (turn.resolve(value) !== undefined || turn.resolve(first) !== undefined) return true;
  return turn.finish === "cut" && rest.length === 0 && turn.offered.some((name) => name.startsWith(first));
}

/** `[TOOL_CALL]{tool => "NAME", args => {--key "value"}}[/TOOL_CALL]`; a mark without braces behind it is text. */
export function* readBracketCall(turn: Turn): Reading<void> {
  const { source } = turn;
  const family = familyOfForm("bracketed-braces");
  const capture = new Capture(turn);
  source.skip("[TOOL_CALL]".length);
  const code = yield* skipBlanks(source);
  if (code === END) return capture.cut(family);
  if (code !== OPEN_BRACE) return capture.words();
  const from = source.offset;
  const end = yield* scanBraces(turn, "\u0000", undefined);
  if (end === "refused") return capture.refused(family);
  if (end === "broken") return capture.malformed(UNREADABLE, family);
  if (end !== "balanced") return capture.cut(family);
  const candidates = decodeBraces(turn.captured(from, source.offset), {
    strings: [],
    knownParameters: turn.parameters,
  });
  yield* skipBlanks(source);
  yield* skipTorso(turn, BRACKET_END);
  if (candidates) capture.calls(candidates, family);
  else capture.malformed(UNREADABLE, family);
}

/** A call's body begins with another mark or with an object. */
function* bodyFollows(turn: Turn): Reading<boolean> {
  const code = yield* skipBlanks(turn.source);
  return code === LESS_THAN || code === OPEN_BRACE || code === END;
}

const NO_CALL = "Its body or its end is not that of a call.";
const UNREADABLE = "The body of this tool call cannot be read.";

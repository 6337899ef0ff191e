// What a mark outside quotations does, by its role: it goes to its grammar, opens or closes something, or is dropped. Knows no shape without marks.

import type { FinalAnswerExtractor } from "../answers/FinalAnswerExtractor.ts";
import { LEAD } from "../families/callTags.ts";
import { isMark, literalAt, literalRole, type MarkRole, nameOfMark, roleOf } from "../families/marks.ts";
import { FRAMING_MARKS, WRAPPERS } from "../families/tables.ts";
import { opensCall } from "../forms/elements/callMarks.ts";
import { readSection } from "../forms/headed/markedSections.ts";
import { readBraceCall } from "../forms/shapes/braceCalls.ts";
import { readBracketCall, readLooseElement, readToolLabel } from "../forms/wrapped/looseElements.ts";
import { readWrapped } from "../forms/wrapped/wrappedCalls.ts";
import { isOwnNoise } from "../forms/wrapped/wrapperEnds.ts";
import type { Reading } from "../text/Source.ts";
import { readTag, type Tag } from "../text/Tag.ts";
import { peek, startsWith } from "../text/waiting.ts";
import { isBlank } from "../text/whiteSpace.ts";
import { dropCutMark } from "../turn/cutMarks.ts";
import type { Turn } from "../turn/Turn.ts";
import { type CallMarks, ReasoningReader } from "./ReasoningReader.ts";
import { type Framing, readFraming } from "./turnBounds.ts";

export class MarkReader implements CallMarks {
  readonly reasoning: ReasoningReader;
  readonly #turn: Turn;
  readonly #answer: FinalAnswerExtractor;

  constructor(turn: Turn, answer: FinalAnswerExtractor) {
    this.#turn = turn;
    this.#answer = answer;
    this.reasoning = new ReasoningReader(turn, this);
  }

  /** A tag of that role at the cursor; where it means nothing here it is text. */
  *tag(role: MarkRole, tag: Tag): Reading<void> {
    const turn = this.#turn;
    const length = tag.raw.length;
    const mayCall = turn.offered.length > 0 && !turn.guard.isRefused;
    switch (role.type) {
      case "reasoning-open":
        return tag.selfClosing ? turn.pass(length) : yield* this.reasoning.open(role.row, length);
      case "reasoning-close":
        if (FRAMING_MARKS.has(nameOfMark(tag))) return void (yield* this.framing(tag));
        return yield* this.reasoning.lateCloser(role.row, length);
      case "wrapper":
        return mayCall ? yield* readWrapped(turn, { row: role.row, raw: tag.raw, tag }) : turn.pass(length);
      case "section":
        return mayCall ? yield* readSection(turn, tag) : turn.pass(length);
      case "braces":
        return mayCall ? yield* readBraceCall(turn, role.row, tag) : turn.pass(length);
      case "call":
        if (!mayCall || !(yield* readLooseElement(turn, tag))) turn.pass(length);
        return;
      case "tool-label":
        if (!mayCall || !(yield* readToolLabel(turn, tag))) turn.pass(length);
        return;
      case "call-group":
        if (mayCall && (yield* opensGroup(turn, length))) turn.dropMark(length);
        else turn.pass(length);
        return;
      case "stray":
        return yield* this.#stray(tag);
      case "frame":
        return void (yield* this.framing(tag));
      case "answer":
        return this.#answer.element(tag);
      default:
        role satisfies never;
    }
  }

  /** A mark of framing at the cursor, in the text or inside reasoning. */
  *framing(tag: Tag): Reading<Framing> {
    const mark = { name: nameOfMark(tag), raw: tag.raw, tag };
    const framing = yield* readFraming(this.#turn, mark, () => this.reasoning.begin());
    if (framing === "message") this.#turn.beginMessage();
    return framing;
  }

  /** A call's closer without its call: markup behind a call that has been read, else the text of an answer about it. */
  *#stray(tag: Tag): Reading<void> {
    const turn = this.#turn;
    const name = nameOfMark(tag);
    const isNoise = WRAPPERS.some((row) => row.close.includes(name) && isOwnNoise(turn, row));
    if ((turn.announced || isNoise) && turn.offered.length > 0) turn.dropMark(tag.raw.length, "stray-mark");
    else if (FRAMING_MARKS.has(name)) yield* this.framing(tag);
    else turn.pass(tag.raw.length);
  }

  /** A mark in square brackets at the cursor: read it by its role. */
  *literal(): Reading<boolean> {
    const turn = this.#turn;
    if (turn.offered.length > 0 && (yield* startsWith(turn.source, "[TOOL_CALL]"))) {
      yield* readBracketCall(turn);
      return true;
    }
    const literal = yield* literalAt(turn.source);
    if (literal === "cut" && dropCutMark(turn)) return true;
    const role = literal === undefined ? undefined : literalRole(literal);
    if (literal === undefined || role === undefined) return false;
    if (role.type === "reasoning-open") yield* this.reasoning.open(role.row, literal.length);
    else if (FRAMING_MARKS.has(literal)) yield* readFraming(turn, { name: literal, raw: literal }, () => {});
    else if (role.type === "reasoning-close") yield* this.reasoning.lateCloser(role.row, literal.length);
    else if (role.type === "wrapper" && turn.offered.length > 0)
      yield* readWrapped(turn, { row: role.row, raw: literal });
    else if (role.type === "stray" && turn.announced) turn.dropMark(literal.length, "stray-mark");
    else return false;
    return true;
  }

  /** The token that one family puts before every tag. */
  *lead(): Reading<void> {
    const turn = this.#turn;
    if (!(yield* startsWith(turn.source, LEAD))) return turn.pass(1);
    const tag = turn.offered.length > 0 ? yield* readTag(turn.source, isMark, LEAD.length) : undefined;
    const role = tag && roleOf(tag);
    if (tag && role?.type === "wrapper")
      return yield* readWrapped(turn, { row: role.row, raw: LEAD + tag.raw, tag, lead: true });
    const row =
      tag && role?.type === "call" && opensCall(tag) ? WRAPPERS.find((one) => one.open === "tool_call") : undefined;
    if (row) return yield* readWrapped(turn, { row, raw: "", lead: true });
    if (turn.announced && turn.offered.length > 0) turn.dropMark(LEAD.length, "stray-mark");
    else turn.pass(LEAD.length);
  }
}

/** Whether a call of the group stands behind its opener. */
function* opensGroup(turn: Turn, length: number): Reading<boolean> {
  let ahead = length;
  while (isBlank(yield* peek(turn.source, ahead)) && ahead < GAP_LIMIT) ahead += 1;
  return yield* startsWith(turn.source, "<|open|>call", ahead);
}

/** Characters in which a call follows its group's opener. */
const GAP_LIMIT = 256;

// What a mark outside quotations does, by its role: it goes to its grammar, opens or closes something, or is dropped. Knows no shape without marks.
import { BLOCKS } from "./families/blocks.ts";
import { LEAD } from "./families/callTags.ts";
import { FRAME_MARKS } from "./families/frames.ts";
import { readBlock } from "./grammars/block.ts";
import { readBraceCall } from "./grammars/braces.ts";
import type { FinalAnswerExtractor } from "./grammars/FinalAnswerExtractor.ts";
import { readFrames } from "./grammars/harmony.ts";
import { readBracketCall, readOrphan, readToolLabel } from "./grammars/orphan.ts";
import { readSection } from "./grammars/section.ts";
import { dropCutMark, readTurnEnd, readTurnStart } from "./grammars/turnBounds.ts";
import { isMark, literalAt, literalRole, type MarkRole, roleOf } from "./marks.ts";
import { type CallMarks, ReasoningReader } from "./ReasoningReader.ts";
import type { Reading } from "./Source.ts";
import { readTag, startsWith, type Tag } from "./Tag.ts";
import type { Turn } from "./Turn.ts";

export class MarkReader implements CallMarks {
  readonly reasoning: ReasoningReader;
  readonly #turn: Turn;
  readonly #answer: FinalAnswerExtractor;
  #striking = false;

  constructor(turn: Turn, answer: FinalAnswerExtractor) {
    this.#turn = turn;
    this.#answer = answer;
    this.reasoning = new ReasoningReader(turn, this);
  }

  /** A tag of that role at the cursor; where it means nothing here it is text. */
  *tag(role: MarkRole, tag: Tag): Reading<void> {
    const turn = this.#turn;
    const length = tag.raw.length;
    const mayCall = turn.offered.length > 0 && turn.source.offset >= turn.floor;
    switch (role.type) {
      case "reasoning-open":
        return tag.selfClosing ? turn.pass(length) : yield* this.reasoning.open(role.row, length);
      case "reasoning-close":
        if (FRAME_MARKS.has(tag.name)) return this.#frame(tag);
        return yield* this.reasoning.lateCloser(role.row, length);
      case "block":
        return mayCall ? yield* readBlock(turn, { row: role.row, raw: tag.raw, tag }) : turn.pass(length);
      case "section":
        return mayCall ? yield* readSection(turn, tag) : turn.pass(length);
      case "braces":
        return mayCall ? yield* readBraceCall(turn, role.row, tag) : turn.pass(length);
      case "call":
        if (!mayCall || !(yield* readOrphan(turn, tag))) turn.pass(length);
        return;
      case "tool-label":
        if (!mayCall || !(yield* readToolLabel(turn, tag))) turn.pass(length);
        return;
      case "stray":
        return turn.offered.length === 0 ? turn.pass(length) : this.#stray(tag);
      case "frame":
        return this.#frame(tag);
      case "answer":
        return this.#answer.element(tag);
      case "channel":
        return yield* readFrames(turn);
      case "turn-start":
        return tag.name === "|start|"
          ? yield* readFrames(turn)
          : yield* readTurnStart(turn, tag, () => this.reasoning.begin());
      case "turn-end":
        return this.#isStrike(tag) ? turn.pass(length) : yield* readTurnEnd(turn, tag);
      default:
        role satisfies never;
    }
  }

  #frame(tag: Tag): void {
    const length = tag.raw.length;
    if (this.#isStrike(tag)) this.#turn.pass(length);
    else this.#turn.dropMark(length);
  }

  /** `<s>` in the middle of an answer strikes words out, and so does the `</s>` that closes it; elsewhere they frame the turn. */
  #isStrike(tag: Tag): boolean {
    if (tag.name !== "s" || (tag.closing ? !this.#striking : this.#turn.shown === 0)) return false;
    this.#striking = !tag.closing;
    return true;
  }

  /** A call's closer without its call: markup behind a call that has been read, else the text of an answer about it. */
  #stray(tag: Tag): void {
    const turn = this.#turn;
    if (turn.announced || tag.name.includes("|")) turn.dropMark(tag.raw.length, "stray-mark");
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
    else if (role.type === "reasoning-close" && FRAME_MARKS.has(literal)) turn.dropMark(literal.length);
    else if (role.type === "reasoning-close") yield* this.reasoning.lateCloser(role.row, literal.length);
    else if (role.type === "block" && turn.offered.length > 0) yield* readBlock(turn, { row: role.row, raw: literal });
    else if (role.type === "frame") turn.dropMark(literal.length);
    else if (role.type === "stray" && turn.announced) turn.dropMark(literal.length, "stray-mark");
    else return false;
    return true;
  }

  /** The token that one family puts before every tag. */
  *lead(): Reading<void> {
    const turn = this.#turn;
    if (!(yield* startsWith(turn.source, LEAD))) return turn.pass(1);
    const tag = yield* readTag(turn.source, isMark, LEAD.length);
    const role = tag && roleOf(tag);
    if (!tag || !role) return turn.dropMark(LEAD.length, "stray-mark");
    const raw = LEAD + tag.raw;
    if (role.type === "block" && turn.offered.length > 0)
      return yield* readBlock(turn, { row: role.row, raw, tag, lead: true });
    if (role.type === "call" && turn.offered.length > 0) {
      const row = BLOCKS.find((one) => one.open === "tool_call");
      if (row) return yield* readBlock(turn, { row, raw: "", lead: true });
    }
    turn.dropMark(LEAD.length, "stray-mark");
  }
}

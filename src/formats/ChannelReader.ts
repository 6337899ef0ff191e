// Walks the text of one turn: prose flows to its channel, quotations stay prose, and each mark or candidate goes to its grammar.
import { BLOCKS } from "./families/blocks.ts";
import { LEAD } from "./families/callTags.ts";
import { REASONING_START } from "./families/frames.ts";
import { isAnswerPosition } from "./grammars/answerPosition.ts";
import { readBlock } from "./grammars/block.ts";
import { readBraceCall } from "./grammars/braces.ts";
import { isWordStart } from "./grammars/callWords.ts";
import { CODE_ELEMENT, readCodeElement, writesCodeElements } from "./grammars/codeElement.ts";
import { FinalAnswerExtractor } from "./grammars/FinalAnswerExtractor.ts";
import { readGeneric } from "./grammars/generic.ts";
import { readGluedCall, writesGluedCalls } from "./grammars/gluedCalls.ts";
import { readFrames } from "./grammars/harmony.ts";
import { listNumber } from "./grammars/joints.ts";
import { readBracketCall, readLedCall, readOfferedElement, readOrphan, readToolLabel } from "./grammars/orphan.ts";
import { fenceWidth, passFence, passInlineCode, passLine } from "./grammars/quotation.ts";
import { ReactReader } from "./grammars/ReactReader.ts";
import { readRecipient, writesRecipients } from "./grammars/recipients.ts";
import { readSection } from "./grammars/section.ts";
import { readSpecial } from "./grammars/special.ts";
import { dropCutMark, readTurnEnd, readTurnStart } from "./grammars/turnBounds.ts";
import { isMark, literalAt, literalRole, type MarkRole, roleOf } from "./marks.ts";
import { ReasoningReader } from "./ReasoningReader.ts";
import { END, type Reading, StopTable, WAIT } from "./Source.ts";
import { peek, readTag, readTagOrCut, startsWith, type Tag } from "./Tag.ts";
import { isBlank } from "./TextSink.ts";
import type { Turn } from "./Turn.ts";

const STOPS = "<[]`\n◁✿{";
const TEXT = new StopTable(STOPS);
const NOTHING = new StopTable("");

export class ChannelReader {
  readonly #turn: Turn;
  readonly #stops: StopTable;
  #striking = false;
  readonly #answer: FinalAnswerExtractor;
  readonly #react: ReactReader;
  /** The model writes lines that name whom a message is for. */
  readonly #recipients: boolean;
  readonly #reasoning: ReasoningReader;

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#recipients = writesRecipients(turn);
    // Models that write `call:…` without a mark glue it to the word before it.
    const glued = turn.offered.length > 0 && writesGluedCalls(turn);
    const more = (glued ? "c" : "") + (this.#recipients ? ">" : "");
    this.#stops = more === "" ? TEXT : new StopTable(STOPS + more);
    this.#answer = new FinalAnswerExtractor(turn);
    this.#react = new ReactReader(turn, this.#answer);
    this.#reasoning = new ReasoningReader(turn, {
      literal: () => this.#literal(),
      lead: () => this.#lead(),
      tag: (role, tag) => this.#mark(role, tag),
    });
  }

  *read(): Reading<void> {
    const turn = this.#turn;
    if (turn.options.reasoningOpened) this.#reasoning.begin();
    if ((yield* peek(turn.source)) === END) return;
    if (
      turn.options.formats.includes(REASONING_START.family) &&
      (yield* startsWith(turn.source, REASONING_START.text))
    ) {
      turn.dropMark(REASONING_START.text.length);
      this.#reasoning.begin();
    } else {
      yield* readSpecial(turn, "start");
    }
    for (;;) {
      if (turn.rest) return yield* this.#dropRest(turn.rest);
      const more = this.#reasoning.isOpen ? yield* this.#reasoning.step() : yield* this.#textStep();
      if (!more) return;
    }
  }

  /** Reads on in the text channel; false at the end. */
  *#textStep(): Reading<boolean> {
    const turn = this.#turn;
    const { source } = turn;
    if (turn.lineStart) {
      const code = source.code();
      if (code === WAIT) {
        yield;
        return true;
      }
      if (code === END) return false;
      if (isBlank(code)) {
        turn.pass(1);
        return true;
      }
      if (yield* this.#lineStart(code)) return true;
      if (this.#turn.rest) return true;
    }
    turn.write(source.run(this.#stops));
    const code = source.code();
    if (code === WAIT) {
      yield;
      return true;
    }
    if (code === END) return false;
    if (turn.lineStart && code !== 10 && code !== 60 && code !== 91 && code !== 93 && code !== 0x25c1) {
      turn.lineStart = false;
    }
    switch (code) {
      case 60:
        yield* this.#angle();
        return true;
      case 91:
      case 0x25c1:
        if (!(yield* this.#literal()) && !(yield* this.#midLine(code))) turn.pass(1);
        return true;
      case 93:
        yield* this.#lead();
        return true;
      case 62:
        if (!(yield* readRecipient(turn, ">>>"))) turn.pass(1);
        return true;
      case 96:
        yield* passInlineCode(turn);
        return true;
      case 123:
        if (!(yield* this.#midLine(code))) turn.pass(1);
        return true;
      case 99:
        if (!(yield* readGluedCall(turn))) turn.pass(1);
        return true;
      case 0x273f:
        if (!(yield* readSpecial(turn, "flower"))) turn.pass(1);
        return true;
      default:
        turn.pass(1);
        return true;
    }
  }

  /** The first visible character of a line: labels, fences, and shapes without marks. True where something was read. */
  *#lineStart(code: number): Reading<boolean> {
    const turn = this.#turn;
    if (turn.offered.length === 0) return code === 96 || code === 126 ? yield* this.#fence(code) : false;
    const mayBegin = isWordStart(code) && turn.source.offset >= turn.floor;
    if (mayBegin && (yield* readSpecial(turn, "line"))) return true;
    if (yield* this.#react.read(code)) return true;
    if (turn.shown === 0 && code === 72 && (yield* this.#reasoning.openBySentence())) return true;
    if (code === 62) {
      if (!this.#recipients || !(yield* readRecipient(turn, ">>>"))) yield* passLine(turn);
      return true;
    }
    if (code === 96 || code === 126) return yield* this.#fence(code);
    const bullet = turn.options.toolMode === "text" ? yield* this.#bullet(code) : 0;
    if (bullet > 0) {
      turn.pass(bullet);
      turn.lineStart = true;
      return true;
    }
    if (code === 91 && (yield* this.#literal())) return true;
    if (turn.source.offset < turn.floor) return false;
    if (code === 99 && (yield* readLedCall(turn))) return true;
    if (code === 47 && (yield* peek(turn.source, 1)) === 42 && isAnswerPosition(turn, "json"))
      return yield* readGeneric(turn);
    if (code === 123 || code === 91) {
      if (!isAnswerPosition(turn, code === 123 ? "json" : "python")) return false;
      return yield* readGeneric(turn);
    }
    if (isWordStart(code) && isAnswerPosition(turn, "python")) return yield* readGeneric(turn);
    return false;
  }

  /** The length of a list's bullet or number, behind which an item may be a call; 0 where none stands. */
  *#bullet(code: number): Reading<number> {
    if (code === 45 || code === 42) return (yield* peek(this.#turn.source, 1)) === 32 ? 2 : 0;
    return code >= 48 && code <= 57 ? yield* listNumber(this.#turn.source) : 0;
  }

  /** A bracket behind a label such as `Calls:` on the same line, for models that were asked to write calls as text. */
  *#midLine(code: number): Reading<boolean> {
    const turn = this.#turn;
    const labelled = turn.lastShown === ":" && turn.shownBefore !== '"';
    if (turn.offered.length === 0 || !labelled || turn.source.offset < turn.floor || turn.lineStart) return false;
    if (!isAnswerPosition(turn, code === 123 ? "json" : "python")) return false;
    return yield* readGeneric(turn);
  }

  *#angle(): Reading<void> {
    const turn = this.#turn;
    const { source } = turn;
    const atLine = turn.lineStart;
    const offered = (name: string): boolean => atLine && turn.offered.includes(name);
    const code = (name: string): boolean => atLine && name === CODE_ELEMENT && writesCodeElements(turn);
    const tag = yield* readTagOrCut(source, (name, prefix) => isMark(name, prefix) || offered(name) || code(name));
    if (tag === "cut" && dropCutMark(turn)) return;
    if (!tag || tag === "cut") {
      if (turn.offered.length > 0 && (yield* readGluedCall(turn))) return;
      turn.pass(1);
      while ((yield* peek(source)) === 60) turn.pass(1);
      turn.lineStart = false;
      return;
    }
    const role = roleOf(tag);
    if (role) return yield* this.#mark(role, tag);
    if (code(tag.name) && (yield* readCodeElement(turn, tag))) return;
    if (tag.closing || !offered(tag.name) || !(yield* readOfferedElement(turn, tag))) turn.pass(tag.raw.length);
  }

  *#mark(role: MarkRole, tag: Tag): Reading<void> {
    const turn = this.#turn;
    const length = tag.raw.length;
    const mayCall = turn.offered.length > 0 && turn.source.offset >= turn.floor;
    switch (role.type) {
      case "reasoning-open":
        return yield* this.#reasoning.open(role.row, length);
      case "reasoning-close":
        return this.#reasoning.lateCloser(role.row, length);
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
        return this.#isStrike(tag) ? turn.pass(length) : turn.dropMark(length);
      case "answer":
        return this.#answer.element(tag, this.#reasoning.had);
      case "channel":
        return yield* readFrames(turn);
      case "turn-start":
        return tag.name === "|start|"
          ? yield* readFrames(turn)
          : yield* readTurnStart(turn, tag, () => this.#reasoning.begin());
      case "turn-end":
        return this.#isStrike(tag) ? turn.pass(length) : yield* readTurnEnd(turn, tag);
      default:
        role satisfies never;
    }
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
  *#literal(): Reading<boolean> {
    const turn = this.#turn;
    if (turn.offered.length > 0 && (yield* startsWith(turn.source, "[TOOL_CALL]"))) {
      yield* readBracketCall(turn);
      return true;
    }
    const literal = yield* literalAt(turn.source);
    if (literal === "cut" && dropCutMark(turn)) return true;
    const role = literal === undefined ? undefined : literalRole(literal);
    if (literal === undefined || role === undefined) return false;
    if (role.type === "reasoning-open") yield* this.#reasoning.open(role.row, literal.length);
    else if (role.type === "reasoning-close") turn.dropMark(literal.length, "stray-mark");
    else if (role.type === "block" && turn.offered.length > 0) yield* readBlock(turn, { row: role.row, raw: literal });
    else if (role.type === "frame") turn.dropMark(literal.length);
    else if (role.type === "stray" && turn.announced) turn.dropMark(literal.length, "stray-mark");
    else return false;
    return true;
  }

  /** The token that one family puts before every tag. */
  *#lead(): Reading<void> {
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

  /** A fence is a quotation, unless all it holds are calls and it stands where an answer stands. */
  *#fence(mark: number): Reading<boolean> {
    const turn = this.#turn;
    const width = yield* fenceWidth(turn, mark);
    const shape = width < 3 ? "python" : "fence";
    const candidate = turn.offered.length > 0 && turn.source.offset >= turn.floor && isAnswerPosition(turn, shape);
    if (candidate && (yield* readGeneric(turn))) return true;
    if (width < 3) return false;
    yield* passFence(turn, mark, width);
    return true;
  }

  *#dropRest(why: string): Reading<void> {
    const { source, sink } = this.#turn;
    sink.mark();
    for (;;) {
      const at = source.offset;
      const text = source.run(NOTHING);
      if (text !== "") sink.drop(text, at, why);
      if (source.code() === END) return;
      yield;
    }
  }
}

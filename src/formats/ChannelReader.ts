// Walks the text of one turn: prose flows to its channel, quotations stay prose, and each mark or candidate goes to its grammar.
import { BLOCKS } from "./families/blocks.ts";
import { REASONING_OPENERS, type ReasoningRow } from "./families/reasoning.ts";
import { readBlock } from "./grammars/block.ts";
import { readBraceCall } from "./grammars/braces.ts";
import { LEAD } from "./grammars/elements.ts";
import { isAnswerPosition, isWordStart, readGeneric } from "./grammars/generic.ts";
import { readFrames } from "./grammars/harmony.ts";
import { readBracketCall, readOfferedElement, readOrphan, readToolLabel } from "./grammars/orphan.ts";
import { ReactReader } from "./grammars/ReactReader.ts";
import { readSection } from "./grammars/section.ts";
import { readSpecial } from "./grammars/special.ts";
import { beginsMark, isMark, LITERAL_MARKS, literalRole, type MarkRole, roleOf } from "./marks.ts";
import { END, type Reading, StopTable, WAIT } from "./Source.ts";
import { peek, readTag, readTagOrCut, startsWith, type Tag } from "./Tag.ts";
import { isBlank } from "./TextSink.ts";
import { skipBlanks, type Turn } from "./Turn.ts";

const TEXT = new StopTable("<[]`\n◁✿{");
const REASONING = new StopTable("<[◁]`\n");
const LINE = new StopTable("\n");
const BAR = new StopTable("|｜");

/** A reasoning block that is open: whose marks close it, and whether the model opened it itself. */
interface Reasoning {
  readonly row: ReasoningRow | undefined;
  readonly openedByModel: boolean;
  /** Where its closer was found when a call inside it had to be judged; undefined until then. */
  closer?: number | undefined;
}

export class ChannelReader {
  readonly #turn: Turn;
  readonly #react: ReactReader;
  #reasoning: Reasoning | undefined;
  #hadReasoning = false;
  /** Names of answer wrappers whose opener was dropped. */
  readonly #wrappers = new Set<string>();

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#react = new ReactReader(turn);
  }

  *read(): Reading<void> {
    const { source, sink, options } = this.#turn;
    if (options.reasoningOpened) {
      this.#reasoning = { row: undefined, openedByModel: false };
      sink.enter("reasoning");
    }
    if ((yield* peek(source)) === END) return;
    yield* readSpecial(this.#turn, "start");
    for (;;) {
      if (this.#turn.rest) return yield* this.#dropRest(this.#turn.rest);
      const more = this.#reasoning ? yield* this.#reasoningStep(this.#reasoning) : yield* this.#textStep();
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
    turn.write(source.run(TEXT));
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
      case 96:
        yield* this.#inlineCode();
        return true;
      case 123:
        if (!(yield* this.#midLine(code))) turn.pass(1);
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
    if (yield* this.#react.read(code)) return true;
    if (turn.shown === 0 && code === 72 && (yield* this.#sentence())) return true;
    if (code === 62) return yield* this.#quotedLine();
    if (code === 96 || code === 126) return yield* this.#fence(code);
    if ((code === 45 || code === 42) && (yield* peek(turn.source, 1)) === 32 && turn.options.toolMode === "text") {
      turn.pass(2);
      turn.lineStart = true;
      return true;
    }
    if (code === 91 && (yield* this.#literal())) return true;
    if (turn.source.offset < turn.floor) return false;
    if (isWordStart(code) && (yield* readSpecial(turn, "line"))) return true;
    if (code === 123 || code === 91) {
      if (!isAnswerPosition(turn, code === 123 ? "json" : "python")) return false;
      return yield* readGeneric(turn);
    }
    if (isWordStart(code) && isAnswerPosition(turn, "python")) return yield* readGeneric(turn);
    return false;
  }

  /** A sentence by which some families open their reasoning. */
  *#sentence(): Reading<boolean> {
    for (const [opener, row] of REASONING_OPENERS) {
      if (!opener.startsWith("Here") || !(yield* startsWith(this.#turn.source, opener))) continue;
      yield* this.#openReasoning(row, opener.length);
      return true;
    }
    return false;
  }

  /** A bracket behind a label such as `Calls:` on the same line, for models that were asked to write calls as text. */
  *#midLine(code: number): Reading<boolean> {
    const turn = this.#turn;
    if (turn.offered.length === 0 || turn.lastShown !== ":" || turn.source.offset < turn.floor || turn.lineStart)
      return false;
    if (!isAnswerPosition(turn, code === 123 ? "json" : "python")) return false;
    return yield* readGeneric(turn);
  }

  *#angle(): Reading<void> {
    const turn = this.#turn;
    const { source } = turn;
    const atLine = turn.lineStart;
    const offered = (name: string): boolean => atLine && turn.offered.includes(name);
    const tag = yield* readTagOrCut(source, (name, prefix) => isMark(name, prefix) || offered(name));
    if (tag === "cut" && turn.finish === "cut" && turn.offered.length > 0 && this.#dropCutMark()) return;
    if (!tag || tag === "cut") {
      turn.pass(1);
      while ((yield* peek(source)) === 60) turn.pass(1);
      turn.lineStart = false;
      return;
    }
    const role = roleOf(tag);
    if (role) return yield* this.#mark(role, tag);
    if (tag.closing || !offered(tag.name) || !(yield* readOfferedElement(turn, tag))) turn.pass(tag.raw.length);
  }

  /** The text was cut inside what can only be a mark: it is neither content nor worth a question. */
  #dropCutMark(): boolean {
    const turn = this.#turn;
    let length = 1;
    while (turn.source.code(length) !== END) length += 1;
    const afterCall = turn.callCount > 0 && turn.shown === turn.shownAtCall;
    if (!afterCall && !beginsMark(turn.source.ahead(length))) return false;
    turn.dropMark(length, "cut-mark");
    return true;
  }

  *#mark(role: MarkRole, tag: Tag): Reading<void> {
    const turn = this.#turn;
    const length = tag.raw.length;
    switch (role.type) {
      case "reasoning-open":
        return yield* this.#openReasoning(role.row, length);
      case "reasoning-close":
        turn.dropMark(length, "stray-mark");
        return;
      case "block":
        if (turn.offered.length === 0 || source(turn) < turn.floor) return turn.pass(length);
        return yield* readBlock(turn, { row: role.row, raw: tag.raw, tag });
      case "section":
        return turn.offered.length === 0 ? turn.pass(length) : yield* readSection(turn, tag);
      case "braces":
        return turn.offered.length === 0 ? turn.pass(length) : yield* readBraceCall(turn, role.row, tag);
      case "call":
        if (turn.offered.length === 0 || !(yield* readOrphan(turn, tag))) turn.pass(length);
        return;
      case "tool-label":
        if (turn.offered.length === 0 || !(yield* readToolLabel(turn, tag))) turn.pass(length);
        return;
      case "stray":
        return turn.offered.length === 0 ? turn.pass(length) : this.#stray(tag);
      case "frame":
        return turn.dropMark(length);
      case "answer":
        return this.#answer(tag);
      case "channel":
        return yield* readFrames(turn);
      case "turn-start":
        return tag.name === "|start|" ? yield* readFrames(turn) : yield* this.#turnStart(tag);
      case "turn-end":
        return yield* this.#turnEnd(tag);
      default:
        role satisfies never;
    }
  }

  /** A call's closer without its call: markup behind a call that has been read, else the text of an answer about it. */
  #stray(tag: Tag): void {
    const turn = this.#turn;
    if (turn.callCount > 0 || tag.name.includes("|") || tag.prefix !== "") turn.dropMark(tag.raw.length, "stray-mark");
    else turn.pass(tag.raw.length);
  }

  *#openReasoning(row: ReasoningRow, length: number): Reading<void> {
    const turn = this.#turn;
    if (row.startOnly && turn.shown > 0) return turn.pass(length);
    let whole = length;
    if (row.word !== undefined) {
      let seen = 0;
      while (seen < row.word.length && (yield* peek(turn.source, length + seen)) === row.word.charCodeAt(seen))
        seen += 1;
      const torso = turn.source.code(length + seen) === END && turn.finish === "cut";
      if (seen < row.word.length)
        return turn.dropMark(torso ? length + seen : length, torso ? "cut-mark" : "stray-mark");
      whole += row.word.length;
    }
    turn.dropMark(whole);
    turn.sink.enter("reasoning");
    this.#reasoning = { row, openedByModel: true };
  }

  /** Elements around an answer are dropped where nothing but reasoning precedes them. */
  #answer(tag: Tag): void {
    const turn = this.#turn;
    const opens =
      !tag.closing && turn.shown === 0 && (this.#hadReasoning || tag.name === "final_answer" || this.#knows(tag.name));
    if (opens) this.#wrappers.add(tag.name);
    const belongs = opens || (tag.closing && this.#wrappers.delete(tag.name));
    if (!belongs) {
      turn.pass(tag.raw.length);
      return;
    }
    turn.dropMark(tag.raw.length);
    if (opens) turn.sink.enter("text");
  }

  #knows(wrapper: string): boolean {
    return (
      wrapper === "response" &&
      this.#turn.options.formats.some((format) => format === "ernie-json" || format === "granite3-json")
    );
  }

  /** Reads on in a reasoning block; false at the end. */
  *#reasoningStep(reasoning: Reasoning): Reading<boolean> {
    const turn = this.#turn;
    const { source } = turn;
    turn.write(source.run(REASONING));
    const code = source.code();
    if (code === WAIT) {
      yield;
      return true;
    }
    if (code === END) return false;
    if (code === 10) {
      turn.pass(1);
      const closer = reasoning.row?.close[0] ?? "";
      if (closer.startsWith("Here") && (yield* startsWith(source, closer)))
        this.#closeReasoning(reasoning, reasoning.row, closer.length);
      return true;
    }
    if (code === 91 || code === 0x25c1) {
      const literal = yield* this.#literalAt();
      const role = literal === undefined ? undefined : literalRole(literal);
      if (literal !== undefined && role?.type === "reasoning-close")
        this.#closeReasoning(reasoning, role.row, literal.length);
      else if (literal !== undefined && role?.type === "block")
        yield* this.#callInside(reasoning, () => this.#literal(), literal.length);
      else turn.pass(1);
      return true;
    }
    if (code === 96 && (yield* this.#inlineCode())) return true;
    if (code !== 60 && !(code === 93 && (yield* startsWith(source, LEAD)))) {
      turn.pass(1);
      return true;
    }
    const ahead = code === 93 ? LEAD.length : 0;
    const read = ahead > 0 ? yield* readTag(source, isMark, ahead) : yield* readTagOrCut(source, isMark);
    if (read === "cut" && turn.finish === "cut" && BAR.has(source.code(1)) && this.#dropCutMark()) return true;
    const tag = read === "cut" ? undefined : read;
    const role = tag && roleOf(tag);
    if (!tag || !role) turn.pass(ahead + 1);
    else yield* this.#markInReasoning({ reasoning, tag, role, ahead });
    return true;
  }

  *#markInReasoning(found: {
    readonly reasoning: Reasoning;
    readonly tag: Tag;
    readonly role: MarkRole;
    readonly ahead: number;
  }): Reading<void> {
    const turn = this.#turn;
    const { reasoning, tag, role, ahead } = found;
    const length = tag.raw.length + ahead;
    switch (role.type) {
      case "reasoning-close":
        return this.#closeReasoning(reasoning, role.row, length);
      case "reasoning-open":
        return turn.sink.hasVisible ? turn.pass(length) : yield* this.#reopened(role.row, length);
      case "frame":
        if (tag.prefix !== "xtml" && !tag.name.includes("RESPONSE") && tag.name !== "|content|")
          return turn.pass(length);
        this.#endReasoning();
        return turn.dropMark(length);
      case "turn-end":
        this.#endReasoning();
        return;
      case "block":
      case "section":
      case "braces":
      case "call":
        if (turn.offered.length === 0) return turn.pass(length);
        return yield* this.#callInside(reasoning, ahead > 0 ? () => this.#lead() : () => this.#mark(role, tag), length);
      default:
        return turn.pass(length);
    }
  }

  /** The opener that the prompt has written already, written again. */
  *#reopened({ word }: ReasoningRow, length: number): Reading<void> {
    const whole = word !== undefined && (yield* startsWith(this.#turn.source, word, length));
    this.#turn.dropMark(whole ? length + word.length : length);
  }

  #closeReasoning(reasoning: Reasoning, row: ReasoningRow | undefined, length: number): void {
    if (reasoning.row !== undefined && reasoning.row !== row) {
      this.#turn.pass(length);
      return;
    }
    this.#turn.dropMark(length);
    this.#endReasoning();
  }

  #endReasoning(): void {
    this.#reasoning = undefined;
    this.#hadReasoning = true;
    this.#turn.lineStart = true;
    this.#turn.sink.enter("text");
  }

  /**
   * A call mark inside reasoning. Where the prompt opened the block, or the model never closes it, a call ends the reasoning;
   * inside a block that the model opens and closes it is a thought about a call.
   */
  *#callInside(reasoning: Reasoning, read: () => Reading<unknown>, length: number): Reading<void> {
    const turn = this.#turn;
    if (reasoning.openedByModel) {
      reasoning.closer ??= yield* this.#findCloser(reasoning);
      if (turn.source.offset < reasoning.closer) return turn.pass(length);
    }
    const before = turn.callCount;
    const at = turn.source.offset;
    yield* read();
    if (turn.callCount > before) this.#endReasoning();
    else if (turn.source.offset === at) turn.pass(length);
  }

  /** The offset of the block's closer, or -1; nothing is consumed. */
  *#findCloser(reasoning: Reasoning): Reading<number> {
    const { source } = this.#turn;
    const start = source.offset;
    source.hold();
    let found = -1;
    const stops = new StopTable("<[◁");
    for (;;) {
      source.advance(stops, Number.MAX_SAFE_INTEGER);
      const code = source.code();
      if (code === WAIT) {
        yield;
        continue;
      }
      if (code === END) break;
      const tag = code === 60 ? yield* readTag(source, isMark) : undefined;
      const literal = code === 60 ? undefined : yield* this.#literalAt();
      const role = tag ? roleOf(tag) : literal === undefined ? undefined : literalRole(literal);
      if (role?.type === "reasoning-close" && role.row === reasoning.row) {
        found = source.offset;
        break;
      }
      source.skip(1);
    }
    source.rewind(start);
    return found;
  }

  /** A mark in square brackets at the cursor: read it by its role. */
  *#literal(): Reading<boolean> {
    const turn = this.#turn;
    if (turn.offered.length > 0 && (yield* startsWith(turn.source, "[TOOL_CALL]"))) {
      yield* readBracketCall(turn);
      return true;
    }
    const literal = yield* this.#literalAt();
    const role = literal === undefined ? undefined : literalRole(literal);
    if (literal === undefined || role === undefined) return false;
    if (role.type === "reasoning-open") yield* this.#openReasoning(role.row, literal.length);
    else if (role.type === "reasoning-close") this.#lateCloser(literal);
    else if (role.type === "block" && turn.offered.length > 0) yield* readBlock(turn, { row: role.row, raw: literal });
    else if (role.type === "frame") turn.dropMark(literal.length);
    else if (role.type === "stray" && turn.callCount > 0) turn.dropMark(literal.length, "stray-mark");
    else return false;
    return true;
  }

  #lateCloser(literal: string): void {
    this.#turn.dropMark(literal.length, "stray-mark");
  }

  *#literalAt(): Reading<string | undefined> {
    for (const literal of LITERAL_MARKS) {
      if (yield* startsWith(this.#turn.source, literal)) return literal;
    }
    return undefined;
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

  /** Inline code is a quotation up to its closing backticks, which stand on the same line. */
  *#inlineCode(): Reading<boolean> {
    const turn = this.#turn;
    let width = 0;
    while ((yield* peek(turn.source)) === 96) {
      turn.pass(1);
      width += 1;
    }
    let run = 0;
    for (;;) {
      const code = yield* peek(turn.source);
      if (code === END || code === 10) return true;
      turn.pass(1);
      run = code === 96 ? run + 1 : 0;
      if (run === width && (yield* peek(turn.source)) !== 96) return true;
    }
  }

  /** A fence is a quotation, unless all it holds are calls and it stands where an answer stands. */
  *#fence(mark: number): Reading<boolean> {
    const turn = this.#turn;
    const { source } = turn;
    let width = 0;
    while ((yield* peek(source, width)) === mark) width += 1;
    const candidate =
      turn.offered.length > 0 && source.offset >= turn.floor && isAnswerPosition(turn, width < 3 ? "python" : "fence");
    if (candidate && (yield* readGeneric(turn))) return true;
    if (width < 3) return false;
    turn.pass(width);
    yield* this.#line();
    for (;;) {
      let indent = 0;
      while ((yield* peek(source, indent)) === 32) indent += 1;
      let run = 0;
      while ((yield* peek(source, indent + run)) === mark) run += 1;
      if (run >= width) turn.pass(indent + run);
      if ((yield* peek(source)) === END) return true;
      if (run >= width) return true;
      yield* this.#line();
      if ((yield* peek(source)) === END) return true;
    }
  }

  /** A line that quotes somebody. */
  *#quotedLine(): Reading<boolean> {
    yield* this.#line();
    return true;
  }

  /** Writes the rest of the line with its newline. */
  *#line(): Reading<void> {
    const { source } = this.#turn;
    for (;;) {
      this.#turn.write(source.run(LINE));
      const code = source.code();
      if (code === WAIT) {
        yield;
        continue;
      }
      if (code === 10) this.#turn.pass(1);
      return;
    }
  }

  /** After an end-of-turn mark only another message of the assistant is this turn's. */
  *#turnEnd(tag: Tag): Reading<void> {
    const turn = this.#turn;
    const { source } = turn;
    turn.dropMark(tag.raw.length, "turn-end");
    source.hold();
    const start = source.offset;
    const code = yield* skipBlanks(source);
    if (code === END) return turn.endCapture("turn-end");
    if (yield* readSpecial(turn, "turn")) return;
    const next = code === 60 ? yield* readTag(source, isMark) : undefined;
    const role = next && roleOf(next);
    if (next && (role?.type === "turn-start" || role?.type === "turn-end" || role?.type === "channel")) {
      turn.endCapture("turn-end");
      return;
    }
    source.back(start);
    source.release();
    turn.note({ code: "stray-mark", message: "Text follows the end of the turn; it is not read.", at: start });
    turn.closeTurn();
  }

  /** A header inside the completion: it must be the assistant's own. */
  *#turnStart(tag: Tag): Reading<void> {
    const turn = this.#turn;
    const { source } = turn;
    if (/assistant|model|chatbot/i.test(tag.name)) return turn.dropMark(tag.raw.length, "turn-start");
    source.hold();
    const start = source.offset;
    source.skip(tag.raw.length);
    if (yield* readSpecial(turn, "role")) return;
    let length = 0;
    let code = yield* peek(source);
    while (code !== END && code !== 10 && code !== 60 && length < 40) {
      length += 1;
      code = yield* peek(source, length);
    }
    const role = source.ahead(length).trim();
    if (role === "assistant" || role === "model" || role === "") {
      source.skip(length);
      return turn.endCapture("turn-start");
    }
    source.back(start);
    source.release();
    if (turn.shown === 0 && turn.callCount === 0) return turn.pass(tag.raw.length);
    turn.note({ code: "stray-mark", message: `The model began a turn of "${role}"; it is not read.`, at: start });
    turn.closeTurn();
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

const NOTHING = new StopTable("");

function source(turn: Turn): number {
  return turn.source.offset;
}

// Handles a marker outside quotations by its role: calls its grammar, opens or closes a section, or drops it.

import type { FinalAnswerExtractor } from "../answers/FinalAnswerExtractor.ts";
import { readSection } from "../grammars/headed/callSections.ts";
import { readBraceCall } from "../grammars/unmarked/braceCalls.ts";
import { isOwnNoise } from "../grammars/wrapped/Block.ts";
import { readBracketCall, readLooseElement, readToolLabel } from "../grammars/wrapped/unwrappedElements.ts";
import { readWrappedCall } from "../grammars/wrapped/wrappedCalls.ts";
import { matchesLiteral, measureWhile } from "../scanner/combinators.ts";
import type { Parser } from "../scanner/Source.ts";
import { isBlank } from "../scanner/whitespace.ts";
import { FRAMING_MARKS, WRAPPERS } from "../specs/lookupTables.ts";
import type { ParserState } from "../state/ParserState.ts";
import { CALL_ROLES, dropCutMark, type Mark, matchChannelMarker } from "./markerAt.ts";
import { ReasoningReader } from "./ReasoningReader.ts";

/** Characters in which a call follows its group's opener. */
const GAP_LIMIT = 256;
/** Wrapper of calls whose format omits it. */
const UNWRAPPED = WRAPPERS.find(({ open }) => open === "tool_call");

export class MarkerReader {
  readonly reasoning: ReasoningReader;
  readonly #turn: ParserState;
  readonly #answer: FinalAnswerExtractor;

  constructor(turn: ParserState, answer: FinalAnswerExtractor) {
    this.#turn = turn;
    this.#answer = answer;
    this.reasoning = new ReasoningReader(turn, (mark) => this.read(mark));
  }

  /** Reads a marker in characters other than angle brackets, if one stands at the cursor. */
  *sign(): Parser<boolean> {
    const mark = yield* matchChannelMarker(this.#turn.source);
    if (mark === "cut") return dropCutMark(this.#turn);
    if (!mark || (mark.role?.type === "bracket-call" && !this.#mayCall(mark))) return false;
    yield* this.read(mark);
    return true;
  }

  /** Reads the marker at the cursor. If it has no meaning here, it is text. */
  *read(mark: Mark): Parser<void> {
    const turn = this.#turn;
    const { role, tag, raw, name } = mark;
    if (role && CALL_ROLES.has(role.type)) {
      if (!this.#mayCall(mark) || !(yield* this.#call(mark))) turn.pass(raw.length);
      return;
    }
    switch (role?.type) {
      case "reasoning-open":
        return tag?.selfClosing ? turn.pass(raw.length) : yield* this.reasoning.open(role.row, raw.length);
      case "reasoning-close":
        if (!FRAMING_MARKS.has(name)) return yield* this.reasoning.lateCloser(role.row, raw.length);
        return void (yield* this.reasoning.framing(mark));
      case "stray":
        return yield* this.#stray(mark);
      case "frame":
        return void (yield* this.reasoning.framing(mark));
      case "answer":
        return tag && this.#answer.element(tag);
      default:
        return turn.pass(raw.length);
    }
  }

  /** Refused text has no call in tags. A marker in other characters is not part of a tag. */
  #mayCall({ tag, isLed }: Mark): boolean {
    const { offered, guard } = this.#turn;
    return offered.length > 0 && (!tag || isLed === true || !guard.isRefused);
  }

  /** Reads a marker with which a call begins. Returns false if none follows. */
  *#call({ role, tag, raw, isLed: lead }: Mark): Parser<boolean> {
    const turn = this.#turn;
    if (role?.type === "wrapper") yield* readWrappedCall(turn, { row: role.row, raw, tag, lead });
    else if (role?.type === "bracket-call") yield* readBracketCall(turn);
    else if (!tag) return false;
    else if (role?.type === "section") yield* readSection(turn, tag);
    else if (role?.type === "braces") yield* readBraceCall(turn, role.row, tag);
    else if (role?.type === "tool-label") return yield* readToolLabel(turn, tag);
    else if (role?.type === "call-group") {
      if (!(yield* opensGroup(turn, raw.length))) return false;
      turn.dropMark(raw.length);
    } else if (lead && UNWRAPPED) yield* readWrappedCall(turn, { row: UNWRAPPED, raw: "", lead });
    else return yield* readLooseElement(turn, tag);
    return true;
  }

  /** Handles a closer without its call: markup after a call that has been read, else the text of an answer about it. */
  *#stray(mark: Mark): Parser<void> {
    const turn = this.#turn;
    const { name, raw } = mark;
    const isNoise = WRAPPERS.some((row) => row.close.includes(name) && isOwnNoise(turn, row));
    if ((turn.announced || isNoise) && turn.offered.length > 0) turn.dropMark(raw.length, "stray-mark");
    else if (FRAMING_MARKS.has(name)) yield* this.reasoning.framing(mark);
    else turn.pass(raw.length);
  }
}

/** Returns true if a call of the group follows its opener. */
function* opensGroup(turn: ParserState, length: number): Parser<boolean> {
  return yield* matchesLiteral(
    turn.source,
    "<|open|>call",
    yield* measureWhile(turn.source, isBlank, length, GAP_LIMIT),
  );
}

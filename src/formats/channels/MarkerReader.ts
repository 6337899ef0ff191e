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
  readonly #state: ParserState;
  readonly #answer: FinalAnswerExtractor;

  constructor(state: ParserState, answer: FinalAnswerExtractor) {
    this.#state = state;
    this.#answer = answer;
    this.reasoning = new ReasoningReader(state, (marker) => this.read(marker));
  }

  /** Reads a marker in characters other than angle brackets, if one stands at the cursor. */
  *readSign(): Parser<boolean> {
    const marker = yield* matchChannelMarker(this.#state.source);
    if (marker === "cut") return dropCutMark(this.#state);
    if (!marker || (marker.role?.type === "bracket-call" && !this.#mayCall(marker))) return false;
    yield* this.read(marker);
    return true;
  }

  /** Reads the marker at the cursor. If it has no meaning here, it is text. */
  *read(marker: Mark): Parser<void> {
    const state = this.#state;
    const { role, tag, raw, name } = marker;
    if (role && CALL_ROLES.has(role.type)) {
      if (!this.#mayCall(marker) || !(yield* this.#readCall(marker))) state.writeNext(raw.length);
      return;
    }
    switch (role?.type) {
      case "reasoning-open":
        return tag?.isSelfClosing ? state.writeNext(raw.length) : yield* this.reasoning.open(role.row, raw.length);
      case "reasoning-close":
        if (!FRAMING_MARKS.has(name)) return yield* this.reasoning.readLateCloser(role.row, raw.length);
        return void (yield* this.reasoning.readFraming(marker));
      case "stray":
        return yield* this.#readStray(marker);
      case "frame":
        return void (yield* this.reasoning.readFraming(marker));
      case "answer":
        return tag && this.#answer.readElement(tag);
      default:
        return state.writeNext(raw.length);
    }
  }

  /** Refused text has no call in tags. A marker in other characters is not part of a tag. */
  #mayCall({ tag, hasLead }: Mark): boolean {
    const { callableNames, guard } = this.#state;
    return callableNames.length > 0 && (!tag || hasLead === true || !guard.isRefused);
  }

  /** Reads a marker with which a call begins. Returns false if none follows. */
  *#readCall({ role, tag, raw, hasLead }: Mark): Parser<boolean> {
    const state = this.#state;
    if (role?.type === "wrapper") yield* readWrappedCall(state, { row: role.row, raw, tag, hasLead });
    else if (role?.type === "bracket-call") yield* readBracketCall(state);
    else if (!tag) return false;
    else if (role?.type === "section") yield* readSection(state, tag);
    else if (role?.type === "braces") yield* readBraceCall(state, role.row, tag);
    else if (role?.type === "tool-label") return yield* readToolLabel(state, tag);
    else if (role?.type === "call-group") {
      if (!(yield* isGroupOpener(state, raw.length))) return false;
      state.dropMarker(raw.length);
    } else if (hasLead && UNWRAPPED) yield* readWrappedCall(state, { row: UNWRAPPED, raw: "", hasLead });
    else return yield* readLooseElement(state, tag);
    return true;
  }

  /** Handles a closer without its call: markup after a call that has been read, else the text of an answer about it. */
  *#readStray(marker: Mark): Parser<void> {
    const state = this.#state;
    const { name, raw } = marker;
    const isNoiseHere = WRAPPERS.some((spec) => spec.close.includes(name) && isOwnNoise(state, spec));
    if ((state.hasCallMarker || isNoiseHere) && state.callableNames.length > 0)
      state.dropMarker(raw.length, "stray-mark");
    else if (FRAMING_MARKS.has(name)) yield* this.reasoning.readFraming(marker);
    else state.writeNext(raw.length);
  }
}

/** Returns true if a call of the group follows its opener. */
function* isGroupOpener(state: ParserState, length: number): Parser<boolean> {
  return yield* matchesLiteral(
    state.source,
    "<|open|>call",
    yield* measureWhile(state.source, isBlank, length, GAP_LIMIT),
  );
}

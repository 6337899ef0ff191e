// Finds the end of a raw value between two markers: at its own closer if structure follows, or where the next marker implies it.

import { CLOSE_BRACKET, COMMA, LESS_THAN, NEWLINE, OPEN_BRACE, OPEN_BRACKET } from "../../scanner/charCodes.ts";
import { findNext, matchesLiteral, measureWhile, peek, seekStop, skipBlanks } from "../../scanner/combinators.ts";
import { END, type Parser, StopTable } from "../../scanner/Source.ts";
import { scanBalanced } from "../../scanner/scanBalanced.ts";
import { type KnownName, readTag, readTagOrCut, type Tag } from "../../scanner/Tag.ts";
import { isBlank } from "../../scanner/whitespace.ts";
import { LEAD, PAIR_CLOSERS } from "../../specs/callTags.ts";
import { TURN_ENDS, WRAPPER_NAMES } from "../../specs/lookupTables.ts";
import { mayBeginCloser } from "../../specs/markers.ts";
import type { ParserState } from "../../state/ParserState.ts";
import type { CallBuilder, ParameterValue } from "./CallBuilder.ts";
import {
  ANY_NAME,
  getParameterKey,
  INSIDE_NAME,
  isCallCloser,
  isElementCloser,
  isForeign,
  isPairTag,
  isStructure,
  isToken,
  OUTSIDE_NAME,
  opensCall,
} from "./callMarkers.ts";

/** End of a call. `implied`: another marker ends it, and the cursor stands before that marker. */
export type ElementCallEnd = "closed" | "implied" | "cut" | "broken";

export interface ReadValue {
  /** Absent if the text ended first, or the capture grew too long. */
  readonly value?: ParameterValue | undefined;
  /** Set if the call ended with the value, whose own closer was missing. */
  readonly end?: ElementCallEnd | undefined;
}

/** Something that may well end the value: its end, unless a better one follows before another call begins. */
interface ImpliedEnd {
  readonly valueEnd: number;
  /** Offset at which reading continues. */
  readonly next: number;
  /** Set if the call ends with the value. */
  readonly callEnd: ElementCallEnd | undefined;
  /** True for a closer of the value's own, but without its namespace or after an opener in the value. */
  readonly isOwnCloser: boolean;
}

type Verdict = "value" | "bare" | "sibling" | "closed" | "implied";

export class ParameterValueReader {
  /** The offset at which the capture is too long. */
  readonly until: number;
  /** Character with which every structural tag begins. */
  readonly markerStart: number;
  readonly #state: ParserState;
  readonly #parts: CallBuilder;
  readonly #leadText: string;

  constructor(state: ParserState, parts: CallBuilder) {
    this.#state = state;
    this.#parts = parts;
    this.#leadText = parts.hasLead ? LEAD : "";
    this.markerStart = parts.hasLead ? CLOSE_BRACKET : LESS_THAN;
    this.until = state.source.bufferStart + state.options.captureChars;
  }

  /** Reads from after the opening marker. `structured`: JSON may stand here, and every marker in its strings is data. */
  *readValue(openTag: Tag, isStructured: boolean): Parser<ReadValue> {
    const { source } = this.#state;
    const from = source.offset;
    if (isStructured) yield* this.#skipBrackets();
    const start = yield* this.#skipValueStart();
    if (start === "cut") return { end: "cut" };
    let hasNewline = start === "newline";
    let depth = 0;
    let impliedEnd: ImpliedEnd | undefined;
    for (;;) {
      if (source.offset >= this.until) return this.#endWithoutCloser(from, impliedEnd, "broken");
      const code = yield* peek(source);
      if (code === END) return this.#endWithoutCloser(from, impliedEnd, "cut");
      if (code !== this.markerStart) {
        hasNewline = isBlank(code) && (hasNewline || code === NEWLINE);
        if (isBlank(code)) source.skip(1);
        else yield* seekStop(source, this.#leadText === "" ? VALUE : VALUE_LEAD, this.until);
        continue;
      }
      const to = source.offset;
      const tag = yield* this.peekTag(openTag.name);
      if (
        tag &&
        this.#leadText !== "" &&
        tag.name === openTag.name &&
        !getParameterKey(tag) &&
        (!tag.isClosing || depth > 0)
      ) {
        depth += tag.isClosing ? -1 : 1;
        source.skip(tag.raw.length);
        continue;
      }
      const verdict = tag && (yield* this.#classifyTag(tag, { openTag, hasNewline }));
      const isOwnCloser = verdict === "value" || verdict === "bare";
      if (verdict === "value" && depth === 0) return { value: { text: source.getBuffered(from, to) } };
      if (verdict === "sibling")
        return this.#endWithoutCloser(
          from,
          impliedEnd ?? { valueEnd: to, next: to, callEnd: undefined, isOwnCloser },
          "cut",
        );
      if (verdict)
        impliedEnd ??= { valueEnd: to, next: source.offset, callEnd: isOwnCloser ? undefined : verdict, isOwnCloser };
      if (tag?.name === openTag.name && tag.prefix === openTag.prefix && getParameterKey(tag) !== undefined) depth += 1;
      else if (isOwnCloser && depth > 0) depth -= 1;
      else if (tag && impliedEnd && (opensCall(tag) || isPairOpener(tag)))
        return this.#endWithoutCloser(from, impliedEnd, "cut");
      if (source.offset === to) source.skip(1);
      hasNewline = false;
    }
  }

  /** Handles a value without its own closer: it ends where another marker implied it, if one did. */
  #endWithoutCloser(from: number, impliedEnd: ImpliedEnd | undefined, fallback: ElementCallEnd): ReadValue {
    if (!impliedEnd) return { end: fallback };
    this.#state.source.moveBack(impliedEnd.next);
    return {
      value: { text: this.#state.source.getBuffered(from, impliedEnd.valueEnd), isUnclosed: !impliedEnd.isOwnCloser },
      end: impliedEnd.callEnd,
    };
  }

  /** Moves over the white space and the CDATA section at the start of a value. `newline`: a line's end precedes the text. */
  *#skipValueStart(): Parser<"newline" | "text" | "cut"> {
    const { source } = this.#state;
    let hasNewline = false;
    for (let code = yield* peek(source); isBlank(code) && source.offset < this.until; code = yield* peek(source)) {
      hasNewline ||= code === NEWLINE;
      source.skip(1);
    }
    const from = source.offset;
    if (this.#leadText !== "" || from >= this.until || !(yield* matchesLiteral(source, "<![CDATA[")))
      return hasNewline ? "newline" : "text";
    if (yield* findNext(source, SECTION_END, this.until, () => matchesLiteral(source, "]]>"))) {
      source.skip(3);
      return "text";
    }
    if (this.#state.finish === "cut" || !this.#state.guard.countReread()) return "cut";
    // Nothing closes it: its opener is text of the value.
    source.moveBack(from + 1);
    return "text";
  }

  /** Reads the marker at the cursor, with its lead token if the format writes one. `key` names the element that is being read. */
  *peekTag(key?: string): Parser<Tag | undefined> {
    const { source } = this.#state;
    const leadText = this.#leadText;
    if (!(yield* matchesLiteral(source, `${leadText}<`))) return undefined;
    const isKnown: KnownName = (name, prefix) => name === key || INSIDE_NAME(name, prefix);
    const tag = yield* readTag(source, key === undefined || leadText !== "" ? ANY_NAME : isKnown, leadText.length);
    return tag && leadText !== "" ? { ...tag, raw: leadText + tag.raw } : tag;
  }

  /**
   * If the text ends inside the marker at the cursor, moves to the end and returns `closed` if that closes a complete call, else `cut`.
   * A cut text closes nothing.
   */
  *readCutMarker(): Parser<"closed" | "cut" | undefined> {
    const { source, finish } = this.#state;
    if ((yield* readTagOrCut(source, ANY_NAME, this.#leadText.length)) !== "cut") return undefined;
    const from = source.offset + this.#leadText.length;
    this.#state.skipToEnd();
    const partialMarker = source.getBuffered(from);
    return finish === "normal" && mayBeginCloser(partialMarker) ? "closed" : "cut";
  }

  /**
   * Moves past an object or array that stands here, if a marker follows it. If the brackets do not balance, nothing moves, and
   * no text up to there is tried again.
   */
  *#skipBrackets(): Parser<void> {
    const { source } = this.#state;
    const from = source.offset;
    const blanks = yield* measureWhile(source, isBlank);
    const code = yield* peek(source, blanks);
    if ((code !== OPEN_BRACE && code !== OPEN_BRACKET) || this.#state.guard.areBracketsRefused) return;
    source.skip(blanks);
    const scan = yield* scanBalanced(source, this.until);
    const next = scan === "balanced" ? yield* skipBlanks(source) : END;
    if (next === this.markerStart) return;
    this.#state.guard.refuseBrackets();
    source.moveBack(from);
  }

  /** Returns how the marker before the cursor ends the value, if it does. The cursor then moves after all that belongs to that end. */
  *#classifyTag(tag: Tag, value: { readonly openTag: Tag; readonly hasNewline: boolean }): Parser<Verdict | undefined> {
    const { source } = this.#state;
    const { openTag } = value;
    if (tag.isClosing ? isElementCloser(tag, openTag) : PAIR_CLOSERS.get(openTag.name) === tag.name) {
      source.skip(tag.raw.length);
      const isBare = tag.isClosing && tag.prefix !== openTag.prefix;
      if (!(yield* this.#isStructureNext(openTag, isBare))) return undefined;
      return isBare ? "bare" : "value";
    }
    if (isForeign(tag, openTag)) return undefined;
    const isCloser = isCallCloser(tag, this.#parts.tag);
    if (isCloser || (tag.isClosing && WRAPPER_NAMES.has(tag.name))) {
      if (!(yield* this.#isOutsideNext(tag.raw.length))) return undefined;
      if (!isCloser && (this.#parts.tag || this.#parts.hasLead)) return "implied";
      source.skip(tag.raw.length);
      return "closed";
    }
    return (yield* this.#isSibling(tag, value)) ? "sibling" : undefined;
  }

  /** A parameter's opener inside a value: the value's closer was forgotten, if a template could have written it here. */
  *#isSibling(tag: Tag, value: { readonly openTag: Tag; readonly hasNewline: boolean }): Parser<boolean> {
    const { source } = this.#state;
    if (tag.isClosing || tag.prefix !== value.openTag.prefix) return false;
    if (value.openTag.name === "arg_value" && tag.name === "arg_key") {
      const length = tag.raw.length;
      const ahead = yield* measureWhile(source, (code) => code !== LESS_THAN && code !== END, length, KEY_LIMIT);
      if ((yield* peek(source, ahead)) !== LESS_THAN) return false;
      const next = yield* readTag(source, (name) => name === "arg_key", ahead);
      return next?.isClosing === true;
    }
    if (value.openTag.name === "|tool_arg:value|") return tag.name === "|tool_arg:start|";
    const key = tag.name === value.openTag.name ? getParameterKey(tag) : undefined;
    if (key === undefined || this.#parts.hasKey(key)) return false;
    const { parameters } = this.#parts;
    return (value.hasNewline || isToken(tag.prefix)) && (parameters.length === 0 || parameters.includes(key));
  }

  /** After a closer: returns true if a sibling, a parent's closer, another call or the end follows. Moves over the white space. */
  *#isStructureNext(openTag: Tag, isBare: boolean): Parser<boolean> {
    const { source } = this.#state;
    const code = yield* skipBlanks(source);
    if (code === END || (code === COMMA && !isBare)) return true;
    if (this.#parts.hasLead) return yield* matchesLiteral(source, LEAD);
    const tag = code === LESS_THAN ? yield* readTagOrCut(source, ANY_NAME) : undefined;
    if (tag === "cut") return !isBare;
    if (!tag) return false;
    // Markers of another dialect are a quotation of that dialect.
    if (isPairTag(tag) && !isPairTag(openTag)) return false;
    if (isBare && !tag.isClosing && WRAPPER_NAMES.has(tag.name)) return false;
    if (isStructure(tag) || isCallCloser(tag, this.#parts.tag)) return true;
    if (tag.isClosing || !this.#parts.usesElements) return false;
    return this.#parts.parameters.length === 0 || this.#parts.expects(tag.name);
  }

  /** Returns true if only markers around calls, or the end, follow `length` characters after the cursor. */
  *#isOutsideNext(length: number): Parser<boolean> {
    const { source } = this.#state;
    const ahead = yield* measureWhile(source, isBlank, length);
    if (this.#parts.hasLead && (yield* matchesLiteral(source, LEAD, ahead))) return true;
    const code = yield* peek(source, ahead);
    // The end of a cut text does not show what would have followed.
    if (code === END) return this.#state.finish === "normal";
    const tag = code === LESS_THAN ? yield* readTag(source, OUTSIDE_NAME, ahead) : undefined;
    return (
      tag !== undefined &&
      (tag.prefix === "xtml" || WRAPPER_NAMES.has(tag.name) || TURN_ENDS.has(tag.name) || !tag.isClosing)
    );
  }
}

/** Characters of a parameter's name; longer is none. */
export const KEY_LIMIT = 256;

const VALUE = new StopTable("<\n");
const VALUE_LEAD = new StopTable("]\n");
const SECTION_END = new StopTable("]");

const isPairOpener = (tag: Tag): boolean => !tag.isClosing && tag.name === "arg_key";

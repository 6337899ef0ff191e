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
  readonly to: number;
  /** Offset at which reading continues. */
  readonly next: number;
  /** Set if the call ends with the value. */
  readonly end: ElementCallEnd | undefined;
  /** True for a closer of the value's own, but without its namespace or after an opener in the value. */
  readonly own: boolean;
}

type Verdict = "value" | "bare" | "sibling" | "closed" | "implied";

export class ParameterValueReader {
  /** The offset at which the capture is too long. */
  readonly until: number;
  /** Character with which every structural tag begins. */
  readonly mark: number;
  readonly #turn: ParserState;
  readonly #parts: CallBuilder;
  readonly #lead: string;

  constructor(turn: ParserState, parts: CallBuilder) {
    this.#turn = turn;
    this.#parts = parts;
    this.#lead = parts.lead ? LEAD : "";
    this.mark = parts.lead ? CLOSE_BRACKET : LESS_THAN;
    this.until = turn.source.heldFrom + turn.options.captureChars;
  }

  /** Reads from after the opening marker. `structured`: JSON may stand here, and every marker in its strings is data. */
  *read(open: Tag, structured: boolean): Parser<ReadValue> {
    const { source } = this.#turn;
    const from = source.offset;
    if (structured) yield* this.#passBrackets();
    const start = yield* this.#passStart();
    if (start === "cut") return { end: "cut" };
    let newline = start === "newline";
    let depth = 0;
    let implied: ImpliedEnd | undefined;
    for (;;) {
      if (source.offset >= this.until) return this.#giveUp(from, implied, "broken");
      const code = yield* peek(source);
      if (code === END) return this.#giveUp(from, implied, "cut");
      if (code !== this.mark) {
        newline = isBlank(code) && (newline || code === NEWLINE);
        if (isBlank(code)) source.skip(1);
        else yield* seekStop(source, this.#lead === "" ? VALUE : VALUE_LEAD, this.until);
        continue;
      }
      const to = source.offset;
      const tag = yield* this.tagAt(open.name);
      if (tag && this.#lead !== "" && tag.name === open.name && !getParameterKey(tag) && (!tag.closing || depth > 0)) {
        depth += tag.closing ? -1 : 1;
        source.skip(tag.raw.length);
        continue;
      }
      const verdict = tag && (yield* this.#judge(tag, { open, newline }));
      const own = verdict === "value" || verdict === "bare";
      if (verdict === "value" && depth === 0) return { value: { text: source.held(from, to) } };
      if (verdict === "sibling") return this.#giveUp(from, implied ?? { to, next: to, end: undefined, own }, "cut");
      if (verdict) implied ??= { to, next: source.offset, end: own ? undefined : verdict, own };
      if (tag?.name === open.name && tag.prefix === open.prefix && getParameterKey(tag) !== undefined) depth += 1;
      else if (own && depth > 0) depth -= 1;
      else if (tag && implied && (opensCall(tag) || opensPair(tag))) return this.#giveUp(from, implied, "cut");
      if (source.offset === to) source.skip(1);
      newline = false;
    }
  }

  /** Handles a value without its own closer: it ends where another marker implied it, if one did. */
  #giveUp(from: number, implied: ImpliedEnd | undefined, otherwise: ElementCallEnd): ReadValue {
    if (!implied) return { end: otherwise };
    this.#turn.source.back(implied.next);
    return { value: { text: this.#turn.source.held(from, implied.to), unclosed: !implied.own }, end: implied.end };
  }

  /** Moves over the white space and the CDATA section at the start of a value. `newline`: a line's end precedes the text. */
  *#passStart(): Parser<"newline" | "text" | "cut"> {
    const { source } = this.#turn;
    let newline = false;
    for (let code = yield* peek(source); isBlank(code) && source.offset < this.until; code = yield* peek(source)) {
      newline ||= code === NEWLINE;
      source.skip(1);
    }
    const from = source.offset;
    if (this.#lead !== "" || from >= this.until || !(yield* matchesLiteral(source, "<![CDATA[")))
      return newline ? "newline" : "text";
    if (yield* findNext(source, SECTION_END, this.until, () => matchesLiteral(source, "]]>"))) {
      source.skip(3);
      return "text";
    }
    if (this.#turn.finish === "cut" || !this.#turn.guard.mayReadAgain()) return "cut";
    // Nothing closes it: its opener is text of the value.
    source.back(from + 1);
    return "text";
  }

  /** Reads the marker at the cursor, with its lead token if the format writes one. `key` names the element that is being read. */
  *tagAt(key?: string): Parser<Tag | undefined> {
    const { source } = this.#turn;
    const lead = this.#lead;
    if (!(yield* matchesLiteral(source, `${lead}<`))) return undefined;
    const known: KnownName = (name, prefix) => name === key || INSIDE_NAME(name, prefix);
    const tag = yield* readTag(source, key === undefined || lead !== "" ? ANY_NAME : known, lead.length);
    return tag && lead !== "" ? { ...tag, raw: lead + tag.raw } : tag;
  }

  /**
   * If the text ends inside the marker at the cursor, moves to the end and returns `closed` if that closes a complete call, else `cut`.
   * A cut text closes nothing.
   */
  *endsInMark(): Parser<"closed" | "cut" | undefined> {
    const { source, finish } = this.#turn;
    if ((yield* readTagOrCut(source, ANY_NAME, this.#lead.length)) !== "cut") return undefined;
    const from = source.offset + this.#lead.length;
    this.#turn.skipToEnd();
    const torso = source.held(from);
    return finish === "normal" && mayBeginCloser(torso) ? "closed" : "cut";
  }

  /**
   * Moves past an object or array that stands here, if a marker follows it. If the brackets do not balance, nothing moves, and
   * no text up to there is tried again.
   */
  *#passBrackets(): Parser<void> {
    const { source } = this.#turn;
    const from = source.offset;
    const blanks = yield* measureWhile(source, isBlank);
    const code = yield* peek(source, blanks);
    if ((code !== OPEN_BRACE && code !== OPEN_BRACKET) || this.#turn.guard.areBracketsRefused) return;
    source.skip(blanks);
    const scan = yield* scanBalanced(source, this.until);
    const next = scan === "balanced" ? yield* skipBlanks(source) : END;
    if (next === this.mark) return;
    this.#turn.guard.refuseBrackets();
    source.back(from);
  }

  /** Returns how the marker before the cursor ends the value, if it does. The cursor then moves after all that belongs to that end. */
  *#judge(tag: Tag, value: { readonly open: Tag; readonly newline: boolean }): Parser<Verdict | undefined> {
    const { source } = this.#turn;
    const { open } = value;
    if (tag.closing ? isElementCloser(tag, open) : PAIR_CLOSERS.get(open.name) === tag.name) {
      source.skip(tag.raw.length);
      const bare = tag.closing && tag.prefix !== open.prefix;
      if (!(yield* this.#structureFollows(open, bare))) return undefined;
      return bare ? "bare" : "value";
    }
    if (isForeign(tag, open)) return undefined;
    const closes = isCallCloser(tag, this.#parts.tag);
    if (closes || (tag.closing && WRAPPER_NAMES.has(tag.name))) {
      if (!(yield* this.#outsideFollows(tag.raw.length))) return undefined;
      if (!closes && (this.#parts.tag || this.#parts.lead)) return "implied";
      source.skip(tag.raw.length);
      return "closed";
    }
    return (yield* this.#isSibling(tag, value)) ? "sibling" : undefined;
  }

  /** A parameter's opener inside a value: the value's closer was forgotten, if a template could have written it here. */
  *#isSibling(tag: Tag, value: { readonly open: Tag; readonly newline: boolean }): Parser<boolean> {
    const { source } = this.#turn;
    if (tag.closing || tag.prefix !== value.open.prefix) return false;
    if (value.open.name === "arg_value" && tag.name === "arg_key") {
      const length = tag.raw.length;
      const ahead = yield* measureWhile(source, (code) => code !== LESS_THAN && code !== END, length, KEY_LIMIT);
      if ((yield* peek(source, ahead)) !== LESS_THAN) return false;
      const next = yield* readTag(source, (name) => name === "arg_key", ahead);
      return next?.closing === true;
    }
    if (value.open.name === "|tool_arg:value|") return tag.name === "|tool_arg:start|";
    const key = tag.name === value.open.name ? getParameterKey(tag) : undefined;
    if (key === undefined || this.#parts.has(key)) return false;
    const { parameters } = this.#parts;
    return (value.newline || isToken(tag.prefix)) && (parameters.length === 0 || parameters.includes(key));
  }

  /** After a closer: returns true if a sibling, a parent's closer, another call or the end follows. Moves over the white space. */
  *#structureFollows(open: Tag, bare: boolean): Parser<boolean> {
    const { source } = this.#turn;
    const code = yield* skipBlanks(source);
    if (code === END || (code === COMMA && !bare)) return true;
    if (this.#parts.lead) return yield* matchesLiteral(source, LEAD);
    const tag = code === LESS_THAN ? yield* readTagOrCut(source, ANY_NAME) : undefined;
    if (tag === "cut") return !bare;
    if (!tag) return false;
    // Markers of another dialect are a quotation of that dialect.
    if (isPairTag(tag) && !isPairTag(open)) return false;
    if (bare && !tag.closing && WRAPPER_NAMES.has(tag.name)) return false;
    if (isStructure(tag) || isCallCloser(tag, this.#parts.tag)) return true;
    if (tag.closing || !this.#parts.usesElements) return false;
    return this.#parts.parameters.length === 0 || this.#parts.awaits(tag.name);
  }

  /** Returns true if only markers around calls, or the end, follow `length` characters after the cursor. */
  *#outsideFollows(length: number): Parser<boolean> {
    const { source } = this.#turn;
    const ahead = yield* measureWhile(source, isBlank, length);
    if (this.#parts.lead && (yield* matchesLiteral(source, LEAD, ahead))) return true;
    const code = yield* peek(source, ahead);
    // The end of a cut text does not show what would have followed.
    if (code === END) return this.#turn.finish === "normal";
    const tag = code === LESS_THAN ? yield* readTag(source, OUTSIDE_NAME, ahead) : undefined;
    return (
      tag !== undefined &&
      (tag.prefix === "xtml" || WRAPPER_NAMES.has(tag.name) || TURN_ENDS.has(tag.name) || !tag.closing)
    );
  }
}

/** Characters of a parameter's name; longer is none. */
export const KEY_LIMIT = 256;

const VALUE = new StopTable("<\n");
const VALUE_LEAD = new StopTable("]\n");
const SECTION_END = new StopTable("]");

const opensPair = (tag: Tag): boolean => !tag.closing && tag.name === "arg_key";

// Reads groups of calls with names between markers and arguments as JSON. Format specs define the markers.

import { createJsonCall } from "../../decoders/CallCandidate.ts";
import { decodeJson } from "../../decoders/decodeJson.ts";
import { emptyObject } from "../../decoders/jsonTree.ts";
import { LESS_THAN, OPEN_BRACE, UNDERSCORE } from "../../scanner/charCodes.ts";
import { findNext, matchesLiteral, measureWhile, peek, seekStop, skipBlanks } from "../../scanner/combinators.ts";
import { END, type Parser, type Source, StopTable } from "../../scanner/Source.ts";
import { scanBalanced } from "../../scanner/scanBalanced.ts";
import { readTag, readTagOrCut, type Tag } from "../../scanner/Tag.ts";
import { isBlank, trimBlanks } from "../../scanner/whitespace.ts";
import type { SectionRole } from "../../specs/FormatSpec.ts";
import { getFormatForForm, SECTION_HEADS, SECTION_MARKS } from "../../specs/lookupTables.ts";
import { Capture } from "../../state/Capture.ts";
import type { ParserState } from "../../state/ParserState.ts";
import { opensCall } from "../elements/callMarkers.ts";
import { classifySection, isSlip } from "../elements/lookahead.ts";
import { readElementCall } from "../elements/taggedCall.ts";
import { isWordStart } from "../unmarked/callTokens.ts";
import { isAnswer } from "./HeadedReader.ts";

const RECIPIENTS = getFormatForForm("recipient-section");
const TYPED = getFormatForForm("typed-section");
const HEAD_STOPS = new StopTable("<{");
const NAME_STOPS = new StopTable("\n<{");
/** Maximum characters of text that no call uses. Longer text ends a group whose closer is missing. */
const NOISE_LIMIT = 256;

const isLetter = (code: number): boolean => isWordStart(code) && code !== UNDERSCORE;
const isMark = (name: string): boolean => SECTION_MARKS.has(name);

/** Reads the group (or the single call) whose first marker stands at the cursor. A marker without a call after it is text. */
export function* readSection(turn: ParserState, open: Tag): Parser<void> {
  const ahead = yield* classifySection(turn, open);
  if (ahead === "words") return turn.pass(open.raw.length);
  if (ahead === "empty") return yield* readEmpty(turn, open);
  yield* new SectionReader(turn, SECTION_MARKS.get(open.name)?.family ?? open.name).read();
}

/** Reads a call whose head, without its opener, stands at the cursor. */
export function* readOpenedSection(turn: ParserState, head: string, family: string): Parser<void> {
  yield* new SectionReader(turn, family, head).read();
}

/** An opener and its closer with nothing between. */
function* readEmpty(turn: ParserState, open: Tag): Parser<void> {
  const { source } = turn;
  const capture = new Capture(turn);
  source.skip(open.raw.length);
  yield* skipBlanks(source);
  const closer = yield* readTag(source, isMark);
  source.skip(closer?.raw.length ?? 0);
  if (yield* isSlip(turn)) capture.drop("empty-block");
  else capture.words();
}

class SectionReader {
  readonly #turn: ParserState;
  /** Text since the last call or issue of the group. */
  #capture: Capture;
  #family: string;
  #head: string;
  #name: string | undefined;
  #body: string | undefined;
  #inCall: boolean;
  #inSection = false;

  constructor(turn: ParserState, family: string, head?: string) {
    this.#turn = turn;
    this.#family = family;
    this.#inCall = head !== undefined;
    this.#head = head ?? "";
    this.#capture = new Capture(turn);
    turn.source.skip(this.#head.length);
  }

  *read(): Parser<void> {
    while (yield* this.#step());
    this.#capture.drop();
  }

  /** Reads a marker or the text after one. Returns false if the group is over. */
  *#step(): Parser<boolean> {
    const { source } = this.#turn;
    const code = yield* skipBlanks(source);
    if (code === END) return this.#atEnd();
    const tag = code === LESS_THAN ? yield* readTagOrCut(source, isMark) : undefined;
    if (tag === "cut" && this.#inCall) {
      this.#turn.skipToEnd();
      return this.#atEnd(true);
    }
    if (!tag || tag === "cut") return yield* this.#inCall ? this.#arguments() : this.#noise();
    const mark = SECTION_MARKS.get(tag.name);
    if (!mark || (mark.role === "section" && this.#inSection && !this.#inCall)) return false;
    source.skip(tag.raw.length);
    return yield* this.#mark(mark.role, mark.family);
  }

  /** Handles a marker by its role. Returns false if the group is over. */
  *#mark(role: SectionRole, family: string): Parser<boolean> {
    switch (role) {
      case "section":
        this.#inSection = true;
        this.#family = family;
        if (family === RECIPIENTS) yield* this.#text();
        return true;
      case "section-end":
        this.#settle();
        return false;
      case "call":
        if (this.#inCall) this.#settle();
        this.#inCall = true;
        this.#head = yield* this.#text();
        return true;
      case "name":
        this.#name = yield* this.#text();
        return true;
      case "separator":
        yield* this.#separator(family);
        return true;
      case "arguments":
        if (SECTION_HEADS.get(family) === "named-id") this.#family = family;
        if (!isAnswer(this.#head)) return true;
        this.#inCall = false;
        return false;
      case "ignored":
        return true;
      case "call-end":
        this.#settle();
        return this.#inSection || (yield* this.#markFollows());
      default:
        return role satisfies never;
    }
  }

  /** After the separator follow JSON arguments, or, after a type word, a name line and then fenced JSON. */
  *#separator(family: string): Parser<void> {
    if (this.#head !== "function") {
      this.#name = this.#head;
      this.#family = family;
      return;
    }
    this.#family = TYPED;
    const line = yield* this.#upTo(NAME_STOPS, Number.MAX_SAFE_INTEGER);
    this.#name = trimBlanks(line.replace(/`+(json)?$/, ""));
  }

  /** Reads the text after the opening marker of an open call. Returns false if the group cannot continue. */
  *#arguments(): Parser<boolean> {
    const { source, guard } = this.#turn;
    if (yield* matchesLiteral(source, "```")) {
      source.skip(yield* measureWhile(source, isLetter, 3));
      return true;
    }
    const code = yield* peek(source);
    const tag = code === LESS_THAN ? yield* readTag(source, () => true) : undefined;
    if (tag && opensCall(tag)) return yield* this.#element(tag);
    if (code !== OPEN_BRACE || this.#body !== undefined) return yield* this.#malformed();
    const from = source.offset;
    const scan = yield* scanBalanced(source, this.#capture.until);
    if (scan === "balanced") {
      this.#body = this.#capture.since(from);
      return true;
    }
    if (scan === "broken") return yield* this.#malformed();
    if (scan === "cut" && this.#turn.finish === "normal" && guard.mayReadAgain()) {
      source.back(from);
      return yield* this.#malformed();
    }
    if (scan === "cut") this.#fail(true);
    else this.#endCall((capture) => capture.refused(this.#family));
    return false;
  }

  /** Reads a call as tags. Only one type word announces it. */
  *#element(tag: Tag): Parser<boolean> {
    this.#turn.source.skip(tag.raw.length);
    const { candidate, end } = yield* readElementCall(this.#turn, { tag, lead: false });
    if (candidate && end === "closed" && this.#head === "function")
      this.#endCall((capture) => capture.calls([candidate], getFormatForForm("typed-elements")));
    else this.#fail(end === "cut");
    return end !== "cut";
  }

  /** Reports text that no call contains: up to the next marker of the format it is one malformed call. */
  *#malformed(): Parser<boolean> {
    const { source } = this.#turn;
    const tag = yield* findMarker(source, this.#capture.until);
    if (tag && SECTION_MARKS.get(tag.name)?.role === "call-end") source.skip(tag.raw.length);
    this.#fail(tag === undefined);
    return tag !== undefined;
  }

  /** Between the calls of a group models write noise; without a group's opener, or at length, it is the answer. */
  *#noise(): Parser<boolean> {
    if (!this.#inSection) return false;
    const { source } = this.#turn;
    const from = source.offset;
    if (yield* findMarker(source, from + NOISE_LIMIT + 1)) return true;
    if (source.code() !== END || this.#turn.finish === "normal") source.back(from);
    return false;
  }

  *#markFollows(): Parser<boolean> {
    const { source } = this.#turn;
    const ahead = yield* measureWhile(source, isBlank);
    return (yield* peek(source, ahead)) === LESS_THAN && (yield* readTag(source, isMark, ahead)) !== undefined;
  }

  /** Reads a head or a name, up to the next marker or the arguments. */
  *#text(): Parser<string> {
    return trimBlanks(yield* this.#upTo(HEAD_STOPS, this.#turn.source.offset + NOISE_LIMIT + 1));
  }

  *#upTo(stops: StopTable, until: number): Parser<string> {
    const from = this.#turn.source.offset;
    yield* seekStop(this.#turn.source, stops, until);
    return this.#capture.since(from);
  }

  /** Ends the group with the text. `inMark`: the text ended inside the marker after the call. */
  #atEnd(inMark = false): false {
    const mayEnd = inMark || this.#family !== TYPED;
    if (this.#body !== undefined && this.#turn.finish === "normal" && mayEnd) this.#settle();
    else if (this.#inCall) this.#fail(true);
    return false;
  }

  /** Emits the call that has been read, if there is one. */
  #settle(): void {
    if (!this.#inCall) return;
    const name = this.#name ?? this.#head;
    // `functions.NAME:3` is a wire id. Its last dot is no separator, since names may contain dots.
    const kind = SECTION_HEADS.get(this.#family);
    const isId = kind === "named-id" ? this.#head !== "" : kind === "id" && this.#name !== undefined;
    const id = isId ? this.#head : undefined;
    const takesNone = this.#turn.resolve(name) !== undefined && this.#turn.parameters(name).length === 0;
    const body = this.#body === undefined ? takesNone && emptyObject : decodeJson(this.#body);
    if (body) this.#endCall((capture) => capture.calls([{ ...createJsonCall(name, body), id }], this.#family));
    else this.#fail(false);
  }

  #fail(isCut: boolean): void {
    this.#endCall((capture) => {
      if (isCut) capture.cut(this.#family);
      else capture.malformed(NO_ARGUMENTS, this.#family);
    });
  }

  /** Ends the capture with a call or an issue, and begins the next one after it. */
  #endCall(end: (capture: Capture) => void): void {
    this.#inCall = false;
    this.#head = "";
    this.#name = undefined;
    this.#body = undefined;
    end(this.#capture);
    this.#capture = new Capture(this.#turn);
  }
}

/** Moves to the next marker of a section before the offset `until`. */
function findMarker(source: Source, until: number): Parser<Tag | undefined> {
  return findNext(source, MARKS, until, () => readTag(source, isMark));
}

const MARKS = new StopTable("<");
const NO_ARGUMENTS = "This tool call has no readable arguments: a JSON object is expected.";

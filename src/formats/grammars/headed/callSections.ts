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
export function* readSection(state: ParserState, open: Tag): Parser<void> {
  const ahead = yield* classifySection(state, open);
  if (ahead === "words") return state.writeNext(open.raw.length);
  if (ahead === "empty") return yield* readEmpty(state, open);
  yield* new SectionReader(state, SECTION_MARKS.get(open.name)?.family ?? open.name).read();
}

/** Reads a call whose head, without its opener, stands at the cursor. */
export function* readOpenedSection(state: ParserState, head: string, formatId: string): Parser<void> {
  yield* new SectionReader(state, formatId, head).read();
}

/** An opener and its closer with nothing between. */
function* readEmpty(state: ParserState, open: Tag): Parser<void> {
  const { source } = state;
  const capture = new Capture(state);
  source.skip(open.raw.length);
  yield* skipBlanks(source);
  const closer = yield* readTag(source, isMark);
  source.skip(closer?.raw.length ?? 0);
  if (yield* isSlip(state)) capture.endAsMarkup("empty-block");
  else capture.endAsText();
}

class SectionReader {
  readonly #state: ParserState;
  /** Text since the last call or issue of the group. */
  #capture: Capture;
  #family: string;
  #head: string;
  #name: string | undefined;
  #body: string | undefined;
  #isInCall: boolean;
  #isInSection = false;

  constructor(state: ParserState, formatId: string, head?: string) {
    this.#state = state;
    this.#family = formatId;
    this.#isInCall = head !== undefined;
    this.#head = head ?? "";
    this.#capture = new Capture(state);
    state.source.skip(this.#head.length);
  }

  *read(): Parser<void> {
    while (yield* this.#step());
    this.#capture.endAsMarkup();
  }

  /** Reads a marker or the text after one. Returns false if the group is over. */
  *#step(): Parser<boolean> {
    const { source } = this.#state;
    const code = yield* skipBlanks(source);
    if (code === END) return this.#endAtTextEnd();
    const tag = code === LESS_THAN ? yield* readTagOrCut(source, isMark) : undefined;
    if (tag === "cut" && this.#isInCall) {
      this.#state.skipToEnd();
      return this.#endAtTextEnd(true);
    }
    if (!tag || tag === "cut") return yield* this.#isInCall ? this.#arguments() : this.#skipNoise();
    const marker = SECTION_MARKS.get(tag.name);
    if (!marker || (marker.role === "section" && this.#isInSection && !this.#isInCall)) return false;
    source.skip(tag.raw.length);
    return yield* this.#readMarker(marker.role, marker.family);
  }

  /** Handles a marker by its role. Returns false if the group is over. */
  *#readMarker(role: SectionRole, formatId: string): Parser<boolean> {
    switch (role) {
      case "section":
        this.#isInSection = true;
        this.#family = formatId;
        if (formatId === RECIPIENTS) yield* this.#text();
        return true;
      case "section-end":
        this.#endCall();
        return false;
      case "call":
        if (this.#isInCall) this.#endCall();
        this.#isInCall = true;
        this.#head = yield* this.#text();
        return true;
      case "name":
        this.#name = yield* this.#text();
        return true;
      case "separator":
        yield* this.#readSeparator(formatId);
        return true;
      case "arguments":
        if (SECTION_HEADS.get(formatId) === "named-id") this.#family = formatId;
        if (!isAnswer(this.#head)) return true;
        this.#isInCall = false;
        return false;
      case "ignored":
        return true;
      case "call-end":
        this.#endCall();
        return this.#isInSection || (yield* this.#isMarkerNext());
      default:
        return role satisfies never;
    }
  }

  /** After the separator follow JSON arguments, or, after a type word, a name line and then fenced JSON. */
  *#readSeparator(formatId: string): Parser<void> {
    if (this.#head !== "function") {
      this.#name = this.#head;
      this.#family = formatId;
      return;
    }
    this.#family = TYPED;
    const line = yield* this.#readUpToStop(NAME_STOPS, Number.MAX_SAFE_INTEGER);
    this.#name = trimBlanks(line.replace(/`+(json)?$/, ""));
  }

  /** Reads the text after the opening marker of an open call. Returns false if the group cannot continue. */
  *#arguments(): Parser<boolean> {
    const { source, guard } = this.#state;
    if (yield* matchesLiteral(source, "```")) {
      source.skip(yield* measureWhile(source, isLetter, 3));
      return true;
    }
    const code = yield* peek(source);
    const tag = code === LESS_THAN ? yield* readTag(source, () => true) : undefined;
    if (tag && opensCall(tag)) return yield* this.#element(tag);
    if (code !== OPEN_BRACE || this.#body !== undefined) return yield* this.#endMalformedCall();
    const from = source.offset;
    const scan = yield* scanBalanced(source, this.#capture.maxOffset);
    if (scan === "balanced") {
      this.#body = this.#capture.getText(from);
      return true;
    }
    if (scan === "broken") return yield* this.#endMalformedCall();
    if (scan === "cut" && this.#state.finish === "normal" && guard.countReread()) {
      source.moveBack(from);
      return yield* this.#endMalformedCall();
    }
    if (scan === "cut") this.#failCall(true);
    else this.#endCapture((capture) => capture.endAsOversizedCall(this.#family));
    return false;
  }

  /** Reads a call as tags. Only one type word announces it. */
  *#element(tag: Tag): Parser<boolean> {
    this.#state.source.skip(tag.raw.length);
    const { candidate, end } = yield* readElementCall(this.#state, { tag, hasLead: false });
    if (candidate && end === "closed" && this.#head === "function")
      this.#endCapture((capture) => capture.endAsCalls([candidate], getFormatForForm("typed-elements")));
    else this.#failCall(end === "cut");
    return end !== "cut";
  }

  /** Reports text that no call contains: up to the next marker of the format it is one malformed call. */
  *#endMalformedCall(): Parser<boolean> {
    const { source } = this.#state;
    const tag = yield* findMarker(source, this.#capture.maxOffset);
    if (tag && SECTION_MARKS.get(tag.name)?.role === "call-end") source.skip(tag.raw.length);
    this.#failCall(tag === undefined);
    return tag !== undefined;
  }

  /** Between the calls of a group models write noise; without a group's opener, or at length, it is the answer. */
  *#skipNoise(): Parser<boolean> {
    if (!this.#isInSection) return false;
    const { source } = this.#state;
    const from = source.offset;
    if (yield* findMarker(source, from + NOISE_LIMIT + 1)) return true;
    if (source.code() !== END || this.#state.finish === "normal") source.moveBack(from);
    return false;
  }

  *#isMarkerNext(): Parser<boolean> {
    const { source } = this.#state;
    const ahead = yield* measureWhile(source, isBlank);
    return (yield* peek(source, ahead)) === LESS_THAN && (yield* readTag(source, isMark, ahead)) !== undefined;
  }

  /** Reads a head or a name, up to the next marker or the arguments. */
  *#text(): Parser<string> {
    return trimBlanks(yield* this.#readUpToStop(HEAD_STOPS, this.#state.source.offset + NOISE_LIMIT + 1));
  }

  *#readUpToStop(stops: StopTable, maxOffset: number): Parser<string> {
    const from = this.#state.source.offset;
    yield* seekStop(this.#state.source, stops, maxOffset);
    return this.#capture.getText(from);
  }

  /** Ends the group with the text. `inMark`: the text ended inside the marker after the call. */
  #endAtTextEnd(isInMarker = false): false {
    const mayEnd = isInMarker || this.#family !== TYPED;
    if (this.#body !== undefined && this.#state.finish === "normal" && mayEnd) this.#endCall();
    else if (this.#isInCall) this.#failCall(true);
    return false;
  }

  /** Emits the call that has been read, if there is one. */
  #endCall(): void {
    if (!this.#isInCall) return;
    const name = this.#name ?? this.#head;
    // `functions.NAME:3` is a wire id. Its last dot is no separator, since names may contain dots.
    const kind = SECTION_HEADS.get(this.#family);
    const isId = kind === "named-id" ? this.#head !== "" : kind === "id" && this.#name !== undefined;
    const id = isId ? this.#head : undefined;
    const hasNoParameters = this.#state.resolve(name) !== undefined && this.#state.listParameters(name).length === 0;
    const body = this.#body === undefined ? hasNoParameters && emptyObject : decodeJson(this.#body);
    if (body) this.#endCapture((capture) => capture.endAsCalls([{ ...createJsonCall(name, body), id }], this.#family));
    else this.#failCall(false);
  }

  #failCall(isCut: boolean): void {
    this.#endCapture((capture) => {
      if (isCut) capture.endAsCutCall(this.#family);
      else capture.endAsMalformedCall(NO_ARGUMENTS, this.#family);
    });
  }

  /** Ends the capture with a call or an issue, and begins the next one after it. */
  #endCapture(end: (capture: Capture) => void): void {
    this.#isInCall = false;
    this.#head = "";
    this.#name = undefined;
    this.#body = undefined;
    end(this.#capture);
    this.#capture = new Capture(this.#state);
  }
}

/** Moves to the next marker of a section before the offset `until`. */
function findMarker(source: Source, maxOffset: number): Parser<Tag | undefined> {
  return findNext(source, MARKS, maxOffset, () => readTag(source, isMark));
}

const MARKS = new StopTable("<");
const NO_ARGUMENTS = "This tool call has no readable arguments: a JSON object is expected.";

// Groups of calls whose names stand between marks and whose arguments are JSON. What the marks do say the families' rows.

import type { CallCandidate } from "../../bodies/CallCandidate.ts";
import { decodeJson } from "../../bodies/decodeJson.ts";
import { emptyObject } from "../../bodies/jsonSpans.ts";
import type { SectionRole } from "../../families/FamilyRow.ts";
import { familyOfForm, SECTION_HEADS, SECTION_MARKS } from "../../families/tables.ts";
import { LESS_THAN, LOWER_A, LOWER_Z, NEWLINE, OPEN_BRACE, UPPER_A, UPPER_Z } from "../../text/codes.ts";
import { END, type Reading, StopTable } from "../../text/Source.ts";
import { scanBalanced } from "../../text/scanBalanced.ts";
import { readTag, readTagOrCut, type Tag } from "../../text/Tag.ts";
import { aheadWhile, peek, seek, skipBlanks, startsWith } from "../../text/waiting.ts";
import { isBlank, trimBlanks } from "../../text/whiteSpace.ts";
import { Capture } from "../../turn/Capture.ts";
import type { Turn } from "../../turn/Turn.ts";
import { isSlip, sectionAhead } from "../elements/bodyAhead.ts";
import { opensCall } from "../elements/callMarks.ts";
import { readElementCall } from "../elements/taggedCall.ts";
import { identityOf, isAnswer } from "./sectionIdentity.ts";

/** Reads the group (or the lone call) whose first mark stands at the cursor; a mark without a call behind it is text. */
export function* readSection(turn: Turn, open: Tag): Reading<void> {
  const ahead = yield* sectionAhead(turn, open);
  if (ahead === "words") return turn.pass(open.raw.length);
  if (ahead === "empty") return yield* readEmpty(turn, open);
  yield* new SectionReader(turn, SECTION_MARKS.get(open.name)?.family ?? open.name).read();
}

/** Reads a call whose head, without its opener, stands at the cursor. */
export function* readSectionBehind(turn: Turn, head: string, family: string): Reading<void> {
  yield* new SectionReader(turn, family, head).read();
}

/** An opener and its closer with nothing between. */
function* readEmpty(turn: Turn, open: Tag): Reading<void> {
  const { source } = turn;
  const capture = new Capture(turn);
  source.skip(open.raw.length);
  yield* skipBlanks(source);
  const closer = yield* readTag(source, (name) => SECTION_MARKS.has(name));
  source.skip(closer?.raw.length ?? 0);
  if (yield* isSlip(turn)) capture.drop("empty-block");
  else capture.words();
}

const LESS = new StopTable("<");
const RECIPIENTS = familyOfForm("recipient-section");
const TYPED = familyOfForm("typed-section");

/** Text that no call uses is held to this length, then it ends a group whose closer is missing. */
const NOISE_LIMIT = 256;

class SectionReader {
  readonly #turn: Turn;
  /** What has been read since the last call or issue of the group. */
  #capture: Capture;
  #family: string;
  #head = "";
  #name: string | undefined;
  #body: { from: number; to: number } | undefined;
  #inCall = false;
  #inSection = false;

  constructor(turn: Turn, family: string, head?: string) {
    this.#turn = turn;
    this.#family = family;
    this.#inCall = head !== undefined;
    this.#head = head ?? "";
    this.#capture = new Capture(turn);
    turn.source.skip(this.#head.length);
  }

  *read(): Reading<void> {
    yield* this.#group();
    this.#capture.drop();
  }

  *#group(): Reading<void> {
    const { source } = this.#turn;
    for (;;) {
      const code = yield* skipBlanks(source);
      if (code === END) return this.#atEnd();
      const tag = code === LESS_THAN ? yield* readTagOrCut(source, (name) => SECTION_MARKS.has(name)) : undefined;
      if (tag === "cut" && this.#inCall) {
        this.#turn.skipToEnd();
        return this.#atEnd(true);
      }
      if (!tag || tag === "cut") {
        if (this.#inCall) {
          if (!(yield* this.#arguments())) return;
          continue;
        }
        if (!(yield* this.#noise())) return;
        continue;
      }
      const mark = SECTION_MARKS.get(tag.name);
      if (!mark) return;
      if (mark.role === "section" && this.#inSection && !this.#inCall) return;
      source.skip(tag.raw.length);
      if (yield* this.#mark(mark.role, mark.family)) return;
    }
  }

  /** True where the group is over. */
  *#mark(role: SectionRole, family: string): Reading<boolean> {
    switch (role) {
      case "section":
        this.#inSection = true;
        this.#family = family;
        if (family === RECIPIENTS) yield* this.#text();
        return false;
      case "section-end":
        this.#settle();
        return true;
      case "call":
        if (this.#inCall) this.#settle();
        this.#inCall = true;
        this.#head = trimBlanks(yield* this.#text());
        return false;
      case "name":
        this.#name = trimBlanks(yield* this.#text());
        return false;
      case "separator":
        yield* this.#separator(family);
        return false;
      case "arguments":
        if (SECTION_HEADS.get(family) === "named-id") this.#family = family;
        if (!isAnswer(this.#head)) return false;
        this.#inCall = false;
        return true;
      case "ignored":
        return false;
      case "call-end":
        this.#settle();
        return !this.#inSection && !(yield* this.#callFollows());
      default:
        return role satisfies never;
    }
  }

  /** Behind the separator stands the arguments' JSON, or, after a type word, a name line and then fenced JSON. */
  *#separator(family: string): Reading<void> {
    if (this.#head !== "function") {
      this.#name = this.#head;
      this.#family = family;
      return;
    }
    const { source } = this.#turn;
    this.#family = TYPED;
    const from = source.offset;
    for (;;) {
      const code = yield* peek(source);
      if (code === END || code === NEWLINE || code === LESS_THAN || code === OPEN_BRACE) break;
      source.skip(1);
    }
    this.#name = trimBlanks(this.#turn.captured(from, source.offset).replace(/`+(json)?$/, ""));
  }

  /** Reads the arguments at the cursor; false where the group cannot go on. */
  *#arguments(): Reading<boolean> {
    const { source } = this.#turn;
    if (yield* startsWith(source, "```")) {
      source.skip(3);
      while (isLetter(yield* peek(source))) source.skip(1);
      return true;
    }
    const code = yield* peek(source);
    const tag = code === LESS_THAN ? yield* readTag(source, () => true) : undefined;
    if (tag && opensCall(tag)) return yield* this.#element(tag);
    if (code !== OPEN_BRACE || this.#body) return yield* this.#malformed();
    const from = source.offset;
    const scan = yield* scanBalanced(source, this.#capture.until);
    if (scan === "balanced") {
      this.#body = { from, to: source.offset };
      return true;
    }
    if (scan === "cut" && this.#turn.finish === "normal" && this.#turn.guard.mayReadAgain()) {
      source.back(from);
      return yield* this.#malformed();
    }
    if (scan === "cut") {
      this.#fail(true);
      return false;
    }
    if (scan === "refused") {
      this.#endCall((capture) => capture.refused(this.#family));
      return false;
    }
    return yield* this.#malformed();
  }

  /** A call as tags: only one type word announces it. */
  *#element(tag: Tag): Reading<boolean> {
    this.#turn.source.skip(tag.raw.length);
    const call = yield* readElementCall(this.#turn, { tag, lead: false });
    const { candidate } = call;
    if (candidate && call.end === "closed" && this.#head === "function")
      this.#endCall((capture) => capture.calls([candidate], familyOfForm("typed-elements")));
    else this.#fail(call.end === "cut");
    return call.end !== "cut";
  }

  /** Something that no call holds: up to the next mark of the family it is one malformed call. */
  *#malformed(): Reading<boolean> {
    const { source } = this.#turn;
    const { until } = this.#capture;
    for (;;) {
      if ((yield* seek(source, LESS, until)) === END) {
        this.#fail(true);
        return false;
      }
      const tag = yield* readTag(source, (name) => SECTION_MARKS.has(name));
      if (tag) {
        const role = SECTION_MARKS.get(tag.name)?.role;
        if (role === "call-end") source.skip(tag.raw.length);
        this.#fail(false);
        return true;
      }
      source.skip(1);
    }
  }

  /** Between the calls of a group models write noise; without a group's opener, or at length, it is the answer. */
  *#noise(): Reading<boolean> {
    const { source } = this.#turn;
    const from = source.offset;
    if (!this.#inSection) return false;
    for (;;) {
      const code = yield* peek(source);
      if (code === END && this.#turn.finish === "cut") return false;
      if (code === END) break;
      if (code === LESS_THAN && (yield* readTag(source, (name) => SECTION_MARKS.has(name)))) return true;
      source.skip(1);
      if (source.offset - from > NOISE_LIMIT) break;
    }
    source.back(from);
    return false;
  }

  *#callFollows(): Reading<boolean> {
    const { source } = this.#turn;
    const ahead = yield* aheadWhile(source, isBlank);
    if ((yield* peek(source, ahead)) !== LESS_THAN) return false;
    return (yield* readTag(source, (name) => SECTION_MARKS.has(name), ahead)) !== undefined;
  }

  /** Text up to the next `<` or `{`. */
  *#text(): Reading<string> {
    const { source } = this.#turn;
    const from = source.offset;
    for (;;) {
      const code = yield* peek(source);
      if (code === END || code === LESS_THAN || code === OPEN_BRACE || source.offset - from > NOISE_LIMIT) break;
      source.skip(1);
    }
    return this.#turn.captured(from, source.offset);
  }

  /** `inMark`: the text ended inside the mark behind the call. */
  #atEnd(inMark = false): void {
    if (!this.#inCall) return;
    const mayEnd = inMark || this.#family !== TYPED;
    const finished = this.#body !== undefined && this.#turn.finish === "normal" && mayEnd;
    if (finished) this.#settle();
    else this.#fail(true);
  }

  /** Emits the call that has been read, if there is one. */
  #settle(): void {
    if (!this.#inCall) return;
    const { name, id } = identityOf(this.#family, { head: this.#head, name: this.#name });
    const body = this.#body && decodeJson(this.#turn.captured(this.#body.from, this.#body.to));
    const empty =
      this.#body === undefined && this.#turn.resolve(name) !== undefined && this.#turn.parameters(name).length === 0;
    if (body ?? empty) {
      const call: CallCandidate = {
        name,
        id,
        arguments: { type: "json", value: body ?? emptyObject },
        repairs: body?.repairs ?? [],
      };
      this.#endCall((capture) => capture.calls([call], this.#family));
    } else {
      this.#fail(false);
    }
  }

  #fail(isCut: boolean): void {
    this.#endCall((capture) => {
      if (isCut) capture.cut(this.#family);
      else capture.malformed(NO_ARGUMENTS, this.#family);
    });
  }

  /** Ends the capture with a call or an issue, and begins the next one behind it. */
  #endCall(end: (capture: Capture) => void): void {
    this.#inCall = false;
    this.#head = "";
    this.#name = undefined;
    this.#body = undefined;
    end(this.#capture);
    this.#capture = new Capture(this.#turn);
  }
}

const NO_ARGUMENTS = "This tool call has no readable arguments: a JSON object is expected.";

function isLetter(code: number): boolean {
  return (code >= UPPER_A && code <= UPPER_Z) || (code >= LOWER_A && code <= LOWER_Z);
}

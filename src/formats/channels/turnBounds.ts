// Marks that frame an answer: where they are believed, and what follows them then. Reads no call.

import { LEAD } from "../families/callTags.ts";
import { isMark, literalAt, literalRole, nameOfMark, roleOf } from "../families/marks.ts";
import { ENDS, FRAMING_MARKS, WIRES } from "../families/tables.ts";
import { type FramingKind, kindIn, type Opening, type WireRow } from "../families/wires.ts";
import { framesBegin } from "../forms/headed/frameAhead.ts";
import { readFrames } from "../forms/headed/framedMessages.ts";
import { readStrippedHeader } from "../forms/headed/strippedHeaders.ts";
import { LESS_THAN, NEWLINE, RETURN } from "../text/codes.ts";
import { END, type Reading, type Source } from "../text/Source.ts";
import { readTag, type Tag } from "../text/Tag.ts";
import { peek, skipBlanks, startsWith } from "../text/waiting.ts";
import { Capture } from "../turn/Capture.ts";
import type { Turn } from "../turn/Turn.ts";

/** A mark of framing at the cursor. */
export interface FramingMark {
  readonly name: string;
  readonly raw: string;
  readonly tag?: Tag | undefined;
}

/** What became of it: words of the answer, markup, or the heading of another message of the assistant. */
export type Framing = "text" | "markup" | "message";

/** Characters of a role's words in a heading. */
const ROLE_LIMIT = 64;
const ASSISTANT: ReadonlySet<string> = new Set(["", "assistant", "model", "ai"]);
const OTHERS: ReadonlySet<string> = new Set([
  "system",
  "user",
  "human",
  "tool",
  "tools",
  "tool_response",
  "developer",
  "function",
  "function result",
  "ipython",
  "environment",
  "observation",
  "documents",
  "available_tools",
]);
/** A role behind which stands a call, which its own grammar reads from there on. */
const CALLING: ReadonlySet<string> = new Set(["function call", "assistant -> tool/function_call"]);

/**
 * Reads the run of framing marks that begins with `mark`, white space between them aside. It is markup where nothing else follows to
 * the end of the text, where it leads into another message of the model's own wire, and right behind a call; else it is text.
 */
export function* readFraming(turn: Turn, mark: FramingMark, openReasoning: () => void): Reading<Framing> {
  return yield* new FramingReader(turn, openReasoning).read(mark);
}

class FramingReader {
  readonly #turn: Turn;
  readonly #openReasoning: () => void;
  readonly #capture: Capture;
  /** Right behind a call or an issue nobody writes about marks: what stands there is markup. */
  readonly #behindCall: boolean;
  /** The wires whose headings are believed. */
  #wires: readonly WireRow[] = [];
  /** Whether a message may begin at the mark that is looked at. */
  #mayBegin: boolean;
  /** What the marks of the run do in the model's own wire; `other` for those of another. */
  readonly #kinds: (FramingKind | "other")[] = [];
  /** Behind the last mark of the run. */
  #end = 0;
  #ended = false;

  constructor(turn: Turn, openReasoning: () => void) {
    this.#turn = turn;
    this.#openReasoning = openReasoning;
    this.#capture = new Capture(turn);
    this.#behindCall = turn.isBehindCall;
    this.#mayBegin = turn.isAtBound || turn.lineStart;
  }

  *read(first: FramingMark): Reading<Framing> {
    const turn = this.#turn;
    const { source } = turn;
    this.#wires = turn.wire ? [turn.wire] : this.#behindCall ? WIRES.filter((wire) => kindIn(wire, first.name)) : [];
    const mayOpen = this.#mayBegin;
    for (let mark: FramingMark | undefined = first; mark; mark = yield* framingAt(source)) {
      if (FRAME_HEADERS.has(mark.name) && (yield* framesBegin(turn, this.#mayBegin))) return yield* this.#frames();
      const heading: Heading | undefined = yield* this.#headingOf(mark);
      if (heading) return yield* this.#enter(heading);
      this.#add(mark);
      if ((yield* skipBlanks(source)) === END) {
        this.#capture.drop("turn-end");
        return "markup";
      }
      if (source.offset > this.#capture.until) break;
    }
    const words = yield* this.#wordHeading();
    if (words) return yield* this.#enter(words);
    return yield* this.#judge(mayOpen);
  }

  #add(mark: FramingMark): void {
    const { source, wire } = this.#turn;
    const kind = wire && kindIn(wire, mark.name);
    this.#kinds.push(kind ?? "other");
    this.#ended ||= ENDS.has(mark.name);
    source.skip(mark.raw.length);
    this.#end = source.offset;
    this.#mayBegin = true;
  }

  /** Something visible follows the run, and no heading is in it. */
  *#judge(mayOpen: boolean): Reading<Framing> {
    const turn = this.#turn;
    const next = yield* nextMark(turn);
    const opensPart = this.#kinds.at(-1) === "open" && (mayOpen || this.#kinds.some(isEnding));
    const own = this.#kinds.every((kind) => kind !== "other");
    const closesPart = this.#kinds.every((kind) => kind === "close") && next !== undefined;
    const leadsIn = next === "call" && turn.isUntouched && !this.#ended;
    if ((own && (opensPart || closesPart)) || leadsIn) return this.#drop();
    if (this.#behindCall && this.#ended) return this.#close("Text follows the end of the turn; it is not read.");
    if (this.#behindCall && own) return this.#drop();
    this.#capture.words();
    // Words about a mark, or a turn that ended twice: they stay, but nothing that was announced behind its end is done.
    if (this.#ended && next === "call") turn.endCalls();
    return "text";
  }

  /** The marks of the run go, the white space behind them is the answer's. */
  #drop(): "markup" {
    this.#turn.source.back(this.#end);
    this.#capture.drop();
    this.#turn.startLine();
    return "markup";
  }

  /** The turn is over before the cursor: what follows is reported and dropped. */
  #close(message: string): "markup" {
    const turn = this.#turn;
    const at = turn.source.offset;
    this.#capture.drop("turn-end");
    turn.note({ code: "stray-mark", message, at });
    turn.dropRest("after-turn-end");
    return "markup";
  }

  *#frames(): Reading<Framing> {
    this.#capture.drop("turn-end");
    this.#turn.wire ??= CHANNELLED;
    yield* readFrames(this.#turn);
    return "message";
  }

  *#enter(heading: Heading): Reading<Framing> {
    const turn = this.#turn;
    const { source } = turn;
    turn.wire ??= heading.wire;
    switch (heading.role) {
      case "other":
        if (turn.isUntouched) {
          // A text that begins with somebody else's heading shows one.
          source.skip(heading.length);
          this.#capture.words();
          return "text";
        }
        return this.#close(`The model began a turn of "${heading.words}"; it is not read.`);
      case "call":
        source.skip(heading.mark);
        this.#capture.drop("turn-start");
        turn.startLine();
        if (heading.mark > 0) yield* readStrippedHeader(turn, "role");
        return "message";
      case "reasoning":
      case "assistant":
        source.skip(heading.length);
        yield* skipNewlines(source);
        this.#capture.drop("turn-start");
        turn.startLine();
        if (heading.role === "assistant") return "message";
        this.#openReasoning();
        return "markup";
      default:
        return heading.role satisfies never;
    }
  }

  /** The heading that the mark at the cursor begins, where it is believed. */
  *#headingOf(mark: FramingMark): Reading<Heading | undefined> {
    const ends = this.#wires.some((wire) => kindIn(wire, mark.name) === "end");
    if (this.#mayBegin || ends) {
      for (const wire of this.#wires) {
        const heading = yield* headingOf(this.#turn, { wire, mark });
        if (heading) return heading;
      }
    }
    if (this.#wires.length > 0 || !this.#turn.isUntouched) return undefined;
    // Nobody knows the model: the whole heading of an assistant's message, as the first thing of all, says what it writes.
    for (const wire of WIRES) {
      const heading = yield* headingOf(this.#turn, { wire, mark, isWhole: true });
      if (heading && heading.role !== "other") return heading;
    }
    return undefined;
  }

  *#wordHeading(): Reading<Heading | undefined> {
    for (const wire of this.#wires) {
      for (const opening of wire.starts) {
        if (opening.words === undefined || !(yield* startsWith(this.#turn.source, opening.words))) continue;
        const heading = yield* readHeading(this.#turn, { wire, opening, from: opening.words.length });
        if (heading) return { ...heading, mark: 0 };
      }
    }
    return undefined;
  }
}

interface Heading {
  readonly wire: WireRow;
  readonly role: "assistant" | "reasoning" | "call" | "other";
  readonly words: string;
  /** Characters of its mark, and of all of it. */
  readonly mark: number;
  readonly length: number;
}

interface HeadingQuestion {
  readonly wire: WireRow;
  readonly mark: FramingMark;
  /** Only a heading that says its role in words and closes them. */
  readonly isWhole?: boolean | undefined;
}

function* headingOf(turn: Turn, { wire, mark, isWhole }: HeadingQuestion): Reading<Heading | undefined> {
  for (const opening of wire.starts) {
    if (opening.mark !== mark.name || (isWhole && (opening.role !== undefined || !opening.until))) continue;
    const from = mark.raw.length;
    if (mark.tag?.prefix === "xtml") {
      const words = mark.tag.attributes.get("role") ?? "";
      return { wire, role: ASSISTANT.has(words) ? "assistant" : "other", words, mark: from, length: from };
    }
    const heading = yield* readHeading(turn, { wire, opening, from });
    if (heading && (!isWhole || heading.words !== "")) return heading;
  }
  return undefined;
}

interface HeadingPlace {
  readonly wire: WireRow;
  readonly opening: Opening;
  /** Where the role's words begin, ahead of the cursor. */
  readonly from: number;
}

/** The role's words ahead of the cursor and what closes them; undefined where they are no template's. */
function* readHeading(turn: Turn, { wire, opening, from }: HeadingPlace): Reading<Heading | undefined> {
  const { source } = turn;
  const { role: known, until } = opening;
  if (!until) return known && { wire, role: known, words: known, mark: from, length: from };
  let to = from;
  let code = yield* peek(source, to);
  while (code !== END && code !== NEWLINE && code !== LESS_THAN && to - from < ROLE_LIMIT) {
    to += 1;
    code = yield* peek(source, to);
  }
  const words = source.ahead(to).slice(from).trim();
  const closer = code === END && !known ? 0 : yield* closerLength(source, until, to);
  if (closer === undefined) return undefined;
  const role = known ?? roleNamed(turn, wire, words);
  return role && { wire, role, words: known ?? words, mark: from, length: to + closer };
}

/** The length of what closes a role's words at `ahead`; undefined where something else stands there. */
function* closerLength(source: Source, until: readonly string[], ahead: number): Reading<number | undefined> {
  const code = yield* peek(source, ahead);
  if (code === NEWLINE) return until.includes("\n") ? 1 : undefined;
  if (code !== LESS_THAN) return undefined;
  const closes = (name: string): boolean => until.includes(name) || until.includes("*");
  const mark = yield* readTag(source, closes, ahead);
  return mark && (until.includes("*") ? 0 : mark.raw.length);
}

function roleNamed(turn: Turn, wire: WireRow, words: string): Heading["role"] | undefined {
  if (wire.reasoningRoles?.includes(words)) return "reasoning";
  if (CALLING.has(words)) return turn.offered.length > 0 ? "call" : undefined;
  if (ASSISTANT.has(words)) return "assistant";
  if (OTHERS.has(words)) return "other";
  return turn.finish === "cut" && "assistant".startsWith(words) ? "assistant" : undefined;
}

/** The framing mark at the cursor, if one stands there. */
function* framingAt(source: Source): Reading<FramingMark | undefined> {
  const code = yield* peek(source);
  if (code === LESS_THAN) {
    const tag = yield* readTag(source, isMark);
    const name = tag && nameOfMark(tag);
    return tag && name !== undefined && FRAMING_MARKS.has(name) ? { name, raw: tag.raw, tag } : undefined;
  }
  const literal = yield* literalAt(source);
  return literal !== undefined && FRAMING_MARKS.has(literal) ? { name: literal, raw: literal } : undefined;
}

/** What begins at the cursor, if it is a mark that is no framing: a call, or reasoning. */
function* nextMark(turn: Turn): Reading<"call" | "reasoning" | undefined> {
  const { source } = turn;
  const code = yield* peek(source);
  const tag = code === LESS_THAN ? yield* readTag(source, isMark) : undefined;
  const literal = code === LESS_THAN ? undefined : yield* literalAt(source);
  const role = tag ? roleOf(tag) : literal === undefined ? undefined : literalRole(literal);
  if (role?.type === "reasoning-open") return "reasoning";
  if (turn.offered.length === 0) return undefined;
  if (role) return CALL_ROLES.has(role.type) ? "call" : undefined;
  return (yield* startsWith(source, LEAD)) || (yield* startsWith(source, "[TOOL_CALL]")) ? "call" : undefined;
}

const CALL_ROLES: ReadonlySet<string> = new Set(["wrapper", "section", "braces", "call", "call-group", "tool-label"]);
const CHANNELLED = WIRES.find(({ channels }) => channels);
const FRAME_HEADERS: ReadonlySet<string> = new Set(CHANNELLED?.starts.flatMap(({ mark }) => mark ?? []));

const isEnding = (kind: FramingKind | "other"): boolean => kind === "end" || kind === "close";

function* skipNewlines(source: Source): Reading<void> {
  for (let code = yield* peek(source); code === NEWLINE || code === RETURN; code = yield* peek(source)) source.skip(1);
}

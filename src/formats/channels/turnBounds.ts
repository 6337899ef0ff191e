// Marks that frame an answer: where they are believed, and what follows them then. Reads no call.

import { ENDS, FRAMING_MARKS, WIRES } from "../families/tables.ts";
import { type FramingKind, HEADING_ROLES, kindIn, type Opening, type WireRow } from "../families/wires.ts";
import { framesBegin } from "../forms/headed/frameAhead.ts";
import { readFrames } from "../forms/headed/framedMessages.ts";
import { readRoleHeader } from "../forms/headed/strippedHeaders.ts";
import { LESS_THAN, NEWLINE, RETURN } from "../text/codes.ts";
import { END, type Reading } from "../text/Source.ts";
import { readTag } from "../text/Tag.ts";
import { aheadWhile, peek, skipBlanks, startsWith } from "../text/waiting.ts";
import { Capture } from "../turn/Capture.ts";
import type { Turn } from "../turn/Turn.ts";
import { CALL_ROLES, type Mark, markAt } from "./marks.ts";

/** What became of it: words of the answer, markup, or the heading of another message of the assistant. */
export type Framing = "text" | "markup" | "message";

/** Characters of a role's words in a heading. */
const ROLE_LIMIT = 64;
const CHANNELLED = WIRES.find(({ channels }) => channels);
const FRAME_HEADERS: ReadonlySet<string> = new Set(CHANNELLED?.starts.flatMap(({ mark }) => mark ?? []));

/**
 * Reads the run of framing marks that begins with `mark`, white space between them aside. It is markup where nothing else follows to
 * the end of the text, where it leads into another message of the model's own wire, and right behind a call; else it is text.
 */
export function* readFraming(turn: Turn, mark: Mark, openReasoning: () => void): Reading<Framing> {
  const framing = yield* new FramingReader(turn, openReasoning).read(mark);
  if (framing === "message") turn.beginMessage();
  return framing;
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

  *read(first: Mark): Reading<Framing> {
    const turn = this.#turn;
    const { source } = turn;
    this.#wires = turn.wire ? [turn.wire] : this.#behindCall ? WIRES.filter((wire) => kindIn(wire, first.name)) : [];
    const mayOpen = this.#mayBegin;
    for (let mark: Mark | undefined = first; mark; mark = yield* framingAt(turn)) {
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
    const words = yield* headingAt(turn, this.#wires);
    if (words) return yield* this.#enter(words);
    return yield* this.#judge(mayOpen);
  }

  #add(mark: Mark): void {
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
    const next = yield* nextPart(turn);
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
        if (heading.mark > 0) yield* readRoleHeader(turn);
        return "message";
      case "reasoning":
      case "assistant":
        source.skip(heading.length);
        source.skip(yield* aheadWhile(source, (code) => code === NEWLINE || code === RETURN));
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
  *#headingOf(mark: Mark): Reading<Heading | undefined> {
    const turn = this.#turn;
    if (this.#mayBegin || this.#wires.some((wire) => kindIn(wire, mark.name) === "end")) {
      const heading = yield* headingAt(turn, this.#wires, mark);
      if (heading) return heading;
    }
    // Nobody knows the model: the whole heading of an assistant's message, as the first thing of all, says what it writes.
    return this.#wires.length === 0 && turn.isUntouched ? yield* headingAt(turn, WIRES, mark, true) : undefined;
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

/**
 * The heading at the cursor that begins with `mark`, or, without one, with words of its wire. `isWhole`: only one of the assistant's own
 * that says its role in words and closes them.
 */
function* headingAt(turn: Turn, wires: readonly WireRow[], mark?: Mark, isWhole = false): Reading<Heading | undefined> {
  for (const wire of wires) {
    for (const opening of wire.starts) {
      const { mark: name, words = "", role, until } = opening;
      if (name !== mark?.name || (isWhole && (role !== undefined || !until))) continue;
      if (!mark && !(yield* startsWith(turn.source, words))) continue;
      const heading = yield* readHeading(turn, { wire, opening, mark, from: (mark?.raw ?? words).length });
      if (heading && !(isWhole && (heading.words === "" || heading.role === "other"))) return heading;
    }
  }
  return undefined;
}

interface HeadingPlace {
  readonly wire: WireRow;
  readonly opening: Opening;
  readonly mark: Mark | undefined;
  /** Where the role's words begin, ahead of the cursor. */
  readonly from: number;
}

/** The role's words ahead of the cursor and what closes them; undefined where they are no template's. */
function* readHeading(turn: Turn, { wire, opening, mark, from }: HeadingPlace): Reading<Heading | undefined> {
  const { source } = turn;
  const { role: known, until } = opening;
  const length = mark?.raw.length ?? 0;
  if (mark?.tag?.prefix === "xtml") {
    const words = mark.tag.attributes.get("role") ?? "";
    const role = HEADING_ROLES.get(words) === "assistant" ? "assistant" : "other";
    return { wire, role, words, mark: length, length };
  }
  if (!until) return known && { wire, role: known, words: known, mark: length, length };
  const to = yield* aheadWhile(source, isRoleWord, from, ROLE_LIMIT);
  const words = source.ahead(to).slice(from).trim();
  const code = yield* peek(source, to);
  let closer = code === END && !known ? 0 : code === NEWLINE && until.includes("\n") ? 1 : undefined;
  if (code === LESS_THAN) {
    const any = until.includes("*");
    const tag = yield* readTag(source, (name) => any || until.includes(name), to);
    closer = tag && (any ? 0 : tag.raw.length);
  }
  const role = known ?? roleNamed(turn, wire, words);
  return closer === undefined
    ? undefined
    : role && { wire, role, words: known ?? words, mark: length, length: to + closer };
}

function isRoleWord(code: number): boolean {
  return code !== END && code !== NEWLINE && code !== LESS_THAN;
}

function roleNamed(turn: Turn, wire: WireRow, words: string): Heading["role"] | undefined {
  if (wire.reasoningRoles?.includes(words)) return "reasoning";
  const role = HEADING_ROLES.get(words);
  if (role) return role === "call" && turn.offered.length === 0 ? undefined : role;
  return turn.finish === "cut" && "assistant".startsWith(words) ? "assistant" : undefined;
}

/** The framing mark at the cursor, if one stands there. */
function* framingAt({ source }: Turn): Reading<Mark | undefined> {
  const mark = yield* markAt(source);
  return mark && mark !== "cut" && FRAMING_MARKS.has(mark.name) ? mark : undefined;
}

/** What begins at the cursor, if it is a mark that is no framing: a call, or reasoning. */
function* nextPart({ source, offered }: Turn): Reading<"call" | "reasoning" | undefined> {
  const mark = yield* markAt(source);
  if (!mark || mark === "cut") return undefined;
  if (mark.role?.type === "reasoning-open") return "reasoning";
  return offered.length > 0 && (mark.isLed || (mark.role && CALL_ROLES.has(mark.role.type))) ? "call" : undefined;
}

const isEnding = (kind: FramingKind | "other"): boolean => kind === "end" || kind === "close";

// Markers that frame an answer: accepts them by position and reads the text after them. Reads no call.

import { isFrameNext, readFrames } from "../grammars/headed/harmonyMessages.ts";
import { readRoleHeader } from "../grammars/headed/lineStarts.ts";
import { LESS_THAN, NEWLINE, RETURN } from "../scanner/charCodes.ts";
import { matchesLiteral, measureWhile, peek, skipBlanks } from "../scanner/combinators.ts";
import { END, type Parser } from "../scanner/Source.ts";
import { readTag } from "../scanner/Tag.ts";
import {
  type ChatTemplateSpec,
  classifyMarker,
  type FramingKind,
  HEADING_ROLES,
  type Opening,
} from "../specs/chatTemplates.ts";
import { CHAT_TEMPLATES, END_MARKERS, FRAMING_MARKS } from "../specs/lookupTables.ts";
import { Capture } from "../state/Capture.ts";
import type { ParserState } from "../state/ParserState.ts";
import { CALL_ROLES, type Mark, matchChannelMarker } from "./markerAt.ts";

/** Result: text of the answer, markup, or the heading of another message of the assistant. */
export type Framing = "text" | "markup" | "message";

/** Maximum characters of a role's text in a heading. */
const ROLE_LIMIT = 64;
const CHANNELLED = CHAT_TEMPLATES.find(({ channels }) => channels);
const FRAME_HEADERS: ReadonlySet<string> = new Set(CHANNELLED?.starts.flatMap(({ mark }) => mark ?? []));

/** Markers with only white space between them, and the text after them. */
interface Run {
  readonly capture: Capture;
  /** Function of each marker in the model's own wire; `other` for a marker of another wire. */
  readonly kinds: readonly (FramingKind | "other")[];
  /** Offset after the last marker. */
  readonly end: number;
  /** One of them ends a turn of some wire. */
  readonly ended: boolean;
  /** A message may begin at the first of them. */
  readonly mayBegin: boolean;
  /** Directly after a call or an issue, models write no text about markers: they are markup. */
  readonly behindCall: boolean;
}

/**
 * Reads the run of framing markers that begins with `first`, with white space between them. It is markup at the end of the text, before
 * another message of the model's own wire, and directly after a call; else it is text.
 */
export function* readFraming(turn: ParserState, first: Mark, openReasoning: () => void): Parser<Framing> {
  const { source, wire, isBehindCall: behindCall } = turn;
  const mayBegin = turn.isAtBound || turn.lineStart;
  const capture = new Capture(turn);
  const wires = wire ? [wire] : behindCall ? CHAT_TEMPLATES.filter((one) => classifyMarker(one, first.name)) : [];
  const kinds: (FramingKind | "other")[] = [];
  let ended = false;
  let end = 0;
  for (let mark: Mark | undefined = first; mark; mark = yield* matchFraming(turn)) {
    const mayHead = mayBegin || kinds.length > 0;
    if (FRAME_HEADERS.has(mark.name) && (yield* isFrameNext(turn, mayHead))) {
      capture.drop("turn-end");
      turn.knowWire(CHANNELLED);
      yield* readFrames(turn);
      turn.beginMessage();
      return "message";
    }
    const heading: Heading | undefined = yield* believedHeading(turn, wires, mark, mayHead);
    if (heading) return yield* enter(turn, capture, heading, openReasoning);
    kinds.push((wire && classifyMarker(wire, mark.name)) ?? "other");
    ended ||= END_MARKERS.has(mark.name);
    source.skip(mark.raw.length);
    end = source.offset;
    if ((yield* skipBlanks(source)) === END) {
      capture.drop("turn-end");
      return "markup";
    }
    if (source.offset > capture.until) break;
  }
  const heading = yield* matchHeading(turn, wires);
  if (heading) return yield* enter(turn, capture, heading, openReasoning);
  return yield* judge(turn, { capture, kinds, end, ended, mayBegin, behindCall });
}

/** Classifies a run without a heading, by its markers and by the part that follows. */
function* judge(turn: ParserState, { capture, kinds, end, ended, mayBegin, behindCall }: Run): Parser<Framing> {
  const next = yield* nextPart(turn);
  const opensPart = kinds.at(-1) === "open" && (mayBegin || kinds.includes("end") || kinds.includes("close"));
  const closesPart = next !== undefined && kinds.every((kind) => kind === "close");
  const isOwn = !kinds.includes("other") && (opensPart || closesPart || (behindCall && !ended));
  if (isOwn || (next === "call" && turn.isUntouched && !ended)) {
    // The markers are dropped. The white space after them belongs to the answer.
    turn.source.back(end);
    capture.drop();
    turn.beginLine();
    return "markup";
  }
  if (behindCall && ended) return close(turn, capture, "Text follows the end of the turn; it is not read.");
  capture.words();
  // Text about a marker, or a second end of the turn: it stays, but a call announced after the end is not made.
  if (ended && next === "call") turn.offerNothing();
  return "text";
}

/** Ends the turn before the cursor: the rest is reported and dropped. */
function close(turn: ParserState, capture: Capture, message: string): "markup" {
  const at = turn.source.offset;
  capture.drop("turn-end");
  turn.note({ code: "stray-mark", message, at });
  turn.dropRest("after-turn-end");
  return "markup";
}

/** Enters the message whose heading stands at the cursor. */
function* enter(turn: ParserState, capture: Capture, heading: Heading, openReasoning: () => void): Parser<Framing> {
  const { source } = turn;
  const { role, words, mark, length } = heading;
  turn.knowWire(heading.wire);
  if (role === "other" && !turn.isUntouched)
    return close(turn, capture, `The model began a turn of "${words}"; it is not read.`);
  source.skip(role === "call" ? mark : length);
  if (role === "other") {
    // A text that begins with another role's heading shows one as text.
    capture.words();
    return "text";
  }
  if (role !== "call") source.skip(yield* measureWhile(source, (code) => code === NEWLINE || code === RETURN));
  capture.drop("turn-start");
  turn.beginLine();
  if (role === "reasoning") {
    openReasoning();
    return "markup";
  }
  if (role === "call" && mark > 0) yield* readRoleHeader(turn);
  turn.beginMessage();
  return "message";
}

/** Reads the heading that the marker at the cursor begins, if it is accepted. `mayHead`: a message may begin there. */
function* believedHeading(
  turn: ParserState,
  wires: readonly ChatTemplateSpec[],
  mark: Mark,
  mayHead: boolean,
): Parser<Heading | undefined> {
  if (mayHead || wires.some((wire) => classifyMarker(wire, mark.name) === "end")) {
    const heading = yield* matchHeading(turn, wires, mark);
    if (heading) return heading;
  }
  // Unknown model: the complete heading of an assistant's message at the start of the text identifies its template.
  return wires.length === 0 && turn.isUntouched ? yield* matchHeading(turn, CHAT_TEMPLATES, mark, true) : undefined;
}

interface Heading {
  readonly wire: ChatTemplateSpec;
  readonly role: "assistant" | "reasoning" | "call" | "other";
  readonly words: string;
  /** Characters of its marker, and of the complete heading. */
  readonly mark: number;
  readonly length: number;
}

/**
 * Matches the heading at the cursor that begins with `mark`, or, without one, with text of its wire. `isWhole`: only a heading of the
 * assistant that states its role in text and closes it.
 */
function* matchHeading(
  turn: ParserState,
  wires: readonly ChatTemplateSpec[],
  mark?: Mark,
  isWhole = false,
): Parser<Heading | undefined> {
  for (const wire of wires) {
    for (const opening of wire.starts) {
      const { mark: name, words = "", role, until } = opening;
      if (name !== mark?.name || (isWhole && (role !== undefined || !until))) continue;
      if (!mark && !(yield* matchesLiteral(turn.source, words))) continue;
      const heading = yield* readHeading(turn, { wire, opening, mark, from: (mark?.raw ?? words).length });
      if (heading && !(isWhole && (heading.words === "" || heading.role === "other"))) return heading;
    }
  }
  return undefined;
}

interface HeadingPlace {
  readonly wire: ChatTemplateSpec;
  readonly opening: Opening;
  readonly mark: Mark | undefined;
  /** Start of the role's text, as a distance from the cursor. */
  readonly from: number;
}

/** Reads the role's text at the cursor and its closer; undefined if it is of no template. */
function* readHeading(turn: ParserState, { wire, opening, mark, from }: HeadingPlace): Parser<Heading | undefined> {
  const { source } = turn;
  const { role: known, until } = opening;
  const length = mark?.raw.length ?? 0;
  if (mark?.tag?.prefix === "xtml") {
    const words = mark.tag.attributes.get("role") ?? "";
    const role = HEADING_ROLES.get(words) === "assistant" ? "assistant" : "other";
    return { wire, role, words, mark: length, length };
  }
  if (!until) return known && { wire, role: known, words: known, mark: length, length };
  const to = yield* measureWhile(source, isRoleWord, from, ROLE_LIMIT);
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

function roleNamed(turn: ParserState, wire: ChatTemplateSpec, words: string): Heading["role"] | undefined {
  if (wire.reasoningRoles?.includes(words)) return "reasoning";
  const role = HEADING_ROLES.get(words);
  if (role) return role === "call" && turn.offered.length === 0 ? undefined : role;
  return turn.finish === "cut" && "assistant".startsWith(words) ? "assistant" : undefined;
}

/** Returns the framing marker at the cursor, if there is one. */
function* matchFraming({ source }: ParserState): Parser<Mark | undefined> {
  const mark = yield* matchChannelMarker(source);
  return mark && mark !== "cut" && FRAMING_MARKS.has(mark.name) ? mark : undefined;
}

/** Returns the part that begins at the cursor, if its marker is no framing: a call, or reasoning. */
function* nextPart({ source, offered }: ParserState): Parser<"call" | "reasoning" | undefined> {
  const mark = yield* matchChannelMarker(source);
  if (!mark || mark === "cut") return undefined;
  if (mark.role?.type === "reasoning-open") return "reasoning";
  return offered.length > 0 && (mark.isLed || (mark.role && CALL_ROLES.has(mark.role.type))) ? "call" : undefined;
}

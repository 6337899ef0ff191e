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
  readonly hasTurnEnd: boolean;
  /** A message may begin at the first of them. */
  readonly mayBeginMessage: boolean;
  /** Directly after a call or an issue, models write no text about markers: they are markup. */
  readonly isAfterCall: boolean;
}

/**
 * Reads the run of framing markers that begins with `first`, with white space between them. It is markup at the end of the text, before
 * another message of the model's own wire, and directly after a call; else it is text.
 */
export function* readFraming(state: ParserState, first: Mark, openReasoning: () => void): Parser<Framing> {
  const { source, template, isAfterCall } = state;
  const mayBeginMessage = state.isAfterMarker || state.isAtLineStart;
  const capture = new Capture(state);
  const templates = template
    ? [template]
    : isAfterCall
      ? CHAT_TEMPLATES.filter((one) => classifyMarker(one, first.name))
      : [];
  const kinds: (FramingKind | "other")[] = [];
  let hasTurnEnd = false;
  let end = 0;
  for (let marker: Mark | undefined = first; marker; marker = yield* matchFraming(state)) {
    const mayHead = mayBeginMessage || kinds.length > 0;
    if (FRAME_HEADERS.has(marker.name) && (yield* isFrameNext(state, mayHead))) {
      capture.endAsMarkup("turn-end");
      state.setTemplate(CHANNELLED);
      yield* readFrames(state);
      state.beginMessage();
      return "message";
    }
    const heading: Heading | undefined = yield* readAcceptedHeading(state, templates, marker, mayHead);
    if (heading) return yield* enterMessage(state, capture, heading, openReasoning);
    kinds.push((template && classifyMarker(template, marker.name)) ?? "other");
    hasTurnEnd ||= END_MARKERS.has(marker.name);
    source.skip(marker.raw.length);
    end = source.offset;
    if ((yield* skipBlanks(source)) === END) {
      capture.endAsMarkup("turn-end");
      return "markup";
    }
    if (source.offset > capture.maxOffset) break;
  }
  const heading = yield* matchHeading(state, templates);
  if (heading) return yield* enterMessage(state, capture, heading, openReasoning);
  return yield* classifyRun(state, { capture, kinds, end, hasTurnEnd, mayBeginMessage, isAfterCall });
}

/** Classifies a run without a heading, by its markers and by the part that follows. */
function* classifyRun(
  state: ParserState,
  { capture, kinds, end, hasTurnEnd, mayBeginMessage, isAfterCall }: Run,
): Parser<Framing> {
  const next = yield* peekPart(state);
  const isPartOpener = kinds.at(-1) === "open" && (mayBeginMessage || kinds.includes("end") || kinds.includes("close"));
  const isPartCloser = next !== undefined && kinds.every((kind) => kind === "close");
  const isOwnMarkup = !kinds.includes("other") && (isPartOpener || isPartCloser || (isAfterCall && !hasTurnEnd));
  if (isOwnMarkup || (next === "call" && state.isAtStart && !hasTurnEnd)) {
    // The markers are dropped. The white space after them belongs to the answer.
    state.source.moveBack(end);
    capture.endAsMarkup();
    state.beginLine();
    return "markup";
  }
  if (isAfterCall && hasTurnEnd) return endTurn(state, capture, "Text follows the end of the turn; it is not read.");
  capture.endAsText();
  // Text about a marker, or a second end of the turn: it stays, but a call announced after the end is not made.
  if (hasTurnEnd && next === "call") state.forbidCalls();
  return "text";
}

/** Ends the turn before the cursor: the rest is reported and dropped. */
function endTurn(state: ParserState, capture: Capture, message: string): "markup" {
  const at = state.source.offset;
  capture.endAsMarkup("turn-end");
  state.reportIssue({ code: "stray-mark", message, at });
  state.dropRest("after-turn-end");
  return "markup";
}

/** Enters the message whose heading stands at the cursor. */
function* enterMessage(
  state: ParserState,
  capture: Capture,
  heading: Heading,
  openReasoning: () => void,
): Parser<Framing> {
  const { source } = state;
  const { role, roleText, markerLength, length } = heading;
  state.setTemplate(heading.template);
  if (role === "other" && !state.isAtStart)
    return endTurn(state, capture, `The model began a turn of "${roleText}"; it is not read.`);
  source.skip(role === "call" ? markerLength : length);
  if (role === "other") {
    // A text that begins with another role's heading shows one as text.
    capture.endAsText();
    return "text";
  }
  if (role !== "call") source.skip(yield* measureWhile(source, (code) => code === NEWLINE || code === RETURN));
  capture.endAsMarkup("turn-start");
  state.beginLine();
  if (role === "reasoning") {
    openReasoning();
    return "markup";
  }
  if (role === "call" && markerLength > 0) yield* readRoleHeader(state);
  state.beginMessage();
  return "message";
}

/** Reads the heading that the marker at the cursor begins, if it is accepted. `mayHead`: a message may begin there. */
function* readAcceptedHeading(
  state: ParserState,
  templates: readonly ChatTemplateSpec[],
  marker: Mark,
  mayHead: boolean,
): Parser<Heading | undefined> {
  if (mayHead || templates.some((template) => classifyMarker(template, marker.name) === "end")) {
    const heading = yield* matchHeading(state, templates, marker);
    if (heading) return heading;
  }
  // Unknown model: the complete heading of an assistant's message at the start of the text identifies its template.
  return templates.length === 0 && state.isAtStart
    ? yield* matchHeading(state, CHAT_TEMPLATES, marker, true)
    : undefined;
}

interface Heading {
  readonly template: ChatTemplateSpec;
  readonly role: "assistant" | "reasoning" | "call" | "other";
  readonly roleText: string;
  /** Characters of its marker, and of the complete heading. */
  readonly markerLength: number;
  readonly length: number;
}

/**
 * Matches the heading at the cursor that begins with `mark`, or, without one, with text of its wire. `isWhole`: only a heading of the
 * assistant that states its role in text and closes it.
 */
function* matchHeading(
  state: ParserState,
  templates: readonly ChatTemplateSpec[],
  marker?: Mark,
  isWhole = false,
): Parser<Heading | undefined> {
  for (const template of templates) {
    for (const opening of template.starts) {
      const { mark: name, words: roleText = "", role, until } = opening;
      if (name !== marker?.name || (isWhole && (role !== undefined || !until))) continue;
      if (!marker && !(yield* matchesLiteral(state.source, roleText))) continue;
      const heading = yield* readHeading(state, {
        template,
        opening,
        markerLength: marker,
        roleStart: (marker?.raw ?? roleText).length,
      });
      if (heading && !(isWhole && (heading.roleText === "" || heading.role === "other"))) return heading;
    }
  }
  return undefined;
}

interface HeadingPlace {
  readonly template: ChatTemplateSpec;
  readonly opening: Opening;
  readonly markerLength: Mark | undefined;
  /** Start of the role's text, as a distance from the cursor. */
  readonly roleStart: number;
}

/** Reads the role's text at the cursor and its closer; undefined if it is of no template. */
function* readHeading(
  state: ParserState,
  { template, opening, markerLength, roleStart }: HeadingPlace,
): Parser<Heading | undefined> {
  const { source } = state;
  const { role: knownRole, until } = opening;
  const length = markerLength?.raw.length ?? 0;
  if (markerLength?.tag?.prefix === "xtml") {
    const roleText = markerLength.tag.attributes.get("role") ?? "";
    const role = HEADING_ROLES.get(roleText) === "assistant" ? "assistant" : "other";
    return { template, role, roleText, markerLength: length, length };
  }
  if (!until) return knownRole && { template, role: knownRole, roleText: knownRole, markerLength: length, length };
  const roleEnd = yield* measureWhile(source, isRoleWord, roleStart, ROLE_LIMIT);
  const roleText = source.peekText(roleEnd).slice(roleStart).trim();
  const code = yield* peek(source, roleEnd);
  let closer = code === END && !knownRole ? 0 : code === NEWLINE && until.includes("\n") ? 1 : undefined;
  if (code === LESS_THAN) {
    const allowsAnyTag = until.includes("*");
    const tag = yield* readTag(source, (name) => allowsAnyTag || until.includes(name), roleEnd);
    closer = tag && (allowsAnyTag ? 0 : tag.raw.length);
  }
  const role = knownRole ?? resolveRole(state, template, roleText);
  return closer === undefined
    ? undefined
    : role && { template, role, roleText: knownRole ?? roleText, markerLength: length, length: roleEnd + closer };
}

function isRoleWord(code: number): boolean {
  return code !== END && code !== NEWLINE && code !== LESS_THAN;
}

function resolveRole(state: ParserState, template: ChatTemplateSpec, roleText: string): Heading["role"] | undefined {
  if (template.reasoningRoles?.includes(roleText)) return "reasoning";
  const role = HEADING_ROLES.get(roleText);
  if (role) return role === "call" && state.callableNames.length === 0 ? undefined : role;
  return state.finish === "cut" && "assistant".startsWith(roleText) ? "assistant" : undefined;
}

/** Returns the framing marker at the cursor, if there is one. */
function* matchFraming({ source }: ParserState): Parser<Mark | undefined> {
  const marker = yield* matchChannelMarker(source);
  return marker && marker !== "cut" && FRAMING_MARKS.has(marker.name) ? marker : undefined;
}

/** Returns the part that begins at the cursor, if its marker is no framing: a call, or reasoning. */
function* peekPart({ source, callableNames }: ParserState): Parser<"call" | "reasoning" | undefined> {
  const marker = yield* matchChannelMarker(source);
  if (!marker || marker === "cut") return undefined;
  if (marker.role?.type === "reasoning-open") return "reasoning";
  return callableNames.length > 0 && (marker.hasLead || (marker.role && CALL_ROLES.has(marker.role.type)))
    ? "call"
    : undefined;
}

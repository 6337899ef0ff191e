// Reads the marker at the cursor, in angle brackets or other characters, complete or cut off by the end of the text.

import { opensCall } from "../grammars/elements/callMarkers.ts";
import { CLOSE_BRACKET, LESS_THAN } from "../scanner/charCodes.ts";
import { matchesLiteral, peek } from "../scanner/combinators.ts";
import type { Parser, Source } from "../scanner/Source.ts";
import { type KnownName, readTag, readTagOrCut, type Tag } from "../scanner/Tag.ts";
import { LEAD } from "../specs/callTags.ts";
import { getMarkerRole, isMark, type MarkRole, mayBeginMarker, nameOfMark, readLiteral } from "../specs/markers.ts";
import type { ParserState } from "../state/ParserState.ts";

export interface Mark {
  /** Canonical name in the table of markers. */
  readonly name: string;
  readonly raw: string;
  /** Meaning; absent for an element that only the request defines. */
  readonly role?: MarkRole | undefined;
  /** Absent if it stands in square brackets or other signs. */
  readonly tag?: Tag | undefined;
  /** True if it begins with the token that one format puts before every tag. */
  readonly hasLead?: boolean | undefined;
}

/** Roles of markers with which a call begins. */
export const CALL_ROLES: ReadonlySet<MarkRole["type"]> = new Set([
  ...(["wrapper", "section", "braces", "call", "call-group", "bracket-call", "tool-label"] as const),
]);
/** Roles of the tags that are read together with the token before them; before any other it stands alone. */
const LEAD_ROLES: ReadonlySet<MarkRole["type"]> = new Set(["wrapper", "call", "reasoning-close"]);

/** Reads the marker at the cursor; `cut` if the text ends before it is certain that one stands there. `known`: further elements to read. */
export function* matchChannelMarker(source: Source, isKnown: KnownName = isMark): Parser<Mark | "cut" | undefined> {
  const code = yield* peek(source);
  if (code === CLOSE_BRACKET) return yield* readLeadMarker(source);
  if (code === LESS_THAN) {
    const tag = yield* readTagOrCut(source, isKnown);
    if (tag === undefined || tag === "cut") return tag;
    const name = nameOfMark(tag);
    return { name, raw: tag.raw, role: getMarkerRole(name), tag };
  }
  const literal = yield* readLiteral(source);
  if (literal === undefined || literal === "cut") return literal && "cut";
  return { name: literal, raw: literal, role: getMarkerRole(literal) };
}

function* readLeadMarker(source: Source): Parser<Mark | undefined> {
  if (!(yield* matchesLiteral(source, LEAD))) return undefined;
  const tag = yield* readTag(source, isMark, LEAD.length);
  const role = tag && getMarkerRole(nameOfMark(tag));
  return tag && role && LEAD_ROLES.has(role.type) && (role.type !== "call" || opensCall(tag))
    ? { name: nameOfMark(tag), raw: LEAD + tag.raw, role, tag, hasLead: true }
    : { name: LEAD, raw: LEAD, role: { type: "stray" }, hasLead: true };
}

/** Length of an incomplete marker in square brackets with which any text may end. */
const SHORT_LITERAL = 2;

/**
 * Handles a text that ended inside a possible marker, whose first character is at the cursor. Drops it if the text was cut and it can be
 * nothing else, or, however the text ended, after a call: it is neither content nor an issue. Returns true if it was dropped.
 */
export function dropCutMark(state: ParserState): boolean {
  if (state.callableNames.length === 0) return false;
  const partialMarker = state.source.getRest();
  const isCut = state.finish === "cut";
  const isLiteral = !partialMarker.startsWith("<");
  const isDropped = state.isAfterCall
    ? isCut || isLiteral || mayBeginMarker(partialMarker, true)
    : isCut && (isLiteral ? partialMarker.length > SHORT_LITERAL : mayBeginMarker(partialMarker));
  if (isDropped) state.dropMarker(partialMarker.length, "cut-mark");
  return isDropped;
}

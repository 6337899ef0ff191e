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
  /** The name under which the families' table knows it. */
  readonly name: string;
  readonly raw: string;
  /** Meaning; absent for an element that only the request defines. */
  readonly role?: MarkRole | undefined;
  /** Absent where it stands in square brackets or other signs. */
  readonly tag?: Tag | undefined;
  /** It begins with the token that one family puts before every tag. */
  readonly isLed?: boolean | undefined;
}

/** Roles of marks with which a call begins. */
export const CALL_ROLES: ReadonlySet<MarkRole["type"]> = new Set([
  ...(["wrapper", "section", "braces", "call", "call-group", "bracket-call", "tool-label"] as const),
]);
/** Roles of the tags that are read together with the token before them; before any other it stands alone. */
const LED_ROLES: ReadonlySet<MarkRole["type"]> = new Set(["wrapper", "call", "reasoning-close"]);

/** The mark at the cursor; `cut` where the text ends before it is plain whether one stands there. `known`: elements to be read as well. */
export function* matchChannelMarker(source: Source, known: KnownName = isMark): Parser<Mark | "cut" | undefined> {
  const code = yield* peek(source);
  if (code === CLOSE_BRACKET) return yield* ledMark(source);
  if (code === LESS_THAN) {
    const tag = yield* readTagOrCut(source, known);
    if (tag === undefined || tag === "cut") return tag;
    const name = nameOfMark(tag);
    return { name, raw: tag.raw, role: getMarkerRole(name), tag };
  }
  const literal = yield* readLiteral(source);
  if (literal === undefined || literal === "cut") return literal && "cut";
  return { name: literal, raw: literal, role: getMarkerRole(literal) };
}

function* ledMark(source: Source): Parser<Mark | undefined> {
  if (!(yield* matchesLiteral(source, LEAD))) return undefined;
  const tag = yield* readTag(source, isMark, LEAD.length);
  const role = tag && getMarkerRole(nameOfMark(tag));
  return tag && role && LED_ROLES.has(role.type) && (role.type !== "call" || opensCall(tag))
    ? { name: nameOfMark(tag), raw: LEAD + tag.raw, role, tag, isLed: true }
    : { name: LEAD, raw: LEAD, role: { type: "stray" }, isLed: true };
}

/** Characters of a mark in square brackets that any text may end with. */
const SHORT_LITERAL = 2;

/**
 * The text ended inside what may be a mark, whose first character stands at the cursor. Where that can be nothing else it is dropped:
 * neither content nor worth a question. So it is where the text was cut, and, however the text ended, behind a call. True where it was.
 */
export function dropCutMark(turn: ParserState): boolean {
  if (turn.offered.length === 0) return false;
  const torso = turn.source.rest();
  const isCut = turn.finish === "cut";
  const isLiteral = !torso.startsWith("<");
  const drops = turn.isBehindCall
    ? isCut || isLiteral || mayBeginMarker(torso, true)
    : isCut && (isLiteral ? torso.length > SHORT_LITERAL : mayBeginMarker(torso));
  if (drops) turn.dropMark(torso.length, "cut-mark");
  return drops;
}

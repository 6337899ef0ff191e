// Table of all markers with their roles, built from the format specs.

import { CLOSE_BRACKET, LESS_THAN, OPEN_BRACKET } from "../scanner/charCodes.ts";
import { measureMatch, peek } from "../scanner/combinators.ts";
import { END, type Parser, type Source, StopTable } from "../scanner/Source.ts";
import { isNoTag, type Tag } from "../scanner/Tag.ts";
import { LEAD, PAIR_NAMES } from "./callTags.ts";
import type { ReasoningRow } from "./chatTemplates.ts";
import {
  ANSWER_WRAPPERS,
  BRACE_ROWS,
  type BraceRow,
  FRAMING_MARKS,
  LOOSE_PREFIXES,
  REASONING_CLOSERS,
  REASONING_OPENERS,
  SECTION_MARKS,
  WRAPPERS,
  type WrapperRow,
} from "./lookupTables.ts";

export type MarkRole =
  | { readonly type: "reasoning-open"; readonly row: ReasoningRow }
  | { readonly type: "reasoning-close"; readonly row: ReasoningRow }
  | { readonly type: "wrapper"; readonly row: WrapperRow }
  | { readonly type: "section" }
  | { readonly type: "braces"; readonly row: BraceRow }
  | { readonly type: "call" }
  /** Stands around calls of its own. */
  | { readonly type: "call-group" }
  /** A closer or an inner marker of a call that stands alone. */
  | { readonly type: "stray" }
  /** Frames messages, or an answer, as its wire defines. */
  | { readonly type: "frame" }
  | { readonly type: "answer" }
  | { readonly type: "tool-label" }
  /** Braces of a call after a marker in square brackets. */
  | { readonly type: "bracket-call" };

const CALLS = ["function", "__function", "_function", "invoke", "xtml:call", "use_mcp_tool", "tool"];
const INNER_CLOSERS = [
  "/function",
  "/__function",
  "/_function",
  "/invoke",
  "/parameter",
  "xtml:/call",
  "xtml:/argument",
  "/arg_value",
  "/arg_key",
];

/** Roles by canonical marker name. Closing elements begin with `/`. */
const ROLES: ReadonlyMap<string, MarkRole> = new Map<string, MarkRole>([
  ...INNER_CLOSERS.map((name) => [name, { type: "stray" }] as const),
  ...WRAPPERS.flatMap((spec) => spec.close.map((name) => [name, { type: "stray" }] as const)),
  ...[...FRAMING_MARKS].map((name) => [name, { type: "frame" }] as const),
  ...[...ANSWER_WRAPPERS.keys()].flatMap((name) =>
    [name, `/${name}`].map((marker) => [marker, { type: "answer" }] as const),
  ),
  ...[...REASONING_CLOSERS].map(([name, spec]) => [name, { type: "reasoning-close", row: spec }] as const),
  ...[...REASONING_OPENERS].map(([name, spec]) => [name, { type: "reasoning-open", row: spec }] as const),
  ...CALLS.map((name) => [name, { type: "call" }] as const),
  ...[...SECTION_MARKS].map(
    ([name, { role }]) => [name, { type: role === "call" || role === "section" ? "section" : "stray" }] as const,
  ),
  ...WRAPPERS.map((spec) => [spec.open, { type: "wrapper", row: spec }] as const),
  ...BRACE_ROWS.flatMap((spec) => [
    [spec.close, { type: "stray" }] as const,
    [spec.open, { type: "braces", row: spec }] as const,
  ]),
  ["xtml:tools", { type: "call-group" }],
  ["xtml:/tools", { type: "stray" }],
  ["tool:", { type: "tool-label" }],
  ["[TOOL_CALL]", { type: "bracket-call" }],
]);

/** Returns the role of the marker with this name, or undefined. */
export function getMarkerRole(marker: string): MarkRole | undefined {
  return ROLES.get(marker);
}

/** Returns true if a marker of this name may have a role. The tag reader asks this before it reads on. */
export function isMark(name: string, prefix: string): boolean {
  if (name === "") return BAR_PREFIXES.has(prefix);
  return NAMES.has(prefix === "xtml" ? `xtml:${name}` : name);
}

/**
 * Returns true if an incomplete text such as `<tool_ca` or `<｜tool▁` can only be the beginning of a marker. `behindCall`: it follows
 * a call directly, where a first sign or any closing tag suffices.
 */
export function mayBeginMarker(partialMarker: string, behindCall = false): boolean {
  const inner = partialMarker.replace(/^<\/?/, "");
  if (/^[|｜]/.test(inner) || (behindCall && /^<\/[^\s>]*$/.test(partialMarker))) return true;
  const name = /^(?:[A-Za-z0-9_.-]+:)?([A-Za-z0-9_.-]*)/.exec(inner)?.[1] ?? "";
  if (name.length < (behindCall ? 0 : MIN_PARTIAL_MARKER)) return false;
  return [...NAMES].some((known) => known === name || (known.startsWith(name) && inner.endsWith(name)));
}

/** Returns true if an incomplete text after the last value of a call cannot open another call. Then the call was complete. */
export function mayBeginCloser(partialMarker: string): boolean {
  const token = partialMarker.slice(1).replaceAll("｜", "|").replaceAll("▁", "_");
  if (token.startsWith("/")) return true;
  if (token.length < MIN_PARTIAL_MARKER || !token.startsWith("|")) return false;
  return !OPENERS.some((opener) => opener.startsWith(token) || token.startsWith(opener));
}

/** Returns true if an incomplete text in program code can only begin a marker. A name after the sign is a comparison there. */
export function mayBeginToken(partialMarker: string): boolean {
  return /^<(?:$|[/|｜])/.test(partialMarker);
}

/** Minimum letters that distinguish an incomplete marker from a comparison or an HTML tag. */
const MIN_PARTIAL_MARKER = 2;
/** Names of markers, opening or closing. */
const NAMES: ReadonlySet<string> = new Set([...ROLES.keys()].map((name) => name.replace(/^(xtml:)?\//, "$1")));

/** Returns the canonical name of a marker. */
export function nameOfMark(tag: Tag): string {
  return `${tag.prefix === "xtml" ? "xtml:" : ""}${tag.isClosing ? "/" : ""}${tag.name}`;
}

/** First characters of the markers that no tag reader reads: square brackets and other signs. */
export const SIGNS = [...new Set([...ROLES.keys()].map((name) => name.charAt(0)))]
  .filter((one) => !/[\w/|<]/.test(one))
  .join("");
const SIGN_TABLE = new StopTable(SIGNS);

/** Markers in square brackets and other signs, by their first two characters, which exclude most brackets of a text at once. */
const LITERAL_MARKS: ReadonlyMap<string, readonly string[]> = Map.groupBy(
  [...ROLES.keys()].filter((name) => SIGNS.includes(name.charAt(0))),
  (name) => name.slice(0, 2),
);

/** Returns true if the character at the cursor begins no marker, as most brackets of a text do not. False if a reader must look. */
export function isNoMark(source: Pick<Source, "code" | "peekText">, code: number): boolean {
  if (code === LESS_THAN) return isNoTag(source, isMark);
  if (code !== OPEN_BRACKET && code !== CLOSE_BRACKET) return false;
  const next = source.code(1);
  return next >= 0 && (code === OPEN_BRACKET ? !LITERAL_MARKS.has(source.peekText(2)) : next !== LEAD.charCodeAt(1));
}

/** Returns the marker in square brackets or other signs at the cursor, if there is one; `cut` if the text ends inside of one. */
export function* readLiteral(source: Source): Parser<string | "cut" | undefined> {
  const first = yield* peek(source);
  if (!SIGN_TABLE.has(first)) return undefined;
  if ((yield* peek(source, 1)) === END) return "cut";
  let cut = false;
  for (const literal of LITERAL_MARKS.get(source.peekText(2)) ?? []) {
    const seen = yield* measureMatch(source, literal);
    if (seen === literal.length) return literal;
    cut ||= source.code(seen) === END;
  }
  return cut ? "cut" : undefined;
}

/** Element prefixes that stand between bars. */
const BAR_PREFIXES = new Set(LOOSE_PREFIXES.filter((prefix) => prefix.startsWith("|")));
/** Special tokens that open an argument, or may. */
const OPENERS: readonly string[] = [...PAIR_NAMES, ...BAR_PREFIXES, "|open|>"].filter((name) => name.startsWith("|"));

// Checks and parses the text of a body, and reuses a cached list of tools in it.
import { randomUUID } from "node:crypto";
import { runToCompletion, YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import { type JsonBounds, JsonScan, UNBOUNDED } from "../body/jsonLimits.ts";
import type { KnownList, ToolListCache } from "./ToolListCache.ts";

/** Characters that are checked in one step: some milliseconds, even before the engine has compiled the code. */
export const SLICE_CHARS = 256 * 1024;

/** Number of keys and values that are parsed and processed within some milliseconds. */
export const SLICE_VALUES = 10_000;

/** A list that need not be parsed, and its offset. */
export interface FoundTools {
  readonly list: KnownList;
  readonly at: number;
}

/** Result of checking the limits of a body. */
export interface Looked {
  /** The first limit that is exceeded; absent if there is none. */
  readonly beyond?: keyof JsonBounds | undefined;
  /** Number of keys, objects, arrays and members that were counted. */
  readonly counted: number;
  readonly tools?: FoundTools | undefined;
}

/** Returns the cached list of tools at an offset of the text, if there is one. */
type ListAt = (at: number) => KnownList | undefined;

/**
 * Same as `lookThrough`, but without reading each character: a text has no more keys and values than characters, and is no
 * deeper than its number of brackets. `counted` is then the upper bound. Returns undefined if this does not prove that the
 * text is within its bounds.
 */
export function checkLimitsFast(text: string, bounds: JsonBounds, listAt: ListAt): Looked | undefined {
  if (text.length > SLICE_CHARS) return undefined;
  const start = text.search(TOOLS_OF_ONE);
  const at = start < 0 ? start : text.indexOf("[", start);
  const list = at < 0 ? undefined : listAt(at);
  const { depth, keys, values } = list?.holds ?? NOTHING;
  const rest = text.length - (list?.text.length ?? 0);
  const counted = rest + keys + values;
  if (counted > Math.min(SLICE_VALUES, bounds.keys, bounds.values)) return undefined;
  const before = list ? at : text.length;
  const opened = countBrackets(text, 0, before) + (list ? countBrackets(text, at + list.text.length, text.length) : 0);
  if (opened + depth > bounds.depth) return undefined;
  return { counted, tools: list && { list, at } };
}

/** Number of opening brackets between two offsets, including those in strings. */
function countBrackets(text: string, from: number, to: number): number {
  let count = 0;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket, from); at >= 0 && at < to; at = text.indexOf(bracket, at + 1)) count += 1;
  }
  return count;
}

const NOTHING: JsonBounds = { depth: 0, keys: 0, values: 0 };

/** Checks each character, in slices. */
export function* checkLimits(text: string, bounds: JsonBounds, listAt: ListAt): Generator<typeof YIELD, Looked> {
  const scan = new JsonScan(bounds);
  const pace = new YieldBudget(SLICE_CHARS);
  let at = 0;
  let tools: FoundTools | undefined;
  for (const start of [...findLists(text), text.length]) {
    let beyond: keyof JsonBounds | undefined;
    while (at < start && beyond === undefined) {
      const next = Math.min(start, at + SLICE_CHARS);
      if (pace.isDue(next - at)) yield YIELD;
      beyond = scan.feed(text.slice(at, next));
      at = next;
    }
    // The list in the outermost object; lists elsewhere are not cached.
    const list = !tools && beyond === undefined && scan.isOutermost ? listAt(start) : undefined;
    if (list) {
      tools = { list, at };
      beyond = scan.pass(list.holds);
      at += list.text.length;
    }
    if (beyond !== undefined) return { beyond, counted: scan.counted };
  }
  return { counted: scan.counted, tools };
}

/** Offsets at which the lists of members named `tools` begin. */
function* findLists(text: string): Generator<number> {
  for (const match of text.matchAll(TOOLS)) yield match.index + match[0].length;
}

/** Matches no text inside a string, where the quotes would be escaped. */
const TOOLS = /"tools"[ \t\r\n]*:[ \t\r\n]*(?=\[)/g;
/** The first of them. */
const TOOLS_OF_ONE = new RegExp(TOOLS, "");

/** Replaces the list while the rest is parsed. It is random, so no client can send it. */
const PLACE = randomUUID();

/** `JSON.parse` of the text with the cached list in place. @throws SyntaxError */
export function parseWithCachedTools(text: string, tools: FoundTools | undefined): unknown {
  return (tools && parsedAround(text, tools)) ?? JSON.parse(text);
}

/** Undefined if the body differs from the assumption: of a duplicate member, the last one counts. */
function parsedAround(text: string, { list, at }: FoundTools): unknown {
  try {
    const rest = `${text.slice(0, at)}"${PLACE}"${text.slice(at + list.text.length)}`;
    const body = JSON.parse(rest) as Record<string, unknown>;
    if (body.tools !== PLACE) return undefined;
    body.tools = list.value;
    return body;
  } catch {
    return undefined;
  }
}

/** Parses a text of any size, with cached tool lists. The text must come from this process's own user. @throws SyntaxError */
export function parseKnown(text: string, known: ToolListCache): unknown {
  const { tools } = runToCompletion(checkLimits(text, UNBOUNDED, (at) => known.listAt(text, at, "")));
  return parseWithCachedTools(text, tools);
}

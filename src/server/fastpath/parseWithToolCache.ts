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
  readonly count: number;
  readonly tools?: FoundTools | undefined;
}

/** Returns the cached list of tools at an offset of the text, if there is one. */
type ListAt = (at: number) => KnownList | undefined;

/** Checks each character, in slices. */
export function* checkLimits(text: string, bounds: JsonBounds, findList: ListAt): Generator<typeof YIELD, Looked> {
  const scan = new JsonScan(bounds);
  const pace = new YieldBudget(SLICE_CHARS);
  let at = 0;
  let tools: FoundTools | undefined;
  for (const start of [...findLists(text), text.length]) {
    let exceededLimit: keyof JsonBounds | undefined;
    while (at < start && exceededLimit === undefined) {
      const next = Math.min(start, at + SLICE_CHARS);
      if (pace.isDue(next - at)) yield YIELD;
      exceededLimit = scan.feed(text.slice(at, next));
      at = next;
    }
    // The list in the outermost object; lists elsewhere are not cached.
    const list = !tools && exceededLimit === undefined && scan.isOutermost ? findList(start) : undefined;
    if (list) {
      tools = { list, at };
      exceededLimit = scan.pass(list.holds);
      at += list.text.length;
    }
    if (exceededLimit !== undefined) return { beyond: exceededLimit, count: scan.count };
  }
  return { count: scan.count, tools };
}

/** Offsets at which the lists of members named `tools` begin. */
function* findLists(text: string): Generator<number> {
  for (const match of text.matchAll(TOOLS)) yield match.index + match[0].length;
}

/** Matches no text inside a string, where the quotes would be escaped. */
const TOOLS = /"tools"[ \t\r\n]*:[ \t\r\n]*(?=\[)/g;

/** Replaces the list while the rest is parsed. It is random, so no client can send it. */
const PLACE = randomUUID();

/** `JSON.parse` of the text with the cached list in place. @throws SyntaxError */
export function parseWithCachedTools(text: string, tools: FoundTools | undefined): unknown {
  return (tools && parsedAround(text, tools)) ?? JSON.parse(text);
}

/** Returns undefined if the body differs from the assumption: of a duplicate member, the last one counts. */
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
  const { tools } = runToCompletion(checkLimits(text, UNBOUNDED, (at) => known.findList(text, at, "")));
  return parseWithCachedTools(text, tools);
}

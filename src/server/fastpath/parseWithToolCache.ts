// The text of a body, looked through and parsed without the list of tools in it where that is known. Knows no tool and no other field.
import { randomUUID } from "node:crypto";
import { runToCompletion, YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import { type JsonBounds, JsonScan, UNBOUNDED } from "../body/jsonLimits.ts";
import type { KnownList, ToolListCache } from "./ToolListCache.ts";

/** Characters that are looked through in one go: some milliseconds even where the engine has not compiled it yet. */
export const SLICE_CHARS = 256 * 1024;

/** Keys and values that are parsed, and walked by what comes next, in some milliseconds. */
export const SLICE_VALUES = 10_000;

/** A list that need not be parsed, and where it stands. */
export interface FoundTools {
  readonly list: KnownList;
  readonly at: number;
}

/** What a body came to that was looked through. */
export interface Looked {
  /** The first bound that it is beyond; absent where it is within all of them. */
  readonly beyond?: keyof JsonBounds | undefined;
  /** Keys, objects, arrays and members, so far as was looked. */
  readonly counted: number;
  readonly tools?: FoundTools | undefined;
}

/** The list of tools that stands at a place of the text, where it is known. */
type ListAt = (at: number) => KnownList | undefined;

/**
 * As `lookThrough`, where it can be told without looking at each character that nothing is beyond its bound: a text has no more keys and
 * values than characters, and is no deeper than it has brackets. `counted` is then the most that it may be. Undefined where that does not tell.
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

/** Brackets that open between two places, those in strings too. */
function countBrackets(text: string, from: number, to: number): number {
  let count = 0;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket, from); at >= 0 && at < to; at = text.indexOf(bracket, at + 1)) count += 1;
  }
  return count;
}

const NOTHING: JsonBounds = { depth: 0, keys: 0, values: 0 };

/** Looks at each character, in slices. */
export function* checkLimits(text: string, bounds: JsonBounds, listAt: ListAt): Generator<typeof YIELD, Looked> {
  const scan = new JsonScan(bounds);
  const pace = new YieldBudget(SLICE_CHARS);
  let at = 0;
  let tools: FoundTools | undefined;
  for (const start of [...findLists(text), text.length]) {
    let beyond: keyof JsonBounds | undefined;
    while (at < start && beyond === undefined) {
      const next = Math.min(start, at + SLICE_CHARS);
      if (pace.due(next - at)) yield YIELD;
      beyond = scan.feed(text.slice(at, next));
      at = next;
    }
    // The first of its outermost object; of another nothing is known.
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

/** Where the lists begin that members called `tools` hold. */
function* findLists(text: string): Generator<number> {
  for (const match of text.matchAll(TOOLS)) yield match.index + match[0].length;
}

/** In a string its quotes would be escaped. */
const TOOLS = /"tools"[ \t\r\n]*:[ \t\r\n]*(?=\[)/g;
/** The first of them. */
const TOOLS_OF_ONE = new RegExp(TOOLS, "");

/** Stands for the list while the rest is parsed. Nobody can send it, for nobody knows it. */
const PLACE = randomUUID();

/** `JSON.parse` of the text, with the very list that is known of it. @throws SyntaxError */
export function parseWithCachedTools(text: string, tools: FoundTools | undefined): unknown {
  return (tools && parsedAround(text, tools)) ?? JSON.parse(text);
}

/** Undefined where the body is not what it seemed: of a member that comes twice, the last one counts. */
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

/** The value of a text of any size that this process has itself been given. @throws SyntaxError */
export function parseKnown(text: string, known: ToolListCache): unknown {
  const { tools } = runToCompletion(checkLimits(text, UNBOUNDED, (at) => known.listAt(text, at, "")));
  return parseWithCachedTools(text, tools);
}

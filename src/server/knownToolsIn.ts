// The text of a body, looked through and parsed without the list of tools in it where that is known. Knows no tool and no other field.
import { randomUUID } from "node:crypto";
import { finish, TURN } from "../core/loopTurn.ts";
import { Pace } from "../core/Pace.ts";
import { type JsonBounds, JsonScan, UNBOUNDED } from "./jsonText.ts";
import type { KnownList, KnownTools } from "./KnownTools.ts";

/** Characters that are looked through in one go: some milliseconds even where the engine has not compiled it yet. */
export const SLICE_CHARS = 256 * 1024;

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

/** @param listAt the list of tools that stands at a place of the text, where it is known. */
export function* lookThrough(
  text: string,
  bounds: JsonBounds,
  listAt: (at: number) => KnownList | undefined,
): Generator<typeof TURN, Looked> {
  const scan = new JsonScan(bounds);
  const pace = new Pace(SLICE_CHARS);
  let at = 0;
  let tools: FoundTools | undefined;
  for (const start of [...listsIn(text), text.length]) {
    let beyond: keyof JsonBounds | undefined;
    while (at < start && beyond === undefined) {
      const next = Math.min(start, at + SLICE_CHARS);
      if (pace.due(next - at)) yield TURN;
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
function* listsIn(text: string): Generator<number> {
  for (const match of text.matchAll(TOOLS)) yield match.index + match[0].length;
}

/** In a string its quotes would be escaped. */
const TOOLS = /"tools"[ \t\r\n]*:[ \t\r\n]*(?=\[)/g;

/** Stands for the list while the rest is parsed. Nobody can send it, for nobody knows it. */
const PLACE = randomUUID();

/** `JSON.parse` of the text, with the very list that is known of it. @throws SyntaxError */
export function parseAround(text: string, tools: FoundTools | undefined): unknown {
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
export function parseKnown(text: string, known: KnownTools): unknown {
  const { tools } = finish(lookThrough(text, UNBOUNDED, (at) => known.listAt(text, at, "")));
  return parseAround(text, tools);
}

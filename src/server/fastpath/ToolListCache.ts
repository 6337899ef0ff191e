// Remembers the lists of tools that were sent, by their text: most callers send the same list with every request, and it is parsed once. Knows no tool.
import { endOfString } from "../../core/json/jsonObjectText.ts";
import { type JsonBounds, JsonScan, UNBOUNDED } from "../body/jsonLimits.ts";

/** Lists and their characters at most. */
const MAX_LISTS = 256;
const MAX_CHARS = 2_097_152;
/** Characters of a list; a longer one is parsed each time. */
const LONGEST = 262_144;

/** A list as it was sent, and what is known of it. */
export interface KnownList {
  readonly text: string;
  /** The very same value for the same text, so that whoever has prepared it finds it prepared; nobody changes it. */
  readonly value: readonly unknown[];
  /** What it adds to a body's keys and values, and to the levels around it. */
  readonly holds: JsonBounds;
  /** A list is found only by the caller who sent it, so no time that this takes tells what others send. */
  readonly caller: string;
}

export class ToolListCache {
  /** The most recently used first. */
  readonly #lists: KnownList[] = [];
  #chars = 0;

  /** The list that stands in `text` at `at`; undefined where none does that is to be remembered. */
  listAt(text: string, at: number, caller: string): KnownList | undefined {
    return this.#find(text, at, caller) ?? this.#learn(text, at, caller);
  }

  #find(text: string, at: number, caller: string): KnownList | undefined {
    for (const [place, list] of this.#lists.entries()) {
      if (list.caller !== caller || text.slice(at, at + list.text.length) !== list.text) continue;
      this.#lists.splice(place, 1);
      this.#lists.unshift(list);
      return list;
    }
    return undefined;
  }

  #learn(sent: string, at: number, caller: string): KnownList | undefined {
    const end = endOfList(sent, at);
    if (end === undefined) return undefined;
    // A slice would keep the whole body.
    const text = Buffer.from(sent.slice(at, end)).toString();
    const value = parseList(text);
    if (!value) return undefined;
    const scan = new JsonScan(UNBOUNDED);
    scan.feed(text);
    const list = { text, value, holds: scan.holds, caller };
    this.#lists.unshift(list);
    this.#chars += text.length;
    while (this.#lists.length > MAX_LISTS || this.#chars > MAX_CHARS)
      this.#chars -= this.#lists.pop()?.text.length ?? 0;
    return list;
  }
}

/** Behind the bracket that closes the list which opens at `start`; undefined where it is too long, or has none. */
function endOfList(text: string, start: number): number | undefined {
  const stop = Math.min(text.length, start + LONGEST);
  let level = 0;
  for (let at = start; at < stop; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "[" || character === "{") level += 1;
    else if ((character === "]" || character === "}") && --level === 0) return at + 1;
  }
  return undefined;
}

function parseList(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

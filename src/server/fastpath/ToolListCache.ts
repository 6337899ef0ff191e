// Caches parsed tool lists by their text: most clients send the same list with every request.
import { endOfString } from "../../core/json/jsonObjectText.ts";
import { type JsonBounds, JsonScan, UNBOUNDED } from "../body/jsonLimits.ts";

/** Lists and their characters at most. */
const MAX_LISTS = 256;
const MAX_CHARS = 2_097_152;
/** Characters of a list; a longer one is parsed each time. */
const LONGEST = 262_144;

/** The text of a list, its parsed value and its counts. */
export interface KnownList {
  readonly text: string;
  /** The same object for the same text, so that prepared schemas are reused. It must not be changed. */
  readonly value: readonly unknown[];
  /** Keys, values and depth that the list adds to a body. */
  readonly holds: JsonBounds;
  /** Only the caller who sent a list can find it, so the timing does not reveal the lists of others. */
  readonly caller: string;
}

export class ToolListCache {
  /** The most recently used first. */
  readonly #lists: KnownList[] = [];
  #chars = 0;

  /** The list in `text` at offset `at`; undefined if there is none that can be cached. */
  findList(text: string, at: number, caller: string): KnownList | undefined {
    return this.#find(text, at, caller) ?? this.#learn(text, at, caller);
  }

  #find(text: string, at: number, caller: string): KnownList | undefined {
    for (const [emptyField, list] of this.#lists.entries()) {
      if (list.caller !== caller || text.slice(at, at + list.text.length) !== list.text) continue;
      this.#lists.splice(emptyField, 1);
      this.#lists.unshift(list);
      return list;
    }
    return undefined;
  }

  #learn(sent: string, at: number, caller: string): KnownList | undefined {
    const end = endOfList(sent, at);
    if (end === undefined) return undefined;
    // A slice would keep the complete body in memory.
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

/** Offset after the bracket that closes the list at `start`; undefined if the list is too long or not closed. */
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

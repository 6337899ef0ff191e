// Remembers the lists of tools that were sent and found right: most callers send the same list with every request. Knows no wire's form of a tool.
import { sizeOf } from "../core/jsonInTurns.ts";
import type { JsonValue, ToolSpec } from "../core/messages.ts";
import { sameJson } from "../core/sameJson.ts";
import type { SchemaBudget } from "./checkToolSchema.ts";

/** Lists and their characters at most, those of their keys included. */
const MAX_LISTS = 256;
const MAX_CHARS = 2_097_152;
/** Characters of a list and its key; a longer one is read each time. */
const LONGEST = 262_144;

interface Known {
  readonly sent: JsonValue;
  readonly specs: readonly ToolSpec[];
  /** What reading it took of the budget. */
  readonly steps: number;
  readonly chars: number;
}

export interface ToolReading {
  /** The caller's name and the tools' names: a list is found only by the caller who sent it, so no time that this takes tells what others send. */
  readonly key: string;
  /** The list as it was sent, parsed from JSON text. */
  readonly sent: JsonValue;
  readonly budget: SchemaBudget;
  /** Makes the specs of the list, at the expense of the budget. */
  readonly read: () => readonly ToolSpec[];
}

export class KnownTools {
  /** The least recently used first. */
  readonly #lists = new Map<string, Known>();
  #chars = 0;

  /**
   * What `read` gives; where the same list was read before, the very specs of then, so that whoever has prepared them finds them
   * prepared. They take as much of the budget.
   */
  specs({ key, sent, budget, read }: ToolReading): readonly ToolSpec[] {
    const known = this.#lists.get(key);
    if (known && known.steps <= budget.left && sameJson(known.sent, sent)) {
      budget.left -= known.steps;
      this.#lists.delete(key);
      this.#lists.set(key, known);
      return known.specs;
    }
    const before = budget.left;
    const specs = read();
    const chars = key.length + sizeOf(sent, LONGEST);
    if (chars <= LONGEST) this.#keep(key, { sent, specs, steps: before - budget.left, chars });
    return specs;
  }

  #keep(key: string, known: Known): void {
    this.#forget(key);
    this.#lists.set(key, known);
    this.#chars += known.chars;
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= MAX_LISTS && this.#chars <= MAX_CHARS) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#chars -= this.#lists.get(key)?.chars ?? 0;
    this.#lists.delete(key);
  }
}

// Merges the provider fields of an answer into one object per level.
import type { Extra } from "./events.ts";
import { takeExtra } from "./providerFields.ts";

/** Merging its entries gives the same result as merging all that were added, in order. */
export class ExtraAccumulator {
  /** One entry per level; created late, because most answers have no such fields. */
  #levels: Extra[] | undefined;
  /** Entries that were created here by merging; a single entry is stored unchanged. */
  #made: Set<Extra> | undefined;

  add(extra: readonly Extra[] = NOTHING): void {
    for (const one of extra) this.addOne(one);
  }

  addOne(one: Extra): void {
    if (isEmpty(one)) return;
    this.#levels ??= [];
    const before = this.#levels.find(({ level }) => level === one.level);
    if (before) takeExtra(this.#own(before, this.#levels).fields, one.fields, one.level);
    else this.#levels.push(one);
  }

  /** One entry per level. The entries may still change; to keep them, use `take`. */
  get all(): readonly Extra[] {
    return this.#levels ? [...this.#levels] : NOTHING;
  }

  /** Like `all`, and clears the accumulator. */
  take(): readonly Extra[] {
    const all = this.#levels ?? NOTHING;
    this.clear();
    return all;
  }

  /** Removes one field. */
  forget(name: string): void {
    if (!this.#levels) return;
    const rest = this.#levels.map((one) => (one.fields[name] === undefined ? one : without(one, name)));
    this.#levels = rest.filter((one) => !isEmpty(one));
  }

  clear(): void {
    this.#levels = undefined;
    this.#made = undefined;
  }

  /** A mutable copy that replaces the original entry. */
  #own(one: Extra, levels: Extra[]): Extra {
    this.#made ??= new Set();
    if (this.#made.has(one)) return one;
    const own: Extra = { level: one.level, fields: takeExtra(undefined, one.fields, one.level) };
    levels[levels.indexOf(one)] = own;
    this.#made.add(own);
    return own;
  }
}

function without({ level, fields }: Extra, name: string): Extra {
  const { [name]: _, ...rest } = fields;
  return { level, fields: rest };
}

function isEmpty({ fields }: Extra): boolean {
  for (const name in fields) if (fields[name] !== undefined) return false;
  return true;
}

const NOTHING: readonly Extra[] = [];

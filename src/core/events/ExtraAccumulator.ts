// Merges the provider fields of an answer into one object per level.
import type { Extra } from "./events.ts";
import { takeExtra } from "./providerFields.ts";

/** Merging its entries gives the same result as merging all that were added, in order. */
export class ExtraAccumulator {
  /** One entry per level; created late, because most answers have no such fields. */
  #levels: Extra[] | undefined;
  /** Entries that were created here by merging; a single entry is stored unchanged. */
  #ownedEntries: Set<Extra> | undefined;

  add(extra: readonly Extra[] = NOTHING): void {
    for (const one of extra) this.addOne(one);
  }

  addOne(one: Extra): void {
    if (isEmpty(one)) return;
    this.#levels ??= [];
    const existing = this.#levels.find(({ level }) => level === one.level);
    if (existing) takeExtra(this.#toOwned(existing, this.#levels).fields, one.fields, one.level);
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
  removeField(name: string): void {
    if (!this.#levels) return;
    const rest = this.#levels.map((one) => (one.fields[name] === undefined ? one : removeField(one, name)));
    this.#levels = rest.filter((one) => !isEmpty(one));
  }

  clear(): void {
    this.#levels = undefined;
    this.#ownedEntries = undefined;
  }

  /** A mutable copy that replaces the original entry. */
  #toOwned(one: Extra, levels: Extra[]): Extra {
    this.#ownedEntries ??= new Set();
    if (this.#ownedEntries.has(one)) return one;
    const owned: Extra = { level: one.level, fields: takeExtra(undefined, one.fields, one.level) };
    levels[levels.indexOf(one)] = owned;
    this.#ownedEntries.add(owned);
    return owned;
  }
}

function removeField({ level, fields }: Extra, name: string): Extra {
  const { [name]: _, ...rest } = fields;
  return { level, fields: rest };
}

function isEmpty({ fields }: Extra): boolean {
  for (const name in fields) if (fields[name] !== undefined) return false;
  return true;
}

const NOTHING: readonly Extra[] = [];

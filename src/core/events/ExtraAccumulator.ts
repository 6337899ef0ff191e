// The fields that an upstream said beside its text, kept as one object a level however many pieces they came in. Knows no field's meaning.
import type { Extra } from "./events.ts";
import { takeExtra } from "./providerFields.ts";

/** To merge what it gives is to merge all that was added, in order. */
export class ExtraAccumulator {
  /** One for each level. Most answers say nothing beside their text, or once at each. */
  #levels: Extra[] | undefined;
  /** Those of them that were made here, of several: what came alone is kept as it came. */
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

  /** One for each level that anything was said at. It is still written to: whoever adds more must have taken it with `take`. */
  get all(): readonly Extra[] {
    return this.#levels ? [...this.#levels] : NOTHING;
  }

  /** As `all`, and begins anew. */
  take(): readonly Extra[] {
    const all = this.#levels ?? NOTHING;
    this.clear();
    return all;
  }

  /** Leaves one field out of what was added. */
  forget(name: string): void {
    if (!this.#levels) return;
    const rest = this.#levels.map((one) => (one.fields[name] === undefined ? one : without(one, name)));
    this.#levels = rest.filter((one) => !isEmpty(one));
  }

  clear(): void {
    this.#levels = undefined;
    this.#made = undefined;
  }

  /** What may be written to, in the place of what came. */
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

// The fields that an upstream said beside its text, kept as one object a level however many pieces they came in. Knows no field's meaning.
import type { Extra } from "./events.ts";
import { takeExtra } from "./foreignFields.ts";
import type { JsonObject } from "./messages.ts";

/** To merge what it gives is to merge all that was added, in order. */
export class ExtraFold {
  #levels = new Map<Extra["level"], JsonObject>();

  add(extra: readonly Extra[] = []): void {
    for (const { level, fields } of extra) {
      this.#levels.set(level, takeExtra(this.#levels.get(level), fields, level));
    }
  }

  /** One for each level that anything was said at. It is still written to: whoever adds more must have taken it with `take`. */
  get all(): readonly Extra[] {
    return Array.from(this.#levels, ([level, fields]) => ({ level, fields })).filter(says);
  }

  /** As `all`, and begins anew. */
  take(): readonly Extra[] {
    if (this.#levels.size === 0) return NOTHING;
    const { all } = this;
    this.clear();
    return all;
  }

  /** Leaves one field out of what was added. */
  forget(name: string): void {
    if (this.#levels.size === 0) return;
    for (const [level, { [name]: forgotten, ...rest }] of this.#levels) {
      if (forgotten !== undefined) this.#levels.set(level, rest);
    }
  }

  clear(): void {
    if (this.#levels.size > 0) this.#levels = new Map();
  }
}

const NOTHING: readonly Extra[] = [];

function says({ fields }: Extra): boolean {
  return Object.keys(fields).length > 0;
}

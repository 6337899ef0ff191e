// The fields that an upstream said beside its text, kept as one object a level however many pieces they came in. Knows no field's meaning.
import type { Extra } from "./events.ts";
import { takeExtra } from "./foreignFields.ts";
import type { JsonObject } from "./messages.ts";

/** To merge what it gives is to merge all that was added, in order. */
export class ExtraFold {
  /** Most answers say nothing beside their text. */
  #levels: Map<Extra["level"], JsonObject> | undefined;

  add(extra: readonly Extra[] = []): void {
    if (extra.length === 0) return;
    this.#levels ??= new Map();
    for (const { level, fields } of extra) {
      this.#levels.set(level, takeExtra(this.#levels.get(level), fields, level));
    }
  }

  /** One for each level that anything was said at. It is still written to: whoever adds more must have taken it with `take`. */
  get all(): readonly Extra[] {
    if (!this.#levels) return NOTHING;
    const all: Extra[] = [];
    for (const [level, fields] of this.#levels) if (Object.keys(fields).length > 0) all.push({ level, fields });
    return all;
  }

  /** As `all`, and begins anew. */
  take(): readonly Extra[] {
    const { all } = this;
    this.clear();
    return all;
  }

  /** Leaves one field out of what was added. */
  forget(name: string): void {
    if (!this.#levels) return;
    for (const [level, fields] of this.#levels) {
      if (fields[name] === undefined) continue;
      const { [name]: _, ...rest } = fields;
      this.#levels.set(level, rest);
    }
  }

  clear(): void {
    this.#levels = undefined;
  }
}

const NOTHING: readonly Extra[] = [];

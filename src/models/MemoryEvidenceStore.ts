// Live evidence in the memory of one process. Forgets by age and by number; judges nothing.

import type { Evidence } from "../core/capabilities.ts";
import type { Clock, EvidenceStore } from "../core/ports.ts";
import { setYoungest } from "../core/setYoungest.ts";

/** An upstream that was restarted with another flag gets its second chance after an hour. */
const LIFETIME_MS = 3_600_000;
/** Keys hold model names that callers choose. */
const MAX_ENTRIES = 1_000;

export class MemoryEvidenceStore implements EvidenceStore {
  /** Least recently taught key first. */
  readonly #entries = new Map<string, readonly Evidence[]>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): readonly Evidence[] {
    const known = this.#entries.get(key);
    if (!known) return [];
    const fresh = known.filter(({ at }) => this.#clock.now() - at < LIFETIME_MS);
    if (fresh.length === 0) this.#entries.delete(key);
    return fresh;
  }

  put(key: string, evidence: Evidence): void {
    const others = this.get(key).filter(({ refused }) => refused !== evidence.refused);
    setYoungest(this.#entries, { key, value: [...others, evidence], most: MAX_ENTRIES });
  }
}

// Live evidence in the memory of one process. Forgets by age and by number; judges nothing.
import type { Evidence } from "../core/capabilities.ts";
import type { Clock, EvidenceStore } from "../core/ports.ts";

/** An upstream that was restarted with another flag gets its second chance after an hour. */
const LIFETIME_MS = 3_600_000;
/** Keys hold model names that callers choose. */
const MAX_ENTRIES = 1_000;

export class MemoryEvidenceStore implements EvidenceStore {
  readonly #entries = new Map<string, Evidence>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): Evidence | undefined {
    const evidence = this.#entries.get(key);
    if (!evidence || this.#clock.now() - evidence.at < LIFETIME_MS) return evidence;
    this.#entries.delete(key);
    return undefined;
  }

  put(key: string, evidence: Evidence): void {
    this.#entries.delete(key);
    this.#entries.set(key, evidence);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > MAX_ENTRIES && !oldest.done) this.#entries.delete(oldest.value);
  }
}

// Live evidence in the memory of one process. Forgets by age and by number; judges nothing.
import type { Evidence } from "../core/capabilities.ts";
import { freshEvidence, joinEvidence } from "../core/evidence.ts";
import type { Clock, EvidenceStore } from "../core/ports.ts";
import { setYoungest } from "../core/setYoungest.ts";

/** Keys hold model names that callers choose. */
const MAX_ENTRIES = 1_000;

export class MemoryEvidenceStore implements EvidenceStore {
  /** Least recently taught key first. */
  readonly #entries = new Map<string, readonly Evidence[]>();
  readonly #clock: Pick<Clock, "now">;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  async get(key: string): Promise<readonly Evidence[]> {
    const fresh = freshEvidence(this.#entries.get(key) ?? [], this.#clock.now());
    if (fresh.length === 0) this.#entries.delete(key);
    return fresh;
  }

  async put(key: string, evidence: Evidence): Promise<void> {
    const value = joinEvidence(this.#entries.get(key) ?? [], [evidence]);
    setYoungest(this.#entries, { key, value, most: MAX_ENTRIES });
  }
}

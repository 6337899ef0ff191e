// Stores observed capabilities in the memory of one process. Drops entries by age and number.

import { setBounded } from "../core/async/setBounded.ts";
import type { ObservedCapability } from "../core/models/capabilities.ts";
import { filterUnexpired, joinEvidence } from "../core/models/observedCapabilities.ts";
import type { Clock, ObservedCapabilityStore } from "../core/ports.ts";

/** Maximum number of entries: keys contain model names that callers choose. */
const MAX_ENTRIES = 1_000;

export class InMemoryCapabilityStore implements ObservedCapabilityStore {
  /** The least recently updated key comes first. */
  readonly #entries = new Map<string, readonly ObservedCapability[]>();
  readonly #clock: Pick<Clock, "now">;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  async get(key: string): Promise<readonly ObservedCapability[]> {
    const fresh = filterUnexpired(this.#entries.get(key) ?? [], this.#clock.now());
    if (fresh.length === 0) this.#entries.delete(key);
    return fresh;
  }

  async put(key: string, evidence: ObservedCapability): Promise<void> {
    const value = joinEvidence(this.#entries.get(key) ?? [], [evidence]);
    setBounded(this.#entries, { key, value, maxSize: MAX_ENTRIES });
  }
}

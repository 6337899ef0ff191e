// A small cache of observed capabilities in front of the store, so that no request waits for the store.

import { setBounded } from "../../core/async/setBounded.ts";
import type { ObservedCapability } from "../../core/models/capabilities.ts";
import { filterUnexpired, joinEvidence } from "../../core/models/observedCapabilities.ts";
import type { Clock, ObservedCapabilityStore } from "../../core/ports.ts";
import { waitAtMost } from "../discovery/waitAtMost.ts";

/** Limits the keys, since callers choose model names. */
const MAX_KEYS = 1_000;
const NOTHING: readonly ObservedCapability[] = [];
/** The first request for a model waits so long for the store, and goes on as if nothing were known. Milliseconds. */
const FIRST_MS = 250;
/** Time after which the store is read again in the background, since other processes may have written. Milliseconds. */
const GOOD_MS = 60_000;

interface Entry {
  evidence: readonly ObservedCapability[];
  /** True once the store has answered or was waited for. */
  isLoaded: boolean;
  reading: Promise<void> | undefined;
  /** Monotonic milliseconds. */
  goodUntil: number;
}

/**
 * A key is read from the store on first use. New values count here at once and are written in the background. If the store fails, its
 * data is lost: the next refusal teaches it again.
 */
export class ObservedCapabilityCache {
  readonly #store: ObservedCapabilityStore;
  readonly #clock: Pick<Clock, "now" | "monotonic" | "sleep">;
  /** The key that was met or taught the longest ago first. */
  readonly #entries = new Map<string, Entry>();
  /** In the order in which they were put. */
  #writes: Promise<void> = Promise.resolve();

  constructor(store: ObservedCapabilityStore, clock: Pick<Clock, "now" | "monotonic" | "sleep">) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Returns the unexpired observations of a key; empty if the key was never loaded or set. The list object stays the same while its content
   * does, so that a caller can cache conclusions from it.
   */
  get(key: string): readonly ObservedCapability[] {
    const entry = this.#entries.get(key);
    if (!entry || entry.evidence.length === 0) return NOTHING;
    entry.evidence = filterUnexpired(entry.evidence, this.#clock.now());
    return entry.evidence;
  }

  put(key: string, evidence: ObservedCapability): void {
    const entry = this.#entries.get(key) ?? unread();
    entry.evidence = joinEvidence(entry.evidence, [evidence]);
    setBounded(this.#entries, { key, value: entry, maxSize: MAX_KEYS });
    this.#writes = this.#writes.then(() => this.#store.put(key, evidence)).catch(() => undefined);
  }

  /** Resolves once the store has returned its data for a key, or after a short time; never rejects. Undefined if there is no need to wait. */
  recall(key: string): Promise<void> | undefined {
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = unread();
      setBounded(this.#entries, { key, value: entry, maxSize: MAX_KEYS });
    }
    if (!entry.reading && entry.goodUntil <= this.#clock.monotonic()) entry.reading = this.#loadEntry(key, entry);
    return entry.isLoaded || !entry.reading ? undefined : this.#waitUntilLoaded(entry, entry.reading);
  }

  /** Resolves once all values are written to the store. */
  flush(): Promise<void> {
    return this.#writes;
  }

  async #loadEntry(key: string, entry: Entry): Promise<void> {
    try {
      const found = await this.#store.get(key);
      entry.evidence = joinEvidence(found, entry.evidence);
    } catch {
      // Newer observations in the cache have precedence.
    }
    entry.isLoaded = true;
    entry.reading = undefined;
    entry.goodUntil = this.#clock.monotonic() + GOOD_MS;
  }

  async #waitUntilLoaded(entry: Entry, reading: Promise<void>): Promise<void> {
    await waitAtMost(reading, FIRST_MS, { clock: this.#clock });
    entry.isLoaded = true;
  }
}

function unread(): Entry {
  return { evidence: NOTHING, isLoaded: false, reading: undefined, goodUntil: Number.NEGATIVE_INFINITY };
}

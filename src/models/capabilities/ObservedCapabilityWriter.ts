// Stores observed capabilities of upstream models and reports them to the observer.
import type { ObservedCapability } from "../../core/models/capabilities.ts";
import type { Clock, Observer } from "../../core/ports.ts";
import type { ObservedCapabilityCache } from "./ObservedCapabilityCache.ts";

export interface ObservedCapabilityWriterOptions {
  /** The upstream's id. */
  readonly upstream: string;
  readonly evidence: Pick<ObservedCapabilityCache, "put">;
  readonly clock: Pick<Clock, "now">;
  readonly observer: Observer;
}

/** Evidence before it has its time. */
export type Seen = Omit<ObservedCapability, "at">;

export class ObservedCapabilityWriter {
  readonly #options: ObservedCapabilityWriterOptions;

  constructor(options: ObservedCapabilityWriterOptions) {
    this.#options = options;
  }

  write(model: string, observation: Seen): void {
    const { upstream, evidence: known, clock, observer } = this.#options;
    const key = `${upstream}/${model}`;
    const evidence = { ...observation, at: clock.now() };
    known.put(key, evidence);
    observer.observe({ type: "evidence", key, evidence });
  }
}

// What is seen of an upstream's models, written where others find it, and told. Judges nothing.
import type { Evidence } from "../core/capabilities.ts";
import type { Clock, Observer } from "../core/ports.ts";
import type { EvidenceCache } from "./EvidenceCache.ts";

export interface EvidenceWriterOptions {
  /** The upstream's id. */
  readonly upstream: string;
  readonly evidence: Pick<EvidenceCache, "put">;
  readonly clock: Pick<Clock, "now">;
  readonly observer: Observer;
}

/** Evidence before it has its time. */
export type Seen = Omit<Evidence, "at">;

export class EvidenceWriter {
  readonly #options: EvidenceWriterOptions;

  constructor(options: EvidenceWriterOptions) {
    this.#options = options;
  }

  write(model: string, seen: Seen): void {
    const { upstream, evidence: known, clock, observer } = this.#options;
    const key = `${upstream}/${model}`;
    const evidence = { ...seen, at: clock.now() };
    known.put(key, evidence);
    observer.observe({ type: "evidence", key, evidence });
  }
}

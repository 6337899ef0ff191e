// What is seen of an upstream's models, written where others find it, and told. Judges nothing.
import type { Evidence } from "../core/capabilities.ts";
import type { Clock, EvidenceStore, Observer } from "../core/ports.ts";

export interface EvidenceWriterOptions {
  /** The upstream's id. */
  readonly upstream: string;
  readonly evidence: Pick<EvidenceStore, "put">;
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
    const { upstream, evidence: store, clock, observer } = this.#options;
    const key = `${upstream}/${model}`;
    const evidence = { ...seen, at: clock.now() };
    store.put(key, evidence);
    observer.observe({ type: "evidence", key, evidence });
  }
}

// A clock that stands still until a test moves it; sleeps end when their time has come.
import type { AlarmClock } from "../../../src/core/ports.ts";

export class ManualClock implements AlarmClock {
  #now = Date.parse("2026-11-21T10:00:00Z");
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  /** Sleeps that have neither ended nor been cut short. */
  get pending(): number {
    return this.#sleepers.size;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const sleeper of this.#sleepers) if (sleeper.until <= this.#now) sleeper.wake();
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { until: this.#now + ms, wake: resolve };
    this.#sleepers.add(sleeper);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    return promise.finally(() => this.#sleepers.delete(sleeper));
  }

  after(ms: number, ring: () => void): () => void {
    const callOff = () => this.#sleepers.delete(sleeper);
    const wake = () => {
      callOff();
      ring();
    };
    const sleeper = { until: this.#now + ms, wake };
    this.#sleepers.add(sleeper);
    return callOff;
  }
}

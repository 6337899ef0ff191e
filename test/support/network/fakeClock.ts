// A clock that a test moves: a wait ends at once and is written down.
import type { Clock } from "../../../src/core/ports.ts";

export interface FakeClock extends Clock {
  readonly waits: number[];
  advance(ms: number): void;
}

export function fakeClock(start = Date.parse("2026-11-21T10:00:00Z")): FakeClock {
  let elapsed = 0;
  const waits: number[] = [];
  return {
    waits,
    advance: (ms) => {
      elapsed += ms;
    },
    now: () => start + elapsed,
    monotonic: () => elapsed,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      waits.push(ms);
      elapsed += ms;
    },
  };
}

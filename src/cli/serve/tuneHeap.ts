// Holds V8's young generation to what a busy gateway needs. Knows no server.
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** To what the young generation may grow, both of its halves. Bytes. V8's own bound is twice that, and no faster (decisions/0101). */
const BOUND = 32 * 1024 * 1024;

/** By what factor it grows where much of it survives: V8's own. */
const GROWTH = 2;

/**
 * V8 takes the bound itself from nothing but Node's command line, which is not ours; the growth it looks up each time. So each
 * collection decides whether the next may let it grow. The observer keeps no process alive.
 */
export function tuneHeap(): PerformanceObserver {
  const observer = new PerformanceObserver(() => setFlagsFromString(`--semi-space-growth-factor=${youngGrowth()}`));
  observer.observe({ entryTypes: ["gc"] });
  return observer;
}

function youngGrowth(): number {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return young && young.space_size >= BOUND ? 1 : GROWTH;
}

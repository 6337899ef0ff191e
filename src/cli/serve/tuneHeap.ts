// Limits V8's young generation to what a busy gateway needs.
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * Maximum size of the young generation, both halves together. Bytes. V8's own limit is twice that, and no faster
 * (decisions/0101).
 */
const BOUND = 32 * 1024 * 1024;

/** V8's own growth factor if much of the generation survives. */
const GROWTH = 2;

/**
 * V8 reads the limit itself only from Node's command line, which the gateway does not control, but it reads the growth factor
 * each time. So each collection decides if the next may grow. The observer does not keep the process alive.
 */
export function tuneHeap(): PerformanceObserver {
  const observer = new PerformanceObserver(() => setFlagsFromString(`--semi-space-growth-factor=${youngGrowth()}`));
  observer.observe({ entryTypes: ["gc"] });
  return observer;
}

function youngGrowth(): number {
  const youngSpace = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return youngSpace && youngSpace.space_size >= BOUND ? 1 : GROWTH;
}

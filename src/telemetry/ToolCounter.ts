// Counts tool calls and has the counts stored some time after the calls.
import type { Observation, Observer } from "../core/ports.ts";
import type { MeasuredCall, ToolCount, ToolStatisticsStore } from "../core/tools/toolStatistics.ts";

/** Milliseconds from the first call that is not stored yet until it is. */
const KEPT_AFTER_MS = 5_000;

export class ToolCounter implements Observer {
  readonly #store: Pick<ToolStatisticsStore, "add">;
  #counts = new Map<string, ToolCount>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Pick<ToolStatisticsStore, "add">) {
    this.#store = store;
  }

  observe(observation: Observation): void {
    if (observation.type !== "tool-call") return;
    const { tool, outcome, ms, chars } = observation;
    this.#add({ tool, outcome, ms, chars, calls: 1 });
    this.#timer ??= setTimeout(() => void this.flush(), KEPT_AFTER_MS).unref();
  }

  /** Stores the counts so far. If the store fails, the next calls try again. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    try {
      await this.#store.add(counts);
    } catch {
      for (const count of counts) this.#add(count);
    }
  }

  #add(count: ToolCount): void {
    const key = buildKey(count);
    this.#counts.set(key, addCounts(count, this.#counts.get(key)));
  }
}

function buildKey({ tool, outcome }: MeasuredCall): string {
  return `${outcome} ${tool}`;
}

function addCounts(count: ToolCount, before: ToolCount | undefined): ToolCount {
  if (!before) return count;
  const { calls, ms, chars } = before;
  return { ...count, calls: count.calls + calls, ms: count.ms + ms, chars: count.chars + chars };
}

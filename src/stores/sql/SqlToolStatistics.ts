// Counts tool calls in a table, one entry for each tool and outcome.
import type { Clock } from "../../core/ports.ts";
import type { ToolCallOutcome, ToolCount, ToolStatisticsStore } from "../../core/tools/toolStatistics.ts";
import type { Database } from "./Database.ts";

/** There are as many tools as the configuration and its servers name. */
const MOST = 10_000;

export class SqlToolStatistics implements ToolStatisticsStore {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;

  constructor(database: Database, clock: Pick<Clock, "now">) {
    this.#database = database;
    this.#clock = clock;
  }

  add(counts: readonly ToolCount[]): Promise<void> {
    if (counts.length === 0) return Promise.resolve();
    const at = this.#clock.now();
    const rows = counts.map((count) => ({ ...count, ms: Math.round(count.ms), at }));
    return this.#database.write(async (tables) => {
      await tables
        .insertInto("tool_statistics")
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(["tool", "outcome"]).doUpdateSet((eb) => ({
            calls: eb("tool_statistics.calls", "+", eb.ref("excluded.calls")),
            ms: eb("tool_statistics.ms", "+", eb.ref("excluded.ms")),
            chars: eb("tool_statistics.chars", "+", eb.ref("excluded.chars")),
            at,
          })),
        )
        .execute();
    });
  }

  list(): Promise<readonly ToolCount[]> {
    return this.#database.read(async (tables) => {
      const rows = await tables
        .selectFrom("tool_statistics")
        .select(["tool", "outcome", "calls", "ms", "chars"])
        .orderBy("tool")
        .orderBy("outcome")
        .limit(MOST)
        .execute();
      return rows.map((row) => ({ ...row, outcome: row.outcome as ToolCallOutcome }));
    });
  }
}

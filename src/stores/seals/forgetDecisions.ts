// Deletes decisions that have not taken effect yet, so that their runs ask again.
import type { RunState } from "../../core/runs/RunState.ts";
import { getSealedText } from "../sql/checksummedJson.ts";
import type { Tables } from "../sql/Database.ts";

/** Resolves with how many there were. */
export async function forgetDecisions(tables: Tables): Promise<number> {
  const rows = await tables
    .selectFrom("interrupts")
    .innerJoin("runs", (join) =>
      join.onRef("runs.owner", "=", "interrupts.owner").onRef("runs.id", "=", "interrupts.run"),
    )
    .select(["interrupts.owner", "interrupts.id", "interrupts.run"])
    .where("interrupts.status", "=", "decided")
    .where("runs.status", "!=", "ended")
    .execute();
  let forgotten = 0;
  for (const { owner, id, run } of rows) {
    if (!(await isWaiting(tables, { owner, id, run }))) continue;
    forgotten += 1;
    await tables
      .updateTable("interrupts")
      .set({ status: "open", decision: null, decided_by: null, decided_at: null })
      .where("owner", "=", owner)
      .where("id", "=", id)
      .execute();
    await tables
      .updateTable("runs")
      .set({ status: "waiting", failure: null })
      .where("owner", "=", owner)
      .where("id", "=", run)
      .execute();
  }
  return forgotten;
}

interface Asked {
  readonly owner: string;
  readonly id: string;
  readonly run: string;
}

/** Also true if the state cannot be read, because the answer is then unknown. */
async function isWaiting(tables: Tables, { owner, id, run }: Asked): Promise<boolean> {
  const row = await tables
    .selectFrom("run_states")
    .select("state")
    .where("owner", "=", owner)
    .where("run", "=", run)
    .executeTakeFirst();
  try {
    return row === undefined || waitingIds(JSON.parse(getSealedText(row.state, "The state")) as RunState).includes(id);
  } catch {
    return true;
  }
}

function waitingIds({ open }: RunState): readonly string[] {
  const ownWaitingIds = open?.waiting.map(({ interrupt }) => interrupt.id) ?? [];
  return [...ownWaitingIds, ...(open?.nested ?? []).flatMap(({ state }) => waitingIds(state))];
}

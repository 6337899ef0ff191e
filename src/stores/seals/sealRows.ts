// Seals the records of a complete store in one transaction: when it gets its first key, and when an operator reseals it.
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import { filterReadable, getSealedText } from "../sql/checksummedJson.ts";
import type { Tables } from "../sql/Database.ts";
import { getDefinitionPlace } from "../sql/SqlDefinitionStore.ts";
import { renewSeal } from "./RunSeals.ts";
import { getCallPlace, getDecisionPlace, getInterruptPlace, getStatePlace } from "./runRecords.ts";
import type { SealPlace, Seals } from "./Seals.ts";

/** Number of runs that are read together. */
const A_SLICE = 100;

export async function readFingerprint(tables: Tables): Promise<string | undefined> {
  const row = await tables.selectFrom("seal_keys").select("fingerprint").where("name", "=", "store").executeTakeFirst();
  return row?.fingerprint;
}

export async function setFingerprint(tables: Tables, fingerprint: string): Promise<void> {
  await tables
    .insertInto("seal_keys")
    .values({ name: "store", fingerprint })
    .onConflict((conflict) => conflict.columns(["name"]).doUpdateSet({ fingerprint }))
    .execute();
}

/** Returns true if the store has records that the gateway would act on. */
export async function holdsSealedRows(tables: Tables): Promise<boolean> {
  const run = await tables.selectFrom("runs").select("id").limit(1).executeTakeFirst();
  return (
    (run ?? (await tables.selectFrom("tool_definitions").select("tool").limit(1).executeTakeFirst())) !== undefined
  );
}

/**
 * Seals the records in their present state. A record with a wrong checksum is left unchanged and remains damaged. Resolves
 * with the number of runs.
 */
export async function sealRows(tables: Tables, seals: Seals): Promise<number> {
  await sealDefinitions(tables, seals);
  let runs = 0;
  for (let after: OwnerKey = { owner: "", id: "" }; ; ) {
    const keys = await selectRunsAfter(tables, after);
    for (const key of keys) await sealRun(tables, key, seals);
    runs += keys.length;
    const last = keys.at(-1);
    if (!last || keys.length < A_SLICE) return runs;
    after = last;
  }
}

/** The next runs in the order of their keys. */
export function selectRunsAfter(tables: Tables, { owner, id }: OwnerKey): Promise<readonly OwnerKey[]> {
  return tables
    .selectFrom("runs")
    .select(["owner", "id"])
    .where((eb) => eb(eb.refTuple("owner", "id"), ">", eb.tuple(owner, id)))
    .orderBy("owner")
    .orderBy("id")
    .limit(A_SLICE)
    .execute();
}

async function sealRun(tables: Tables, key: OwnerKey, seals: Seals): Promise<void> {
  const { owner, id: run } = key;
  const resealed = (place: SealPlace, sealed: string) =>
    filterReadable([sealed], (text) => seals.sealText(place, getSealedText(text, "This record")))[0] ?? sealed;
  const state = await tables
    .selectFrom("run_states")
    .select("state")
    .where("owner", "=", owner)
    .where("run", "=", run)
    .executeTakeFirst();
  if (state)
    await tables
      .updateTable("run_states")
      .set({ state: resealed(getStatePlace(key), state.state) })
      .where("owner", "=", owner)
      .where("run", "=", run)
      .execute();
  const calls = await tables
    .selectFrom("run_calls")
    .select(["id", "result"])
    .where("owner", "=", owner)
    .where("run", "=", run)
    .execute();
  for (const { id, result } of calls) {
    if (result === null) continue;
    await tables
      .updateTable("run_calls")
      .set({ result: resealed(getCallPlace(key, id), result) })
      .where("owner", "=", owner)
      .where("run", "=", run)
      .where("id", "=", id)
      .execute();
  }
  const interrupts = await tables
    .selectFrom("interrupts")
    .selectAll()
    .where("owner", "=", owner)
    .where("run", "=", run)
    .execute();
  for (const row of interrupts)
    await tables
      .updateTable("interrupts")
      .set({
        interrupt: resealed(getInterruptPlace(row), row.interrupt),
        decision: row.decision === null ? null : resealed(getDecisionPlace(row), row.decision),
      })
      .where("owner", "=", owner)
      .where("id", "=", row.id)
      .execute();
  await renewSeal(tables, key, seals);
}

async function sealDefinitions(tables: Tables, seals: Seals): Promise<void> {
  for (const row of await tables.selectFrom("tool_definitions").selectAll().execute()) {
    const { owner, server, tool, definition } = row;
    const [sealed = definition] = filterReadable([definition], (text) =>
      seals.sealText(getDefinitionPlace(row), getSealedText(text, "This record")),
    );
    await tables
      .updateTable("tool_definitions")
      .set({ definition: sealed })
      .where("owner", "=", owner)
      .where("server", "=", server)
      .where("tool", "=", tool)
      .execute();
  }
}

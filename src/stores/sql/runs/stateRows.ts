// The states of runs and the calls that began since, both sealed: a run resumes from them.
import type { RunState, ToolResult } from "../../../core/runs/RunState.ts";
import type { OwnerKey } from "../../../core/stores/OwnerKey.ts";
import type { JournaledCall, SavedRun } from "../../../core/stores/RunStore.ts";
import { getCallPlace, getStatePlace, readResult, readState } from "../../seals/runRecords.ts";
import type { Seals } from "../../seals/Seals.ts";
import type { Tables } from "../Database.ts";

/** The sealed rows that a run resumes from. */
interface SavedRows {
  readonly state: string;
  readonly calls: readonly { readonly id: string; readonly result: string | null }[];
}

/** Resolves with undefined if no state was stored. */
export async function selectSavedRun(tables: Tables, { owner, id }: OwnerKey): Promise<SavedRows | undefined> {
  const saved = await tables
    .selectFrom("run_states")
    .select("state")
    .where("owner", "=", owner)
    .where("run", "=", id)
    .executeTakeFirst();
  if (!saved) return undefined;
  const calls = await tables
    .selectFrom("run_calls")
    .select(["id", "result"])
    .where("owner", "=", owner)
    .where("run", "=", id)
    .orderBy("seq")
    .execute();
  return { state: saved.state, calls };
}

/** @throws PostelError `store_damaged` if a seal does not fit. */
export function readSavedRun(seals: Seals, key: OwnerKey, { state, calls }: SavedRows): SavedRun {
  return {
    state: readState(seals, key, state),
    calls: calls.map(({ id, result }) => ({
      callId: id,
      ...(result !== null && { result: readResult(seals, key, { id, result }) }),
    })),
  };
}

/** Stores the state. It replaces the calls that began before it, except tasks that still run and the calls in `calls`. */
export async function saveState(
  tables: Tables,
  key: OwnerKey,
  {
    state,
    calls = [],
    seals,
  }: { readonly state: RunState; readonly calls?: readonly JournaledCall[]; readonly seals: Seals },
): Promise<void> {
  const { owner, id } = key;
  const sealed = seals.seal(getStatePlace(key), state);
  await tables
    .insertInto("run_states")
    .values({ owner, run: id, state: sealed })
    .onConflict((conflict) => conflict.columns(["owner", "run"]).doUpdateSet({ state: sealed }))
    .execute();
  const deleteStarted = tables.deleteFrom("run_calls").where("owner", "=", owner).where("run", "=", id);
  const running = (state.tasks ?? []).flatMap(({ call, outcome }) => (outcome ? [] : [call.id]));
  const keptCallIds = [...running, ...calls.map(({ callId }) => callId)];
  await (keptCallIds.length > 0 ? deleteStarted.where("id", "not in", keptCallIds) : deleteStarted).execute();
}

/** Stores calls that begin, in order; a result that was recorded earlier stays. */
export async function saveCalls(
  tables: Tables,
  key: OwnerKey,
  { calls, seals }: { readonly calls: readonly JournaledCall[]; readonly seals: Seals },
): Promise<void> {
  const rows = calls.map(({ callId: id, result }, i) => ({
    ...{ owner: key.owner, run: key.id, id, seq: i + 1 },
    result: result ? seals.seal(getCallPlace(key, id), result) : null,
  }));
  if (rows.length === 0) return;
  await tables
    .insertInto("run_calls")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["owner", "run", "id"]).doUpdateSet(({ ref, fn }) => ({
        seq: ref("excluded.seq"),
        // A task of this turn may have its result already.
        result: fn.coalesce("excluded.result", "run_calls.result"),
      })),
    )
    .execute();
}

/** Stores the result of a call that began; does nothing if the call is gone. */
export async function saveResult(
  tables: Tables,
  key: OwnerKey,
  { result, seals }: { readonly result: ToolResult; readonly seals: Seals },
): Promise<void> {
  await tables
    .updateTable("run_calls")
    .set({ result: seals.seal(getCallPlace(key, result.callId), result) })
    .where("owner", "=", key.owner)
    .where("run", "=", key.id)
    .where("id", "=", result.callId)
    .execute();
}

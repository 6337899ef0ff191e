// Leases of runs: which process works on a run, which runs no process works on, and requests to cancel one.
import type { OwnerKey } from "../../../core/stores/OwnerKey.ts";
import type { StoredLease } from "../../../core/stores/RunStore.ts";
import type { Tables } from "../Database.ts";
import { isUnattended } from "../interruptRows.ts";
import { updateRun } from "./runRows.ts";

interface NewLease extends StoredLease {
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Acquires the lease of a run that has no other active one. @returns false if it has one. */
export async function claimLease(tables: Tables, key: OwnerKey, { holder, ms, now }: NewLease): Promise<boolean> {
  const { numUpdatedRows } = await updateRun(tables, key, { holder, held_until: now + ms })
    .where(({ eb, or }) => or([eb("holder", "is", null), eb("holder", "=", holder), eb("held_until", "<=", now)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** @returns false if another holder has had the run since. */
export async function renewLease(tables: Tables, key: OwnerKey, { holder, ms, now }: NewLease): Promise<boolean> {
  const { numUpdatedRows } = await updateRun(tables, key, { held_until: now + ms })
    .where("holder", "=", holder)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Does nothing if `holder` does not have the lease. */
export async function releaseLease(tables: Tables, key: OwnerKey, holder: string): Promise<void> {
  await updateRun(tables, key, { holder: null, held_until: 0 }).where("holder", "=", holder).execute();
}

/** Runs without an active lease that should continue, the longest unchanged first. @param now epoch milliseconds */
export function listAbandonedRuns(tables: Tables, limit: number, now: number): Promise<readonly OwnerKey[]> {
  return (
    tables
      .selectFrom("runs")
      .select(["owner", "id"])
      // Uses the index, which skips ended runs.
      .where("status", "in", ["running", "waiting"])
      .where("held_until", "<=", now)
      .where((eb) =>
        eb.or([
          eb("status", "=", "running"),
          eb.and([eb("status", "=", "waiting"), eb("background", "=", 1), isUnattended(eb, now)]),
        ]),
      )
      .orderBy("updated_at")
      .limit(limit)
      .execute()
  );
}

/** Returns false if the run has ended or does not exist. */
export async function requestCancel(tables: Tables, key: OwnerKey): Promise<boolean> {
  const { numUpdatedRows } = await updateRun(tables, key, { cancel_asked: 1 })
    .where("status", "in", ["running", "waiting"])
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Returns true if a caller asked to cancel the run. */
export async function isCancelRequested(tables: Tables, { owner, id }: OwnerKey): Promise<boolean> {
  const query = tables.selectFrom("runs").select("cancel_asked").where("owner", "=", owner).where("id", "=", id);
  const row = await query.executeTakeFirst();
  return row?.cancel_asked === 1;
}

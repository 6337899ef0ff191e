// The records of runs in the table `runs`.
import { createFailure, PostelError } from "../../../core/failures.ts";
import type { OwnerKey } from "../../../core/stores/OwnerKey.ts";
import type { Feedback, RunChange, RunRecord, RunStatus, RunStore } from "../../../core/stores/RunStore.ts";
import { encodeChecked, filterReadable, unsealIfAny } from "../checksummedJson.ts";
import type { Tables } from "../Database.ts";
import { migrateOutcome } from "../legacyOutcomes.ts";
import type { RunRow } from "../schema.ts";

/** The columns that a run has when it is created. */
type NewRunRow = Pick<
  RunRow,
  "owner" | "id" | "agent" | "session" | "background" | "status" | "seal" | "holder" | "held_until"
>;

/** Values of the columns that a new run has no data for. */
const EMPTY = {
  ...{ outcome: null, run_limit: null, failure: null, feedback: null },
  ...{ cancel_asked: 0, events: 0, ended_at: null },
};

/** @param now epoch milliseconds @throws PostelError `run_taken` if the id exists. */
export async function insertRun(tables: Tables, row: NewRunRow, now: number): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tables
    .insertInto("runs")
    .values({ ...row, ...EMPTY, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.columns(["owner", "id"]).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) throw createRunTakenError(row.id, "there is one already");
}

/** Statement that changes columns of a run. */
export function updateRun(tables: Tables, { owner, id }: OwnerKey, changes: Partial<RunRow>) {
  return tables.updateTable("runs").set(changes).where("owner", "=", owner).where("id", "=", id);
}

/** Resolves with undefined if there is no such run. @throws PostelError `store_damaged`. */
export async function findRun(tables: Tables, { owner, id }: OwnerKey): Promise<RunRecord | undefined> {
  const query = tables.selectFrom("runs").selectAll().where("owner", "=", owner).where("id", "=", id);
  const row = await query.executeTakeFirst();
  return row && toRunRecord(row);
}

/** Latest first; damaged ones are left out. */
export async function selectRuns(
  tables: Tables,
  owner: string,
  { limit, before, session, status }: Parameters<RunStore["list"]>[1],
): Promise<readonly RunRecord[]> {
  let query = tables.selectFrom("runs").selectAll().where("owner", "=", owner);
  if (before !== undefined) query = query.where("created_at", "<", before);
  if (session !== undefined) query = query.where("session", "=", session);
  if (status !== undefined) query = query.where("status", "=", status);
  const rows = await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
  return filterReadable(rows, toRunRecord);
}

/** Columns of the changed fields of a record. */
export function toRunColumns(change: NonNullable<RunChange["record"]>): Partial<RunRow> {
  return {
    ...(change.status !== undefined && { status: change.status }),
    ...(change.outcome !== undefined && { outcome: change.outcome }),
    ...(change.failure !== undefined && { failure: encodeChecked(change.failure) }),
    ...(change.endedAt !== undefined && { ended_at: change.endedAt }),
  };
}

/** @param reason second half of the message */
export function createRunTakenError(id: string, reason: string): PostelError {
  return new PostelError(createFailure("run_taken", `The run ${id} is not this caller's to write: ${reason}.`));
}

function toRunRecord(row: RunRow): RunRecord {
  const recordName = `What is said of run ${row.id}`;
  const failure = unsealIfAny<RunRecord["failure"]>(row.failure, recordName);
  const feedback = unsealIfAny<Feedback>(row.feedback, recordName);
  return {
    ...{ owner: row.owner, id: row.id, agent: row.agent },
    ...(row.session !== null && { sessionId: row.session }),
    ...{ status: row.status as RunStatus, background: row.background === 1 },
    ...(row.outcome !== null && { outcome: migrateOutcome(row.outcome, row.run_limit) }),
    ...(failure !== undefined && { failure }),
    ...(feedback !== undefined && { feedback }),
    events: row.events,
    ...{ createdAt: row.created_at, updatedAt: row.updated_at },
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
  };
}

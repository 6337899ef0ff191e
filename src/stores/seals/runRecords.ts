// The sealed records of a run: their positions, and how they are sealed and read.
import { sql } from "kysely";
import type { Decision, Interrupt } from "../../core/runs/interrupts.ts";
import type { RunState, ToolResult } from "../../core/runs/RunState.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import { createUnsealedError } from "../sql/checksummedJson.ts";
import type { Tables } from "../sql/Database.ts";
import type { InterruptRow, Schema } from "../sql/schema.ts";
import type { SealPlace, Seals } from "./Seals.ts";

export function getStatePlace({ owner, id }: OwnerKey): SealPlace {
  return ["run_states", owner, id];
}

export function getCallPlace({ owner, id }: OwnerKey, call: string): SealPlace {
  return ["run_calls", owner, id, call];
}

export function getInterruptPlace({ owner, run, id }: Pick<InterruptRow, "owner" | "run" | "id">): SealPlace {
  return ["interrupts", owner, run, id];
}

/** A decision is sealed with who decided and when. */
export function getDecisionPlace(
  row: Pick<InterruptRow, "owner" | "run" | "id" | "decided_by" | "decided_at">,
): SealPlace {
  return ["decisions", row.owner, row.run, row.id, row.decided_by, row.decided_at];
}

/** @throws PostelError `store_damaged`. */
export function readState(seals: Seals, run: OwnerKey, sealed: string): RunState {
  return seals.unseal(getStatePlace(run), sealed, { recordName: `The state of run ${run.id}`, run: run.id });
}

/** @throws PostelError `store_damaged`. */
export function readResult(
  seals: Seals,
  run: OwnerKey,
  { id, result }: { readonly id: string; readonly result: string },
): ToolResult {
  return seals.unseal(getCallPlace(run, id), result, {
    recordName: `The result of call ${id} of run ${run.id}`,
    run: run.id,
  });
}

/** @throws PostelError `store_damaged`. */
export function readInterrupt(seals: Seals, row: InterruptRow): Interrupt {
  const recordName = `The interrupt ${row.id} of run ${row.run}`;
  const interrupt = seals.unseal<Interrupt>(getInterruptPlace(row), row.interrupt, { recordName, run: row.run });
  // The columns of the lookup must match the sealed record.
  if (interrupt.expiresAt !== row.expires_at || interrupt.createdAt !== row.created_at)
    throw createUnsealedError(recordName, row.run);
  return interrupt;
}

/** Returns undefined if there is no decision. @throws PostelError `store_damaged`. */
export function readSealedDecision(seals: Seals, row: InterruptRow): Decision | undefined {
  const recordName = `The decision on ${row.id} of run ${row.run}`;
  if ((row.decision !== null) !== (row.status === "decided")) throw createUnsealedError(recordName, row.run);
  return row.decision === null
    ? undefined
    : seals.unseal<Decision>(getDecisionPlace(row), row.decision, { recordName, run: row.run });
}

/**
 * Finds the record of a run that differs from the sealed one. Resolves if each is intact, so that one is missing or was
 * added. @throws PostelError `store_damaged` that names it.
 */
export async function nameDamagedRow(tables: Tables, run: OwnerKey, seals: Seals): Promise<void> {
  const { owner, id } = run;
  const ofRun = <T extends "run_states" | "run_calls">(table: T) =>
    sql<Schema[T]>`select * from ${sql.table(table)} where owner = ${owner} and run = ${id}`.execute(tables);
  for (const { state } of (await ofRun("run_states")).rows) readState(seals, run, state);
  for (const { id: call, result } of (await ofRun("run_calls")).rows)
    if (result !== null) readResult(seals, run, { id: call, result });
  await checkInterrupts(tables, run, seals);
}

/** Reads all interrupts of a run and their decisions. @throws PostelError `store_damaged` that names the damaged one. */
export async function checkInterrupts(tables: Tables, { owner, id }: OwnerKey, seals: Seals): Promise<void> {
  const rows = await tables
    .selectFrom("interrupts")
    .selectAll()
    .where("owner", "=", owner)
    .where("run", "=", id)
    .execute();
  for (const row of rows) {
    readInterrupt(seals, row);
    readSealedDecision(seals, row);
  }
}

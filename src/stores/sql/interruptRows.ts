// Interrupts in tables: how they open and close with their run, and how one is read.
import type { ExpressionBuilder } from "kysely";
import type { Interrupt, InterruptRecord, InterruptStatus } from "../../core/runs/interrupts.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import { getInterruptPlace, readInterrupt, readSealedDecision } from "../seals/runRecords.ts";
import type { Seals } from "../seals/Seals.ts";
import type { Tables } from "./Database.ts";
import type { InterruptRow, Schema } from "./schema.ts";

export async function openInterrupts(
  tables: Tables,
  run: OwnerKey,
  { interrupts, seals }: { readonly interrupts: readonly Interrupt[]; readonly seals: Seals },
): Promise<void> {
  if (interrupts.length === 0) return;
  const last = await tables
    .selectFrom("interrupts")
    .select("seq")
    .where("owner", "=", run.owner)
    .where("run", "=", run.id)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  const rows = interrupts.map((interrupt, i) => ({
    ...{ owner: run.owner, id: interrupt.id, run: run.id, seq: (last?.seq ?? 0) + i + 1 },
    interrupt: seals.seal(getInterruptPlace({ owner: run.owner, run: run.id, id: interrupt.id }), interrupt),
    ...{ status: "open", decision: null, decided_by: null, decided_at: null },
    ...{ created_at: interrupt.createdAt, expires_at: interrupt.expiresAt },
  }));
  await tables.insertInto("interrupts").values(rows).execute();
}

/** One that is past its time stays expired. @param now epoch milliseconds */
export async function cancelOpen(tables: Tables, { owner, id }: OwnerKey, now: number): Promise<void> {
  await tables
    .updateTable("interrupts")
    .set({ status: "cancelled" })
    .where("owner", "=", owner)
    .where("run", "=", id)
    .where("status", "=", "open")
    .where("expires_at", ">", now)
    .execute();
}

/** Condition on `runs`: the run has no open, unexpired interrupt. @param now epoch milliseconds */
export function isUnattended(eb: ExpressionBuilder<Schema, "runs">, now: number) {
  const open = eb
    .selectFrom("interrupts")
    .select("interrupts.id")
    .whereRef("interrupts.owner", "=", "runs.owner")
    .whereRef("interrupts.run", "=", "runs.id")
    .where("interrupts.status", "=", "open")
    .where("interrupts.expires_at", ">", now);
  return eb.not(eb.exists(open));
}

/** @param now epoch milliseconds. @throws PostelError `store_damaged`. */
export function toInterruptRecord(row: InterruptRow, seals: Seals, now: number): InterruptRecord {
  const decision = readSealedDecision(seals, row);
  return {
    ...readInterrupt(seals, row),
    owner: row.owner,
    status: computeInterruptStatus(row, now),
    ...(decision && { decision }),
    ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    ...(row.decided_at !== null && { decidedAt: row.decided_at }),
  };
}

export function computeInterruptStatus(row: Pick<InterruptRow, "status" | "expires_at">, now: number): InterruptStatus {
  const status = row.status as InterruptStatus;
  return status === "open" && row.expires_at <= now ? "expired" : status;
}

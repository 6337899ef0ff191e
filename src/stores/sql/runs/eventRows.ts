// Run events in tables: adds and reads events and deletes the oldest.
import type { RunEvent } from "../../../core/events/events.ts";
import type { OwnerKey } from "../../../core/stores/OwnerKey.ts";
import type { EventBatch, NumberedEvent } from "../../../core/stores/RunStore.ts";
import { createDamagedError } from "../checksummedJson.ts";
import type { Tables } from "../Database.ts";
import { migrateEvent } from "../legacyOutcomes.ts";
import { SLICE } from "../pages.ts";

/**
 * Adds events. If a run has more than `most`, the oldest are deleted, a few more at a time than are added. @param now epoch
 * milliseconds
 */
export async function addEvents(
  tables: Tables,
  { owner, id }: OwnerKey,
  { batch: { from, events }, now, limit }: { readonly batch: EventBatch; readonly now: number; readonly limit: number },
): Promise<void> {
  const rows = events.map((event, i) => ({ owner, run: id, seq: from + i, event: JSON.stringify(event), at: now }));
  for (let i = 0; i < rows.length; i += SLICE) {
    await tables
      .insertInto("run_events")
      .values(rows.slice(i, i + SLICE))
      .execute();
  }
  const excessSeq = from + rows.length - 1 - limit;
  if (excessSeq <= 0) return;
  const oldest = await tables
    .selectFrom("run_events")
    .select("seq")
    .where("owner", "=", owner)
    .where("run", "=", id)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  const deleteUntilSeq = Math.min(excessSeq, (oldest?.seq ?? 0) + rows.length + SLICE);
  await tables
    .deleteFrom("run_events")
    .where("owner", "=", owner)
    .where("run", "=", id)
    .where("seq", "<=", deleteUntilSeq)
    .execute();
}

/** At most `most` events with a number above `after`, in order. @throws PostelError `store_damaged`. */
export async function selectEvents(
  tables: Tables,
  key: OwnerKey,
  { after, limit: most }: { readonly after: number; readonly limit: number },
): Promise<readonly NumberedEvent[]> {
  const rows = await tables
    .selectFrom("run_events")
    .select(["seq", "event"])
    .where("owner", "=", key.owner)
    .where("run", "=", key.id)
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(most)
    .execute();
  return rows.map(({ seq, event }) => ({ seq, event: parseRunEvent(event, seq, key) }));
}

/** Events are many and small and authorize nothing, so they have no digest. */
function parseRunEvent(text: string, seq: number, { id }: OwnerKey): RunEvent {
  try {
    return migrateEvent(JSON.parse(text) as RunEvent);
  } catch {
    throw createDamagedError(`Event ${seq} of run ${id}`);
  }
}

/** Deletes the oldest events of a run, at most `SLICE`; resolves with true if there may be more. */
export async function dropEvents(tables: Tables, { owner, id }: OwnerKey): Promise<boolean> {
  const last = await tables
    .selectFrom("run_events")
    .select("seq")
    .where("owner", "=", owner)
    .where("run", "=", id)
    .orderBy("seq")
    .offset(SLICE)
    .limit(1)
    .executeTakeFirst();
  let query = tables.deleteFrom("run_events").where("owner", "=", owner).where("run", "=", id);
  if (last) query = query.where("seq", "<", last.seq);
  await query.execute();
  return last !== undefined;
}

// Finds the records of owners beyond their retention limit, the oldest first, in slices. Deletes nothing.
import type { Kysely } from "kysely";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { Tables } from "./Database.ts";

/** A table with a limited number of records per owner, and the column that gives their age. */
export type Counted =
  | { readonly table: "sessions"; readonly age: "updated_at" }
  | { readonly table: "runs"; readonly age: "created_at" };

/** Both by one name: an index of each begins with its owner and its age. */
type AnySchema = Record<string, { owner: string; id: string; updated_at: number; created_at: number }>;

/** Position of a record in the age order of its owner. */
export interface RetentionEdge {
  readonly at: number;
  readonly id: string;
}

/** The next one by name who has anything there. */
export async function findNextOwner(tables: Tables, { table }: Counted, after: string): Promise<string | undefined> {
  const row = await asAnySchema(tables)
    .selectFrom(table)
    .select("owner")
    .where("owner", ">", after)
    .orderBy("owner")
    .limit(1)
    .executeTakeFirst();
  return row?.owner;
}

/** The newest record beyond the `most` newest of an owner; undefined if there is none. */
export async function findRetentionEdge(
  tables: Tables,
  { table, age }: Counted,
  { owner, limit }: { readonly owner: string; readonly limit: number },
): Promise<RetentionEdge | undefined> {
  return asAnySchema(tables)
    .selectFrom(table)
    .select([`${age} as at`, "id"])
    .where("owner", "=", owner)
    .orderBy(age, "desc")
    .orderBy("id", "desc")
    .offset(limit)
    .limit(1)
    .executeTakeFirst();
}

/** Records of an owner up to the edge, the oldest first, at most `limit`. */
export async function selectUpTo(
  tables: Tables,
  { table, age }: Counted,
  at: {
    readonly owner: string;
    readonly boundary: RetentionEdge;
    readonly after: RetentionEdge | undefined;
    readonly limit: number;
  },
): Promise<readonly RetentionEdge[]> {
  const { owner, boundary, after, limit } = at;
  let query = asAnySchema(tables)
    .selectFrom(table)
    .select([`${age} as at`, "id"])
    .where("owner", "=", owner)
    .where((eb) => eb(eb.refTuple(age, "id"), "<=", eb.tuple(boundary.at, boundary.id)));
  if (after) query = query.where((eb) => eb(eb.refTuple(age, "id"), ">", eb.tuple(after.at, after.id)));
  return query.orderBy(age).orderBy("id").limit(limit).execute();
}

/** Returns true if no run of the session is active or waiting. */
export async function isUnused(tables: Tables, { owner, id }: OwnerKey): Promise<boolean> {
  const run = await tables
    .selectFrom("runs")
    .select("id")
    .where("owner", "=", owner)
    .where("session", "=", id)
    .where("status", "in", ["running", "waiting"])
    .limit(1)
    .executeTakeFirst();
  return run === undefined;
}

/**
 * Returns true if the run has ended, no process holds it, and its answer is already in its session. @param now epoch
 * milliseconds
 */
export async function isEnded(tables: Tables, { owner, id }: OwnerKey, now: number): Promise<boolean> {
  const run = await tables
    .selectFrom("runs")
    .select("id")
    .where("owner", "=", owner)
    .where("id", "=", id)
    .where("status", "=", "ended")
    .where("held_until", "<=", now)
    .where(({ eb, not, exists }) =>
      not(
        exists(
          eb
            .selectFrom("sessions")
            .select("sessions.id")
            .whereRef("sessions.owner", "=", "runs.owner")
            .whereRef("sessions.id", "=", "runs.session")
            .whereRef("sessions.waiting_run", "=", "runs.id"),
        ),
      ),
    )
    .executeTakeFirst();
  return run !== undefined;
}

function asAnySchema(tables: Tables): Kysely<AnySchema> {
  return tables as unknown as Kysely<AnySchema>;
}

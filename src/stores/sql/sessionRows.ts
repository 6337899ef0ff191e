// Sessions as rows: how one goes, with all its messages. Knows no dialect.
import { loopTurn } from "../../core/loopTurn.ts";
import type { OwnedKey } from "../../core/stores.ts";
import type { Database, Tables } from "./Database.ts";
import { SLICE } from "./pages.ts";

/**
 * The oldest messages first, so that what another session of the same id finds is never the rest of this one.
 * @param until epoch milliseconds: only where nothing has changed it since
 * @returns false where it was not there, or was changed
 */
export async function dropSession(
  database: Database,
  key: OwnedKey,
  until = Number.MAX_SAFE_INTEGER,
): Promise<boolean> {
  while (await database.write((tables) => dropOldest(tables, key, until))) await loopTurn();
  return database.write(async (tables) => {
    const { numDeletedRows } = await tables
      .deleteFrom("sessions")
      .where("owner", "=", key.owner)
      .where("id", "=", key.id)
      .where("updated_at", "<", until)
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n) await messagesOf(tables, key).execute();
    return numDeletedRows > 0n;
  });
}

/** True where there were more messages than one transaction should take. */
async function dropOldest(tables: Tables, key: OwnedKey, until: number): Promise<boolean> {
  const next = await tables
    .selectFrom("session_messages")
    .innerJoin("sessions", (join) =>
      join.onRef("sessions.owner", "=", "session_messages.owner").onRef("sessions.id", "=", "session_messages.session"),
    )
    .select("session_messages.seq")
    .where("session_messages.owner", "=", key.owner)
    .where("session_messages.session", "=", key.id)
    .where("sessions.updated_at", "<", until)
    .orderBy("session_messages.seq")
    .offset(SLICE)
    .limit(1)
    .executeTakeFirst();
  if (!next) return false;
  await messagesOf(tables, key).where("seq", "<", next.seq).execute();
  return true;
}

function messagesOf(tables: Tables, { owner, id }: OwnedKey) {
  return tables.deleteFrom("session_messages").where("owner", "=", owner).where("session", "=", id);
}

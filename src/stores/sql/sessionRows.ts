// Sessions in tables: deletes a session with its messages, and trims a full session.
import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import type { Message } from "../../core/messages.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import { decodeChecked, filterReadable } from "./checksummedJson.ts";
import type { Database, Tables } from "./Database.ts";
import { SLICE } from "./pages.ts";

interface Unused {
  readonly until: number;
  readonly now: number;
}

/**
 * Deletes a session. The oldest messages go first, so that a new session with the same id never sees the rest of this one.
 * @param unused only if the session did not change since `until` and no process holds it at `now` (epoch milliseconds)
 * @returns false if it did not exist or has changed
 */
export async function dropSession(
  database: Database,
  key: OwnerKey,
  unused: Unused = { until: Number.MAX_SAFE_INTEGER, now: Number.MAX_SAFE_INTEGER },
): Promise<boolean> {
  while (await database.write((tables) => dropOldest(tables, key, unused))) await yieldToEventLoop();
  return database.write(async (tables) => {
    const { numDeletedRows } = await tables
      .deleteFrom("sessions")
      .where("owner", "=", key.owner)
      .where("id", "=", key.id)
      .where("updated_at", "<", unused.until)
      .where("held_until", "<=", unused.now)
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n) await deleteSessionMessages(tables, key).execute();
    return numDeletedRows > 0n;
  });
}

/** Returns true if more messages remain than one transaction should delete. */
async function dropOldest(tables: Tables, key: OwnerKey, { until, now }: Unused): Promise<boolean> {
  const next = await tables
    .selectFrom("session_messages")
    .innerJoin("sessions", (join) =>
      join.onRef("sessions.owner", "=", "session_messages.owner").onRef("sessions.id", "=", "session_messages.session"),
    )
    .select("session_messages.seq")
    .where("session_messages.owner", "=", key.owner)
    .where("session_messages.session", "=", key.id)
    .where("sessions.updated_at", "<", until)
    .where("sessions.held_until", "<=", now)
    .orderBy("session_messages.seq")
    .offset(SLICE)
    .limit(1)
    .executeTakeFirst();
  if (!next) return false;
  await deleteSessionMessages(tables, key).where("seq", "<", next.seq).execute();
  return true;
}

/** Number of messages that are read together to find the beginning of a turn. */
const A_LOOK = 32;

/**
 * Deletes messages beyond the newest `most`, up to the beginning of a turn: a call and its result are deleted together. Long
 * backlogs are deleted in steps, more per step than are added.
 */
export async function dropOldMessages(
  tables: Tables,
  key: OwnerKey,
  { last, limit, added }: { readonly last: number; readonly limit: number; readonly added: number },
): Promise<void> {
  if (last <= limit) return;
  const [oldest] = await selectMessagesAfter(tables, key, { after: 0, limit: 1 });
  if (!oldest || last - oldest.seq < limit) return;
  const after = Math.min(last - limit, oldest.seq + added + SLICE);
  const begin = await findTurnAfter(tables, key, after);
  if (begin !== undefined) await deleteSessionMessages(tables, key).where("seq", "<", begin).execute();
}

/** Number of the next user message after `after`, if one is near. */
async function findTurnAfter(tables: Tables, key: OwnerKey, after: number): Promise<number | undefined> {
  for (let sliceStart = after; sliceStart < after + SLICE; sliceStart += A_LOOK) {
    const rows = await selectMessagesAfter(tables, key, { after: sliceStart, limit: A_LOOK });
    const turnRows = filterReadable(rows, ({ seq, message }) => ({
      seq,
      role: decodeChecked<Message>(message, "A message").role,
    }));
    const begin = turnRows.find(({ role }) => role === "user");
    if (begin) return begin.seq;
    if (rows.length < A_LOOK) return undefined;
  }
  return undefined;
}

/** Messages of a session after a number, in order. */
export function selectMessagesAfter(
  tables: Tables,
  { owner, id }: OwnerKey,
  { after, limit }: { readonly after: number; readonly limit: number },
) {
  return tables
    .selectFrom("session_messages")
    .select(["seq", "message"])
    .where("owner", "=", owner)
    .where("session", "=", id)
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(limit)
    .execute();
}

/** Statement that deletes all messages of a session. */
export function deleteSessionMessages(tables: Tables, { owner, id }: OwnerKey) {
  return tables.deleteFrom("session_messages").where("owner", "=", owner).where("session", "=", id);
}

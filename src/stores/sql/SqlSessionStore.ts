// Stores sessions and their messages.

import { createFailure, PostelError } from "../../core/failures.ts";
import type { Message } from "../../core/messages.ts";
import type { Clock } from "../../core/ports.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { SessionMode, SessionRecord, SessionStore } from "../../core/stores/SessionStore.ts";
import { decodeChecked, encodeChecked } from "./checksummedJson.ts";
import type { Database, Tables } from "./Database.ts";
import { iteratePages, SLICE } from "./pages.ts";
import type { SessionRow } from "./schema.ts";
import { deleteSessionMessages, dropOldMessages, dropSession, selectMessagesAfter } from "./sessionRows.ts";

export class SqlSessionStore implements SessionStore {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #mostMessages: number;

  /**
   * @param mostMessages maximum per session; the rest of the oldest turn may remain in addition, so that no call loses its
   * result
   */
  constructor(database: Database, clock: Pick<Clock, "now">, mostMessages: number) {
    this.#database = database;
    this.#clock = clock;
    this.#mostMessages = mostMessages;
  }

  open(key: OwnerKey, initial: Partial<Pick<SessionRecord, "agent" | "mode">>): Promise<SessionRecord> {
    const now = this.#clock.now();
    const changes = {
      ...(initial.agent !== undefined && { agent: initial.agent }),
      ...(initial.mode !== undefined && { mode: initial.mode }),
    };
    return this.#database.write(async (tables) => {
      await tables
        .insertInto("sessions")
        .values({ ...key, agent: null, mode: "normal", ...UNTOUCHED, created_at: now, updated_at: now })
        .onConflict((conflict) => conflict.columns(["owner", "id"]).doNothing())
        .execute();
      if (Object.keys(changes).length > 0) await this.#update(tables, key, { ...changes, updated_at: now });
      return record(await requireRow(tables, key));
    });
  }

  get(key: OwnerKey): Promise<SessionRecord | undefined> {
    return this.#database.read(async (tables) => {
      const row = await selectSession(tables, key);
      return row && record(row);
    });
  }

  list(
    owner: string,
    { limit, before }: { limit: number; before?: number | undefined },
  ): Promise<readonly SessionRecord[]> {
    return this.#database.read(async (tables) => {
      let query = tables.selectFrom("sessions").selectAll().where("owner", "=", owner);
      if (before !== undefined) query = query.where("updated_at", "<", before);
      const rows = await query.orderBy("updated_at", "desc").orderBy("id", "desc").limit(limit).execute();
      return rows.map(record);
    });
  }

  delete(key: OwnerKey): Promise<boolean> {
    return dropSession(this.#database, key);
  }

  async messages(key: OwnerKey, limit?: number): Promise<readonly Message[]> {
    const session = await this.get(key);
    const first = limit === undefined ? 0 : Math.max(0, (session?.messages ?? 0) - limit);
    const messages: Message[] = [];
    const page = (after: number) =>
      this.#database.read((tables) => selectMessagesAfter(tables, key, { after, limit: SLICE }));
    for await (const rows of iteratePages(page, first)) {
      for (const { seq, message } of rows)
        messages.push(decodeChecked(message, `Message ${seq} of the session ${key.id}`));
    }
    return messages;
  }

  async oldest(key: OwnerKey, limit: number): Promise<readonly Message[]> {
    const rows = await this.#database.read((tables) => selectMessagesAfter(tables, key, { after: 0, limit }));
    return rows.map(({ seq, message }) => decodeChecked(message, `Message ${seq} of the session ${key.id}`));
  }

  append(key: OwnerKey, messages: readonly Message[], waitingRun?: string, untrusted?: true): Promise<void> {
    return this.#database.write(async (tables) => {
      const { messages: known, untrusted_from } = await requireRow(tables, key);
      const rows = messages.map((message, i) => ({
        owner: key.owner,
        session: key.id,
        seq: known + i + 1,
        message: encodeChecked(message),
      }));
      for (let i = 0; i < rows.length; i += SLICE) {
        await tables
          .insertInto("session_messages")
          .values(rows.slice(i, i + SLICE))
          .execute();
      }
      const last = known + rows.length;
      await dropOldMessages(tables, key, { last, limit: this.#mostMessages, added: rows.length });
      const changes = {
        messages: last,
        waiting_run: waitingRun ?? null,
        untrusted_from: untrusted_from ?? (untrusted ? known + 1 : null),
      };
      await this.#update(tables, key, { ...changes, updated_at: this.#clock.now() });
    });
  }

  cut(key: OwnerKey, last: number): Promise<void> {
    return this.#database.write(async (tables) => {
      const { messages, untrusted_from: from } = await requireRow(tables, key);
      await deleteSessionMessages(tables, key).where("seq", ">", last).execute();
      const untrusted_from = from !== null && from <= last ? from : null;
      const changes = { messages: Math.min(last, messages), waiting_run: null, untrusted_from };
      await this.#update(tables, key, { ...changes, updated_at: this.#clock.now() });
    });
  }

  hold(key: OwnerKey, holder: string, ms: number): Promise<true | number> {
    const now = this.#clock.now();
    return this.#database.write(async (tables) => {
      const { numUpdatedRows } = await tables
        .updateTable("sessions")
        .set({ holder, held_until: now + ms })
        .where("owner", "=", key.owner)
        .where("id", "=", key.id)
        .where(({ eb, or }) => or([eb("holder", "is", null), eb("holder", "=", holder), eb("held_until", "<=", now)]))
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n ? true : (await requireRow(tables, key)).held_until - now;
    });
  }

  release(key: OwnerKey, holder: string): Promise<void> {
    return this.#database.write(async (tables) => {
      await tables
        .updateTable("sessions")
        .set({ holder: null, held_until: 0 })
        .where("owner", "=", key.owner)
        .where("id", "=", key.id)
        .where("holder", "=", holder)
        .execute();
    });
  }

  /** @throws PostelError `session_not_found`. */
  async #update(tables: Tables, key: OwnerKey, changes: Partial<SessionRow>): Promise<void> {
    const { numUpdatedRows } = await tables
      .updateTable("sessions")
      .set(changes)
      .where("owner", "=", key.owner)
      .where("id", "=", key.id)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw notFound(key);
  }
}

const UNTOUCHED = { waiting_run: null, untrusted_from: null, messages: 0, holder: null, held_until: 0 };

function selectSession(tables: Tables, { owner, id }: OwnerKey): Promise<SessionRow | undefined> {
  return tables.selectFrom("sessions").selectAll().where("owner", "=", owner).where("id", "=", id).executeTakeFirst();
}

async function requireRow(tables: Tables, key: OwnerKey): Promise<SessionRow> {
  const row = await selectSession(tables, key);
  if (!row) throw notFound(key);
  return row;
}

function record(row: SessionRow): SessionRecord {
  return {
    owner: row.owner,
    id: row.id,
    ...(row.agent !== null && { agent: row.agent }),
    mode: row.mode as SessionMode,
    ...(row.waiting_run !== null && { waitingRun: row.waiting_run }),
    ...(row.untrusted_from !== null && { untrusted: true }),
    messages: row.messages,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function notFound({ id }: OwnerKey): PostelError {
  return new PostelError(createFailure("session_not_found", `There is no session ${JSON.stringify(id)}.`));
}

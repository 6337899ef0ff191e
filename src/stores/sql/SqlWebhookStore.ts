// Stores webhook deliveries. One process at a time claims a delivery, until it was accepted or is given up. Sends nothing.
import type { Clock } from "../../core/ports.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { DueWebhookDelivery, WebhookDelivery, WebhookStore } from "../../core/stores/WebhookStore.ts";
import type { Database, Tables } from "./Database.ts";

export class SqlWebhookStore implements WebhookStore {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;

  constructor(database: Database, clock: Pick<Clock, "now">) {
    this.#database = database;
    this.#clock = clock;
  }

  async take(limit: number, ms: number): Promise<readonly DueWebhookDelivery[]> {
    const now = this.#clock.now();
    // Every process polls every few seconds, so nothing is locked if no delivery is due.
    const dueRow = await this.#database.read((tables) =>
      tables.selectFrom("notices").select("id").where("due_at", "<=", now).limit(1).executeTakeFirst(),
    );
    if (!dueRow) return [];
    return this.#database.write(async (tables) => {
      const rows = await tables
        .selectFrom("notices")
        .select(["id", "owner", "run", "url", "body", "attempt"])
        .where("due_at", "<=", now)
        .orderBy("due_at")
        .limit(limit)
        .execute();
      const ids = rows.map(({ id }) => id);
      await tables
        .updateTable("notices")
        .set(({ eb }) => ({ due_at: now + ms, attempt: eb("attempt", "+", 1) }))
        .where("id", "in", ids)
        .execute();
      return rows.map((row) => ({ ...row, attempt: row.attempt + 1 }));
    });
  }

  done(id: string): Promise<void> {
    return this.#database.write(async (tables) => {
      await tables.deleteFrom("notices").where("id", "=", id).execute();
    });
  }

  postpone(id: string, ms: number): Promise<void> {
    return this.#database.write(async (tables) => {
      await tables
        .updateTable("notices")
        .set({ due_at: this.#clock.now() + ms })
        .where("id", "=", id)
        .execute();
    });
  }
}

/** Due at once. @param now epoch milliseconds */
export async function addNotices(
  tables: Tables,
  { owner, id: run }: OwnerKey,
  { notices, now }: { readonly notices: readonly WebhookDelivery[]; readonly now: number },
): Promise<void> {
  const rows = notices.map(({ id, url, body }) => ({ id, owner, run, url, body, attempt: 0, due_at: now }));
  if (rows.length > 0) await tables.insertInto("notices").values(rows).execute();
}

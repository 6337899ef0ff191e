// Interrupts in tables, and the one decision that each takes. Knows no run's state and no dialect.
import type { Decision, Interrupt, InterruptRecord } from "../../core/interrupts.ts";
import type { Clock } from "../../core/ports.ts";
import type { DecisionOutcome, InterruptStore, OwnedKey } from "../../core/stores.ts";
import type { Database, Tables } from "./Database.ts";
import { interruptRecord, statusOf, waitsForNobody } from "./interruptRows.ts";
import { readable, seal } from "./sealed.ts";

export class SqlInterruptStore implements InterruptStore {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;

  constructor(database: Database, clock: Pick<Clock, "now">) {
    this.#database = database;
    this.#clock = clock;
  }

  get(key: OwnedKey): Promise<InterruptRecord | undefined> {
    return this.#database.read(async (tables) => {
      const row = await rowOf(tables, key);
      return row && interruptRecord(row, this.#clock.now());
    });
  }

  ofRun({ owner, id }: OwnedKey): Promise<readonly InterruptRecord[]> {
    return this.#database.read(async (tables) => {
      const rows = await tables
        .selectFrom("interrupts")
        .selectAll()
        .where("owner", "=", owner)
        .where("run", "=", id)
        .orderBy("seq")
        .execute();
      return rows.map((row) => interruptRecord(row, this.#clock.now()));
    });
  }

  open(owner: string, most: number): Promise<readonly InterruptRecord[]> {
    const now = this.#clock.now();
    return this.#database.read(async (tables) => {
      const rows = await tables
        .selectFrom("interrupts")
        .selectAll()
        .where("owner", "=", owner)
        .where("status", "=", "open")
        .where("expires_at", ">", now)
        .orderBy("created_at")
        .orderBy("run")
        .orderBy("seq")
        .limit(most)
        .execute();
      return readable(rows, (row) => interruptRecord(row, now));
    });
  }

  decide(key: OwnedKey, decision: Decision, by: string): Promise<DecisionOutcome> {
    const now = this.#clock.now();
    return this.#database.writeThrough(async (tables) => {
      const { numUpdatedRows } = await tables
        .updateTable("interrupts")
        .set({ status: "decided", decision: seal(decision), decided_by: by, decided_at: now })
        .where("owner", "=", key.owner)
        .where("id", "=", key.id)
        .where("status", "=", "open")
        .where("expires_at", ">", now)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) return "taken";
      const row = await rowOf(tables, key);
      const status = row && statusOf(row, now);
      return status === undefined || status === "open" ? "unknown" : status;
    });
  }

  renew(owner: string, interrupt: Interrupt): Promise<boolean> {
    const now = this.#clock.now();
    return this.#database.write(async (tables) => {
      const { numUpdatedRows } = await tables
        .updateTable("interrupts")
        .set({ interrupt: seal(interrupt) })
        .where("owner", "=", owner)
        .where("id", "=", interrupt.id)
        .where("status", "=", "open")
        .where("expires_at", ">", now)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    });
  }

  expired(most: number): Promise<readonly OwnedKey[]> {
    const now = this.#clock.now();
    return this.#database.read((tables) =>
      tables
        .selectFrom("runs")
        .select(["runs.owner", "runs.id"])
        .where("runs.status", "=", "waiting")
        .where((eb) => waitsForNobody(eb, now))
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("interrupts")
              .select("interrupts.id")
              .whereRef("interrupts.owner", "=", "runs.owner")
              .whereRef("interrupts.run", "=", "runs.id")
              .where("interrupts.status", "=", "open"),
          ),
        )
        .orderBy("runs.updated_at")
        .limit(most)
        .execute(),
    );
  }
}

function rowOf(tables: Tables, { owner, id }: OwnedKey) {
  return tables.selectFrom("interrupts").selectAll().where("owner", "=", owner).where("id", "=", id).executeTakeFirst();
}

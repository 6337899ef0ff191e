// Interrupts in tables, and the one decision that each takes. Knows no run's state and no dialect.
import type { Decision, Interrupt, InterruptRecord } from "../../core/interrupts.ts";
import type { Clock } from "../../core/ports.ts";
import type { DecisionOutcome, InterruptStore, OwnedKey } from "../../core/stores.ts";
import type { Database, Tables } from "./Database.ts";
import { interruptRecord, statusOf, waitsForNobody } from "./interruptRows.ts";
import type { RunSeals } from "./RunSeals.ts";
import { placeOfDecision, placeOfInterrupt } from "./runRecords.ts";
import type { Seals } from "./Seals.ts";
import { readable } from "./sealed.ts";

export interface SqlInterruptStoreOptions {
  readonly database: Database;
  readonly clock: Pick<Clock, "now">;
  readonly seals: Seals;
  readonly runSeals: RunSeals;
}

export class SqlInterruptStore implements InterruptStore {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #seals: Seals;
  readonly #runSeals: RunSeals;

  constructor({ database, clock, seals, runSeals }: SqlInterruptStoreOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#seals = seals;
    this.#runSeals = runSeals;
  }

  get(key: OwnedKey): Promise<InterruptRecord | undefined> {
    return this.#database.read(async (tables) => {
      const row = await rowOf(tables, key);
      return row && interruptRecord(row, this.#seals, this.#clock.now());
    });
  }

  ofRun(run: OwnedKey): Promise<readonly InterruptRecord[]> {
    return this.#database.read(async (tables) =>
      (await rowsOfRun(tables, run)).map((row) => interruptRecord(row, this.#seals, this.#clock.now())),
    );
  }

  openOfRun(run: OwnedKey): Promise<readonly InterruptRecord[]> {
    return this.#database.read(async (tables) => {
      const rows = await rowsOfRun(tables, run);
      const records = readable(rows, (row) => interruptRecord(row, this.#seals, this.#clock.now()));
      return records.filter(({ status }) => status === "open");
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
      return readable(rows, (row) => interruptRecord(row, this.#seals, now));
    });
  }

  async decide(key: OwnedKey, decision: Decision, by: string): Promise<DecisionOutcome> {
    const now = this.#clock.now();
    const asked = await this.#database.read((tables) => rowOf(tables, key));
    if (!asked) return "unknown";
    const { owner, run } = asked;
    const decided = { decided_by: by, decided_at: now };
    const sealed = this.#seals.seal(placeOfDecision({ ...key, run, ...decided }), decision);
    return this.#runSeals.change({ owner, id: run }, true, async (tables) => {
      const { numUpdatedRows } = await tables
        .updateTable("interrupts")
        .set({ status: "decided", decision: sealed, ...decided })
        .where("owner", "=", owner)
        .where("id", "=", key.id)
        .where("run", "=", run)
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
    const { id, run } = interrupt;
    const sealed = this.#seals.seal(placeOfInterrupt({ owner, run, id }), interrupt);
    return this.#runSeals.change({ owner, id: run }, false, async (tables) => {
      const { numUpdatedRows } = await tables
        .updateTable("interrupts")
        .set({ interrupt: sealed })
        .where("owner", "=", owner)
        .where("id", "=", id)
        .where("run", "=", run)
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

function rowsOfRun(tables: Tables, { owner, id }: OwnedKey) {
  return tables
    .selectFrom("interrupts")
    .selectAll()
    .where("owner", "=", owner)
    .where("run", "=", id)
    .orderBy("seq")
    .execute();
}

function rowOf(tables: Tables, { owner, id }: OwnedKey) {
  return tables.selectFrom("interrupts").selectAll().where("owner", "=", owner).where("id", "=", id).executeTakeFirst();
}

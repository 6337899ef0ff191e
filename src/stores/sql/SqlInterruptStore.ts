// Stores interrupts, and one decision for each.

import type { Clock } from "../../core/ports.ts";
import type { Decision, Interrupt, InterruptRecord } from "../../core/runs/interrupts.ts";
import type { DecisionOutcome, InterruptStore } from "../../core/stores/InterruptStore.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { RunSeals } from "../seals/RunSeals.ts";
import { getDecisionPlace, getInterruptPlace } from "../seals/runRecords.ts";
import type { Seals } from "../seals/Seals.ts";
import { filterReadable } from "./checksummedJson.ts";
import type { Database, Tables } from "./Database.ts";
import { computeInterruptStatus, isUnattended, toInterruptRecord } from "./interruptRows.ts";

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

  get(key: OwnerKey): Promise<InterruptRecord | undefined> {
    return this.#database.read(async (tables) => {
      const row = await selectRow(tables, key);
      return row && toInterruptRecord(row, this.#seals, this.#clock.now());
    });
  }

  ofRun(run: OwnerKey): Promise<readonly InterruptRecord[]> {
    return this.#database.read(async (tables) =>
      (await rowsOfRun(tables, run)).map((row) => toInterruptRecord(row, this.#seals, this.#clock.now())),
    );
  }

  openOfRun(run: OwnerKey): Promise<readonly InterruptRecord[]> {
    return this.#database.read(async (tables) => {
      const rows = await rowsOfRun(tables, run);
      const records = filterReadable(rows, (row) => toInterruptRecord(row, this.#seals, this.#clock.now()));
      return records.filter(({ status }) => status === "open");
    });
  }

  open(owner: string, limit: number): Promise<readonly InterruptRecord[]> {
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
        .limit(limit)
        .execute();
      return filterReadable(rows, (row) => toInterruptRecord(row, this.#seals, now));
    });
  }

  async decide(key: OwnerKey, decision: Decision, decidedBy: string): Promise<DecisionOutcome> {
    const now = this.#clock.now();
    const interruptRow = await this.#database.read((tables) => selectRow(tables, key));
    if (!interruptRow) return "unknown";
    const { owner, run } = interruptRow;
    const decided = { decided_by: decidedBy, decided_at: now };
    const sealed = this.#seals.seal(getDecisionPlace({ ...key, run, ...decided }), decision);
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
      const row = await selectRow(tables, key);
      const status = row && computeInterruptStatus(row, now);
      return status === undefined || status === "open" ? "unknown" : status;
    });
  }

  renew(owner: string, interrupt: Interrupt): Promise<boolean> {
    const now = this.#clock.now();
    const { id, run } = interrupt;
    const sealed = this.#seals.seal(getInterruptPlace({ owner, run, id }), interrupt);
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

  expired(limit: number): Promise<readonly OwnerKey[]> {
    const now = this.#clock.now();
    return this.#database.read((tables) =>
      tables
        .selectFrom("runs")
        .select(["runs.owner", "runs.id"])
        .where("runs.status", "=", "waiting")
        .where((eb) => isUnattended(eb, now))
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
        .limit(limit)
        .execute(),
    );
  }
}

function rowsOfRun(tables: Tables, { owner, id }: OwnerKey) {
  return tables
    .selectFrom("interrupts")
    .selectAll()
    .where("owner", "=", owner)
    .where("run", "=", id)
    .orderBy("seq")
    .execute();
}

function selectRow(tables: Tables, { owner, id }: OwnerKey) {
  return tables.selectFrom("interrupts").selectAll().where("owner", "=", owner).where("id", "=", id).executeTakeFirst();
}

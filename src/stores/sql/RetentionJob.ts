// Deletes expired records and surplus records of owners, in slices that yield to other work.

import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import type { StoreConfig } from "../../core/config/configuration.ts";
import { OBSERVATION_TTL_MS } from "../../core/models/observedCapabilities.ts";
import type { Clock } from "../../core/ports.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { Database, Tables } from "./Database.ts";
import { isUnattended } from "./interruptRows.ts";
import { SLICE } from "./pages.ts";
import {
  type Counted,
  findNextOwner,
  findRetentionEdge,
  isEnded,
  isUnused,
  type RetentionEdge,
  selectUpTo,
} from "./retentionLimits.ts";
import { dropEvents } from "./runs/eventRows.ts";
import type { SqlAuditStore } from "./SqlAuditStore.ts";
import { forgetMemory } from "./SqlMemoryStore.ts";
import { dropSession } from "./sessionRows.ts";

/** Milliseconds between two sweeps. */
const EVERY_MS = 60_000;
/**
 * Number of sessions, runs or memories that are selected together. Each has records in other tables. The job yields after
 * each deletion, since SQLite blocks this process.
 */
const FEW = 50;

interface SweeperBounds extends Pick<StoreConfig, "keepMs" | "retentionMax"> {
  readonly audit: Pick<SqlAuditStore, "cut" | "dropCut">;
}

export class RetentionJob {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #bounds: SweeperBounds;
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> | undefined;
  #isStopped = false;

  /** Starts at once; does not keep the process alive. */
  constructor(database: Database, clock: Pick<Clock, "now">, bounds: SweeperBounds) {
    this.#database = database;
    this.#clock = clock;
    this.#bounds = bounds;
    // If the store fails, the next request reports it; the next sweep deletes the rest.
    this.#timer = setInterval(() => void this.sweep().catch(() => undefined), EVERY_MS).unref();
  }

  /** Runs a sweep, or joins the active one. @throws PostelError `store_…`. */
  sweep(): Promise<void> {
    this.#round ??= this.#sweepAll().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  /** Resolves when no slice is active. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#round?.catch(() => undefined);
  }

  async #sweepAll(): Promise<void> {
    const now = this.#clock.now();
    const { sessions, runs, events, memories } = this.#bounds.keepMs;
    await this.#slices(() => this.#sweepSessions(now, now - sessions));
    await this.#slices(() => this.#sweepRuns(now, now - runs));
    await this.#slices(() => this.#database.write((tables) => sweepAged(tables, "run_events", now - events)));
    await this.#slices(() => this.#database.write((tables) => sweepAged(tables, "tool_statistics", now - runs)));
    await this.#slices(() => this.#database.write((tables) => sweepAged(tables, "evidence", now - OBSERVATION_TTL_MS)));
    await this.#slices(() => this.#database.write((tables) => sweepMemories(tables, now - memories)));
    await this.#bounds.audit.cut();
    await this.#slices(() => this.#bounds.audit.dropCut());
    // Runs come first: a session may be deleted once its run has ended.
    await this.#sweepSurplus({ table: "runs", age: "created_at" }, async ({ key }) => {
      if (await this.#database.read((tables) => isEnded(tables, key, now))) await this.#dropRun(key);
    });
    await this.#sweepSurplus({ table: "sessions", age: "updated_at" }, async ({ key, at }) => {
      const isStillUnused = await this.#database.read((tables) => isUnused(tables, key));
      if (isStillUnused) await dropSession(this.#database, key, { until: at + 1, now });
    });
  }

  /** @param slice returns true if there may be more */
  async #slices(slice: () => Promise<boolean>): Promise<void> {
    while (!this.#isStopped && (await slice())) await yieldToEventLoop();
  }

  async #sweepSessions(now: number, before: number): Promise<boolean> {
    const old = await this.#database.read((tables) =>
      tables
        .selectFrom("sessions")
        .select(["owner", "id"])
        .where("updated_at", "<", before)
        .where("held_until", "<=", now)
        .orderBy("updated_at")
        .limit(FEW)
        .execute(),
    );
    let deletedCount = 0;
    for (const key of old) {
      if (await dropSession(this.#database, key, { until: before, now })) deletedCount += 1;
      await yieldToEventLoop();
    }
    return deletedCount === FEW;
  }

  /** Deletes each owner's records beyond the newest that are retained. */
  async #sweepSurplus(
    counted: Counted,
    drop: (row: { readonly key: OwnerKey; readonly at: number }) => Promise<void>,
  ): Promise<void> {
    const limit = this.#bounds.retentionMax[counted.table];
    let owner = "";
    await this.#slices(async () => {
      const next = await this.#database.read((tables) => findNextOwner(tables, counted, owner));
      if (next === undefined) return false;
      owner = next;
      const boundary = await this.#database.read((tables) => findRetentionEdge(tables, counted, { owner, limit }));
      let after: RetentionEdge | undefined;
      await this.#slices(async () => {
        if (!boundary) return false;
        const rows = await this.#database.read((tables) =>
          selectUpTo(tables, counted, { owner, boundary, after, limit: FEW }),
        );
        for (const { id, at } of rows) {
          await drop({ key: { owner, id }, at });
          await yieldToEventLoop();
        }
        after = rows.at(-1);
        return rows.length === FEW;
      });
      return true;
    });
  }

  /** Deletes ended runs, and runs that no process continues and that wait for no decision. */
  async #sweepRuns(now: number, before: number): Promise<boolean> {
    const old = await this.#database.read((tables) =>
      tables
        .selectFrom("runs")
        .select(["owner", "id"])
        .where("updated_at", "<", before)
        .where("held_until", "<=", now)
        .where((eb) => isUnattended(eb, now))
        .orderBy("updated_at")
        .limit(FEW)
        .execute(),
    );
    for (const key of old) {
      await this.#dropRun(key);
      await yieldToEventLoop();
    }
    return old.length === FEW;
  }

  async #dropRun(key: OwnerKey): Promise<void> {
    await this.#slices(() => this.#database.write((tables) => dropEvents(tables, key)));
    if (this.#isStopped) return;
    await this.#database.write(async (tables) => {
      for (const table of ["run_states", "run_calls", "interrupts", "notices"] as const) {
        await tables.deleteFrom(table).where("owner", "=", key.owner).where("run", "=", key.id).execute();
      }
      await tables.deleteFrom("runs").where("owner", "=", key.owner).where("id", "=", key.id).execute();
    });
  }
}

/** Records older than `until`, the oldest first; records with the same time are deleted together. */
async function sweepAged(
  tables: Tables,
  table: "run_events" | "evidence" | "tool_statistics",
  before: number,
): Promise<boolean> {
  const next = await tables
    .selectFrom(table)
    .select("at")
    .where("at", "<", before)
    .orderBy("at")
    .offset(SLICE)
    .limit(1)
    .executeTakeFirst();
  await tables
    .deleteFrom(table)
    .where("at", "<", next ? next.at + 1 : before)
    .execute();
  return next !== undefined;
}

async function sweepMemories(tables: Tables, before: number): Promise<boolean> {
  const old = await tables
    .selectFrom("memories")
    .select(["owner", "id"])
    .where("created_at", "<", before)
    .orderBy("created_at")
    .limit(FEW)
    .execute();
  for (const key of old) await forgetMemory(tables, key);
  return old.length === FEW;
}

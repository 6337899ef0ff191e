// The SQLite store of a gateway: a file, or the memory of this process.
import type { StoreConfig } from "../core/config/configuration.ts";
import type { Clock } from "../core/ports.ts";
import type { Store } from "../core/stores/Store.ts";
import type { WriteHealth } from "../core/WriteHealth.ts";
import { checkSeals, type SealReport } from "./seals/checkSeals.ts";
import { type OpenedSeals, openSeals, type SealOptions } from "./seals/openSeals.ts";
import { RunSeals } from "./seals/RunSeals.ts";
import { Database } from "./sql/Database.ts";
import { RetentionJob } from "./sql/RetentionJob.ts";
import { SqlRunStore } from "./sql/runs/SqlRunStore.ts";
import { SqlAuditStore } from "./sql/SqlAuditStore.ts";
import { SqlCapabilityStore } from "./sql/SqlCapabilityStore.ts";
import { SqlDefinitionStore } from "./sql/SqlDefinitionStore.ts";
import { SqlInterruptStore } from "./sql/SqlInterruptStore.ts";
import { SqlMemoryStore } from "./sql/SqlMemoryStore.ts";
import { SqlOwnerStore } from "./sql/SqlOwnerStore.ts";
import { SqlSessionStore } from "./sql/SqlSessionStore.ts";
import { SqlToolStatistics } from "./sql/SqlToolStatistics.ts";
import { SqlVectorStore } from "./sql/SqlVectorStore.ts";
import { SqlWebhookStore } from "./sql/SqlWebhookStore.ts";
import { IN_MEMORY, openSqlite } from "./sqlite/openSqlite.ts";

/** Size of a long message in bytes; a store without space for one more is full. */
const TRIED_BYTES = 65_536;

export interface SqliteStoreOptions extends StoreConfig, Pick<SealOptions, "keyOptional"> {
  readonly clock: Pick<Clock, "now" | "monotonic" | "sleep">;
  /** True if vectors are compared in this store; storing and deleting them needs no extension. */
  readonly vectors?: boolean | undefined;
  /** Milliseconds for which audit entries are stored; absent: forever. */
  readonly auditKeepMs?: number | undefined;
  /** Receives the result of each write. */
  readonly health?: Pick<WriteHealth, "recordResult"> | undefined;
}

export class SqliteStore implements Store {
  readonly sessions: SqlSessionStore;
  readonly runs: SqlRunStore;
  readonly interrupts: SqlInterruptStore;
  readonly memories: SqlMemoryStore;
  readonly vectors: SqlVectorStore;
  readonly definitions: SqlDefinitionStore;
  readonly evidence: SqlCapabilityStore;
  readonly notices: SqlWebhookStore;
  readonly owners: SqlOwnerStore;
  readonly audit: SqlAuditStore;
  readonly toolStatistics: SqlToolStatistics;
  readonly #database: Database;
  readonly #sweeper: RetentionJob;
  readonly #runSeals: RunSeals;
  readonly #unchecked: string | undefined;

  private constructor(
    database: Database,
    { seals, unchecked }: OpenedSeals,
    { clock, retentionMax, keepMs, auditKeepMs }: SqliteStoreOptions,
  ) {
    this.#database = database;
    this.#unchecked = unchecked;
    this.#runSeals = new RunSeals(database, seals);
    const sealedServices = { database, clock, seals, runSeals: this.#runSeals };
    this.audit = new SqlAuditStore(database, clock, auditKeepMs);
    this.#sweeper = new RetentionJob(database, clock, { keepMs, retentionMax, audit: this.audit });
    this.sessions = new SqlSessionStore(database, clock, retentionMax.messages);
    this.runs = new SqlRunStore({ ...sealedServices, mostEvents: retentionMax.events });
    this.interrupts = new SqlInterruptStore(sealedServices);
    this.memories = new SqlMemoryStore(database, clock, retentionMax.memories);
    this.vectors = new SqlVectorStore(database, clock);
    this.definitions = new SqlDefinitionStore(database, seals);
    this.evidence = new SqlCapabilityStore(database, clock);
    this.notices = new SqlWebhookStore(database, clock);
    this.owners = new SqlOwnerStore(database, { audit: this.audit, seals });
    this.toolStatistics = new SqlToolStatistics(database, clock);
  }

  /** @throws PostelError `invalid_configuration` if the file cannot be used as a store, or its seal key is missing. */
  static async open(options: SqliteStoreOptions): Promise<SqliteStore> {
    const { file = IN_MEMORY, maxBytes, clock, vectors, health } = options;
    const database = new Database(await openSqlite({ file, maxBytes, clock, vectors }), clock, health);
    try {
      return new SqliteStore(database, await openSeals(database, { ...options, file }), options);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Checks the seals of all runs. @throws PostelError `store_…`. */
  checkSeals(): Promise<SealReport> {
    return checkSeals(this.#database, this.#runSeals, this.#unchecked);
  }

  /** Deletes expired and surplus records now instead of at the next interval. @throws PostelError `store_…`. */
  sweep(): Promise<void> {
    return this.#sweeper.sweep();
  }

  /** Writes pages with the transaction, even if nothing remains in them. */
  tryToWrite(): Promise<void> {
    return this.#database.write(async (tables) => {
      const key = "write-health";
      await tables
        .insertInto("evidence")
        .values({ key, refused: key, evidence: " ".repeat(TRIED_BYTES), at: 0 })
        .execute();
      await tables.deleteFrom("evidence").where("key", "=", key).execute();
    });
  }

  async close(): Promise<void> {
    await this.#sweeper.stop();
    await this.#database.close();
  }
}

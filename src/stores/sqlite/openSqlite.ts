// Opens a SQLite database in a file or in memory, prepares it for several processes, and migrates its tables.

import { closeSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type TransactionSettings,
} from "kysely";
import { Migrator } from "kysely/migration";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Clock } from "../../core/ports.ts";
import type { OpenDatabase } from "../sql/Database.ts";
import { MIGRATIONS } from "../sql/migrations.ts";
import { toBytes } from "../sql/nearestVectors.ts";
import type { Schema } from "../sql/schema.ts";
import { loadVectorExtension } from "./loadVectorExtension.ts";
import { toDriverError } from "./sqliteErrors.ts";

export const IN_MEMORY = ":memory:";

export interface SqliteOptions {
  /** Absolute path, or `:memory:`. The file is created if it does not exist; its folder is not. */
  readonly file: string;
  /** Maximum size of the database, above which writes fail. */
  readonly maxBytes: number;
  /** True if vectors are compared in this database; requires the package `sqlite-vec`. */
  readonly vectors?: boolean | undefined;
  /**
   * True: no other connection may have the file open, and none can open it until this one is closed. SQLite locks the file for that; the
   * operating system releases the lock of a process that is killed.
   */
  readonly exclusive?: boolean | undefined;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

/** SQLite's own wait for a lock, which blocks this process. The caller implements longer waits. Milliseconds. */
const BUSY_MS = 0;
/** Longest wait for other processes that open the same file at the same moment. Milliseconds. */
const OPEN_WAIT_MS = 5_000;
/**
 * Longest wait for exclusive access: long enough for a command that reads the file, too short for a gateway that has it open.
 * Milliseconds.
 */
const EXCLUSIVE_WAIT_MS = 1_000;
const LOOK_MS = 10;
/**
 * Cache size for vector searches, each of which reads a complete collection: 10,000 vectors of 384 numbers fit, which saves a
 * third of the time.
 */
const VECTOR_CACHE_KIB = 32_768;
/** The write-ahead log is truncated to this size after a checkpoint. Bytes. */
const LOG_BYTES = 4_194_304;

/**
 * @throws PostelError `invalid_configuration` if the file cannot be used as a store, with advice; `invalid_request` if
 * exclusive access was requested and another process has it open.
 */
export async function openSqlite(options: SqliteOptions): Promise<OpenDatabase> {
  const waitMs = options.exclusive ? EXCLUSIVE_WAIT_MS : OPEN_WAIT_MS;
  const deadline = options.clock.monotonic() + waitMs;
  for (;;) {
    try {
      return await openOnce(options);
    } catch (error) {
      if (error instanceof PostelError) throw error;
      const fault = toDriverError(error, options.file);
      if (fault === undefined) throw error;
      if (fault !== "busy") throw createOpenError(options.file, fault.message, error);
      if (options.clock.monotonic() >= deadline) {
        if (options.exclusive) throw createInUseError(options.file, error);
        throw createOpenError(options.file, `Another process has locked it for ${waitMs / 1_000} seconds.`, error);
      }
      await options.clock.sleep(LOOK_MS, new AbortController().signal);
    }
  }
}

async function openOnce({ file, maxBytes, vectors = false, exclusive = false }: SqliteOptions): Promise<OpenDatabase> {
  makePrivately(file);
  const raw = new DatabaseSync(file, { timeout: BUSY_MS, allowExtension: vectors });
  try {
    if (vectors) await loadVectorExtension(raw);
    // Must precede the first read, which takes the lock.
    if (exclusive) raw.exec("pragma locking_mode = exclusive");
    prepare(raw, maxBytes);
    if (vectors) raw.exec(`pragma cache_size = -${VECTOR_CACHE_KIB}`);
    const tables = new Kysely<Schema>({ dialect: createDialect(raw) });
    await migrate(tables, file);
    return {
      tables,
      getDriverError: (error) => toDriverError(error, file),
      setThrough: async (connection, through) => {
        await connection.executeQuery(CompiledQuery.raw(`pragma synchronous = ${through ? "full" : "normal"}`));
      },
      ...(vectors && { distance }),
      close: async () => closeSqlite(raw),
    };
  } catch (error) {
    raw.close();
    throw error;
  }
}

function distance(column: string, to: Float32Array) {
  return sql<number>`vec_distance_cosine(${sql.ref(column)}, ${toBytes(to)})`;
}

/** The checkpoint also removes erased data from the log, unless another process reads it at this moment. */
function closeSqlite(raw: DatabaseSync): void {
  try {
    raw.exec("pragma wal_checkpoint(truncate)");
  } catch {
    // The disk is full; the log is written back at the next open.
  }
  raw.close();
}

/** The data is private to its owner: other users of the machine can read neither the file nor SQLite's side files. */
function makePrivately(file: string): void {
  if (file === IN_MEMORY) return;
  try {
    closeSync(openSync(file, "a", 0o600));
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw createOpenError(file, "Its folder is not there.", error, "Make the folder");
    throw createOpenError(
      file,
      `It cannot be written (${code || message}).`,
      error,
      "Give this user the right to write it and its folder",
    );
  }
}

function prepare(raw: DatabaseSync, maxBytes: number): void {
  raw.exec("pragma journal_mode = wal");
  raw.exec("pragma synchronous = normal");
  // Deleted data is overwritten, and not only removed from the index.
  raw.exec("pragma secure_delete = on");
  raw.exec(`pragma journal_size_limit = ${LOG_BYTES}`);
  const { page_size } = raw.prepare("pragma page_size").get() as { page_size: number };
  raw.exec(`pragma max_page_count = ${Math.max(1, Math.floor(maxBytes / page_size))}`);
}

/** All steps run in one transaction: of two processes that start at once, the second finds the tables of the first. */
async function migrate(tables: Kysely<Schema>, file: string): Promise<void> {
  await tables.transaction().execute(async (transaction) => {
    const known = await transaction.introspection.getTables({ withInternalKyselyTables: true });
    if (known.length > 0 && !known.some(({ name }) => name === "kysely_migration")) {
      throw createOpenError(file, "It is the database of another program.");
    }
    const migrator = new Migrator({ db: transaction, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    if (error instanceof Error && error.message.startsWith("corrupted migrations")) {
      throw createOpenError(
        file,
        "A newer version of Postel has written it; use that version, or another file.",
        error,
      );
    }
    throw error;
  });
}

function createOpenError(file: string, reason: string, cause?: unknown, remedy = "Mend it"): PostelError {
  const storeName = file === IN_MEMORY ? "The store in memory" : `The store ${file}`;
  const advice = `${remedy}, or name another file in \`store:\` of postel.yaml.`;
  return new PostelError(createFailure("invalid_configuration", `${storeName} cannot be opened. ${reason} ${advice}`), {
    cause,
  });
}

function createInUseError(file: string, cause: unknown): PostelError {
  const message = `Another process has the store ${file} open. Nothing was changed. Stop every gateway and every command that uses this file (\`fuser ${file}\` shows their process ids), and try again.`;
  return new PostelError(createFailure("invalid_request", message), { cause });
}

function createDialect(raw: DatabaseSync): Dialect {
  return {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => new ImmediateDriver(raw),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** SQLite includes data definitions in transactions. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** A write transaction takes the lock at its start: taken later, it could be refused with work half done. */
class ImmediateDriver extends SqliteDriver {
  readonly #raw: DatabaseSync;

  constructor(raw: DatabaseSync) {
    super({ database: createStatements(raw) });
    this.#raw = raw;
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = settings?.accessMode === "read only" ? "begin" : "begin immediate";
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /** A full or broken disk ends the transaction by itself; the original error is the relevant one. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#raw.isTransaction) await connection.executeQuery(CompiledQuery.raw("rollback"));
  }
}

function createStatements(raw: DatabaseSync): SqliteDatabase {
  return {
    close: () => raw.close(),
    prepare: (sql) => {
      const statement = raw.prepare(sql);
      const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...values(parameters)),
        run: (parameters) => statement.run(...values(parameters)),
        iterate: (parameters) => statement.iterate(...values(parameters)),
      };
    },
  };
}

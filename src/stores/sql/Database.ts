// Access to one database: serializes the writes of this process, and waits for locks of others without blocking.
import type { ControlledTransaction, Kysely, RawBuilder, Transaction } from "kysely";
import { createFailure, type Failure, PostelError } from "../../core/failures.ts";
import type { Clock } from "../../core/ports.ts";
import type { WriteHealth } from "../../core/WriteHealth.ts";
import type { Schema } from "./schema.ts";

/**
 * A driver's classification of an error: busy (may be retried), or failed for good. Undefined for errors that are not the
 * driver's.
 */
export type DriverError = "busy" | Failure;

/** A database that is open, its tables as this version has them. */
export interface OpenDatabase {
  readonly tables: Kysely<Schema>;
  getDriverError(error: unknown): DriverError | undefined;
  /** Selects if every further commit is on the disk when it returns. Not allowed within a transaction. */
  setThrough(tables: Kysely<Schema>, through: boolean): Promise<void>;
  /** Cosine distance of the vectors in a column to this one; absent if the database was opened without vectors. */
  readonly distance?: ((column: string, to: Float32Array) => RawBuilder<number>) | undefined;
  close(): Promise<void>;
}

/** The tables, inside of a transaction or out of one. */
export type Tables = Kysely<Schema> | Transaction<Schema> | ControlledTransaction<Schema>;

/** Longest wait for a lock of another process. Milliseconds. */
const LOCK_WAIT_MS = 5_000;
/** Milliseconds between two attempts to get the lock, doubled each time. */
const FIRST_LOOK_MS = 1;
const LAST_LOOK_MS = 32;

export class Database {
  readonly #open: OpenDatabase;
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  readonly #health: Pick<WriteHealth, "recordResult"> | undefined;
  readonly #closing = new AbortController();
  /** The latest write; the next one starts after it, so that only one write per process waits for the lock. */
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(
    open: OpenDatabase,
    clock: Pick<Clock, "monotonic" | "sleep">,
    health?: Pick<WriteHealth, "recordResult">,
  ) {
    this.#open = open;
    this.#clock = clock;
    this.#health = health;
  }

  /** Reads once, or several times without a common snapshot. @throws PostelError `store_…`. */
  read<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#untilFree(this.#deadline(), ({ tables }) => work(tables));
  }

  /** Reads several times in one snapshot. @throws PostelError `store_…`. */
  readTogether<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#untilFree(this.#deadline(), ({ tables }) =>
      tables.transaction().setAccessMode("read only").execute(work),
    );
  }

  /**
   * Runs a transaction. Its changes survive the end of this process, and after a while a power failure. @throws PostelError
   * `store_…`.
   */
  write<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#runInQueue(({ tables }) => tables.transaction().execute(work));
  }

  /** Same as `write`, and on the disk before it resolves. @throws PostelError `store_…`. */
  writeThrough<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#runInQueue(({ tables, setThrough }) =>
      tables.connection().execute(async (connection) => {
        await setThrough(connection, true);
        try {
          return await connection.transaction().execute(work);
        } finally {
          await setThrough(connection, false);
        }
      }),
    );
  }

  /**
   * SQL expression for the distance of the vectors in a column to this one. @throws PostelError `invalid_configuration` if
   * vectors cannot be compared here.
   */
  distance(column: string, to: Float32Array): RawBuilder<number> {
    const { distance } = this.#open;
    if (distance) return distance(column, to);
    const message = "This store was opened without vectors: no `vector-store` component is configured.";
    throw new PostelError(createFailure("invalid_configuration", message));
  }

  /** Pending writes are finished first. Closing again has no effect. */
  async close(): Promise<void> {
    await this.#lastWrite;
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(createClosedError());
    await this.#open.close();
  }

  #runInQueue<T>(attempt: (database: OpenDatabase) => Promise<T>): Promise<T> {
    const deadline = this.#deadline();
    const recordFailure = ({ code }: Failure): void => this.#health?.recordResult("store", code);
    const done = this.#lastWrite.then(() => this.#untilFree(deadline, attempt, recordFailure));
    this.#lastWrite = done.then(
      () => this.#health?.recordResult("store"),
      () => undefined,
    );
    return done;
  }

  /**
   * Repeats the complete attempt while another process holds the lock; other work can run in between. @param onFault receives
   * a failure of the database itself, not one of the request.
   */
  async #untilFree<T>(
    deadline: number,
    attempt: (database: OpenDatabase) => Promise<T>,
    onFault: (fault: Failure) => void = () => {},
  ): Promise<T> {
    for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(2 * waitMs, LAST_LOOK_MS)) {
      if (this.#closing.signal.aborted) throw createClosedError();
      try {
        return await attempt(this.#open);
      } catch (error) {
        const fault = error instanceof PostelError ? undefined : this.#open.getDriverError(error);
        if (fault === undefined) throw error;
        if (fault === "busy" && this.#clock.monotonic() < deadline) {
          await this.#clock.sleep(waitMs, this.#closing.signal);
          continue;
        }
        const last = fault === "busy" ? locked() : fault;
        onFault(last);
        throw new PostelError(last, { cause: error });
      }
    }
  }

  #deadline(): number {
    return this.#clock.monotonic() + LOCK_WAIT_MS;
  }
}

function locked(): Failure {
  const message = `The store was locked by another process for ${LOCK_WAIT_MS / 1_000} seconds; nothing was written. Try again.`;
  return createFailure("store_unavailable", message, { retryAfterMs: LOCK_WAIT_MS });
}

function createClosedError(): PostelError {
  return new PostelError(createFailure("store_unavailable", "The store is closed: the gateway is shutting down."));
}

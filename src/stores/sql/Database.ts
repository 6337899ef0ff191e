// One database as its tables are asked: written to by one at a time, a lock waited for outside of it. Knows no table and no driver.
import type { ControlledTransaction, Kysely, RawBuilder, Transaction } from "kysely";
import { createFailure, type Failure, PostelError } from "../../core/failures.ts";
import type { Clock } from "../../core/ports.ts";
import type { WriteHealth } from "../../core/WriteHealth.ts";
import type { Schema } from "./schema.ts";

/** What a driver says of an error of its own: it is busy and may be asked again, or it failed for good. Undefined: it is none of its. */
export type DriverError = "busy" | Failure;

/** A database that is open, its tables as this version has them. */
export interface OpenDatabase {
  readonly tables: Kysely<Schema>;
  faultOf(error: unknown): DriverError | undefined;
  /** Every commit from now on is on the disk when it returns, or only where that costs nothing. Between transactions alone. */
  setThrough(tables: Kysely<Schema>, through: boolean): Promise<void>;
  /** Cosine distance of the vectors in a column to this one; absent where the database was opened without vectors. */
  readonly distance?: ((column: string, to: Float32Array) => RawBuilder<number>) | undefined;
  close(): Promise<void>;
}

/** The tables, inside of a transaction or out of one. */
export type Tables = Kysely<Schema> | Transaction<Schema> | ControlledTransaction<Schema>;

/** For a lock that another process holds. Milliseconds. */
const LOCK_WAIT_MS = 5_000;
/** Between two looks whether it is free, doubled each time. Milliseconds. */
const FIRST_LOOK_MS = 1;
const LAST_LOOK_MS = 32;

export class Database {
  readonly #open: OpenDatabase;
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  readonly #health: Pick<WriteHealth, "note"> | undefined;
  readonly #closing = new AbortController();
  /** The write that was asked for last: the next one begins when it is over, so that only one of a process looks for the lock. */
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(open: OpenDatabase, clock: Pick<Clock, "monotonic" | "sleep">, health?: Pick<WriteHealth, "note">) {
    this.#open = open;
    this.#clock = clock;
    this.#health = health;
  }

  /** One look, or several that need not fit together. @throws PostelError `store_…`. */
  read<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#untilFree(this.#deadline(), ({ tables }) => work(tables));
  }

  /** Several looks at one moment of the database. @throws PostelError `store_…`. */
  readTogether<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#untilFree(this.#deadline(), ({ tables }) =>
      tables.transaction().setAccessMode("read only").execute(work),
    );
  }

  /** All of it or nothing. It outlives this process, and where the machine loses its power too, after a while. @throws PostelError `store_…`. */
  write<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#inLine(({ tables }) => tables.transaction().execute(work));
  }

  /** As `write`, and on the disk before it resolves. @throws PostelError `store_…`. */
  writeThrough<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#inLine(({ tables, setThrough }) =>
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

  /** For a statement: how far the vectors in a column are from this one. @throws PostelError `invalid_configuration` where vectors cannot be compared here. */
  distance(column: string, to: Float32Array): RawBuilder<number> {
    const { distance } = this.#open;
    if (distance) return distance(column, to);
    const message = "This store was opened without vectors: no `vector-store` component is configured.";
    throw new PostelError(createFailure("invalid_configuration", message));
  }

  /** What was asked for before is done first. Closing once more does nothing. */
  async close(): Promise<void> {
    await this.#lastWrite;
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(closed());
    await this.#open.close();
  }

  #inLine<T>(attempt: (database: OpenDatabase) => Promise<T>): Promise<T> {
    const deadline = this.#deadline();
    const note = ({ code }: Failure): void => this.#health?.note("store", code);
    const done = this.#lastWrite.then(() => this.#untilFree(deadline, attempt, note));
    this.#lastWrite = done.then(
      () => this.#health?.note("store"),
      () => undefined,
    );
    return done;
  }

  /**
   * The whole attempt anew, for as long as another process holds the lock; timers and other requests have their turn meanwhile.
   * @param onFault told of a failure that is the database's own, not of what was asked of it.
   */
  async #untilFree<T>(
    deadline: number,
    attempt: (database: OpenDatabase) => Promise<T>,
    onFault: (fault: Failure) => void = () => {},
  ): Promise<T> {
    for (let wait = FIRST_LOOK_MS; ; wait = Math.min(2 * wait, LAST_LOOK_MS)) {
      if (this.#closing.signal.aborted) throw closed();
      try {
        return await attempt(this.#open);
      } catch (error) {
        const fault = error instanceof PostelError ? undefined : this.#open.faultOf(error);
        if (fault === undefined) throw error;
        if (fault === "busy" && this.#clock.monotonic() < deadline) {
          await this.#clock.sleep(wait, this.#closing.signal);
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

function closed(): PostelError {
  return new PostelError(createFailure("store_unavailable", "The store is closed: the gateway is shutting down."));
}

// Stores runs: their records, states, begun calls and events. Only the process that holds the lease of a run writes to it.
import type { RunEvent } from "../../core/events/events.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Clock } from "../../core/ports.ts";
import type { RunState, ToolResult } from "../../core/runs/RunState.ts";
import type {
  EventBatch,
  Feedback,
  JournaledCall,
  NumberedEvent,
  OwnerKey,
  RunChange,
  RunRecord,
  RunStatus,
  RunStore,
  SavedRun,
  StoredLease,
} from "../../core/stores.ts";
import type { RunSeals } from "../seals/RunSeals.ts";
import { checkInterrupts, getCallPlace, getStatePlace, readResult, readState } from "../seals/runRecords.ts";
import type { Seals } from "../seals/Seals.ts";
import { createDamagedError, encodeChecked, filterReadable, isDamagedError, unsealIfAny } from "./checksummedJson.ts";
import type { Database, Tables } from "./Database.ts";
import { addEvents } from "./eventRows.ts";
import { cancelOpen, isUnattended, openInterrupts } from "./interruptRows.ts";
import { migrateEvent, migrateOutcome } from "./legacyOutcomes.ts";
import { addNotices } from "./SqlWebhookStore.ts";
import type { RunRow } from "./schema.ts";

export interface SqlRunStoreOptions {
  readonly database: Database;
  readonly clock: Pick<Clock, "now">;
  /** Maximum events of one run: beyond it the oldest are deleted. */
  readonly mostEvents: number;
  readonly seals: Seals;
  readonly runSeals: RunSeals;
}

export class SqlRunStore implements RunStore {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #mostEvents: number;
  readonly #seals: Seals;
  readonly #runSeals: RunSeals;

  constructor({ database, clock, mostEvents, seals, runSeals }: SqlRunStoreOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#mostEvents = mostEvents;
    this.#seals = seals;
    this.#runSeals = runSeals;
  }

  create(
    run: Pick<RunRecord, "owner" | "id" | "agent" | "sessionId" | "background">,
    { holder, ms }: StoredLease,
  ): Promise<void> {
    const now = this.#clock.now();
    const { owner, id, agent, sessionId, background } = run;
    const row = { owner, id, agent, session: sessionId ?? null, background: Number(background), status: "running" };
    const seal = this.#runSeals.first(row);
    return this.#database.write(async (tables) => {
      const { numInsertedOrUpdatedRows } = await tables
        .insertInto("runs")
        .values({
          ...{ ...row, ...UNTOLD, seal },
          ...{ created_at: now, updated_at: now, holder, held_until: now + ms },
        })
        .onConflict((conflict) => conflict.columns(["owner", "id"]).doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n) throw createTakenError(id, "there is one already");
    });
  }

  get(key: OwnerKey): Promise<RunRecord | undefined> {
    return this.#database.read(async (tables) => {
      const row = await tables
        .selectFrom("runs")
        .selectAll()
        .where("owner", "=", key.owner)
        .where("id", "=", key.id)
        .executeTakeFirst();
      return row && record(row);
    });
  }

  list(
    owner: string,
    { limit, before, session, status }: Parameters<RunStore["list"]>[1],
  ): Promise<readonly RunRecord[]> {
    return this.#database.read(async (tables) => {
      let query = tables.selectFrom("runs").selectAll().where("owner", "=", owner);
      if (before !== undefined) query = query.where("created_at", "<", before);
      if (session !== undefined) query = query.where("session", "=", session);
      if (status !== undefined) query = query.where("status", "=", status);
      const rows = await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
      return filterReadable(rows, record);
    });
  }

  async load(key: OwnerKey): Promise<SavedRun | undefined> {
    try {
      return await this.look(key);
    } catch (error) {
      if (isDamagedError(error)) await this.#markStuck(key, error);
      throw error;
    }
  }

  async look(key: OwnerKey): Promise<SavedRun | undefined> {
    const found = await this.#database.readTogether(async (tables) => ({
      checked: await this.#checkRows(tables, key),
      saved: await tables
        .selectFrom("run_states")
        .select("state")
        .where("owner", "=", key.owner)
        .where("run", "=", key.id)
        .executeTakeFirst(),
      calls: await tables
        .selectFrom("run_calls")
        .select(["id", "result"])
        .where("owner", "=", key.owner)
        .where("run", "=", key.id)
        .orderBy("seq")
        .execute(),
    }));
    if (!found.saved) return undefined;
    return {
      state: readState(this.#seals, key, found.saved.state),
      calls: found.calls.map(({ id, result }) => ({
        callId: id,
        ...(result !== null && { result: readResult(this.#seals, key, { id, result }) }),
      })),
    };
  }

  /** The state and the results are verified when they are read. */
  async #checkRows(tables: Tables, key: OwnerKey): Promise<void> {
    await this.#runSeals.check(tables, key);
    if (this.#seals.checked) await checkInterrupts(tables, key, this.#seals);
  }

  claim(key: OwnerKey, { holder, ms }: StoredLease): Promise<boolean> {
    const now = this.#clock.now();
    return this.#database.write(async (tables) => {
      const { numUpdatedRows } = await tables
        .updateTable("runs")
        .set({ holder, held_until: now + ms })
        .where("owner", "=", key.owner)
        .where("id", "=", key.id)
        .where(({ eb, or }) => or([eb("holder", "is", null), eb("holder", "=", holder), eb("held_until", "<=", now)]))
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    });
  }

  renew(key: OwnerKey, { holder, ms }: StoredLease): Promise<boolean> {
    const heldUntil = this.#clock.now() + ms;
    return this.#database.write(async (tables) => {
      const { numUpdatedRows } = await update(tables, key, { held_until: heldUntil })
        .where("holder", "=", holder)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    });
  }

  release(key: OwnerKey, holder: string): Promise<void> {
    return this.#database.write(async (tables) => {
      await update(tables, key, { holder: null, held_until: 0 }).where("holder", "=", holder).execute();
    });
  }

  async change(key: OwnerKey, change: RunChange, holder: string): Promise<void> {
    const work = async (tables: Tables) => {
      await this.#write(tables, { key, holder }, change);
      if (change.state) await this.#saveState(tables, key, change.state);
      if (change.cancelsInterrupts) await cancelOpen(tables, key, this.#clock.now());
      if (change.opens) await openInterrupts(tables, key, { interrupts: change.opens, seals: this.#seals });
      if (change.notices) await addNotices(tables, key, { notices: change.notices, now: this.#clock.now() });
    };
    const ends = change.record?.status === "ended";
    if (!ends && !change.state && !change.cancelsInterrupts && !change.opens) return this.#database.write(work);
    try {
      // An interrupt must survive a crash of the machine, so that its answer can be matched.
      await this.#writeSealed(key, change.opens !== undefined, work);
    } catch (error) {
      if (!ends || !isDamagedError(error)) throw error;
      await this.#database.write(async (tables) => {
        await work(tables);
        // The run never continues, even if its records are restored.
        await update(tables, key, { seal: null }).execute();
      });
    }
  }

  beginCalls(key: OwnerKey, state: RunState, calls: readonly JournaledCall[], holder: string): Promise<void> {
    return this.#writeSealed(key, true, async (tables) => {
      await this.#write(tables, { key, holder }, {});
      await this.#saveState(tables, key, state, calls);
      const rows = calls.map(({ callId: id, result }, i) => ({
        ...{ owner: key.owner, run: key.id, id, seq: i + 1 },
        result: result ? this.#seals.seal(getCallPlace(key, id), result) : null,
      }));
      if (rows.length === 0) return;
      await tables
        .insertInto("run_calls")
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(["owner", "run", "id"]).doUpdateSet(({ ref, fn }) => ({
            seq: ref("excluded.seq"),
            // A task of this turn may have its result already.
            result: fn.coalesce("excluded.result", "run_calls.result"),
          })),
        )
        .execute();
    });
  }

  settleCall(key: OwnerKey, result: ToolResult, holder: string): Promise<void> {
    return this.#writeSealed(key, false, async (tables) => {
      await this.#write(tables, { key, holder }, {});
      await tables
        .updateTable("run_calls")
        .set({ result: this.#seals.seal(getCallPlace(key, result.callId), result) })
        .where("owner", "=", key.owner)
        .where("run", "=", key.id)
        .where("id", "=", result.callId)
        .execute();
    });
  }

  appendEvents(key: OwnerKey, batch: EventBatch, holder: string): Promise<void> {
    return this.#database.write((tables) => this.#write(tables, { key, holder }, { events: batch }));
  }

  events(key: OwnerKey, after: number, limit: number): Promise<readonly NumberedEvent[]> {
    return this.#database.read(async (tables) => {
      const rows = await tables
        .selectFrom("run_events")
        .select(["seq", "event"])
        .where("owner", "=", key.owner)
        .where("run", "=", key.id)
        .where("seq", ">", after)
        .orderBy("seq")
        .limit(limit)
        .execute();
      return rows.map(({ seq, event }) => ({ seq, event: toRunEvent(event, seq, key) }));
    });
  }

  setFeedback(key: OwnerKey, feedback: Feedback): Promise<boolean> {
    return this.#database.write(async (tables) => {
      const done = await update(tables, key, { feedback: encodeChecked(feedback) }).executeTakeFirstOrThrow();
      return done.numUpdatedRows > 0n;
    });
  }

  abandoned(limit: number): Promise<readonly OwnerKey[]> {
    const now = this.#clock.now();
    return this.#database.read((tables) =>
      tables
        .selectFrom("runs")
        .select(["owner", "id"])
        // Uses the index, which skips ended runs.
        .where("status", "in", ["running", "waiting"])
        .where("held_until", "<=", now)
        .where((eb) =>
          eb.or([
            eb("status", "=", "running"),
            eb.and([eb("status", "=", "waiting"), eb("background", "=", 1), isUnattended(eb, now)]),
          ]),
        )
        .orderBy("updated_at")
        .limit(limit)
        .execute(),
    );
  }

  askCancel(key: OwnerKey): Promise<boolean> {
    return this.#database.write(async (tables) => {
      const done = await update(tables, key, { cancel_asked: 1 })
        .where("status", "in", ["running", "waiting"])
        .executeTakeFirstOrThrow();
      return done.numUpdatedRows > 0n;
    });
  }

  cancelAsked(key: OwnerKey): Promise<boolean> {
    return this.#database.read(async (tables) => {
      const row = await tables
        .selectFrom("runs")
        .select("cancel_asked")
        .where("owner", "=", key.owner)
        .where("id", "=", key.id)
        .executeTakeFirst();
      return row?.cancel_asked === 1;
    });
  }

  /**
   * Checks the lease and writes the change in one statement: a process that lost the run writes nothing. @throws PostelError
   * `run_taken`.
   */
  async #write(
    tables: Tables,
    { key, holder }: { readonly key: OwnerKey; readonly holder: string },
    { record, events }: Pick<RunChange, "record" | "events">,
  ): Promise<void> {
    const now = this.#clock.now();
    const last = events && { events: events.from + events.events.length - 1 };
    const done = await update(tables, key, { ...(record && columns(record)), ...last, updated_at: now })
      .where("holder", "=", holder)
      .executeTakeFirstOrThrow();
    if (done.numUpdatedRows === 0n) throw createTakenError(key.id, "another process goes on with it, or it is gone");
    if (events) await addEvents(tables, key, { batch: events, now, limit: this.#mostEvents });
  }

  /** Stores the state. It replaces the calls that began before it, except tasks that still run and the calls in `calls`. */
  async #saveState(
    tables: Tables,
    key: OwnerKey,
    state: RunState,
    calls: readonly JournaledCall[] = [],
  ): Promise<void> {
    const { owner, id } = key;
    const sealed = this.#seals.seal(getStatePlace(key), state);
    await tables
      .insertInto("run_states")
      .values({ owner, run: id, state: sealed })
      .onConflict((conflict) => conflict.columns(["owner", "run"]).doUpdateSet({ state: sealed }))
      .execute();
    const deleteStarted = tables.deleteFrom("run_calls").where("owner", "=", owner).where("run", "=", id);
    const taskCallIds = (state.tasks ?? []).flatMap(({ call, outcome }) => (outcome ? [] : [call.id]));
    const keptCallIds = [...taskCallIds, ...calls.map(({ callId }) => callId)];
    await (keptCallIds.length > 0 ? deleteStarted.where("id", "not in", keptCallIds) : deleteStarted).execute();
  }

  /** Changes the records that the run resumes from. A run whose records differ from the sealed ones is stopped. */
  async #writeSealed(key: OwnerKey, isSynced: boolean, work: (tables: Tables) => Promise<void>): Promise<void> {
    try {
      await this.#runSeals.change(key, isSynced, work);
    } catch (error) {
      if (isDamagedError(error)) await this.#markStuck(key, error);
      throw error;
    }
  }

  /** Stops a run whose state cannot be read; requests for it report the reason. */
  #markStuck(key: OwnerKey, { failure: reason }: PostelError): Promise<void> {
    return this.#database.write(async (tables) => {
      await update(tables, key, { status: "stuck", failure: encodeChecked(reason), updated_at: this.#clock.now() })
        .where("status", "in", ["running", "waiting"])
        .execute();
    });
  }
}

const UNTOLD = {
  ...{ outcome: null, run_limit: null, failure: null, feedback: null },
  ...{ cancel_asked: 0, events: 0, ended_at: null },
};

function update(tables: Tables, { owner, id }: OwnerKey, changes: Partial<RunRow>) {
  return tables.updateTable("runs").set(changes).where("owner", "=", owner).where("id", "=", id);
}

function columns(change: NonNullable<RunChange["record"]>): Partial<RunRow> {
  return {
    ...(change.status !== undefined && { status: change.status }),
    ...(change.outcome !== undefined && { outcome: change.outcome }),
    ...(change.failure !== undefined && { failure: encodeChecked(change.failure) }),
    ...(change.endedAt !== undefined && { ended_at: change.endedAt }),
  };
}

function record(row: RunRow): RunRecord {
  const recordName = `The record of run ${row.id}`;
  return {
    ...{ owner: row.owner, id: row.id, agent: row.agent },
    ...(row.session !== null && { sessionId: row.session }),
    ...{ status: row.status as RunStatus, background: row.background === 1 },
    ...(row.outcome !== null && { outcome: migrateOutcome(row.outcome, row.run_limit) }),
    ...omitUndefined({
      failure: unsealIfAny<RunRecord["failure"]>(row.failure, recordName),
      feedback: unsealIfAny<Feedback>(row.feedback, recordName),
    }),
    events: row.events,
    ...{ createdAt: row.created_at, updatedAt: row.updated_at },
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
  };
}

/** The fields that are not undefined. */
function omitUndefined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Events are many and small and authorize nothing, so they have no digest. */
function toRunEvent(text: string, seq: number, { id }: OwnerKey): RunEvent {
  try {
    return migrateEvent(JSON.parse(text) as RunEvent);
  } catch {
    throw createDamagedError(`Event ${seq} of run ${id}`);
  }
}

function createTakenError(id: string, reason: string): PostelError {
  return new PostelError(createFailure("run_taken", `The run ${id} is not this caller's to write: ${reason}.`));
}

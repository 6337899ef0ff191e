// Stores runs, each change in one transaction. Only the process that holds the lease of a run writes to it.
import type { PostelError } from "../../../core/failures.ts";
import type { Clock } from "../../../core/ports.ts";
import type { RunState, ToolResult } from "../../../core/runs/RunState.ts";
import type { OwnerKey } from "../../../core/stores/OwnerKey.ts";
import type {
  EventBatch,
  Feedback,
  JournaledCall,
  NumberedEvent,
  RunChange,
  RunRecord,
  RunStore,
  SavedRun,
  StoredLease,
} from "../../../core/stores/RunStore.ts";
import type { RunSeals } from "../../seals/RunSeals.ts";
import { checkInterrupts } from "../../seals/runRecords.ts";
import type { Seals } from "../../seals/Seals.ts";
import { encodeChecked, isDamagedError } from "../checksummedJson.ts";
import type { Database, Tables } from "../Database.ts";
import { cancelOpen, openInterrupts } from "../interruptRows.ts";
import { addNotices } from "../SqlWebhookStore.ts";
import { addEvents, selectEvents } from "./eventRows.ts";
import {
  claimLease,
  isCancelRequested,
  listAbandonedRuns,
  releaseLease,
  renewLease,
  requestCancel,
} from "./leaseRows.ts";
import { createRunTakenError, findRun, insertRun, selectRuns, toRunColumns, updateRun } from "./runRows.ts";
import { readSavedRun, saveCalls, saveResult, saveState, selectSavedRun } from "./stateRows.ts";

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
    const columns = { ...row, seal: this.#runSeals.first(row), holder, held_until: now + ms };
    return this.#database.write((tables) => insertRun(tables, columns, now));
  }

  get(key: OwnerKey): Promise<RunRecord | undefined> {
    return this.#database.read((tables) => findRun(tables, key));
  }

  list(owner: string, page: Parameters<RunStore["list"]>[1]): Promise<readonly RunRecord[]> {
    return this.#database.read((tables) => selectRuns(tables, owner, page));
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
    const saved = await this.#database.readTogether(async (tables) => {
      await this.#checkRows(tables, key);
      return selectSavedRun(tables, key);
    });
    return saved && readSavedRun(this.#seals, key, saved);
  }

  /** The state and the results are verified when they are read. */
  async #checkRows(tables: Tables, key: OwnerKey): Promise<void> {
    await this.#runSeals.check(tables, key);
    if (this.#seals.checked) await checkInterrupts(tables, key, this.#seals);
  }

  claim(key: OwnerKey, lease: StoredLease): Promise<boolean> {
    const now = this.#clock.now();
    return this.#database.write((tables) => claimLease(tables, key, { ...lease, now }));
  }

  renew(key: OwnerKey, lease: StoredLease): Promise<boolean> {
    const now = this.#clock.now();
    return this.#database.write((tables) => renewLease(tables, key, { ...lease, now }));
  }

  release(key: OwnerKey, holder: string): Promise<void> {
    return this.#database.write((tables) => releaseLease(tables, key, holder));
  }

  async change(key: OwnerKey, change: RunChange, holder: string): Promise<void> {
    const work = async (tables: Tables) => {
      await this.#write(tables, { key, holder }, change);
      if (change.state) await saveState(tables, key, { state: change.state, seals: this.#seals });
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
        await updateRun(tables, key, { seal: null }).execute();
      });
    }
  }

  beginCalls(key: OwnerKey, state: RunState, calls: readonly JournaledCall[], holder: string): Promise<void> {
    return this.#writeSealed(key, true, async (tables) => {
      await this.#write(tables, { key, holder }, {});
      await saveState(tables, key, { state, calls, seals: this.#seals });
      await saveCalls(tables, key, { calls, seals: this.#seals });
    });
  }

  settleCall(key: OwnerKey, result: ToolResult, holder: string): Promise<void> {
    return this.#writeSealed(key, false, async (tables) => {
      await this.#write(tables, { key, holder }, {});
      await saveResult(tables, key, { result, seals: this.#seals });
    });
  }

  appendEvents(key: OwnerKey, batch: EventBatch, holder: string): Promise<void> {
    return this.#database.write((tables) => this.#write(tables, { key, holder }, { events: batch }));
  }

  events(key: OwnerKey, after: number, limit: number): Promise<readonly NumberedEvent[]> {
    return this.#database.read((tables) => selectEvents(tables, key, { after, limit }));
  }

  setFeedback(key: OwnerKey, feedback: Feedback): Promise<boolean> {
    return this.#database.write(async (tables) => {
      const done = await updateRun(tables, key, { feedback: encodeChecked(feedback) }).executeTakeFirstOrThrow();
      return done.numUpdatedRows > 0n;
    });
  }

  abandoned(limit: number): Promise<readonly OwnerKey[]> {
    const now = this.#clock.now();
    return this.#database.read((tables) => listAbandonedRuns(tables, limit, now));
  }

  askCancel(key: OwnerKey): Promise<boolean> {
    return this.#database.write((tables) => requestCancel(tables, key));
  }

  cancelAsked(key: OwnerKey): Promise<boolean> {
    return this.#database.read((tables) => isCancelRequested(tables, key));
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
    const done = await updateRun(tables, key, { ...(record && toRunColumns(record)), ...last, updated_at: now })
      .where("holder", "=", holder)
      .executeTakeFirstOrThrow();
    if (done.numUpdatedRows === 0n) throw createRunTakenError(key.id, "another process goes on with it, or it is gone");
    if (events) await addEvents(tables, key, { batch: events, now, limit: this.#mostEvents });
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
      await updateRun(tables, key, { status: "stuck", failure: encodeChecked(reason), updated_at: this.#clock.now() })
        .where("status", "in", ["running", "waiting"])
        .execute();
    });
  }
}

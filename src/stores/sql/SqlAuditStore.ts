// The audit chain in a table: one process at a time appends, and an owner's events can be erased.

import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import type { AuditEntry, AuditEvent, AuditHead, AuditMirror, AuditStore, SeqRange } from "../../core/audit/audit.ts";
import type { Clock } from "../../core/ports.ts";
import { chainEvents, NOBODY } from "../audit/hashChain.ts";
import type { Database, Tables } from "./Database.ts";
import { SLICE } from "./pages.ts";
import type { AuditRow } from "./schema.ts";

export class SqlAuditStore implements AuditStore {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #keepMs: number;
  /** Number of the last entry that a cut entry of this process covers. */
  #cutThrough = 0;

  /** @param keepMs milliseconds for which entries are stored */
  constructor(database: Database, clock: Pick<Clock, "now">, keepMs = Number.POSITIVE_INFINITY) {
    this.#database = database;
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  append(events: readonly AuditEvent[], isSynced = true): Promise<void> {
    const work = (tables: Tables) => this.add(tables, events);
    return isSynced ? this.#database.writeThrough(work) : this.#database.write(work);
  }

  head(): Promise<AuditHead | undefined> {
    return this.#database.read(selectHead);
  }

  entries(after: number, limit: number): Promise<readonly AuditEntry[]> {
    return this.#database.read((tables) => selectEntriesAfter(tables, after, limit));
  }

  copy(to: string, work: (copy: AuditMirror) => Promise<number>): Promise<void> {
    return this.#database.write(async (tables) => {
      const marked = await tables.selectFrom("audit_copies").select("seq").where("copy", "=", to).executeTakeFirst();
      const head = (await selectHead(tables))?.seq ?? 0;
      const entriesAfter = (seq: number) => selectEntriesAfter(tables, seq, SLICE);
      const seq = await work({ copiedSeq: marked?.seq, head, readNext: entriesAfter });
      if (seq === marked?.seq) return;
      await tables
        .insertInto("audit_copies")
        .values({ copy: to, seq })
        .onConflict((conflict) => conflict.columns(["copy"]).doUpdateSet({ seq }))
        .execute();
    });
  }

  /**
   * Erases the events of an owner; the entries remain. Each slice adds an entry that records the erasure. Resolves with the
   * number of erased events.
   */
  async erase(owner: string): Promise<number> {
    if (owner === NOBODY) return 0;
    for (let deletedCount = 0; ; ) {
      const erasedCount = await this.#database.write((tables) => this.#eraseSlice(tables, owner));
      deletedCount += erasedCount;
      if (erasedCount < SLICE) return deletedCount;
      await yieldToEventLoop();
    }
  }

  /**
   * If the chain begins with expired entries, adds an entry that records up to which one they are cut; `dropCut` then deletes
   * them.
   */
  async cut(): Promise<void> {
    const before = this.#clock.now() - this.#keepMs;
    const last = await this.#findLastBefore(before);
    if (last) {
      const event: AuditEvent = { type: "cut", through: last.seq, hash: last.hash, before };
      await this.#database.writeThrough((tables) => this.add(tables, [event]));
      this.#cutThrough = last.seq;
    }
  }

  /** Deletes a slice of the entries that a cut covers, the oldest first. Returns true if there may be more. */
  async dropCut(): Promise<boolean> {
    const [first] = await this.entries(0, 1);
    if (!first || first.seq > this.#cutThrough) return false;
    const lastSeq = Math.min(this.#cutThrough, first.seq + SLICE - 1);
    await this.#database.write((tables) => tables.deleteFrom("audit_entries").where("seq", "<=", lastSeq).execute());
    return true;
  }

  /** The last of the first consecutive entries that are older than this time; undefined if there is none. */
  async #findLastBefore(before: number): Promise<AuditHead | undefined> {
    let last: AuditHead | undefined;
    for (;;) {
      const slice = await this.#database.read((tables) => selectHeadsAfter(tables, last?.seq ?? 0));
      const firstKept = slice.findIndex(({ at }) => at >= before);
      last = slice.slice(0, firstKept === -1 ? SLICE : firstKept).at(-1) ?? last;
      if (firstKept !== -1 || slice.length < SLICE) return last;
      await yieldToEventLoop();
    }
  }

  async #eraseSlice(tables: Tables, owner: string): Promise<number> {
    const rows = await tables
      .selectFrom("audit_entries")
      .select("seq")
      .where("owner", "=", owner)
      .orderBy("seq")
      .limit(SLICE)
      .execute();
    if (rows.length === 0) return 0;
    const seqs = rows.map(({ seq }) => seq);
    await tables
      .updateTable("audit_entries")
      .set({ owner: NOBODY, salt: null, event: null })
      .where("seq", "in", seqs)
      .execute();
    await this.add(tables, [{ type: "erased", owner, entries: seqs.length, seqs: toRanges(seqs) }]);
    return seqs.length;
  }

  /** Same as `append`, within a transaction of the caller. */
  async add(tables: Tables, events: readonly AuditEvent[]): Promise<void> {
    const entries = chainEvents(events, { head: await selectHead(tables), at: this.#clock.now() });
    for (let i = 0; i < entries.length; i += SLICE) {
      await tables
        .insertInto("audit_entries")
        .values(entries.slice(i, i + SLICE))
        .execute();
    }
  }
}

async function selectEntriesAfter(tables: Tables, after: number, limit: number): Promise<readonly AuditEntry[]> {
  const rows = await tables
    .selectFrom("audit_entries")
    .selectAll()
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(limit)
    .execute();
  return rows.map(toAuditEntry);
}

function selectHeadsAfter(tables: Tables, after: number): Promise<readonly AuditHead[]> {
  return tables
    .selectFrom("audit_entries")
    .select(["seq", "hash", "at"])
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(SLICE)
    .execute();
}

function selectHead(tables: Tables): Promise<AuditHead | undefined> {
  return tables
    .selectFrom("audit_entries")
    .select(["seq", "hash", "at"])
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
}

function toAuditEntry({ salt, event, ...rest }: AuditRow): AuditEntry {
  return { ...rest, ...(salt !== null && { salt }), ...(event !== null && { event }) };
}

/** Ranges of consecutive numbers. */
function toRanges(seqs: readonly number[]): readonly SeqRange[] {
  const ranges: [number, number][] = [];
  for (const seq of seqs) {
    const last = ranges.at(-1);
    if (last?.[1] === seq - 1) last[1] = seq;
    else ranges.push([seq, seq]);
  }
  return ranges;
}

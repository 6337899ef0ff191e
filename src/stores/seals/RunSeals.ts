// One seal over everything a run resumes from: its state, begun calls, interrupts and decisions. A missing, added or older
// record breaks the seal.
import { sql } from "kysely";
import { type OwnerKey, runKey } from "../../core/stores/OwnerKey.ts";
import { createUnsealedError } from "../sql/checksummedJson.ts";
import type { Database, Tables } from "../sql/Database.ts";
import type { RunRow } from "../sql/schema.ts";
import { nameDamagedRow } from "./runRecords.ts";
import { SEAL_CHARS, type SealPlace, type Seals } from "./Seals.ts";

/** The columns of a run that decide how it continues. */
type SealedRun = Pick<RunRow, "owner" | "id" | "agent" | "session" | "background" | "status">;

/** A record that belongs to a run, with its own seal. */
interface RunPart {
  readonly kind: string;
  readonly id: string;
  readonly seq: number;
  /** Expiry of an interrupt in epoch milliseconds; 0 for other kinds. */
  readonly expires: number;
  readonly status: string;
  readonly first: string;
  readonly second: string;
}

/** Maximum number of runs whose last version this process remembers; the least recently changed are dropped. */
const MOST_REMEMBERED = 10_000;
const SEAL = /^(\d{1,15}):([0-9a-f]{64})$/;

export class RunSeals {
  readonly #database: Database;
  readonly #seals: Seals;
  /** Last version that this process wrote, by run: a lower version means that an old record was restored. */
  readonly #seenVersions = new Map<string, number>();

  constructor(database: Database, seals: Seals) {
    this.#database = database;
    this.#seals = seals;
  }

  /** Seal of a new run that has no records yet. */
  first(run: SealedRun): string {
    return computeSeal(run, [], { seals: this.#seals, version: 1 });
  }

  /**
   * Checks the seal, changes the run's records and seals them again, in one transaction. @param isSynced true: on the disk
   * before it resolves @throws PostelError `store_damaged` if the records differ from the sealed ones; nothing is changed
   * then.
   */
  async change<T>(key: OwnerKey, isSynced: boolean, work: (tables: Tables) => Promise<T>): Promise<T> {
    const sealing = async (tables: Tables) => {
      await this.check(tables, key);
      const value = await work(tables);
      return { value, version: await renewSeal(tables, key, this.#seals) };
    };
    const { value, version } = await (isSynced ? this.#database.writeThrough(sealing) : this.#database.write(sealing));
    if (version !== undefined) this.#rememberVersion(key, version);
    return value;
  }

  /**
   * Resolves if the run's records are those that were sealed last, or if there is no such run. @throws PostelError
   * `store_damaged`, with the record's name if a single record differs.
   */
  async check(tables: Tables, key: OwnerKey): Promise<void> {
    if (!this.#seals.checked) return;
    const rows = await sealedRows(tables, key);
    if (!rows) return;
    const { version, mac } = readSeal(rows.seal);
    const isRight =
      mac !== "" && this.#seals.isMac(mac, createSealPlace(rows.run, version), serializeParts(rows.parts));
    if (!isRight) await nameDamagedRow(tables, key, this.#seals);
    const isLast = version >= (this.#seenVersions.get(runKey(key)) ?? 0);
    if (!isRight || !isLast) throw createUnsealedError(`The journal of run ${key.id}`, key.id);
  }

  /**
   * Same as `check`, and also verifies the text of each record: the seal of a run covers only the seals of its records.
   * @throws PostelError `store_damaged`.
   */
  async checkTexts(tables: Tables, key: OwnerKey): Promise<void> {
    await this.check(tables, key);
    if (this.#seals.checked) await nameDamagedRow(tables, key, this.#seals);
  }

  #rememberVersion(key: OwnerKey, version: number): void {
    const name = runKey(key);
    this.#seenVersions.delete(name);
    this.#seenVersions.set(name, version);
    if (this.#seenVersions.size <= MOST_REMEMBERED) return;
    for (const oldest of this.#seenVersions.keys()) {
      this.#seenVersions.delete(oldest);
      return;
    }
  }
}

/** Seals the run's records in their present state. Resolves with the version of the seal; undefined if there is no such run. */
export async function renewSeal(tables: Tables, key: OwnerKey, seals: Seals): Promise<number | undefined> {
  const rows = await sealedRows(tables, key);
  if (!rows) return undefined;
  const version = readSeal(rows.seal).version + 1;
  const seal = computeSeal(rows.run, rows.parts, { seals, version });
  await tables.updateTable("runs").set({ seal }).where("owner", "=", key.owner).where("id", "=", key.id).execute();
  return version;
}

function computeSeal(
  run: SealedRun,
  parts: readonly RunPart[],
  { seals, version }: { readonly seals: Seals; readonly version: number },
): string {
  return `${version}:${seals.mac(createSealPlace(run, version), serializeParts(parts))}`;
}

/** Version 0 and no HMAC if the text is no seal. */
function readSeal(seal: string): { readonly version: number; readonly mac: string } {
  const [, version = "0", mac = ""] = SEAL.exec(seal) ?? [];
  return { version: Number(version), mac };
}

function createSealPlace({ owner, id, agent, session, background, status }: SealedRun, version: number): SealPlace {
  return ["runs", owner, id, version, agent, session ?? "", background, Number(status === "ended")];
}

/** Does not depend on the order in which the database returns the records. */
function serializeParts(parts: readonly RunPart[]): string {
  const rows = parts.map(({ kind, id, seq, expires, status, first, second }) =>
    JSON.stringify([kind, id, seq, expires, status, first, second]),
  );
  return rows.toSorted().join("\n");
}

interface SealedRows {
  readonly run: SealedRun;
  readonly seal: string;
  readonly parts: readonly RunPart[];
}

/** One statement, because each write of a run needs it: the run first, then the seals of all its records. */
async function sealedRows(tables: Tables, { owner, id }: OwnerKey): Promise<SealedRows | undefined> {
  const { rows } = await sql<RunPart>`
    select 'run' as kind, agent as id, background as seq, 0 as expires, status,
      coalesce(session, '') as first, coalesce(seal, '') as second
      from runs where owner = ${owner} and id = ${id}
    union all
    select 'state', '', 0, 0, '', substr(state, 1, ${SEAL_CHARS}), ''
      from run_states where owner = ${owner} and run = ${id}
    union all
    select 'call', id, seq, 0, '', coalesce(substr(result, 1, ${SEAL_CHARS}), ''), ''
      from run_calls where owner = ${owner} and run = ${id}
    union all
    select 'interrupt', id, seq, expires_at, status, substr(interrupt, 1, ${SEAL_CHARS}), coalesce(substr(decision, 1, ${SEAL_CHARS}), '')
      from interrupts where owner = ${owner} and run = ${id}
  `.execute(tables);
  const row = rows.find(({ kind }) => kind === "run");
  if (!row) return undefined;
  const run = { owner, id, agent: row.id, session: row.first, background: row.seq, status: row.status };
  return { run, seal: row.second, parts: rows.filter((part) => part !== row) };
}

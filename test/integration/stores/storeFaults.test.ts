// What becomes of a store whose file is locked, full, damaged, not to be written, older or newer: a typed failure each, and nothing lost.
import { hash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { RunState } from "../../../src/core/runs/RunState.ts";
import { SqliteStore, type SqliteStoreOptions } from "../../../src/stores/SqliteStore.ts";
import { STORE } from "../../support/defaults.ts";
import { killedUnderLoad } from "../../support/stores/killedUnderLoad.ts";
import { startStoreProcess } from "../../support/stores/startStoreProcess.ts";

const KEY = { owner: "ada", id: "one" };
const LEASE = { holder: "p1", ms: 30_000 };
/** For tests of rights where root would be kept from nothing. */
const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined;

let folder: string;
let file: string;
let stores: SqliteStore[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-faults-"));
  file = join(folder, "postel.db");
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true });
});

/** A clock whose time goes by as soon as somebody waits. */
function quickClock() {
  const clock = { ms: Date.now(), slept: 0 };
  return {
    now: () => clock.ms,
    monotonic: () => clock.ms,
    sleep: async (ms: number) => {
      clock.ms += ms;
      clock.slept += 1;
    },
    asked: clock,
  };
}

async function open(more: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
  const store = await SqliteStore.open({ ...STORE, file, clock: quickClock(), ...more });
  stores.push(store);
  return store;
}

const said = (content: string) => [{ role: "user", content }] as const;
const failed = (code: string, words: RegExp) => ({ failure: { code, message: expect.stringMatching(words) } });

describe("a store that another process has locked", () => {
  it("waits outside of SQLite, gives up after five seconds, and has written nothing", async () => {
    const clock = quickClock();
    const store = await open({ clock });
    await store.sessions.open(KEY, {});
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    const began = clock.now();
    const write = store.sessions.append(KEY, said("lost?"));
    await expect(write).rejects.toMatchObject(failed("store_unavailable", /locked by another process/));
    expect(clock.now() - began).toBeGreaterThanOrEqual(5_000);
    expect(clock.asked.slept).toBeGreaterThan(50);
    // Reads wait for no writer.
    expect(await store.sessions.messages(KEY)).toEqual([]);
    other.exec("rollback");
    other.close();
    await store.sessions.append(KEY, said("kept"));
    expect(await store.sessions.messages(KEY)).toEqual(said("kept"));
  });

  it("writes once the lock is free, in the order in which it was asked", async () => {
    const other = new DatabaseSync(file, { timeout: 0 });
    const clock = { ...quickClock(), sleep: async () => other.isTransaction && other.exec("rollback") } as never;
    const store = await open({ clock });
    await store.sessions.open(KEY, {});
    other.exec("begin immediate");
    await Promise.all([1, 2, 3].map((n) => store.sessions.append(KEY, said(`${n}`))));
    expect((await store.sessions.messages(KEY)).map(({ content }) => content)).toEqual(["1", "2", "3"]);
    other.close();
  });
});

describe("a store that is full", () => {
  it("refuses what goes beyond its bound, keeps all else, and takes more once there is room", async () => {
    const store = await open({ maxBytes: 400_000 });
    const written: string[] = [];
    const fill = async () => {
      for (let n = 0; ; n += 1) {
        const key = { owner: "ada", id: `${n}` };
        await store.sessions.open(key, {});
        await store.sessions.append(key, said("x".repeat(9_000)));
        written.push(key.id);
      }
    };
    await expect(fill()).rejects.toMatchObject(failed("store_full", /takes no more.*store\.max_bytes/));
    expect(written.length).toBeGreaterThan(5);
    for (const id of written) expect(await store.sessions.messages({ owner: "ada", id })).toHaveLength(1);
    await store.owners.erase("ada");
    await store.sessions.open(KEY, {});
    await store.sessions.append(KEY, said("x".repeat(9_000)));
  });

  it("refuses what the system lets it write no more, and has all that it acknowledged", async () => {
    const child = startStoreProcess([file, "fill", "p", "10000"], "ulimit -f 2000");
    const lines = await child.ended();
    expect(lines.at(-1)).toMatchObject({ code: "store_full" });
    const written = lines.flatMap(({ written: id }) => id ?? []);
    expect(written.length).toBeGreaterThan(5);
    const store = await open();
    expect(await numbersIn(store, "p")).toEqual(written);
  });
});

describe("a store whose bytes have changed", () => {
  it("is refused at the start where it is no database", async () => {
    writeFileSync(file, "no database at all, but long enough to look like one ".repeat(200));
    await expect(open()).rejects.toMatchObject(failed("invalid_configuration", /cannot be opened.*damaged/));
    expect(readFileSync(file, "utf8")).toContain("no database at all");
  });

  it("is refused at the start where it is another program's", async () => {
    const other = new DatabaseSync(file);
    other.exec("create table theirs (x text)");
    other.close();
    await expect(open()).rejects.toMatchObject(failed("invalid_configuration", /database of another program/));
  });

  it("says so of the table whose page is broken, and has the others", async () => {
    const store = await open();
    await store.sessions.open(KEY, {});
    await store.memories.put({ ...KEY, text: "kept" });
    await store.close();
    breakPage("sessions");
    const again = await open();
    await expect(again.sessions.get(KEY)).rejects.toMatchObject(failed("store_damaged", /damaged.*backup/));
    expect(await again.memories.list("ada", { limit: 9 })).toHaveLength(1);
  });

  it("says so of one run, which is stuck then, and goes on with the others", async () => {
    const store = await open();
    for (const id of ["one", "two"]) {
      await store.runs.create({ owner: "ada", id, agent: "clerk", background: true }, LEASE);
      await store.runs.beginCalls({ owner: "ada", id }, stateOf(id), [{ callId: "c1" }], "p1");
    }
    change("update run_states set state = replace(state, 'pay 1', 'pay 9') where run = 'one'");
    await expect(store.runs.load(KEY)).rejects.toMatchObject(failed("store_damaged", /state of run one is damaged/));
    expect(await store.runs.get(KEY)).toMatchObject({ status: "stuck", failure: { code: "store_damaged" } });
    expect(await store.runs.load({ owner: "ada", id: "two" })).toMatchObject({ state: stateOf("two") });
    const left = await store.runs.abandoned(9);
    expect(left).toEqual([]);
  });

  it.each([
    ["a byte of the text", "replace(decision, 'reject', 'retect')"],
    ["the digest", "replace(decision, substr(decision, 3, 64), substr(decision, 4, 64))"],
    ["the end", "substr(decision, 1, length(decision) - 1)"],
    ["everything", "''"],
  ])("takes no decision that it did not write: %s", async (_what, to) => {
    const store = await open();
    await store.runs.create({ ...KEY, agent: "clerk", background: false }, LEASE);
    const opens = [interruptOf("i1"), interruptOf("i2")];
    await store.runs.change(KEY, { opens }, "p1");
    for (const { id } of opens)
      await store.interrupts.decide({ owner: "ada", id }, { type: "reject", plan: "h" }, "boss");
    change(`update interrupts set decision = ${to} where id = 'i1'`);
    await expect(store.interrupts.get({ owner: "ada", id: "i1" })).rejects.toMatchObject(failed("store_damaged", /i1/));
    expect(await store.interrupts.get({ owner: "ada", id: "i2" })).toMatchObject({ status: "decided" });
  });

  it("says so of a number that it never wrote", async () => {
    const store = await open();
    await store.audit.append([{ type: "run-ended", owner: "ada", run: "one", outcome: "answered" }]);
    change("update audit_entries set at = 9223372036854775807");
    await expect(store.audit.entries(0, 9)).rejects.toMatchObject(failed("store_damaged", /too large/));
  });

  it("lists the others of a damaged record", async () => {
    const store = await open();
    for (const id of ["one", "two"]) {
      await store.runs.create({ owner: "ada", id, agent: "clerk", background: false }, LEASE);
      await store.runs.setFeedback({ owner: "ada", id }, { rating: 1 });
    }
    await store.runs.change(KEY, { opens: [interruptOf("i1"), interruptOf("i2")] }, "p1");
    change("update interrupts set interrupt = '' where id = 'i1'; update runs set feedback = '' where id = 'one'");
    expect((await store.interrupts.open("ada", 9)).map(({ id }) => id)).toEqual(["i2"]);
    expect((await store.runs.list("ada", { limit: 9 })).map(({ id }) => id)).toEqual(["two"]);
    await expect(store.runs.get(KEY)).rejects.toMatchObject(failed("store_damaged", /run one/));
    await expect(store.interrupts.ofRun(KEY)).rejects.toMatchObject(failed("store_damaged", /i1/));
  });

  it("leaves a state alone that a newer version has written", async () => {
    const store = await open();
    await store.runs.create({ ...KEY, agent: "clerk", background: false }, LEASE);
    await store.runs.change(KEY, { state: stateOf("one") }, "p1");
    const later = JSON.stringify({ ...stateOf("one"), later: "" });
    change(`update run_states set state = '2:${hash("sha256", `2:${later}`, "hex")}:${later}'`);
    await expect(store.runs.load(KEY)).rejects.toMatchObject(failed("store_unavailable", /newer version/));
    expect(await store.runs.get(KEY)).toMatchObject({ status: "running" });
  });
});

describe("a store that may not be written", () => {
  const openAsNobody = async () => {
    if (NOBODY !== undefined) for (const path of [folder, file]) if (existsSync(path)) chownSync(path, NOBODY, NOBODY);
    return startStoreProcess([file, "open"], ":", NOBODY).ended();
  };

  it.each([
    ["the file", () => chmodSync(file, 0o400)],
    ["its folder", () => chmodSync(folder, 0o500)],
  ])("is refused at the start: %s", async (_what, forbid) => {
    await (await open()).close();
    stores = [];
    const before = readFileSync(file);
    forbid();
    expect(await openAsNobody()).toEqual([
      { code: "invalid_configuration", message: expect.stringMatching(/cannot be opened/) },
    ]);
    chmodSync(folder, 0o700);
    expect(readFileSync(file)).toEqual(before);
  });

  it("is refused at the start where its folder is not there, and where it is a folder itself", async () => {
    file = join(folder, "none", "postel.db");
    await expect(open()).rejects.toMatchObject(failed("invalid_configuration", /folder is not there/));
    mkdirSync(file, { recursive: true });
    await expect(open()).rejects.toMatchObject(failed("invalid_configuration", /cannot be written/));
  });

  it("is read by its owner alone, as is what lies beside it", async () => {
    const store = await open();
    await store.sessions.open(KEY, {});
    for (const end of ["", "-wal", "-shm"]) expect(statSync(`${file}${end}`).mode & 0o077).toBe(0);
  });
});

describe("a store of another version", () => {
  it.each([
    ["empty", ""],
    ["of a version before the first", "create table kysely_migration (name text primary key, timestamp text not null)"],
  ])("is brought up to date where it is %s", async (_what, made) => {
    const other = new DatabaseSync(file);
    other.exec(made);
    other.close();
    const store = await open();
    await store.sessions.open(KEY, {});
    expect(await store.sessions.get(KEY)).toBeDefined();
  });

  it("keeps what it holds where it is opened again", async () => {
    await (await open()).sessions.open(KEY, {});
    expect(await (await open()).sessions.get(KEY)).toBeDefined();
  });

  it("is refused, and left as it is, where a newer one has written it", async () => {
    await (await open()).close();
    change("insert into kysely_migration (name, timestamp) values ('9999-later', '')");
    await expect(open()).rejects.toMatchObject(
      failed("invalid_configuration", /newer version of Postel has written it/),
    );
  });
});

describe("several processes", () => {
  it("that start at one moment on no file all have the store", async () => {
    const children = ["a", "b", "c"].map((name) => startStoreProcess([file, "write", name, "5"]));
    await Promise.all(children.map((child) => child.ended()));
    const store = await open();
    for (const name of ["a", "b", "c"]) expect(await numbersIn(store, name)).toEqual([1, 2, 3, 4, 5]);
  });

  it("that claim the same runs each have their own: none is had twice, none by nobody", async () => {
    const store = await open();
    for (let n = 1; n <= 40; n += 1) {
      const id = `${n}`;
      await store.runs.create({ owner: "ada", id, agent: "clerk", background: true }, { holder: "gone", ms: 0 });
    }
    const children = ["a", "b", "c"].map((name) => startStoreProcess([file, "claim", name, "40"]));
    const lines = (await Promise.all(children.map((child) => child.ended()))).flat();
    const claimed = lines.flatMap(({ claimed: n }) => n ?? []).sort((a, b) => a - b);
    expect(claimed).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  });

  it("lose nothing that was acknowledged and double nothing where one of them is killed", async () => {
    await killedUnderLoad(file, 200);
  });
});

async function numbersIn(store: SqliteStore, id: string): Promise<readonly number[]> {
  return (await store.sessions.messages({ owner: "ada", id })).map(({ content }) => Number.parseInt(`${content}`, 10));
}

function change(sql: string): void {
  const other = new DatabaseSync(file);
  other.exec(sql);
  other.close();
}

/** Garbage over the first page of a table. */
function breakPage(table: string): void {
  const other = new DatabaseSync(file);
  const { rootpage } = other.prepare("select rootpage from sqlite_schema where name = ?").get(table) as {
    rootpage: number;
  };
  const { page_size } = other.prepare("pragma page_size").get() as { page_size: number };
  other.close();
  const bytes = readFileSync(file);
  bytes.fill(0xa5, (rootpage - 1) * page_size, rootpage * page_size);
  writeFileSync(file, bytes);
}

function stateOf(id: string): RunState {
  return { id, messages: [{ role: "user", content: "pay 1" }] } as unknown as RunState;
}

function interruptOf(id: string) {
  return {
    ...{ id, run: "one", type: "approval", question: "Pay?" },
    call: { id, name: "pay", arguments: "{}", origin: "native", repairs: [], raw: "" },
    ...{ createdAt: 1, expiresAt: Date.now() + 1e9 },
  } as const;
}

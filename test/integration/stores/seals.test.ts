// The key of a store's seals: made once, never anew; and what is sealed by it.
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { RunState } from "../../../src/core/runs/RunState.ts";
import type { ToolDefinition } from "../../../src/core/tools/toolDefinition.ts";
import { systemClock } from "../../../src/network/system.ts";
import { SqliteStore, type SqliteStoreOptions } from "../../../src/stores/SqliteStore.ts";
import { resealStore } from "../../../src/stores/seals/resealStore.ts";
import { Seals } from "../../../src/stores/seals/Seals.ts";
import { openSqlite } from "../../../src/stores/sqlite/openSqlite.ts";
import { STORE } from "../../support/defaults.ts";
import { interrupt } from "../../support/runs/runServiceFixtures.ts";
import { startStoreProcess } from "../../support/stores/startStoreProcess.ts";

const KEY = { owner: "ada", id: "one" };
const LEASE = { holder: "p1", ms: 0 };
const VALUE = "a-key-of-thirty-two-characters-or-more";

let folder: string;
let file: string;
let stores: SqliteStore[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-seals-"));
  file = join(folder, "postel.db");
  stores = [];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  rmSync(folder, { recursive: true });
});

async function open(more: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
  const store = await SqliteStore.open({ ...STORE, file, clock: systemClock, ...more });
  stores.push(store);
  return store;
}

const stateOf = (id: string) => ({ id, messages: [], note: "state" }) as unknown as RunState;

/** A run that waits for `q1`, and the calls `a` (settled) and `b` (begun). */
async function fill(store: SqliteStore): Promise<void> {
  await store.runs.create({ ...KEY, agent: "clerk", background: false }, LEASE);
  await store.runs.change(
    KEY,
    { state: stateOf("one"), record: { status: "waiting" }, opens: [interrupt("one", "q1")] },
    "p1",
  );
  await store.runs.beginCalls(KEY, stateOf("one"), [{ callId: "a" }, { callId: "b" }], "p1");
  await store.runs.settleCall(KEY, { callId: "a", name: "pay", content: "Paid.", isError: false }, "p1");
}

async function filled(more: Partial<SqliteStoreOptions> = {}): Promise<void> {
  const store = await open(more);
  await fill(store);
  await store.close();
}

function inFile(statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

const refused = (message: RegExp) => ({
  failure: { code: "invalid_configuration", message: expect.stringMatching(message) },
});
const DAMAGED = { failure: { code: "store_damaged" } };

describe("the key of a store", () => {
  it("is made beside it, for its owner's eyes, and is the same at the next start", async () => {
    await filled();
    expect(statSync(`${file}.key`).mode & 0o777).toBe(0o600);
    const key = readFileSync(`${file}.key`, "utf8");
    expect(key).toMatch(/^[0-9a-f]{64}\n$/);
    expect(await (await open()).runs.load(KEY)).toMatchObject({ calls: [{ callId: "a" }, { callId: "b" }] });
    expect(readFileSync(`${file}.key`, "utf8")).toBe(key);
    expect(readdirSync(folder)).not.toContain("postel.db.key.new");
  });

  it("is one for all that open the store at one moment", async () => {
    const several = await Promise.all(Array.from({ length: 6 }, () => open()));
    await fill(several[0] as SqliteStore);
    for (const store of several) expect(await store.runs.look(KEY)).toBeDefined();
  });

  it("is never made anew: a store that bears seals does not open without it, and names the file", async () => {
    await filled();
    rmSync(`${file}.key`);
    await expect(open()).rejects.toMatchObject(refused(/postel\.db\.key.*data reseal/));
    expect(existsSync(`${file}.key`)).toBe(false);
  });

  it("is not taken for another: neither in its file nor as a value", async () => {
    await filled();
    await expect(open({ sealKey: { type: "value", value: VALUE } })).rejects.toMatchObject(
      refused(/not sealed with this key/),
    );
    writeFileSync(`${file}.key`, `${"ab".repeat(32)}\n`);
    await expect(open()).rejects.toMatchObject(refused(/not sealed with this key: \S+postel\.db\.key/));
  });

  it("is refused where its file is half written, empty or not to be read", async () => {
    await filled();
    for (const text of ["", "abc\n"]) {
      writeFileSync(`${file}.key`, text);
      await expect(open()).rejects.toMatchObject(refused(/holds no key/));
    }
    rmSync(`${file}.key`);
    chmodSync(folder, 0o700);
    await expect(open({ sealKey: { type: "file", file: folder } })).rejects.toMatchObject(refused(/cannot be read/));
  });

  it("may be a value, or stand in another file", async () => {
    await filled({ sealKey: { type: "value", value: VALUE } });
    expect(readdirSync(folder)).not.toContain("postel.db.key");
    expect(await (await open({ sealKey: { type: "value", value: VALUE } })).runs.look(KEY)).toBeDefined();
    await expect(open()).rejects.toMatchObject(refused(/their key is not there/));
    const other = join(folder, "other.db");
    const elsewhere = { file: other, sealKey: { type: "file", file: join(folder, "kept.key") } } as const;
    await (await open(elsewhere)).close();
    expect(readdirSync(folder)).toContain("kept.key");
  });

  it("that was made and not named when its process ended is named by the next one", async () => {
    await filled();
    copyFileSync(`${file}.key`, `${file}.key.new`);
    rmSync(`${file}.key`);
    expect(await (await open()).runs.look(KEY)).toBeDefined();
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(["postel.db.key"]));
    expect(readdirSync(folder)).not.toContain("postel.db.key.new");
  });

  it("is not used to seal rows that came without seals: an older store may have been made up", async () => {
    await filled();
    inFile("delete from seal_keys; update runs set seal = null");
    await expect(open()).rejects.toMatchObject(refused(/without seals, and a key that was there before/));
  });

  it("is not made anew for a store without runs that was sealed before", async () => {
    await (await open()).close();
    rmSync(`${file}.key`);
    await expect(open()).rejects.toMatchObject(refused(/postel\.db\.key.*data reseal/));
    expect(existsSync(`${file}.key`)).toBe(false);
  });

  it("may be missing for those that only read, and then no seal is checked", async () => {
    await filled();
    inFile("update run_calls set result = null");
    expect(await (await open({ keyOptional: true })).checkSeals()).toMatchObject({
      type: "checked",
      damaged: [{ owner: "ada", id: "one" }],
    });
    rmSync(`${file}.key`);
    const store = await open({ keyOptional: true });
    expect(await store.checkSeals()).toEqual({ type: "unchecked", why: expect.stringContaining("postel.db.key") });
    expect(await store.runs.look(KEY)).toBeDefined();
  });
});

describe("a store of version 0.1.0", () => {
  it("is sealed once, when its key is made", async () => {
    copyFileSync(resolve("fixtures/databases/0.1.0/store.db"), file);
    const store = await open();
    expect(await store.checkSeals()).toMatchObject({ type: "checked", runs: 9, damaged: [] });
    expect(await store.interrupts.open("local", 99)).not.toEqual([]);
    await store.close();
    rmSync(`${file}.key`);
    await expect(open()).rejects.toMatchObject(refused(/bears seals/));
  });
});

describe("a sealed run", () => {
  it.each([
    [
      "its state is another run's",
      "update run_states set state = (select state from run_states where run = 'two') where run = 'one'",
    ],
    ["its state is gone", "delete from run_states where run = 'one'"],
    ["a begun call is gone", "delete from run_calls where run = 'one' and id = 'b'"],
    ["a call was added", "insert into run_calls values ('ada', 'one', 'c', 3, null)"],
    ["a result is gone", "update run_calls set result = null where run = 'one'"],
    [
      "a result is another run's",
      "update run_calls set result = (select result from run_calls where run = 'two' and id = 'a') where run = 'one' and id = 'a'",
    ],
    [
      "a result is another call's",
      "update run_calls set result = (select result from run_calls where run = 'one' and id = 'a') where run = 'one' and id = 'b'",
    ],
    ["calls have changed places", "update run_calls set seq = 3 - seq where run = 'one'"],
    ["its question is gone", "delete from interrupts where run = 'one'"],
    ["its question is another run's", "update interrupts set run = 'one', id = 'q9', seq = 2 where run = 'two'"],
    ["its owner is another", "update runs set agent = 'boss' where id = 'one'"],
    ["it is in the background", "update runs set background = 1 where id = 'one'"],
    ["its seal is another run's", "update runs set seal = (select seal from runs where id = 'two') where id = 'one'"],
    ["its seal has a higher version", "update runs set seal = '9' || seal where id = 'one'"],
  ])("goes on no more where %s", async (_what, statement) => {
    const store = await open();
    await fill(store);
    const two = { owner: "ada", id: "two" };
    await store.runs.create({ ...two, agent: "clerk", background: false }, LEASE);
    await store.runs.change(two, { state: stateOf("two"), opens: [interrupt("two", "q2")] }, "p1");
    await store.runs.beginCalls(two, stateOf("two"), [{ callId: "a" }, { callId: "b" }], "p1");
    await store.runs.settleCall(two, { callId: "a", name: "pay", content: "Sent.", isError: false }, "p1");
    expect(await store.checkSeals()).toMatchObject({ runs: 2, damaged: [] });
    inFile(statement);
    await expect(store.runs.beginCalls(KEY, stateOf("one"), [{ callId: "c" }], "p1")).rejects.toMatchObject(DAMAGED);
    await expect(store.runs.load(KEY)).rejects.toMatchObject(DAMAGED);
    expect(await store.runs.get(KEY)).toMatchObject({ status: "stuck", failure: { code: "store_damaged" } });
  });

  it.each([
    ["a question", "update interrupts set interrupt = replace(interrupt, 'q1', 'q2')"],
    ["a decision", "update interrupts set decision = replace(decision, 'no', 'yes')"],
    ["who decided", "update interrupts set decided_by = 'eve'"],
    ["when it was decided", "update interrupts set decided_at = decided_at + 1"],
    ["a state", "update run_states set state = replace(state, 'note', 'hint')"],
    ["a result", "update run_calls set result = replace(result, 'Paid', 'Sent')"],
  ])("goes on no more where the text of %s was changed behind its seal", async (_what, statement) => {
    const store = await open();
    await fill(store);
    expect(await store.interrupts.decide({ owner: "ada", id: "q1" }, { type: "reject", plan: "no" }, "boss")).toBe(
      "taken",
    );
    inFile(statement);
    expect(await store.checkSeals()).toMatchObject({ damaged: [{ owner: "ada", id: "one" }] });
    await expect(store.runs.load(KEY)).rejects.toMatchObject(DAMAGED);
    expect(await store.runs.get(KEY)).toMatchObject({ status: "stuck", failure: { code: "store_damaged" } });
  });

  it("takes no decision where another record of it was changed", async () => {
    const store = await open();
    await fill(store);
    inFile("delete from run_calls where id = 'b'");
    await expect(store.interrupts.decide({ owner: "ada", id: "q1" }, { type: "cancel" }, "boss")).rejects.toMatchObject(
      DAMAGED,
    );
  });

  it("does not go on once it has ended, whatever its row says", async () => {
    const store = await open();
    await fill(store);
    await store.runs.change(KEY, { record: { status: "ended" } }, "p1");
    inFile("update runs set status = 'running' where id = 'one'");
    await expect(store.runs.load(KEY)).rejects.toMatchObject(DAMAGED);
  });
});

describe("what an owner has agreed to of a tool", () => {
  const definition = (hash: string): ToolDefinition => ({ server: "docs", tool: "find", hash, listed: {} }) as never;

  it("is agreed to anew where it is not what the gateway wrote, or another owner's", async () => {
    const store = await open();
    await store.definitions.agree("ada", definition("1"));
    await store.definitions.agree("bob", definition("2"));
    expect(await store.definitions.agreed("ada", definition("1"))).toMatchObject({ hash: "1" });
    inFile("update tool_definitions set definition = (select definition from tool_definitions where owner = 'bob')");
    expect(await store.definitions.agreed("ada", definition("1"))).toBeUndefined();
    expect(await store.definitions.agreed("bob", definition("1"))).toMatchObject({ hash: "2" });
  });
});

describe("resealStore", () => {
  const reseal = () => resealStore({ ...STORE, file, clock: systemClock });

  it("makes a lost key anew, throws open decisions away and tells the audit", async () => {
    copyFileSync(resolve("fixtures/databases/0.1.0/store.db"), file);
    const before = await open();
    const waiting = (await before.interrupts.open("local", 99)).find(({ plan }) => plan);
    const asked = { owner: "local", id: waiting?.id ?? "" };
    await before.interrupts.decide(asked, { type: "approve", plan: waiting?.plan?.hash ?? "" }, "boss");
    await before.close();
    const old = readFileSync(`${file}.key`, "utf8");
    rmSync(`${file}.key`);
    expect(await reseal()).toMatchObject({ runs: 9, decisions: 1, key: `${file}.key` });
    expect(readFileSync(`${file}.key`, "utf8")).not.toBe(old);
    const store = await open();
    expect(await store.checkSeals()).toMatchObject({ damaged: [] });
    expect(await store.interrupts.get(asked)).toMatchObject({ status: "open" });
    const entries = await store.audit.entries(0, 9_999);
    expect(JSON.parse(entries.at(-1)?.event ?? "{}")).toEqual({ type: "resealed", owner: "", runs: 9, decisions: 1 });
  });

  const inUse = {
    failure: {
      code: "invalid_request",
      message: expect.stringMatching(
        /^Another process has the store \S+postel\.db open\. .*Stop every gateway.*`fuser /,
      ),
    },
  };

  it("is refused while an idle store is open in this process, and leaves rows and key as they were", async () => {
    const store = await open();
    await fill(store);
    const key = readFileSync(`${file}.key`, "utf8");
    await expect(reseal()).rejects.toMatchObject(inUse);
    expect(readFileSync(`${file}.key`, "utf8")).toBe(key);
    await store.runs.settleCall(KEY, { callId: "b", name: "pay", content: "Paid.", isError: false }, "p1");
    expect(await store.checkSeals()).toMatchObject({ runs: 1, damaged: [] });
    const entries = await store.audit.entries(0, 9);
    expect(entries.filter(({ event }) => event?.includes("resealed"))).toEqual([]);
  });

  it("is refused while a command without the key has it open", async () => {
    await filled();
    rmSync(`${file}.key`);
    await open({ keyOptional: true });
    await expect(reseal()).rejects.toMatchObject(inUse);
    expect(existsSync(`${file}.key`)).toBe(false);
  });

  it("is refused while an idle process has it open, and works once that was killed, whatever lease it left", async () => {
    const store = await open();
    await store.runs.create({ ...KEY, agent: "clerk", background: false }, { holder: "p1", ms: 3_600_000 });
    await store.close();
    const holder = startStoreProcess([file, "hold"]);
    while (holder.said.length === 0) await once(holder.heard, "line");
    try {
      await expect(reseal()).rejects.toMatchObject(inUse);
    } finally {
      holder.child.kill("SIGKILL");
      await holder.ended();
    }
    expect(await reseal()).toMatchObject({ runs: 1 });
    expect(await (await open()).checkSeals()).toMatchObject({ runs: 1, damaged: [] });
  });

  it("leaves the key that is in its place to be the store's where two run at once", async () => {
    await filled();
    rmSync(`${file}.key`);
    const done = await Promise.allSettled([reseal(), reseal(), reseal()]);
    for (const one of done) if (one.status === "rejected") expect(one.reason).toMatchObject(inUse);
    expect(done.map(({ status }) => status)).toContain("fulfilled");
    expect(await (await open()).checkSeals()).toMatchObject({ runs: 1, damaged: [] });
    expect(readdirSync(folder)).not.toContain("postel.db.key.new");
  });

  it("has a gateway that starts meanwhile wait for its end", async () => {
    await filled();
    const alone = await openSqlite({ ...STORE, file, clock: systemClock, exclusive: true });
    let opened = false;
    const starting = open().then((store) => {
      opened = true;
      return store;
    });
    await alone.tables.selectFrom("runs").selectAll().execute();
    expect(opened).toBe(false);
    await alone.close();
    expect(await (await starting).checkSeals()).toMatchObject({ runs: 1, damaged: [] });
  });

  it("never leaves a gateway that starts at the same moment with another key", async () => {
    await filled();
    const [resealed, started] = await Promise.allSettled([reseal(), open()]);
    expect(started.status).toBe("fulfilled");
    if (resealed.status === "rejected") expect(resealed.reason).toMatchObject(inUse);
    expect(await stores.at(-1)?.checkSeals()).toMatchObject({ runs: 1, damaged: [] });
  });
});

describe("Seals", () => {
  const seals = new Seals(Buffer.from(VALUE));
  const outcome = (place: readonly (string | number | null)[], sealed: string) => {
    try {
      return seals.unseal(place, sealed, { recordName: "It" });
    } catch (error) {
      return (error as { failure: { code: string } }).failure.code;
    }
  };

  it("reads a record at its own place only, and none of which a bit has changed", () => {
    const place = ["runs", "ada", "one", 1, null];
    const sealed = seals.seal(place, { pay: "10 €" });
    expect(outcome(place, sealed)).toEqual({ pay: "10 €" });
    for (const other of [
      ["runs", "ada", "one", 1, "-"],
      ["runs", "ada", "one1", null],
      ["runs", "ad", "aone", 1, null],
      place.slice(1),
    ])
      expect(outcome(other, sealed)).toBe("store_damaged");
    for (let at = 0; at < sealed.length; at += 1)
      expect(outcome(place, `${sealed.slice(0, at)}#${sealed.slice(at + 1)}`)).toMatch(/^store_/);
    expect(outcome(place, new Seals(Buffer.from(`${VALUE}!`)).seal(place, { pay: "10 €" }))).toBe("store_damaged");
  });
});

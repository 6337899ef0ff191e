// The chain in a real file: several processes, one that is killed, a lock, a full disk, and entries that are kept long enough.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { AuditEvent } from "../../../src/core/audit/audit.ts";
import { parseHeads } from "../../../src/core/audit/auditHead.ts";
import type { Observation } from "../../../src/core/ports.ts";
import { AuditHeadReporter } from "../../../src/stores/audit/AuditHeadReporter.ts";
import { type ChainCheckOptions, ChainVerifier } from "../../../src/stores/audit/ChainVerifier.ts";
import { StoredAuditLog } from "../../../src/stores/audit/StoredAuditLog.ts";
import { SqliteStore, type SqliteStoreOptions } from "../../../src/stores/SqliteStore.ts";
import { ManualClock } from "../../support/agents/ManualClock.ts";
import { STORE } from "../../support/defaults.ts";
import { startStoreProcess } from "../../support/stores/startStoreProcess.ts";

const DAY_MS = 86_400_000;

let folder: string;
let file: string;
let stores: SqliteStore[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-audit-"));
  file = join(folder, "postel.db");
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true });
});

async function open(more: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
  const store = await SqliteStore.open({ ...STORE, file, clock: new ManualClock(), ...more });
  stores.push(store);
  return store;
}

async function entriesOf(store: SqliteStore) {
  return store.audit.entries(0, 100_000);
}

async function verify(store: SqliteStore, options?: ChainCheckOptions) {
  const check = new ChainVerifier(options);
  for (const entry of await entriesOf(store)) check.addEntry(entry);
  return check.report();
}

const ended = (owner: string, count: number): readonly AuditEvent[] =>
  Array.from({ length: count }, (_, n) => ({ type: "run-ended", owner, run: `${n}`, outcome: "answered" }));

describe("the chain of several processes", () => {
  it("is one, and sound, where two of them append 500 entries each at once", async () => {
    const start = join(folder, "start");
    const children = ["a", "b"].map((name) => startStoreProcess([file, "audit", name, "500", start]));
    for (const child of children) while (child.said.length === 0) await once(child.heard, "line");
    writeFileSync(start, "");
    await Promise.all(children.map((child) => child.ended()));
    const store = await open();
    expect(await verify(store)).toMatchObject({ entries: 1_000, faults: [] });
    const owners = (await entriesOf(store)).map(({ owner }) => owner);
    expect(owners.filter((owner) => owner === "a")).toHaveLength(500);
    // They did take turns: else this would show nothing.
    expect(owners.slice(0, 500)).not.toEqual(owners.slice(0, 500).fill("a"));
  });

  it("is sound where one is killed in the middle, and has all that was acknowledged", async () => {
    const [killed, lives] = ["a", "b"].map((name) => startStoreProcess([file, "audit", name, "300"]));
    if (!killed || !lives) throw new Error("two processes");
    while (killed.said.length < 100) await once(killed.heard, "line");
    killed.child.kill("SIGKILL");
    await Promise.all([killed.ended(), lives.ended()]);
    const store = await open();
    expect((await verify(store)).faults).toEqual([]);
    const entries = await entriesOf(store);
    const acknowledged = killed.said.flatMap(({ written }) => written ?? []).length;
    const written = entries.filter(({ owner }) => owner === "a").length;
    expect([acknowledged, acknowledged + 1]).toContain(written);
    expect(entries.filter(({ owner }) => owner === "b")).toHaveLength(300);
  });
});

describe("a chain that cannot be written to", () => {
  it("tells whoever was about to act, and has nothing of it, where another process holds the lock", async () => {
    const clock = { ms: Date.now() };
    const sleep = async (ms: number) => {
      clock.ms += ms;
    };
    const store = await open({ clock: { now: () => clock.ms, monotonic: () => clock.ms, sleep } });
    const trail = new StoredAuditLog(store.audit);
    await trail.record(ended("ada", 2));
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    const refused = trail.record(ended("ada", 1));
    await expect(refused).rejects.toMatchObject({ failure: { code: "store_unavailable" } });
    other.exec("rollback");
    other.close();
    await trail.record(ended("ada", 1));
    expect(await verify(store)).toMatchObject({ entries: 3, faults: [] });
  });

  it("tells so where the disk takes no more, and is sound as far as it goes", async () => {
    const child = startStoreProcess([file, "audit", "a", "100000"], "ulimit -f 2000");
    const said = await child.ended();
    expect(said.at(-1)).toMatchObject({ code: "store_full" });
    const written = said.flatMap(({ written: n }) => n ?? []).length;
    const store = await open();
    expect(await verify(store)).toMatchObject({ entries: written, faults: [] });
  });
});

describe("entries that were kept long enough", () => {
  it("go from the beginning, and what is left says up to which and is sound", async () => {
    const clock = new ManualClock();
    const store = await open({ clock, auditKeepMs: 30 * DAY_MS });
    await store.audit.append(ended("ada", 1_203));
    clock.advance(20 * DAY_MS);
    await store.audit.append(ended("bob", 7));
    const before = await entriesOf(store);
    await store.sweep();
    expect(await entriesOf(store)).toEqual(before);
    clock.advance(10 * DAY_MS + 1);
    await store.sweep();
    const report = await verify(store, { heads: [before[1_202], before[1_209]].flatMap((head) => head ?? []) });
    expect(report).toMatchObject({ entries: 8, faults: [], first: { seq: 1_204 }, cut: { through: 1_203 } });
    await store.sweep();
    expect(await entriesOf(store)).toHaveLength(8);
    clock.advance(30 * DAY_MS + 1);
    await store.sweep();
    expect(await verify(store)).toMatchObject({ entries: 1, faults: [], first: { seq: 1_212 } });
  });

  it("stay behind one that was not, whatever the clock said, and where no time is set", async () => {
    const clock = new ManualClock();
    const store = await open({ clock, auditKeepMs: DAY_MS });
    clock.advance(30 * DAY_MS);
    await store.audit.append(ended("ada", 1));
    clock.advance(-20 * DAY_MS);
    await store.audit.append(ended("ada", 1));
    clock.advance(20 * DAY_MS);
    await store.sweep();
    expect(await entriesOf(store)).toHaveLength(2);
    const kept = await open({ clock, file: join(folder, "other.db") });
    await kept.audit.append(ended("ada", 1));
    clock.advance(36_500 * DAY_MS);
    await kept.sweep();
    expect(await entriesOf(kept)).toHaveLength(1);
  });
});

describe("the head that is told", () => {
  it("is told once a minute while it moves and a last time at the end, and shows that the end was cut", async () => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] });
    try {
      const store = await open();
      const told: string[] = [];
      const observe = (seen: Observation) => void (seen.type === "audit-head" && told.push(seen.head));
      const heads = new AuditHeadReporter(store.audit, { observe });
      heads.start();
      const minute = async () => {
        jest.advanceTimersByTime(60_000);
        for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
      };
      await minute();
      for (let n = 0; n < 2; n += 1) {
        await store.audit.append(ended("ada", 2));
        await minute();
        await minute();
      }
      await store.audit.append(ended("ada", 1));
      await heads.flush();
      expect(told.map((text) => parseHeads(text).map(({ seq }) => seq))).toEqual([[2], [4], [5]]);
      const other = new DatabaseSync(file);
      other.exec("delete from audit_entries where seq > 3");
      other.close();
      const { faults } = await verify(store, { heads: parseHeads(told.join("\n")) });
      expect(faults).toMatchObject([{ kind: "cut", seq: 4, to: 5 }]);
    } finally {
      jest.useRealTimers();
    }
  });
});

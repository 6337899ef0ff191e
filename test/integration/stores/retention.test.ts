// What a store forgets, and when; and what it never forgets meanwhile.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { RunEvent } from "../../../src/core/events/events.ts";
import type { JsonObject, Message } from "../../../src/core/messages.ts";
import type { Interrupt } from "../../../src/core/runs/interrupts.ts";
import type { RunState } from "../../../src/core/runs/RunState.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { ManualClock } from "../../support/agents/ManualClock.ts";
import { STORE } from "../../support/defaults.ts";
import { startStoreProcess } from "../../support/stores/startStoreProcess.ts";

const DAY_MS = 86_400_000;
const LEASE = { holder: "p1", ms: 30_000 };

let clock: ManualClock;
let store: SqliteStore;
beforeEach(async () => {
  clock = new ManualClock();
  store = await SqliteStore.open({ ...STORE, clock });
});
afterEach(() => store.close());

const key = (id: string) => ({ owner: "ada", id });
const messages = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ role: "user", content: `${n}` }) as const);

async function begin(id: string): Promise<void> {
  await store.runs.create({ ...key(id), agent: "clerk", background: true }, LEASE);
  const events = messages(1_203).map(({ content }) => ({ type: "text-delta", text: content }) as unknown as RunEvent);
  await store.runs.appendEvents(key(id), { from: 1, events }, "p1");
  await store.runs.beginCalls(key(id), { id } as unknown as RunState, [{ callId: "c1" }], "p1");
}

async function kept(): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for await (const { table } of store.owners.export("ada") as AsyncIterable<JsonObject>) {
    counts[String(table)] = (counts[String(table)] ?? 0) + 1;
  }
  return counts;
}

describe("a session", () => {
  it("goes with its messages once it was not used for as long as it is kept", async () => {
    await store.sessions.open(key("old"), {});
    await store.sessions.append(key("old"), messages(1_203));
    await store.sessions.open(key("used"), {});
    clock.advance(90 * DAY_MS);
    await store.sweep();
    expect(await store.sessions.list("ada", { limit: 9 })).toHaveLength(2);
    await store.sessions.append(key("used"), messages(1));
    clock.advance(1);
    await store.sweep();
    expect(await kept()).toEqual({ sessions: 1, session_messages: 1 });
  });

  it("stays while somebody holds it", async () => {
    await store.sessions.open(key("held"), {});
    clock.advance(91 * DAY_MS);
    await store.sessions.hold(key("held"), "p1", 1_000);
    await store.sweep();
    expect(await store.sessions.get(key("held"))).toBeDefined();
  });
});

describe("a run", () => {
  it("loses its events first, and goes with all that belongs to it once it is over long enough", async () => {
    for (const id of ["old", "young"]) await begin(id);
    await store.runs.change(key("old"), { record: { status: "ended" }, opens: [interrupt("i1", 1)] }, "p1");
    clock.advance(7 * DAY_MS + 1);
    await store.sweep();
    expect(await kept()).toMatchObject({ runs: 2, run_states: 2 });
    expect(await kept()).not.toHaveProperty("run_events");
    expect(await store.runs.get(key("young"))).toMatchObject({ events: 1_203 });
    await store.runs.change(key("young"), { record: { status: "ended" } }, "p1");
    clock.advance(23 * DAY_MS);
    await store.sweep();
    expect(await kept()).toEqual({ runs: 1, run_states: 1, run_calls: 1 });
    expect(await store.runs.get(key("old"))).toBeUndefined();
  });

  it("stays while it waits for a person who still may decide, and while somebody holds it", async () => {
    for (const id of ["waits", "held"]) await begin(id);
    const opens = [interrupt("i1", clock.now() + 60 * DAY_MS)];
    await store.runs.change(key("waits"), { record: { status: "waiting" }, opens }, "p1");
    clock.advance(31 * DAY_MS);
    await store.runs.claim(key("held"), LEASE);
    await store.sweep();
    expect(await store.runs.list("ada", { limit: 9 })).toHaveLength(2);
  });
});

describe("a memory", () => {
  it("goes with its words, and is not found any more", async () => {
    for (let n = 0; n < 120; n += 1) await store.memories.put({ ...key(`${n}`), text: "lasting words" });
    clock.advance(3_650 * DAY_MS + 1);
    await store.memories.put({ ...key("young"), text: "lasting" });
    await store.sweep();
    expect(await store.memories.search("ada", "lasting words", 9)).toMatchObject([{ id: "young" }]);
    expect(await store.owners.erase("ada")).toMatchObject({ memories: 1, memory_words: 1 });
  });

  it("is one of a bounded number of its owner's", async () => {
    const small = await SqliteStore.open({ ...STORE, retentionMax: { ...STORE.retentionMax, memories: 2 }, clock });
    for (const id of ["1", "2"]) await small.memories.put({ ...key(id), text: id });
    const refused = small.memories.put({ ...key("3"), text: "3" });
    await expect(refused).rejects.toMatchObject({ failure: { code: "store_full" } });
    await small.memories.put({ ...key("2"), text: "anew" });
    await small.memories.put({ owner: "bob", id: "3", text: "3" });
    expect((await small.memories.list("ada", { limit: 9 })).map(({ text }) => text)).toEqual(["anew", "1"]);
    await small.close();
  });
});

describe("an owner with too much", () => {
  const retentionMax = { sessions: 3, messages: 100, runs: 3, events: 1_000, memories: 9 };
  let small: SqliteStore;
  beforeEach(async () => {
    small = await SqliteStore.open({ ...STORE, retentionMax, clock });
  });
  afterEach(() => small.close());

  const run = async (owner: string, id: string, status: "ended" | "running" | "waiting", sessionId?: string) => {
    await small.runs.create({ owner, id, agent: "clerk", background: true, sessionId }, LEASE);
    await small.runs.beginCalls({ owner, id }, { id } as unknown as RunState, [{ callId: "c1" }], "p1");
    await small.runs.change({ owner, id }, { record: { status } }, "p1");
    await small.runs.release({ owner, id }, "p1");
    clock.advance(1);
  };
  const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id).sort();

  it("loses the oldest runs that are over, with all that belongs to them, and another owner loses none", async () => {
    for (const id of ["1", "2", "3"]) await run("bob", id, "ended");
    await run("ada", "runs", "running");
    await run("ada", "waits", "waiting");
    await small.sessions.open(key("s"), {});
    await small.sessions.append(key("s"), [], "unread");
    await run("ada", "unread", "ended", "s");
    for (let n = 100; n < 220; n += 1) await run("ada", `${n}`, "ended");
    await small.sweep();
    expect(ids(await small.runs.list("ada", { limit: 200 }))).toEqual(["217", "218", "219", "runs", "unread", "waits"]);
    expect(ids(await small.runs.list("bob", { limit: 200 }))).toEqual(["1", "2", "3"]);
    expect(await small.owners.erase("ada")).toMatchObject({ runs: 6, run_states: 6, run_calls: 6 });
  });

  it("loses the sessions that were not used longest, but none that is held or whose run goes on or waits", async () => {
    for (const id of ["1", "2", "3"]) await small.sessions.open({ owner: "bob", id }, {});
    for (const id of ["held", "runs", "waits"]) await small.sessions.open(key(id), {});
    await small.sessions.hold(key("held"), "p1", 60_000);
    await run("ada", "r1", "running", "runs");
    await run("ada", "r2", "waiting", "waits");
    for (let n = 100; n < 220; n += 1) {
      await small.sessions.open(key(`${n}`), {});
      await small.sessions.append(key(`${n}`), messages(1));
      clock.advance(1);
    }
    await small.sweep();
    const left = ["217", "218", "219", "held", "runs", "waits"];
    expect(ids(await small.sessions.list("ada", { limit: 200 }))).toEqual(left);
    expect(ids(await small.sessions.list("bob", { limit: 200 }))).toEqual(["1", "2", "3"]);
    expect(await small.owners.erase("ada")).toMatchObject({ sessions: 6, session_messages: 3 });
  });

  it("has the oldest turns of a full session go whole: no call loses its result", async () => {
    for (const owner of ["ada", "bob"]) await small.sessions.open({ owner, id: "s" }, {});
    await small.sessions.append({ owner: "bob", id: "s" }, messages(100));
    for (let n = 0; n < 40; n += 1) await small.sessions.append(key("s"), turn(n));
    const kept = await small.sessions.messages(key("s"));
    expect(kept).toHaveLength(99);
    expect(kept.slice(0, 3)).toEqual(turn(7));
    expect(kept.slice(-3)).toEqual(turn(39));
    expect(await small.sessions.messages(key("s"), 3)).toEqual(turn(39));
    expect(await small.sessions.messages({ owner: "bob", id: "s" })).toHaveLength(100);
  });

  it("keeps the last turn whole, however long it is", async () => {
    await small.sessions.open(key("s"), {});
    const long = [...messages(1), ...Array.from({ length: 150 }, () => ({ role: "assistant", content: "…" }) as const)];
    await small.sessions.append(key("s"), turn(0));
    await small.sessions.append(key("s"), long);
    expect(await small.sessions.messages(key("s"))).toHaveLength(154);
    await small.sessions.append(key("s"), turn(1));
    expect(await small.sessions.messages(key("s"))).toEqual(turn(1));
  });

  it("has the oldest events of a run go as further ones come, and the run goes on", async () => {
    const event = { type: "text-delta", text: "." } as unknown as RunEvent;
    for (const owner of ["ada", "bob"]) {
      await small.runs.create({ owner, id: "r", agent: "clerk", background: true }, LEASE);
      const rounds = owner === "ada" ? 30 : 10;
      for (let n = 0; n < rounds; n += 1) {
        await small.runs.appendEvents({ owner, id: "r" }, { from: n * 100 + 1, events: Array(100).fill(event) }, "p1");
      }
    }
    expect((await small.runs.events(key("r"), 0, 5_000)).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 1_000 }, (_, n) => 2_001 + n),
    );
    expect(await small.runs.get(key("r"))).toMatchObject({ status: "running", events: 3_000 });
    expect(await small.runs.events({ owner: "bob", id: "r" }, 0, 5_000)).toHaveLength(1_000);
  });
});

describe("a process with a store", () => {
  it("ends although it has not closed it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "postel-left-"));
    try {
      expect(await startStoreProcess([join(folder, "postel.db"), "leave"]).ended()).toEqual([{ open: true }]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function interrupt(id: string, expiresAt: number): Interrupt {
  return { id, run: "waits", type: "approval", question: "?", createdAt: 1, expiresAt } as unknown as Interrupt;
}

function turn(n: number): readonly Message[] {
  const call = { id: `c${n}`, name: "look", arguments: "{}", origin: "native", repairs: [], raw: "{}" } as const;
  return [
    { role: "user", content: `${n}` },
    { role: "assistant", content: null, toolCalls: [call] },
    { role: "tool", toolCallId: `c${n}`, content: "found" },
  ];
}

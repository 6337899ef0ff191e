// What every store keeps to, wherever it stores: run by the test of each. Every method, and every border between two owners.
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { AuditEvent, AuditHead } from "../../../src/core/audit/audit.ts";
import type { RunEvent } from "../../../src/core/events/events.ts";
import type { JsonObject, Message } from "../../../src/core/messages.ts";
import type { Decision, Interrupt } from "../../../src/core/runs/interrupts.ts";
import type { RunState } from "../../../src/core/runs/RunState.ts";
import type { OwnerKey } from "../../../src/core/stores/OwnerKey.ts";
import type { Store } from "../../../src/core/stores/Store.ts";
import type { ToolDefinition } from "../../../src/core/tools/toolDefinition.ts";
import { chat } from "../agents/gateway.ts";
import { ManualClock } from "../agents/ManualClock.ts";

/** Two callers whose records bear the same ids. */
const ADA: OwnerKey = { owner: "ada", id: "same" };
const BOB: OwnerKey = { owner: "bob", id: "same" };
const LEASE = { holder: "p1", ms: 30_000 };
const HOSTILE = "x'; DROP TABLE runs;-- %_\\ \0 \u{1F388}";

/** @param open an empty store, whose lock waits may be real ones. */
export function describeStore(name: string, open: (clock: ManualClock) => Promise<Store>): void {
  let clock: ManualClock;
  let store: Store;
  beforeEach(async () => {
    clock = new ManualClock();
    store = await open(clock);
  });
  afterEach(() => store.close());

  describe(`${name}: sessions`, () => {
    it("begin at their first use and stay as they were at the next", async () => {
      const began = clock.now();
      const session = await store.sessions.open(ADA, { agent: "clerk", mode: "agent" });
      expect(session).toEqual({
        ...ADA,
        agent: "clerk",
        mode: "agent",
        messages: 0,
        createdAt: began,
        updatedAt: began,
      });
      clock.advance(5);
      expect(await store.sessions.open(ADA, {})).toEqual(session);
      expect(await store.sessions.open(ADA, { mode: "normal" })).toEqual({
        ...session,
        mode: "normal",
        updatedAt: began + 5,
      });
      expect(await store.sessions.get(ADA)).toMatchObject({ agent: "clerk", mode: "normal" });
    });

    it("keep messages whole and in their order, all or the youngest", async () => {
      await store.sessions.open(ADA, {});
      const said = messages(1_203);
      await store.sessions.append(ADA, said.slice(0, 2));
      await store.sessions.append(ADA, said.slice(2));
      expect(await store.sessions.messages(ADA)).toEqual(said);
      expect(await store.sessions.messages(ADA, 3)).toEqual(said.slice(-3));
      expect(await store.sessions.messages(ADA, 5_000)).toEqual(said);
      expect(await store.sessions.get(ADA)).toMatchObject({ messages: said.length });
    });

    it("take nothing where they were never begun", async () => {
      await expect(store.sessions.append(ADA, messages(1))).rejects.toMatchObject(failed("session_not_found"));
      await expect(store.sessions.hold(ADA, "p1", 1)).rejects.toMatchObject(failed("session_not_found"));
      expect(await store.sessions.get(ADA)).toBeUndefined();
      expect(await store.sessions.messages(ADA)).toEqual([]);
    });

    it("are one owner's: the other has one of the same id, or none", async () => {
      await store.sessions.open(ADA, { mode: "agent" });
      await store.sessions.append(ADA, messages(2));
      expect(await store.sessions.get(BOB)).toBeUndefined();
      expect(await store.sessions.messages(BOB)).toEqual([]);
      expect(await store.sessions.list("bob", { limit: 10 })).toEqual([]);
      expect(await store.sessions.delete(BOB)).toBe(false);
      await store.sessions.open(BOB, {});
      expect(await store.sessions.hold(BOB, "p2", 1_000)).toBe(true);
      expect(await store.sessions.hold(ADA, "p1", 1_000)).toBe(true);
      expect(await store.sessions.delete(BOB)).toBe(true);
      expect(await store.sessions.messages(ADA)).toHaveLength(2);
    });

    it("are listed youngest first, page by page", async () => {
      for (const id of ["a", "b", "c"]) {
        await store.sessions.open({ owner: "ada", id }, {});
        clock.advance(1);
      }
      await store.sessions.append({ owner: "ada", id: "a" }, messages(1));
      const first = await store.sessions.list("ada", { limit: 2 });
      expect(first.map(({ id }) => id)).toEqual(["a", "c"]);
      const rest = await store.sessions.list("ada", { limit: 2, before: first[1]?.updatedAt });
      expect(rest.map(({ id }) => id)).toEqual(["b"]);
    });

    it("leave nothing behind when they are deleted", async () => {
      await store.sessions.open(ADA, {});
      await store.sessions.append(ADA, messages(1_203));
      expect(await store.sessions.delete(ADA)).toBe(true);
      expect(await store.sessions.delete(ADA)).toBe(false);
      await store.sessions.open(ADA, {});
      expect(await store.sessions.messages(ADA)).toEqual([]);
    });

    it("say which run they wait for", async () => {
      await store.sessions.open(ADA, {});
      await store.sessions.append(ADA, messages(1), "run1");
      expect(await store.sessions.get(ADA)).toMatchObject({ waitingRun: "run1" });
      await store.sessions.append(ADA, messages(1));
      expect(await store.sessions.get(ADA)).not.toHaveProperty("waitingRun");
    });

    it("lose what came behind a message, and go on from there", async () => {
      await store.sessions.open(ADA, {});
      await store.sessions.open(BOB, {});
      await store.sessions.append(BOB, messages(4));
      const said = messages(5);
      await store.sessions.append(ADA, said.slice(0, 4), "run1");
      await store.sessions.cut(ADA, 2);
      expect(await store.sessions.messages(ADA)).toEqual(said.slice(0, 2));
      expect(await store.sessions.get(ADA)).toMatchObject({ messages: 2 });
      expect(await store.sessions.get(ADA)).not.toHaveProperty("waitingRun");
      await store.sessions.append(ADA, said.slice(4));
      await store.sessions.cut(ADA, 99);
      expect(await store.sessions.messages(ADA)).toEqual([...said.slice(0, 2), ...said.slice(4)]);
      expect(await store.sessions.messages(BOB)).toHaveLength(4);
      await expect(store.sessions.cut({ owner: "ada", id: "none" }, 0)).rejects.toMatchObject(
        failed("session_not_found"),
      );
    });

    it("say that a stranger's text was read in them, until that is cut off or they are deleted", async () => {
      await store.sessions.open(ADA, {});
      await store.sessions.append(ADA, messages(2));
      expect(await store.sessions.get(ADA)).not.toHaveProperty("untrusted");
      await store.sessions.append(ADA, messages(2), "run1", true);
      await store.sessions.append(ADA, messages(2));
      expect(await store.sessions.open(ADA, { mode: "agent" })).toMatchObject({ untrusted: true });
      expect(await store.sessions.list("ada", { limit: 1 })).toMatchObject([{ untrusted: true }]);
      await store.sessions.cut(ADA, 3);
      expect(await store.sessions.get(ADA)).toMatchObject({ untrusted: true });
      await store.sessions.cut(ADA, 2);
      expect(await store.sessions.get(ADA)).not.toHaveProperty("untrusted");
      await store.sessions.append(ADA, messages(1), undefined, true);
      await store.sessions.delete(ADA);
      expect(await store.sessions.open(ADA, {})).not.toHaveProperty("untrusted");
    });

    it("are held by one at a time, and say for how long", async () => {
      await store.sessions.open(ADA, {});
      expect(await store.sessions.hold(ADA, "p1", 1_000)).toBe(true);
      clock.advance(400);
      expect(await store.sessions.hold(ADA, "p2", 1_000)).toBe(600);
      await store.sessions.release(ADA, "p2");
      expect(await store.sessions.hold(ADA, "p2", 1_000)).toBe(600);
      expect(await store.sessions.hold(ADA, "p1", 1_000)).toBe(true);
      clock.advance(1_000);
      expect(await store.sessions.hold(ADA, "p2", 1_000)).toBe(true);
      await store.sessions.release(ADA, "p2");
      expect(await store.sessions.hold(ADA, "p3", 1_000)).toBe(true);
    });
  });

  describe(`${name}: runs`, () => {
    const begin = (key: OwnerKey, more: { background?: boolean; sessionId?: string } = {}) =>
      store.runs.create({ ...key, agent: "clerk", background: false, ...more }, LEASE);

    it("begin running and held, once", async () => {
      const now = clock.now();
      await begin(ADA, { sessionId: "s" });
      expect(await store.runs.get(ADA)).toEqual({
        ...ADA,
        agent: "clerk",
        sessionId: "s",
        status: "running",
        background: false,
        events: 0,
        createdAt: now,
        updatedAt: now,
      });
      await expect(begin(ADA)).rejects.toMatchObject(failed("run_taken"));
      await begin(BOB);
      expect(await store.runs.claim(ADA, { holder: "p2", ms: 1 })).toBe(false);
    });

    it("keep what is said of them, and are read back whole", async () => {
      await begin(ADA);
      const record = {
        status: "ended",
        outcome: "answered",
        failure: { fault: "tool", code: "internal_error", message: HOSTILE },
        endedAt: clock.now(),
      } as const;
      await store.runs.change(ADA, { record }, "p1");
      expect(await store.runs.get(ADA)).toMatchObject(record);
      expect(await store.runs.setFeedback(ADA, { rating: -1, comment: HOSTILE })).toBe(true);
      expect(await store.runs.setFeedback(BOB, { rating: 1 })).toBe(false);
      expect(await store.runs.get(ADA)).toMatchObject({ feedback: { rating: -1, comment: HOSTILE } });
    });

    it("are one owner's", async () => {
      await begin(ADA);
      await store.runs.change(ADA, { state: state(1) }, "p1");
      await store.runs.appendEvents(ADA, { from: 1, events: [event("a")] }, "p1");
      expect(await store.runs.get(BOB)).toBeUndefined();
      expect(await store.runs.load(BOB)).toBeUndefined();
      expect(await store.runs.events(BOB, 0, 10)).toEqual([]);
      expect(await store.runs.list("bob", { limit: 10 })).toEqual([]);
      expect(await store.runs.claim(BOB, { holder: "p1", ms: 1 })).toBe(false);
      expect(await store.runs.askCancel(BOB)).toBe(false);
      await expect(store.runs.change(BOB, {}, "p1")).rejects.toMatchObject(failed("run_taken"));
    });

    it("are listed youngest first, of all sessions or of one", async () => {
      for (const id of ["a", "b", "c"]) {
        await begin({ owner: "ada", id }, { sessionId: id === "b" ? "other" : "s" });
        clock.advance(1);
      }
      const ids = async (page: Parameters<typeof store.runs.list>[1]) =>
        (await store.runs.list("ada", page)).map(({ id }) => id);
      expect(await ids({ limit: 2 })).toEqual(["c", "b"]);
      expect(await ids({ limit: 9, before: clock.now() - 1 })).toEqual(["b", "a"]);
      expect(await ids({ limit: 9, session: "s" })).toEqual(["c", "a"]);
    });

    it("go on from the state that was saved last, with the calls that were begun since", async () => {
      await begin(ADA);
      expect(await store.runs.load(ADA)).toBeUndefined();
      await store.runs.change(ADA, { state: state(1) }, "p1");
      expect(await store.runs.load(ADA)).toEqual({ state: state(1), calls: [] });
      await store.runs.beginCalls(ADA, state(2), [{ callId: "c2" }, { callId: "c1" }], "p1");
      await store.runs.settleCall(ADA, result("c1"), "p1");
      expect(await store.runs.load(ADA)).toEqual({
        state: state(2),
        calls: [{ callId: "c2" }, { callId: "c1", result: result("c1") }],
      });
      await store.runs.change(ADA, { state: state(3) }, "p1");
      expect(await store.runs.load(ADA)).toEqual({ state: state(3), calls: [] });
      await store.runs.change(ADA, { record: { status: "ended" } }, "p1");
      expect(await store.runs.load(ADA)).toEqual({ state: state(3), calls: [] });
    });

    it("begin calls with those that began before, and keep each result that was written", async () => {
      await begin(ADA);
      await store.runs.beginCalls(ADA, state(1), [{ callId: "c1" }, { callId: "c2" }, { callId: "c3" }], "p1");
      await store.runs.settleCall(ADA, result("c2"), "p1");
      // A state may be written by somebody who has not heard of the result of c2 yet.
      const carried = [{ callId: "c1" }, { callId: "c4", result: result("c4") }, { callId: "c2" }];
      await store.runs.beginCalls(ADA, state(2), carried, "p1");
      expect(await store.runs.load(ADA)).toEqual({
        state: state(2),
        calls: [{ callId: "c1" }, { callId: "c4", result: result("c4") }, { callId: "c2", result: result("c2") }],
      });
    });

    it("keep a state as plain data, whatever it looks like", async () => {
      const text = '{"then":"resolve","__proto__":{"then":"x"},"$type":"Date","lc":1,"text":"\\ud800 \\u0000"}';
      const odd = { ...state(1), messages: [{ role: "user", content: JSON.parse(text) }] } as unknown as RunState;
      await begin(ADA);
      await store.runs.change(ADA, { state: odd }, "p1");
      const loaded = await store.runs.load(ADA);
      expect(JSON.stringify(loaded?.state)).toBe(JSON.stringify(odd));
    });

    it("are written by their holder alone, from the moment at which it is another", async () => {
      await begin(ADA);
      clock.advance(LEASE.ms - 1);
      expect(await store.runs.claim(ADA, { holder: "p2", ms: 1_000 })).toBe(false);
      clock.advance(1);
      // Nobody has taken it yet: the late holder may go on, and even renew.
      await store.runs.change(ADA, { state: state(1) }, "p1");
      expect(await store.runs.claim(ADA, { holder: "p2", ms: 1_000 })).toBe(true);
      const late = [
        () => store.runs.change(ADA, { state: state(9) }, "p1"),
        () => store.runs.beginCalls(ADA, state(9), [{ callId: "c" }], "p1"),
        () => store.runs.settleCall(ADA, result("c"), "p1"),
        () => store.runs.appendEvents(ADA, { from: 1, events: [event("late")] }, "p1"),
      ];
      for (const write of late) await expect(write()).rejects.toMatchObject(failed("run_taken"));
      expect(await store.runs.claim(ADA, LEASE)).toBe(false);
      await store.runs.release(ADA, "p1");
      expect(await store.runs.claim(ADA, { holder: "p2", ms: 1_000 })).toBe(true);
      expect(await store.runs.load(ADA)).toEqual({ state: state(1), calls: [] });
      expect(await store.runs.events(ADA, 0, 10)).toEqual([]);
      await store.runs.release(ADA, "p2");
      await expect(store.runs.change(ADA, {}, "p2")).rejects.toMatchObject(failed("run_taken"));
      expect(await store.runs.claim(ADA, LEASE)).toBe(true);
    });

    it("are renewed by their holder, late too, and by nobody who has lost them, even where they are free again", async () => {
      await begin(ADA);
      expect(await store.runs.renew(ADA, LEASE)).toBe(true);
      clock.advance(LEASE.ms + 1);
      expect(await store.runs.renew(ADA, LEASE)).toBe(true);
      clock.advance(LEASE.ms + 1);
      expect(await store.runs.claim(ADA, { holder: "p2", ms: 1_000 })).toBe(true);
      expect(await store.runs.renew(ADA, LEASE)).toBe(false);
      await store.runs.release(ADA, "p2");
      expect(await store.runs.renew(ADA, LEASE)).toBe(false);
    });

    it("are had by exactly one of many that claim them at once", async () => {
      await begin(ADA);
      clock.advance(LEASE.ms);
      const claims = Array.from({ length: 20 }, (_, n) => store.runs.claim(ADA, { holder: `p${n}`, ms: 1_000 }));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    });

    it("number their events, and tell them from anywhere", async () => {
      await begin(ADA);
      const many = Array.from({ length: 1_203 }, (_, n) => event(`${n} ${HOSTILE}`));
      await store.runs.appendEvents(ADA, { from: 1, events: many.slice(0, 2) }, "p1");
      await store.runs.appendEvents(ADA, { from: 3, events: many.slice(2) }, "p1");
      expect(await store.runs.events(ADA, 0, 2)).toEqual([
        { seq: 1, event: many[0] },
        { seq: 2, event: many[1] },
      ]);
      expect(await store.runs.events(ADA, 1_202, 10)).toEqual([{ seq: 1_203, event: many[1_202] }]);
      expect(await store.runs.events(ADA, 1_203, 10)).toEqual([]);
      await store.runs.change(ADA, { events: { from: 1_204, events: [event("last")] } }, "p1");
      expect(await store.runs.get(ADA)).toMatchObject({ events: 1_204 });
    });

    it("tell an event twice to nobody: a number that is taken is refused, and nothing of its batch is kept", async () => {
      await begin(ADA);
      await store.runs.appendEvents(ADA, { from: 1, events: [event("a"), event("b")] }, "p1");
      await expect(store.runs.appendEvents(ADA, { from: 2, events: [event("c"), event("d")] }, "p1")).rejects.toThrow();
      expect(await store.runs.events(ADA, 0, 10)).toHaveLength(2);
    });

    it("are abandoned where nobody holds them: those that run, and in the background those that wait for nothing more", async () => {
      const key = (id: string) => ({ owner: "ada", id });
      for (const id of ["held", "left", "ended", "waits", "decided"]) await begin(key(id), { background: true });
      for (const id of ["seen", "answered"]) await begin(key(id));
      clock.advance(LEASE.ms);
      await store.runs.claim(key("held"), LEASE);
      await store.runs.change(key("ended"), { record: { status: "ended" } }, "p1");
      for (const id of ["waits", "decided", "answered"]) {
        await store.runs.change(key(id), { record: { status: "waiting" }, opens: [interrupt(id, id, clock)] }, "p1");
      }
      for (const id of ["decided", "answered"]) await store.interrupts.decide(key(id), APPROVED, "boss");
      const found = await store.runs.abandoned(10);
      expect(found.map(({ id }) => id).sort()).toEqual(["decided", "left", "seen"]);
      expect(await store.runs.abandoned(1)).toHaveLength(1);
    });

    it("remember that somebody asked to end them", async () => {
      await begin(ADA);
      expect(await store.runs.cancelAsked(ADA)).toBe(false);
      expect(await store.runs.askCancel(ADA)).toBe(true);
      expect(await store.runs.cancelAsked(ADA)).toBe(true);
      await store.runs.change(ADA, { record: { status: "ended" } }, "p1");
      expect(await store.runs.askCancel(ADA)).toBe(false);
      expect(await store.runs.askCancel({ owner: "ada", id: "none" })).toBe(false);
    });
  });

  describe(`${name}: interrupts`, () => {
    const wait = async (run: OwnerKey, ...ids: string[]) => {
      await store.runs.create({ ...run, agent: "clerk", background: false }, LEASE);
      const opens = ids.map((id) => interrupt(id, run.id, clock));
      await store.runs.change(run, { state: state(1), record: { status: "waiting" }, opens }, "p1");
      return opens;
    };

    it("open with their run's state, whole and in their order", async () => {
      const opened = await wait(ADA, "i2", "i1");
      const records = opened.map((one) => ({ ...one, owner: "ada", status: "open" }));
      expect(await store.interrupts.ofRun(ADA)).toEqual(records);
      expect(await store.interrupts.open("ada", 10)).toEqual(records);
      expect(await store.interrupts.open("ada", 1)).toEqual(records.slice(0, 1));
      expect(await store.interrupts.get({ owner: "ada", id: "i1" })).toEqual(records[1]);
    });

    it("take the first decision, and no other", async () => {
      await wait(ADA, "i1");
      const key = { owner: "ada", id: "i1" };
      clock.advance(5);
      const answers = [APPROVED, REJECTED, APPROVED].map((one, n) => store.interrupts.decide(key, one, `boss${n}`));
      expect(await Promise.all(answers)).toEqual(["taken", "decided", "decided"]);
      expect(await store.interrupts.get(key)).toMatchObject({
        status: "decided",
        decision: APPROVED,
        decidedBy: "boss0",
        decidedAt: clock.now(),
      });
      expect(await store.interrupts.open("ada", 10)).toEqual([]);
    });

    it("are renewed while they are open, and only by their owner", async () => {
      await wait(ADA, "i1");
      const key = { owner: "ada", id: "i1" };
      const renewed = { ...interrupt("i1", ADA.id, clock), question: "And now?" };
      expect(await store.interrupts.renew("bob", renewed)).toBe(false);
      expect(await store.interrupts.renew("ada", renewed)).toBe(true);
      expect(await store.interrupts.get(key)).toMatchObject({ question: "And now?", status: "open" });
      await store.interrupts.decide(key, APPROVED, "boss");
      expect(await store.interrupts.renew("ada", { ...renewed, question: "Too late?" })).toBe(false);
      expect(await store.interrupts.get(key)).toMatchObject({ question: "And now?", status: "decided" });
    });

    it("are one owner's: another's word changes nothing", async () => {
      await wait(ADA, "i1");
      expect(await store.interrupts.decide({ owner: "bob", id: "i1" }, APPROVED, "bob")).toBe("unknown");
      expect(await store.interrupts.get({ owner: "bob", id: "i1" })).toBeUndefined();
      expect(await store.interrupts.ofRun(BOB)).toEqual([]);
      expect(await store.interrupts.open("bob", 10)).toEqual([]);
      await wait(BOB, "i1");
      await store.interrupts.decide({ owner: "bob", id: "i1" }, REJECTED, "bob");
      expect(await store.interrupts.get({ owner: "ada", id: "i1" })).toMatchObject({ status: "open" });
    });

    it("take no decision from the moment at which they expire", async () => {
      await wait(ADA, "i1");
      const key = { owner: "ada", id: "i1" };
      clock.advance(WEEK_MS - 1);
      expect(await store.interrupts.expired(10)).toEqual([]);
      clock.advance(1);
      expect(await store.interrupts.decide(key, APPROVED, "boss")).toBe("expired");
      expect(await store.interrupts.get(key)).toMatchObject({ status: "expired" });
      expect(await store.interrupts.open("ada", 10)).toEqual([]);
      expect(await store.interrupts.expired(10)).toEqual([ADA]);
      await store.runs.change(ADA, { record: { status: "running" } }, "p1");
      expect(await store.interrupts.expired(10)).toEqual([]);
    });

    it("let a run go on only when none of it is open any more", async () => {
      await wait(ADA, "i1");
      clock.advance(1);
      await store.runs.change(ADA, { opens: [interrupt("i2", ADA.id, clock)] }, "p1");
      clock.advance(WEEK_MS - 1);
      expect(await store.interrupts.expired(10)).toEqual([]);
      await store.interrupts.decide({ owner: "ada", id: "i2" }, REJECTED, "boss");
      expect(await store.interrupts.expired(10)).toEqual([ADA]);
    });

    it("are cancelled with their run, but for those that were decided", async () => {
      await wait(ADA, "i1", "i2");
      await store.interrupts.decide({ owner: "ada", id: "i1" }, APPROVED, "boss");
      await store.runs.change(ADA, { record: { status: "ended" }, cancelsInterrupts: true }, "p1");
      expect((await store.interrupts.ofRun(ADA)).map(({ status }) => status)).toEqual(["decided", "cancelled"]);
      expect(await store.interrupts.decide({ owner: "ada", id: "i2" }, APPROVED, "boss")).toBe("cancelled");
    });

    it("do not open where their run is another's by now", async () => {
      await wait(ADA);
      const opens = [interrupt("i1", ADA.id, clock)];
      await expect(store.runs.change(ADA, { opens }, "p2")).rejects.toMatchObject(failed("run_taken"));
      expect(await store.interrupts.ofRun(ADA)).toEqual([]);
    });
  });

  describe(`${name}: notices`, () => {
    const notice = (id: string) => ({ id, url: "http://127.0.0.1:9/hook", body: JSON.stringify(HOSTILE) });
    const notify = async (run: OwnerKey, ...ids: string[]) => {
      await store.runs.create({ ...run, agent: "clerk", background: true }, LEASE);
      await store.runs.change(run, { notices: ids.map(notice) }, "p1");
    };

    it("are taken whole, by one process at a time, and come again until they are done", async () => {
      await notify(ADA, "n1", "n2");
      const first = { ...notice("n1"), owner: "ada", run: "same", attempt: 1 };
      const taken = await Promise.all([store.notices.take(1, 1_000), store.notices.take(9, 1_000)]);
      expect(taken).toEqual([[first], [{ ...first, id: "n2" }]]);
      expect(await store.notices.take(9, 1_000)).toEqual([]);
      await store.notices.done("n2");
      clock.advance(1_000);
      expect(await store.notices.take(9, 1_000)).toEqual([{ ...first, attempt: 2 }]);
      await store.notices.postpone("n1", 5_000);
      clock.advance(4_999);
      expect(await store.notices.take(9, 1_000)).toEqual([]);
      clock.advance(1);
      expect(await store.notices.take(9, 1_000)).toMatchObject([{ id: "n1", attempt: 3 }]);
      await store.notices.done("none");
      await store.notices.postpone("none", 1);
    });

    it("are not written where their run is another's by now", async () => {
      await notify(ADA);
      const change = { notices: [notice("n1")], record: { status: "ended" } } as const;
      await expect(store.runs.change(ADA, change, "p2")).rejects.toMatchObject(failed("run_taken"));
      expect(await store.notices.take(9, 1)).toEqual([]);
    });
  });

  describe(`${name}: memories`, () => {
    const put = (id: string, text: string, owner = "ada") => store.memories.put({ owner, id, text });

    it("are found by words that they share with the query, in any case and language, the best first", async () => {
      await put("1", "The office is in Zürich, not in Bern.");
      await put("2", "Ada likes tea in the morning.");
      await put("3", "The ZÜRICH office opens at nine.");
      await put("4", "東京の事務所は九時に開きます");
      const found = async (query: string) => (await store.memories.search("ada", query, 10)).map(({ id }) => id);
      expect(await found("zürich opens when?")).toEqual(["3", "1"]);
      expect(await found("TEA")).toEqual(["2"]);
      expect(await found("東京")).toEqual(["4"]);
      expect(await found("nothing")).toEqual([]);
      expect(await store.memories.search("ada", "the in", 2)).toHaveLength(2);
    });

    it.each(["%", "_", "%%%%%%%%%%%%%%%%%%%%%%%%", "x' OR 1=1 --", "\\", "*", '"', "", "\0"])(
      "are not found by a pattern: %j",
      async (query) => {
        await put("1", "plain words");
        expect(await store.memories.search("ada", query, 10)).toEqual([]);
      },
    );

    it("keep a text as it was given", async () => {
      await put("1", HOSTILE);
      expect(await store.memories.list("ada", { limit: 1 })).toEqual([
        { owner: "ada", id: "1", text: HOSTILE, createdAt: clock.now() },
      ]);
      await store.memories.put({ owner: "ada", id: "1", text: "anew", agent: "clerk" });
      expect(await store.memories.search("ada", "anew", 9)).toMatchObject([{ text: "anew", agent: "clerk" }]);
      expect(await store.memories.search("ada", "drop", 9)).toEqual([]);
    });

    it("are one owner's", async () => {
      await put("same", "Ada's word");
      await put("same", "Bob's word", "bob");
      expect(await store.memories.search("bob", "word", 9)).toMatchObject([{ text: "Bob's word" }]);
      expect(await store.memories.delete({ owner: "bob", id: "same" })).toBe(true);
      expect(await store.memories.delete({ owner: "bob", id: "same" })).toBe(false);
      expect(await store.memories.search("bob", "word", 9)).toEqual([]);
      expect(await store.memories.search("ada", "word", 9)).toHaveLength(1);
    });

    it("are listed youngest first, page by page", async () => {
      for (const id of ["a", "b", "c"]) {
        await put(id, id);
        clock.advance(1);
      }
      const ids = async (before?: number) =>
        (await store.memories.list("ada", { limit: 2, before })).map((memory) => memory.id);
      expect(await ids()).toEqual(["c", "b"]);
      expect(await ids(clock.now() - 2)).toEqual(["a"]);
    });
  });

  describe(`${name}: definitions of tools`, () => {
    const [v1, v2, other] = [definition("send", "v1"), definition("send", "v2"), definition("read", "v1")];

    it("are what their owner agreed to last, whole, and no other owner's", async () => {
      expect(await store.definitions.agreed("ada", v1)).toBeUndefined();
      await store.definitions.agree("ada", v1);
      await store.definitions.agree("ada", v2);
      await store.definitions.agree("ada", other);
      expect(await store.definitions.agreed("ada", v1)).toEqual(v2);
      expect(await store.definitions.agreed("ada", other)).toEqual(other);
      expect(await store.definitions.agreed("bob", v1)).toBeUndefined();
      expect(await store.definitions.agreed("ada", { ...v1, server: "other" })).toBeUndefined();
    });

    it("hold for all owners as they were listed first, until an owner agrees to others", async () => {
      await store.definitions.agreeToFirst("mail", [v1]);
      await store.definitions.agreeToFirst("mail", [v2, other]);
      expect(await store.definitions.agreed("ada", v1)).toEqual(v1);
      expect(await store.definitions.agreed("ada", other)).toBeUndefined();
      await store.definitions.agree("ada", v2);
      expect(await store.definitions.agreed("ada", v1)).toEqual(v2);
      expect(await store.definitions.agreed("bob", v1)).toEqual(v1);
    });
  });

  describe(`${name}: audit`, () => {
    const asked = (owner: string, run: string): AuditEvent => ({
      ...{ type: "run-asked", owner, run, by: HOSTILE, agent: "clerk" },
    });
    const head = ({ seq, hash, at }: AuditHead): AuditHead => ({ seq, hash, at });

    it("goes on from its last entry, and tells what was written as it was", async () => {
      expect(await store.audit.head()).toBeUndefined();
      await store.audit.append([asked("ada", "1"), asked("bob", "1")]);
      clock.advance(5);
      await store.audit.append([asked("ada", "2")]);
      const entries = await store.audit.entries(0, 9);
      expect(entries.map(({ event = "" }) => JSON.parse(event))).toEqual([
        ...[asked("ada", "1"), asked("bob", "1"), asked("ada", "2")],
      ]);
      expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      expect(entries.slice(1).map(({ previous }) => previous)).toEqual(entries.slice(0, 2).map(({ hash }) => hash));
      expect(entries.map(({ at }) => clock.now() - at)).toEqual([5, 5, 0]);
      expect([await store.audit.head()]).toEqual(entries.slice(2).map(head));
      expect(await store.audit.entries(1, 1)).toEqual(entries.slice(1, 2));
    });

    it("keeps each entry where its owner is erased, without a word, and says which these are", async () => {
      const runs = Array.from({ length: 1_204 }, (_, n) => asked(n % 2 === 0 ? "ada" : "bob", `${n}`));
      await store.audit.append(runs);
      const before = await store.audit.entries(0, 5_000);
      expect(await store.owners.erase("ada")).toMatchObject({ audit_entries: 602 });
      const after = await store.audit.entries(0, 5_000);
      expect(after.slice(0, 1_204).map(head)).toEqual(before.map(head));
      expect(after.filter(({ salt, event }) => salt === undefined && event === undefined)).toHaveLength(602);
      expect(JSON.stringify(after)).not.toContain(before[0]?.salt);
      const told = after.slice(1_204).map(({ event = "" }) => JSON.parse(event));
      expect(told).toMatchObject([
        {
          type: "erased",
          owner: "ada",
          entries: 500,
          seqs: expect.arrayContaining([
            [1, 1],
            [3, 3],
          ]),
        },
        { type: "erased", owner: "ada", entries: 102 },
      ]);
      expect(await store.owners.erase("ada")).toMatchObject({ audit_entries: 0 });
      expect(await store.owners.erase("")).toMatchObject({ audit_entries: 0 });
    });
  });

  describe(`${name}: owners`, () => {
    async function fill(key: OwnerKey): Promise<void> {
      await store.sessions.open(key, { mode: "agent" });
      await store.sessions.append(key, messages(600));
      await store.runs.create({ ...key, agent: "clerk", sessionId: key.id, background: true }, LEASE);
      await store.runs.beginCalls(key, state(1), [{ callId: "c1" }, { callId: "c2" }], "p1");
      await store.runs.settleCall(key, result("c1"), "p1");
      await store.runs.appendEvents(key, { from: 1, events: [event("a"), event("b")] }, "p1");
      await store.runs.change(key, { record: { status: "waiting" }, opens: [interrupt("i1", key.id, clock)] }, "p1");
      await store.runs.change(key, { notices: [{ id: `n-${key.owner}`, url: "http://h", body: "{}" }] }, "p1");
      await store.interrupts.decide({ owner: key.owner, id: "i1" }, APPROVED, "boss");
      await store.memories.put({ ...key, text: "lasting words" });
      await store.definitions.agree(key.owner, definition("send", "v1"));
      await store.audit.append([{ type: "run-ended", owner: key.owner, run: key.id, outcome: "answered" }]);
    }

    const COUNTS = {
      ...{ sessions: 1, session_messages: 600, runs: 1, run_states: 1, run_calls: 2, run_events: 2 },
      ...{ interrupts: 1, notices: 1, memories: 1, tool_definitions: 1, audit_entries: 1 },
    };

    const UNFILLED = {
      ...{ memory_vectors: 0, collections: 0, collection_entries: 0, collection_parts: 0, collection_fields: 0 },
    };

    async function told(owner: string) {
      const rows: JsonObject[] = [];
      for await (const row of store.owners.export(owner)) rows.push(row);
      const counts: Record<string, number> = {};
      for (const { table } of rows) counts[String(table)] = (counts[String(table)] ?? 0) + 1;
      return { rows, counts };
    }

    it("are given everything that is kept of them, as it was meant, and nothing of another", async () => {
      await fill(ADA);
      await fill(BOB);
      const { rows, counts } = await told("ada");
      expect(counts).toEqual(COUNTS);
      expect(rows.filter(({ owner }) => owner !== "ada")).toEqual([]);
      expect(rows).toContainEqual({ table: "run_states", owner: "ada", run: "same", state: state(1) });
      expect(rows.find(({ table }) => table === "interrupts")).toMatchObject({
        decision: APPROVED,
        decided_by: "boss",
      });
      expect((await told("nobody")).rows).toEqual([]);
    });

    it("are erased whole, and nobody else is", async () => {
      await fill(ADA);
      await fill(BOB);
      expect(await store.owners.erase("ada")).toEqual({ ...COUNTS, memory_words: 2, ...UNFILLED });
      expect((await told("ada")).rows).toEqual([]);
      expect((await told("bob")).counts).toEqual(COUNTS);
      expect(await store.memories.search("ada", "words", 9)).toEqual([]);
      await expect(store.runs.change(ADA, { state: state(2) }, "p1")).rejects.toMatchObject(failed("run_taken"));
    });
  });
}

const WEEK_MS = 604_800_000;
const APPROVED: Decision = { type: "approve", plan: "h" };
const REJECTED: Decision = { type: "reject", plan: "h", reason: HOSTILE };

function failed(code: string) {
  return { failure: { code } };
}

function messages(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, n) => ({ role: "user", content: `${n} ${HOSTILE}` }));
}

/** A run's state that differs by its turn. */
function state(turn: number): RunState {
  const request = chat({ id: "same" });
  return {
    ...{ id: "same", agent: "clerk", request, gatewayTools: [], maxTurns: 3, messages: request.messages },
    ...{ turn, tokens: 0, executed: [], sentText: false },
  } as unknown as RunState;
}

function result(callId: string) {
  return { callId, name: "clock", content: HOSTILE, isError: false };
}

function definition(tool: string, version: string): ToolDefinition {
  return { server: "mail", tool, listed: { description: `${version} ${HOSTILE}` }, hash: version };
}

function event(text: string): RunEvent {
  return { type: "text-delta", text } as unknown as RunEvent;
}

function interrupt(id: string, run: string, clock: ManualClock): Interrupt {
  return {
    ...{ id, run, type: "approval", question: HOSTILE, reason: "why", onReject: "stop" },
    call: { id, name: "pay", arguments: '{"sum":1}' },
    plan: { tool: "pay", arguments: '{"sum":1}', hash: "h" },
    ...{ createdAt: clock.now(), expiresAt: clock.now() + WEEK_MS },
  } as Interrupt;
}

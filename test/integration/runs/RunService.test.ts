// Runs that last: who holds one, what is written before it is told, what becomes of it when its process or its reader is gone.
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { RunEvent } from "../../../src/core/events/events.ts";
import type { RunState } from "../../../src/core/runs/RunState.ts";
import { never } from "../../support/agents/gateway.ts";
import {
  ADA,
  ANSWERED,
  type DeskWorld,
  deskWorld,
  eventsOf,
  interrupt,
  OWNER,
  type Play,
  recordIs,
  request,
  until,
} from "../../support/runs/runServiceFixtures.ts";

let world: DeskWorld;
beforeEach(async () => {
  world = await deskWorld();
});
afterEach(() => world.close());

const KEY = { ...OWNER, id: "r1" };
const says = (text: string): RunEvent => ({ type: "text-delta", text });

const answers: Play = async (_state, _going, _signal, take) => {
  await take([{ type: "run-start", runId: "r1" }, says("one "), says("two")]);
  await take([ANSWERED]);
};

/** Waits for one answer, and then ends. */
const asksOnce: Play = async (state, { journal, decisions }, _signal, take) => {
  if (decisions?.has("q1")) return void (await take([says(JSON.stringify(decisions.get("q1"))), ANSWERED]));
  const asked = interrupt(state.id, "q1");
  await journal.recordWaiting({ ...state, turn: 1 }, [asked]);
  await take([
    { type: "interrupt", interrupt: asked },
    { ...ANSWERED, outcome: "awaiting-human" },
  ]);
};

/** Goes on until it is told to end. */
const hangs: Play = async (_state, _going, signal, take) => {
  await take([says("begun")]);
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await take([{ ...ANSWERED, outcome: "cancelled" }]);
};

async function told(ask: (take: (events: readonly RunEvent[]) => undefined) => Promise<void>) {
  const events: RunEvent[] = [];
  await ask((batch) => void events.push(...batch));
  return events;
}

const ask = (desk: ReturnType<DeskWorld["desk"]>, id = "r1", signal = never) =>
  told((take) => desk.ask(request(id), { signal, onEvents: take, store: true }));

describe("a run that is asked", () => {
  it("has ended in the store before its reader hears of the end", async () => {
    const desk = world.desk(answers);
    let status: string | undefined;
    await desk.ask(request("r1"), {
      signal: never,
      store: true,
      onEvents: async (events) => {
        if (events.some(({ type }) => type === "run-end")) status = (await desk.record(KEY)).status;
        return undefined;
      },
    });
    expect(status).toBe("ended");
  });

  it("has its events in their order, words that follow each other as one", async () => {
    const desk = world.desk(answers);
    await ask(desk);
    expect(await eventsOf(desk, KEY)).toEqual([{ type: "run-start", runId: "r1" }, says("one two"), ANSWERED]);
    expect(await eventsOf(desk, KEY, 2)).toEqual([ANSWERED]);
  });

  it("that cannot be planned tells why, and is not stored", async () => {
    const desk = world.desk(answers);
    const asked = request("r1");
    const events = await told((take) =>
      desk.ask({ ...asked, chat: { ...asked.chat, model: "unknown" } }, { signal: never, onEvents: take, store: true }),
    );
    expect(events).toMatchObject([{ type: "turn-failed", failure: { code: "model_not_found" } }]);
    await expect(desk.record(KEY)).rejects.toMatchObject({ failure: { code: "run_not_found" } });
  });

  it("is cancelled where its reader leaves", async () => {
    const desk = world.desk(hangs);
    const leaving = new AbortController();
    const asking = ask(desk, "r1", leaving.signal);
    await recordIs(desk, KEY, ({ status }) => status === "running");
    leaving.abort();
    await asking;
    expect(await desk.record(KEY)).toMatchObject({ status: "ended", outcome: "cancelled" });
  });

  it("is nobody's but its owner's", async () => {
    const desk = world.desk(answers);
    await ask(desk);
    await expect(desk.record({ owner: "eve", id: "r1" })).rejects.toMatchObject({ failure: { code: "run_not_found" } });
    expect(await desk.list("eve", { limit: 10 })).toEqual([]);
  });
});

describe("a run that waits", () => {
  it("goes on for whoever decided, with the decision", async () => {
    const desk = world.desk(asksOnce);
    await ask(desk);
    expect(await desk.record(KEY)).toMatchObject({ status: "waiting" });
    const { run, open } = await desk.decide("ada", "q1", { type: "answer", response: "Paris" }, ADA);
    expect({ run, open }).toEqual({ run: "r1", open: [] });
    const events = await told((take) => desk.resume(KEY, { signal: never, onEvents: take }));
    expect(events.at(-1)).toEqual(ANSWERED);
    expect(events[0]).toEqual(says('{"type":"answer","response":"Paris"}'));
    expect(await desk.record(KEY)).toMatchObject({ status: "ended", outcome: "answered" });
  });

  it("tells once more what it asks, where nothing was decided", async () => {
    const desk = world.desk(asksOnce);
    await ask(desk);
    const events = await told((take) => desk.resume(KEY, { signal: never, onEvents: take }));
    expect(events.map(({ type }) => type)).toEqual(["interrupt", "tool-call", "turn-end", "run-end"]);
    expect(await desk.record(KEY)).toMatchObject({ status: "waiting" });
  });

  it("takes the first decision, refuses the second, and knows no other owner's", async () => {
    const desk = world.desk(asksOnce);
    await ask(desk);
    const answer = { type: "answer", response: "Paris" } as const;
    const code = (failed: Promise<unknown>) => failed.catch((error) => error.failure.code);
    expect(await code(desk.decide("eve", "q1", answer, { ...ADA, name: "eve" }))).toBe("interrupt_not_found");
    expect(await code(desk.decide("ada", "q1", { ...answer, response: " " }, ADA))).toBe("invalid_request");
    expect(await code(desk.decide("ada", "q1", { type: "approve", plan: "x" }, ADA))).toBe("invalid_request");
    await desk.decide("ada", "q1", answer, ADA);
    expect(await code(desk.decide("ada", "q1", answer, ADA))).toBe("interrupt_decided");
  });

  it("goes on by itself after the last decision where nobody waits for it", async () => {
    const desk = world.desk(asksOnce);
    await desk.start(request("r1"));
    await recordIs(desk, KEY, ({ status }) => status === "waiting");
    await desk.decide("ada", "q1", { type: "cancel" }, ADA);
    expect(await recordIs(desk, KEY, ({ status }) => status === "ended")).toMatchObject({ outcome: "answered" });
  });

  it("goes on by itself where its process ended between the decision and what follows", async () => {
    const desk = world.desk(asksOnce);
    await desk.start(request("r1"));
    await recordIs(desk, KEY, ({ status }) => status === "waiting");
    await desk.stop();
    await world.store.interrupts.decide({ ...OWNER, id: "q1" }, { type: "cancel" }, "ada");
    const other = world.desk(asksOnce);
    other.startBackgroundRuns();
    await recordIs(other, KEY, ({ status }) => status === "ended");
  });

  it("that is cancelled asks nothing any more", async () => {
    const desk = world.desk(asksOnce);
    await ask(desk);
    expect(await desk.cancel(KEY)).toMatchObject({ status: "ended", outcome: "cancelled" });
    const late = desk.decide("ada", "q1", { type: "cancel" }, ADA);
    await expect(late).rejects.toMatchObject({ failure: { code: "interrupt_decided" } });
    await expect(desk.cancel(KEY)).rejects.toMatchObject({ failure: { code: "run_over" } });
    expect((await eventsOf(desk, KEY)).at(-1)).toMatchObject({ type: "run-end", outcome: "cancelled" });
  });
});

describe("a background run", () => {
  it("is taken further by another process when its own has ended, with the calls that were begun", async () => {
    const stuck = world.desk(async (state, { journal }, signal, take) => {
      await take([says("before")]);
      await journal.begin({ ...state, turn: 1 }, ["c1", "c2"], []);
      await journal.recordResult(state, { callId: "c2", name: "pay", content: "paid", isError: false });
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    });
    await stuck.start(request("r1"));
    await until(async () => (await world.store.runs.load(KEY))?.calls.some(({ result }) => result) ?? false);
    world.freeze(stuck);
    let went: { state: RunState; begun: unknown } | undefined;
    const other = world.desk(async (state, { begun }, _signal, take) => {
      went = { state, begun };
      await take([says("after"), ANSWERED]);
    });
    other.startBackgroundRuns();
    await recordIs(other, KEY, ({ status }) => status === "ended");
    expect(went?.state.turn).toBe(1);
    expect(went?.begun).toMatchObject([{ callId: "c1" }, { callId: "c2", result: { content: "paid" } }]);
    expect(await eventsOf(other, KEY)).toEqual([
      says("before"),
      { type: "run-resumed", turn: 2 },
      says("after"),
      ANSWERED,
    ]);
  });

  it("does and writes nothing more where another process has it", async () => {
    const stopped = Promise.withResolvers<void>();
    const first = world.desk(async (state, { journal }, signal, take) => {
      await take([says("first")]);
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      await expect(journal.begin(state, ["c1"], [])).rejects.toMatchObject({ failure: { code: "run_taken" } });
      await journal.recordTurn({ ...state, turn: 7 });
      await take([{ ...ANSWERED, outcome: "max-turns" }]);
      stopped.resolve();
    });
    await first.start(request("r1"));
    await recordIs(first, KEY, ({ events }) => events === 1);
    world.freeze(first);
    const second = world.desk(hangs);
    second.startBackgroundRuns();
    await recordIs(second, KEY, ({ events }) => events === 3);
    world.wake(first);
    await stopped.promise;
    expect(await second.cancel(KEY)).toMatchObject({ outcome: "cancelled" });
    expect((await world.store.runs.load(KEY))?.state.turn).toBe(0);
    expect(await eventsOf(second, KEY)).toMatchObject([
      says("first"),
      { type: "run-resumed" },
      says("begun"),
      { type: "run-end", outcome: "cancelled" },
    ]);
  });

  it("waits for its turn where enough of them go on", async () => {
    const gate = Promise.withResolvers<void>();
    let going = 0;
    let most = 0;
    const desk = world.desk(
      async (_state, _going, _signal, take) => {
        going += 1;
        most = Math.max(most, going);
        await gate.promise;
        going -= 1;
        await take([ANSWERED]);
      },
      { backgroundAtOnce: 2 },
    );
    for (const id of ["r1", "r2", "r3", "r4", "r5"]) await desk.start(request(id));
    await until(() => most === 2);
    gate.resolve();
    for (const id of ["r1", "r2", "r3", "r4", "r5"])
      await recordIs(desk, { ...OWNER, id }, ({ status }) => status === "ended");
    expect(most).toBe(2);
  });

  it("is given back when its process ends, and says nothing of an end", async () => {
    const desk = world.desk(hangs);
    await desk.start(request("r1"));
    await recordIs(desk, KEY, ({ events }) => events > 0);
    await desk.stop();
    expect(await world.store.runs.get(KEY)).toMatchObject({ status: "running" });
    expect(await world.store.runs.abandoned(10)).toEqual([KEY]);
  });

  it("is cancelled at once here, and by the holder where another process has it", async () => {
    const here = world.desk(hangs);
    await here.start(request("r1"));
    expect(await here.cancel(KEY)).toMatchObject({ status: "ended", outcome: "cancelled" });
    await here.start(request("r2"));
    const other = world.desk(hangs);
    await other.cancel({ ...OWNER, id: "r2" });
    await recordIs(other, { ...OWNER, id: "r2" }, ({ outcome }) => outcome === "cancelled");
  });
});

describe("a run whose reader was cut off by the end of its process", () => {
  it("is told as stuck, and goes on for whoever asks for the rest", async () => {
    const desk = world.desk(hangs);
    await world.store.runs.create({ ...KEY, agent: "default", background: false }, { holder: "gone", ms: 0 });
    const { chat } = request("r1");
    const state = { id: "r1", agent: "default", interactive: true, request: chat, gatewayTools: [], maxTurns: 1 };
    const rest = { messages: [], turn: 0, tokens: 0, executed: [], sentText: false };
    await world.store.runs.claim(KEY, { holder: "gone", ms: 50 });
    await world.store.runs.change(KEY, { state: { ...state, ...rest } }, "gone");
    desk.startBackgroundRuns();
    await recordIs(desk, KEY, ({ status }) => status === "stuck");
    await told((take) => world.desk(answers).resume(KEY, { signal: never, onEvents: take }));
    expect(await desk.record(KEY)).toMatchObject({ status: "ended", outcome: "answered" });
  });
});

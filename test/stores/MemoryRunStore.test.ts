// Runs in memory: kept as they were saved last, until they are over, too old or too many.
import { describe, expect, it } from "@jest/globals";
import type { RunState } from "../../src/core/run.ts";
import { MemoryRunStore } from "../../src/stores/MemoryRunStore.ts";
import { chat } from "../agents/gateway.ts";
import { ManualClock } from "../agents/ManualClock.ts";

const HOUR_MS = 3_600_000;

function state(id: string, turn = 1): RunState {
  const request = chat({ id });
  return {
    id,
    agent: "default",
    request,
    gatewayTools: [],
    maxTurns: 3,
    messages: request.messages,
    turn,
    tokens: 0,
    executed: [],
    sentText: false,
  };
}

describe("the memory store of runs", () => {
  it("keeps a run as it was saved last, until it is over", async () => {
    const store = new MemoryRunStore(new ManualClock());
    await store.save(state("a", 1));
    await store.save(state("a", 2));
    expect(await store.load("a")).toEqual(state("a", 2));
    await store.forget("a");
    expect(await store.load("a")).toBeUndefined();
  });

  it.each(["b", "__proto__", ""])(
    "knows no run %p that was never saved, and has nothing to forget of it",
    async (id) => {
      const store = new MemoryRunStore(new ManualClock());
      await store.forget(id);
      expect(await store.load(id)).toBeUndefined();
    },
  );

  it("forgets a run that was not saved for an hour", async () => {
    const clock = new ManualClock();
    const store = new MemoryRunStore(clock);
    await store.save(state("old"));
    await store.save(state("busy"));
    clock.advance(HOUR_MS - 1);
    await store.save(state("busy"));
    clock.advance(1);
    expect(await store.load("old")).toBeUndefined();
    expect(await store.load("busy")).toBeDefined();
  });

  it("keeps a thousand runs, those that were saved last", async () => {
    const store = new MemoryRunStore(new ManualClock());
    for (let n = 0; n < 1_000; n += 1) await store.save(state(`run${n}`));
    await store.save(state("run0"));
    await store.save(state("one more"));
    expect(await store.load("run1")).toBeUndefined();
    expect(await store.load("run0")).toBeDefined();
    expect(await store.load("run2")).toBeDefined();
  });
});

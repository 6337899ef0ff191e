// What is known of a model at once, before a store that takes its time, fails, or hears from other gateways.
import { describe, expect, it } from "@jest/globals";
import type { ObservedCapability } from "../../../../src/core/models/capabilities.ts";
import { OBSERVATION_TTL_MS } from "../../../../src/core/models/observedCapabilities.ts";
import type { ObservedCapabilityStore } from "../../../../src/core/ports.ts";
import { ObservedCapabilityCache } from "../../../../src/models/capabilities/ObservedCapabilityCache.ts";
import { InMemoryCapabilityStore } from "../../../../src/stores/InMemoryCapabilityStore.ts";
import { ManualClock } from "../../../support/agents/ManualClock.ts";
import { evidence } from "../../../support/stores/evidenceStoreContract.ts";

/** A store that counts what it is asked. */
function setUp(change: (store: ObservedCapabilityStore) => Partial<ObservedCapabilityStore> = () => ({})) {
  const clock = new ManualClock();
  const inner = new InMemoryCapabilityStore(clock);
  const asked: string[] = [];
  const store: ObservedCapabilityStore = {
    get: (key) => inner.get(key),
    put: (key, one) => inner.put(key, one),
    ...change(inner),
  };
  const counting: ObservedCapabilityStore = {
    get: (key) => {
      asked.push(`get ${key}`);
      return store.get(key);
    },
    put: (key, one) => {
      asked.push(`put ${key}`);
      return store.put(key, one);
    },
  };
  const cache = new ObservedCapabilityCache(counting, clock);
  const seen = (refused: string): ObservedCapability => evidence(refused, clock.now());
  const kinds = (key = "k"): readonly string[] => cache.get(key).map(({ refused }) => refused);
  return { clock, inner, cache, asked, seen, kinds };
}

/** Lets everything run that waits for nothing. */
const settle = (): Promise<void> => new Promise((done) => setImmediate(done));

describe("a key that was not seen before", () => {
  it("is read from the store, once, and is waited for by all who ask meanwhile", async () => {
    const { cache, inner, asked, seen, kinds, clock } = setUp();
    await inner.put("k", seen("tools"));
    expect(kinds()).toEqual([]);
    await Promise.all([cache.recall("k"), cache.recall("k")]);
    expect([kinds(), asked, clock.pending]).toEqual([["tools"], ["get k"], 0]);
  });

  it("is waited for a quarter of a second and no longer; what comes later serves the next", async () => {
    const late = Promise.withResolvers<readonly ObservedCapability[]>();
    const { cache, kinds, seen, clock } = setUp(() => ({ get: () => late.promise }));
    const waiting = cache.recall("k");
    expect(waiting).toBeDefined();
    clock.advance(250);
    await waiting;
    expect([kinds(), cache.recall("k")]).toEqual([[], undefined]);
    late.resolve([seen("tools")]);
    await settle();
    expect(kinds()).toEqual(["tools"]);
  });

  it("is one of which nothing is known where the store fails, which is asked again only later", async () => {
    const { cache, kinds, asked, clock } = setUp(() => ({ get: () => Promise.reject(new Error("down")) }));
    await cache.recall("k");
    expect([kinds(), cache.recall("k"), asked]).toEqual([[], undefined, ["get k"]]);
    clock.advance(60_000);
    expect([cache.recall("k"), asked]).toEqual([undefined, ["get k", "get k"]]);
    await settle();
  });
});

describe("a key that is known", () => {
  it("is waited for by nobody, though nothing is known of it", async () => {
    const { cache, asked } = setUp();
    await cache.recall("k");
    for (let n = 0; n < 3; n += 1) expect(cache.recall("k")).toBeUndefined();
    expect(asked).toEqual(["get k"]);
  });

  it("is read again after a minute, behind whoever asks: another gateway may have taught the store", async () => {
    const { cache, inner, kinds, seen, clock } = setUp();
    await cache.recall("k");
    await inner.put("k", seen("tools"));
    clock.advance(60_000);
    expect([cache.recall("k"), kinds()]).toEqual([undefined, []]);
    await settle();
    expect(kinds()).toEqual(["tools"]);
  });

  it("is forgotten here too when its evidence is an hour old", async () => {
    const { cache, kinds, seen, clock } = setUp();
    cache.put("k", seen("tools"));
    clock.advance(OBSERVATION_TTL_MS - 1);
    expect(kinds()).toEqual(["tools"]);
    clock.advance(1);
    expect(kinds()).toEqual([]);
  });
});

describe("what is put", () => {
  it("counts at once and reaches the store behind it, in order", async () => {
    const { cache, inner, kinds, seen } = setUp();
    cache.put("k", seen("tools"));
    cache.put("k", seen("stop"));
    expect(kinds()).toEqual(["tools", "stop"]);
    expect(await inner.get("k")).toHaveLength(0);
    await cache.flush();
    expect((await inner.get("k")).map(({ refused }) => refused)).toEqual(["tools", "stop"]);
  });

  it("joins what the store knew, and is not lost to a reading that began before it", async () => {
    const { cache, inner, kinds, seen, clock } = setUp();
    await inner.put("k", seen("tools"));
    clock.advance(1);
    const recalled = cache.recall("k");
    cache.put("k", seen("stop"));
    await recalled;
    expect(kinds()).toEqual(["tools", "stop"]);
  });

  it("counts here though the store fails, and what follows reaches it still", async () => {
    let down = true;
    const { cache, inner, kinds, seen } = setUp((store) => ({
      put: (key, one) => (down ? Promise.reject(new Error("down")) : store.put(key, one)),
    }));
    cache.put("k", seen("tools"));
    await cache.flush();
    down = false;
    cache.put("k", seen("stop"));
    await cache.flush();
    expect(kinds()).toEqual(["tools", "stop"]);
    expect(await inner.get("k")).toHaveLength(1);
  });
});

it("a thousand keys are kept here; one that was dropped is read again", async () => {
  const { cache, seen, kinds } = setUp();
  cache.put("k", seen("tools"));
  await cache.flush();
  for (let n = 0; n < 1_000; n += 1) await cache.recall(`other-${n}`);
  expect(kinds()).toEqual([]);
  await cache.recall("k");
  expect(kinds()).toEqual(["tools"]);
});

describe("what is known of a key", () => {
  it("is the very same list until something is learnt or forgotten", async () => {
    const { cache, seen, clock } = setUp();
    expect(cache.get("k")).toBe(cache.get("other"));
    cache.put("k", seen("tools"));
    const first = cache.get("k");
    clock.advance(1_000);
    expect(cache.get("k")).toBe(first);
    cache.put("k", seen("stop"));
    const both = cache.get("k");
    expect(both).not.toBe(first);
    clock.advance(OBSERVATION_TTL_MS - 1_000);
    const left = cache.get("k");
    expect(left.map(({ refused }) => refused)).toEqual(["stop"]);
    expect(cache.get("k")).toBe(left);
  });
});

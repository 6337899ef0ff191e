// Choosing who asks: what is known of a model is waited for at its first sight, and never again.
import { describe, expect, it } from "@jest/globals";
import { AgentFactory } from "../../../src/agents/AgentFactory.ts";
import { ModelCapabilityDetector } from "../../../src/models/capabilities/ModelCapabilityDetector.ts";
import { ObservedCapabilityCache } from "../../../src/models/capabilities/ObservedCapabilityCache.ts";
import { InMemoryCapabilityStore } from "../../../src/stores/InMemoryCapabilityStore.ts";
import { never } from "../../support/agents/gateway.ts";
import { ManualClock } from "../../support/agents/ManualClock.ts";
import { ScriptedModel } from "../../support/ScriptedModel.ts";

function factoryOver(store: InMemoryCapabilityStore, clock: ManualClock): AgentFactory {
  const client = new ScriptedModel();
  return new AgentFactory({
    directory: {
      resolve: (model) =>
        (["native", "text"] as const).map((mode) => ({
          upstream: "up",
          key: `up/${model}`,
          model,
          mode,
          client,
          parse: "on",
        })),
    },
    detector: new ModelCapabilityDetector({
      operator: [],
      shipped: [],
      evidence: new ObservedCapabilityCache(store, clock),
    }),
    ids: { callId: () => "call00001" },
    captureChars: 1_000,
    clock,
    observer: { observe: () => undefined },
  });
}

/** Counts how often the store is read. */
class CountedStore extends InMemoryCapabilityStore {
  reads = 0;

  override get(key: string) {
    this.reads += 1;
    return super.get(key);
  }
}

describe("an agent for a model", () => {
  it("knows at the first request what another gateway has taught the store", async () => {
    const clock = new ManualClock();
    const store = new InMemoryCapabilityStore(clock);
    await store.put("up/m", { refused: "tools", reason: "400", at: clock.now() });
    const chosen = await factoryOver(store, clock).choose("m", { toolsOffered: true }, never);
    expect(chosen?.agent.toolMode).toBe("text");
  });

  it("goes on in text, and no further, by a way that no pinned mode has and nobody who reads nothing", async () => {
    const clock = new ManualClock();
    const factory = factoryOver(new InMemoryCapabilityStore(clock), clock);
    const chosen = await factory.choose("m", { toolsOffered: true }, never);
    const modes = [chosen?.agent.toolMode, chosen?.nextRoute?.().toolMode, chosen?.agent.toolMode];
    expect([modes, chosen?.nextRoute]).toEqual([["native", "text", "text"], undefined]);
    for (const wish of [{ pinnedToolMode: "native" }, { pinnedToolMode: "text" }, { parse: "off" }] as const) {
      const bound = await factory.choose("m", { toolsOffered: true, ...wish }, never);
      expect([bound?.agent.toolMode, bound?.nextRoute]).toEqual([
        "pinnedToolMode" in wish ? wish.pinnedToolMode : "native",
        undefined,
      ]);
    }
  });

  it("is chosen without a word to the store from then on", async () => {
    const clock = new ManualClock();
    const store = new CountedStore(clock);
    const factory = factoryOver(store, clock);
    for (let n = 0; n < 3; n += 1) await factory.choose("m", { toolsOffered: true }, never);
    expect([store.reads, clock.pending]).toEqual([1, 0]);
  });
});

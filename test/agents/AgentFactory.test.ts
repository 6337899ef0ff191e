// Choosing who asks: what is known of a model is waited for at its first sight, and never again.
import { describe, expect, it } from "@jest/globals";
import { AgentFactory } from "../../src/agents/AgentFactory.ts";
import { EvidenceCache } from "../../src/models/EvidenceCache.ts";
import { ModelCapabilityDetector } from "../../src/models/ModelCapabilityDetector.ts";
import { MemoryEvidenceStore } from "../../src/stores/MemoryEvidenceStore.ts";
import { ScriptedModel } from "../support/ScriptedModel.ts";
import { never } from "./gateway.ts";
import { ManualClock } from "./ManualClock.ts";

function factoryOver(store: MemoryEvidenceStore, clock: ManualClock): AgentFactory {
  const client = new ScriptedModel();
  return new AgentFactory({
    directory: { resolve: (model) => ({ upstream: "up", key: `up/${model}`, model, client, parse: "on" }) },
    detector: new ModelCapabilityDetector({ operator: [], shipped: [], evidence: new EvidenceCache(store, clock) }),
    ids: { callId: () => "call00001" },
    captureChars: 1_000,
    clock,
    observer: { observe: () => undefined },
  });
}

/** Counts how often the store is read. */
class CountedStore extends MemoryEvidenceStore {
  reads = 0;

  override get(key: string) {
    this.reads += 1;
    return super.get(key);
  }
}

describe("an agent for a model", () => {
  it("knows at the first request what another gateway has taught the store", async () => {
    const clock = new ManualClock();
    const store = new MemoryEvidenceStore(clock);
    await store.put("up/m", { refused: "tools", reason: "400", at: clock.now() });
    const chosen = await factoryOver(store, clock).choose("m", { toolsOffered: true }, never);
    expect(chosen?.agent.toolMode).toBe("text");
  });

  it("is chosen without a word to the store from then on", async () => {
    const clock = new ManualClock();
    const store = new CountedStore(clock);
    const factory = factoryOver(store, clock);
    for (let n = 0; n < 3; n += 1) await factory.choose("m", { toolsOffered: true }, never);
    expect([store.reads, clock.pending]).toEqual([1, 0]);
  });
});

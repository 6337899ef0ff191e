import { expect, it } from "@jest/globals";
import { InMemoryCapabilityStore } from "../../../src/stores/InMemoryCapabilityStore.ts";
import { describeEvidenceStore, evidence, START } from "../../support/stores/evidenceStoreContract.ts";

describeEvidenceStore("the memory store of evidence", async (clock) => new InMemoryCapabilityStore(clock));

it("keeps at most a thousand keys, those that were taught last", async () => {
  const store = new InMemoryCapabilityStore({ now: () => START });
  for (let n = 0; n <= 1_000; n += 1) await store.put(`k${n}`, evidence("tools", START));
  expect(await store.get("k0")).toEqual([]);
  expect(await store.get("k1")).toHaveLength(1);
  expect(await store.get("k1000")).toHaveLength(1);
});

// What every store of evidence keeps to, wherever it stores: run by the test of each.
import { describe, expect, it } from "@jest/globals";
import type { ObservedCapability } from "../../../src/core/models/capabilities.ts";
import { OBSERVATION_TTL_MS } from "../../../src/core/models/observedCapabilities.ts";
import type { Clock, ObservedCapabilityStore } from "../../../src/core/ports.ts";

export const START = Date.parse("2026-11-21T10:00:00Z");

export function evidence(refused: string, at: number, more: Partial<ObservedCapability> = {}): ObservedCapability {
  return { refused, reason: `No ${refused}.`, at, ...more };
}

/** @param open an empty store. */
export function describeEvidenceStore(
  name: string,
  open: (clock: Pick<Clock, "now">) => Promise<ObservedCapabilityStore>,
): void {
  async function opened() {
    const clock = { ms: START, now: () => clock.ms };
    return { clock, store: await open(clock) };
  }

  describe(`${name}, as a store of evidence`, () => {
    it.each(["up/model", "up/org/model:7b-q4", "up/__proto__", "up/Ünï çode 🎈", "up/", ""])(
      "knows nothing of a key that it was not taught: %j",
      async (key) => {
        const { store } = await opened();
        expect(await store.get(key)).toEqual([]);
        await store.put(key, evidence("tools", START));
        expect(await store.get(key)).toEqual([evidence("tools", START)]);
        expect(await store.get(`${key}x`)).toEqual([]);
      },
    );

    it("gives back what it was taught, whole and the oldest first", async () => {
      const { store } = await opened();
      const taught = [
        evidence("stop", START, { reason: 'a "word"\n\u{1F388}' }),
        evidence("tools", START + 1, { probe: true }),
        evidence("seed", START + 2),
      ];
      for (const one of taught) await store.put("up/model", one);
      expect(await store.get("up/model")).toEqual(taught);
    });

    it("keeps one of each kind, the youngest", async () => {
      const { store } = await opened();
      await store.put("up/model", evidence("tools", START));
      await store.put("up/model", evidence("stop", START + 1));
      await store.put("up/model", evidence("tools", START + 2, { reason: "Still none." }));
      expect(await store.get("up/model")).toEqual([
        evidence("stop", START + 1),
        evidence("tools", START + 2, { reason: "Still none." }),
      ]);
    });

    it("keeps the youngest also where an older one arrives behind it", async () => {
      const { store } = await opened();
      await store.put("up/model", evidence("tools", START + 2));
      await store.put("up/model", evidence("tools", START));
      expect(await store.get("up/model")).toEqual([evidence("tools", START + 2)]);
    });

    it("forgets each an hour after it was seen", async () => {
      const { store, clock } = await opened();
      await store.put("up/model", evidence("tools", START));
      await store.put("up/model", evidence("stop", START + 1));
      clock.ms = START + OBSERVATION_TTL_MS - 1;
      expect(await store.get("up/model")).toHaveLength(2);
      clock.ms += 1;
      expect(await store.get("up/model")).toEqual([evidence("stop", START + 1)]);
      clock.ms += 1;
      expect(await store.get("up/model")).toEqual([]);
    });

    it("loses none of what is put at once", async () => {
      const { store } = await opened();
      const kinds = Array.from({ length: 20 }, (_, n) => `kind-${n}`);
      await Promise.all(kinds.map((kind, n) => store.put("up/model", evidence(kind, START + n))));
      expect((await store.get("up/model")).map(({ refused }) => refused)).toEqual(kinds);
    });
  });
}

import { setImmediate as round } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { startThrottle } from "../../../../src/server/http/startThrottle.ts";

/** Who has gone on, in order, and how to arrive. */
function arrivals(most: number) {
  const on: number[] = [];
  const pass = startThrottle(most);
  const arrive = (n: number) => pass(() => on.push(n));
  return { on, arrive };
}

describe("requests that come in one round of the event loop", () => {
  it("go on at its end where they are few, when all that came in it is there", async () => {
    const { on, arrive } = arrivals(4);
    for (const n of [1, 2, 3, 4]) arrive(n);
    expect(on).toEqual([]);
    await round();
    expect(on).toEqual([1, 2, 3, 4]);
  });

  it("go on a few a round, in their order, where they are many", async () => {
    const { on, arrive } = arrivals(4);
    const all = Array.from({ length: 30 }, (_, n) => n);
    for (const n of all) arrive(n);
    const counts = [on.length];
    while (on.length < all.length) {
      await round();
      counts.push(on.length);
    }
    expect(on).toEqual(all);
    const steps = counts.map((count, i) => count - (counts[i - 1] ?? 0));
    expect(Math.max(...steps)).toBe(4);
  });

  it("wait behind those that wait already", async () => {
    const { on, arrive } = arrivals(2);
    for (const n of [1, 2, 3, 4, 5]) arrive(n);
    await round();
    arrive(6);
    while (on.length < 6) await round();
    expect(on).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("leave nothing behind: the next one goes on in its own round", async () => {
    const { on, arrive } = arrivals(1);
    arrive(1);
    arrive(2);
    for (let i = 0; i < 4; i += 1) await round();
    arrive(3);
    await round();
    expect(on).toEqual([1, 2, 3]);
    expect(process.getActiveResourcesInfo().filter((name) => name === "Immediate")).toEqual([]);
  });
});

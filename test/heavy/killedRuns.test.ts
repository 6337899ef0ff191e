// Background runs whose process is killed -9 at every named point of their life, with every class of tool; and two processes under load.
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { until } from "../support/runs/inTime.ts";
import { KillWorld } from "../support/runs/KillWorld.ts";
import { carryOut, drawPlans, sweepPlans } from "../support/runs/killPlans.ts";
import { RunProcess } from "../support/runs/RunProcess.ts";

jest.setTimeout(600_000);

let world: KillWorld;
beforeAll(async () => {
  world = await new KillWorld().open();
});
afterAll(() => world.close());

/** Of which each has a process for itself; most of a run is waiting for a lease to end. */
const AT_ONCE = 6;
const SEED = 38;

describe("background runs whose processes are killed", () => {
  it("lose nothing and do nothing twice, killed at every boundary, and twice more behind it", async () => {
    const { lost, doubled, unsound } = await carryOut(sweepPlans(), AT_ONCE);
    expect({ lost, doubled, unsound }).toEqual({ lost: [], doubled: [], unsound: [] });
  });

  it("lose nothing and do nothing twice, killed one to three times at random", async () => {
    const { runs, lost, doubled, unsound } = await carryOut(drawPlans(SEED, 60), AT_ONCE);
    expect({ runs, lost, doubled, unsound }).toEqual({ runs: 60, lost: [], doubled: [], unsound: [] });
  });
});

describe("two processes on one file, one of which is killed under load", () => {
  it("lose no run, and do nothing twice", async () => {
    const [first, second] = await Promise.all([RunProcess.start(world.configFile), RunProcess.start(world.configFile)]);
    try {
      const ids = Array.from({ length: 100 }, (_, n) => `load-${n}`);
      for (const [n, id] of ids.entries()) {
        await (n % 2 === 0 ? first : second).tell({ do: "start", id, text: `keyed ${id}` });
        if (n === 60) break;
      }
      await first.kill();
      for (const id of ids.slice(61)) await second.tell({ do: "start", id, text: `keyed ${id}` });
      for (const id of ids) await until(async () => (await second.record(id))?.status === "ended", `run ${id} to end`);
      expect(ids.map((id) => world.effects.effects(id))).toEqual(ids.map(() => 1));
    } finally {
      await Promise.all([first.kill(), second.kill()]);
    }
  });
});

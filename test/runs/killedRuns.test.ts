// A few cells of test/heavy/killedRuns.test.ts: what a process that was killed leaves behind is taken to its end by another.
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { KillWorld } from "../support/runs/KillWorld.ts";

let world: KillWorld;
beforeAll(async () => {
  world = await new KillWorld().open();
});
afterAll(() => world.close());

it("a call that was done and not written is made again with its key, and does nothing twice", async () => {
  expect(await world.live("keyed", "tool done")).toMatchObject({
    record: { outcome: "answered" },
    effects: 1,
    calls: 2,
    asked: [],
  });
});

it("a call without a key that was done and not written is shown to a person, and not made again", async () => {
  const life = await world.live("plain", "tool done");
  expect(life).toMatchObject({ record: { outcome: "answered" }, effects: 1, calls: 1 });
  expect(life.asked).toMatchObject([{ type: "unknown-outcome", status: "decided" }]);
});

it("a decision whose process is killed behind it is acted on once", async () => {
  const life = await world.live("gated", "decided");
  expect(life).toMatchObject({ record: { outcome: "answered" }, effects: 1 });
});

it("a task that had its effect when its process was killed is not begun again, whatever is known of its outcome", async () => {
  expect(await world.live("task", "tool done")).toMatchObject({
    record: { outcome: "answered" },
    effects: 1,
    calls: 1,
  });
});

it("a task that had ended when its process was killed in a later turn is not begun again, and nobody is asked", async () => {
  const life = await world.live("task", "second turn asked");
  expect(life).toMatchObject({ record: { outcome: "answered" }, effects: 1, calls: 1, asked: [] });
});

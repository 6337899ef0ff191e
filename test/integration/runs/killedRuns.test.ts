// A few cells of test/heavy/killedRuns.test.ts: what a process that was killed leaves behind is taken to its end by another.
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { KillWorld, type Life } from "../../support/runs/KillWorld.ts";

let world: KillWorld;
beforeAll(async () => {
  world = await new KillWorld().open();
});
afterAll(() => world.close());

it("a call that was done and not written is made again with its key, and does nothing twice", async () => {
  const life = await world.live("keyed", "tool done");
  expect(life).toMatchObject({
    record: { outcome: "answered" },
    effects: 1,
    calls: 2,
    asked: [],
  });
  const begins = 'keyed begins: {"of":"keyed-1"}';
  expect(withoutSide(life)).toEqual([
    ...["local asks worker", begins, "keyed is lost", begins, "keyed ends: ok", "the run ends: answered"],
  ]);
});

it("a call without a key that was done and not written is shown to a person, and not made again", async () => {
  const life = await world.live("plain", "tool done");
  expect(life).toMatchObject({ record: { outcome: "answered" }, effects: 1, calls: 1 });
  expect(life.asked).toMatchObject([{ type: "unknown-outcome", status: "decided" }]);
  expect(withoutSide(life)).toEqual([
    ...["local asks worker", 'plain begins: {"of":"plain-2"}', "plain is lost", "the run ends: awaiting-human"],
    ...['local decides on plain {"of":"plain-2"}: reject', "the run ends: answered"],
  ]);
});

it("a decision whose process is killed behind it is acted on once", async () => {
  const life = await world.live("gated", "decided");
  expect(life).toMatchObject({ record: { outcome: "answered" } });
  // Where it was killed between what it wrote of the call and the call's server, nobody knows of an effect, and the person who is asked says no.
  const isUnknown = life.asked.some(({ type }) => type === "unknown-outcome");
  expect(isUnknown ? [0, 1] : [1]).toContain(life.effects);
  const decides = 'local decides on gated {"of":"gated-3"}: approve';
  const begins = 'gated begins: {"of":"gated-3"}';
  expect(life.told.filter((said) => said === decides)).toHaveLength(1);
  expect(life.told.indexOf(begins)).toBeGreaterThan(life.told.indexOf(decides));
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

/** What is told of the run and its tool: another reads beside it, and may have ended before its process did. */
function withoutSide({ told }: Life): readonly string[] {
  return told.filter((said) => !said.startsWith("read "));
}

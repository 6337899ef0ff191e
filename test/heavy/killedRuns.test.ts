// Background runs whose process is killed -9 at every named point of their life, with every class of tool; and two processes under load.
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import {
  BOUNDARIES,
  type Boundary,
  KillWorld,
  TOOL_CLASSES,
  type ToolClass,
  until,
  WAITING_BOUNDARIES,
} from "../support/runs/KillWorld.ts";
import { RunProcess } from "../support/runs/RunProcess.ts";

jest.setTimeout(300_000);

let world: KillWorld;
beforeAll(async () => {
  world = await new KillWorld().open();
});
afterAll(() => world.close());

const CELLS = TOOL_CLASSES.flatMap((tool): readonly (readonly [ToolClass, Boundary])[] => {
  const points = tool === "gated" ? [...BOUNDARIES, ...WAITING_BOUNDARIES] : BOUNDARIES;
  return points.map((point) => [tool, point] as const);
});

/** What is not asked for twice whatever happens, and what is shown to a person where its outcome is not known. */
const WITHOUT_KEY: ReadonlySet<ToolClass> = new Set(["plain", "gated"]);

it.each(CELLS)("a run with a tool of the class %s, killed at: %s", async (tool, boundary) => {
  const { record, asked, effects, acknowledged, calls, told } = await world.live(tool, boundary);
  // Whatever was done stands in the audit before it.
  expect(told.filter((said) => said.startsWith(`${tool} begins`)).length).toBeGreaterThanOrEqual(calls);
  if (!acknowledged && !record) return;
  // One that was never acknowledged may have no state.
  if (!acknowledged && record?.status === "stuck") return;
  expect(record).toMatchObject({ status: "ended", outcome: "answered" });
  const unknown = asked.filter(({ type }) => type === "unknown-outcome");
  if (!WITHOUT_KEY.has(tool)) {
    expect({ effects, unknown: unknown.length }).toEqual({ effects: tool === "keyed" ? 1 : 0, unknown: 0 });
    return;
  }
  expect(calls).toBeLessThanOrEqual(1);
  // Either it was done and that was written, or a person was shown that nobody knows.
  if (effects === 0 || boundary.endsWith("tool done"))
    expect(unknown.length).toBeGreaterThanOrEqual(boundary.startsWith("side") ? 0 : 1);
  expect(effects).toBeLessThanOrEqual(1);
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
      for (const id of ids) await until(async () => (await second.record(id))?.status === "ended", 120_000);
      expect(ids.map((id) => world.effects.effects(id))).toEqual(ids.map(() => 1));
    } finally {
      await Promise.all([first.kill(), second.kill()]);
    }
  });
});

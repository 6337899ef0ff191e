// A run with two parallel tools, one that needs leave and one question, over real processes on one file: what people may say of it, and what not.
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { InterruptRecord } from "../../src/core/runs/interrupts.ts";
import { until } from "../support/runs/inTime.ts";
import { KillWorld } from "../support/runs/KillWorld.ts";
import { RunProcess } from "../support/runs/RunProcess.ts";

let world: KillWorld;
let running: RunProcess;
beforeAll(async () => {
  world = await new KillWorld().open();
  running = await RunProcess.start(world.configFile);
});
afterAll(async () => {
  await running.kill();
  await world.close();
});

/** What the run asks: leave for a call, and a question. */
async function asked(id: string): Promise<readonly [InterruptRecord & { plan: object }, InterruptRecord]> {
  await running.tell({ do: "start", id, text: `gated+ask_user ${id}` });
  await until(async () => (await running.record(id))?.status === "waiting");
  const list = await running.interrupts(id);
  expect(list.map(({ type }) => type)).toEqual(["approval", "clarify"]);
  return list as never;
}

const ends = (id: string) => until(async () => (await running.record(id))?.status === "ended");
const code = (told: Promise<unknown>) =>
  told.then(
    () => "taken",
    (error) => error.failure.code,
  );

it("survives kill -9 while it waits, and takes the first word that fits of its owner alone", async () => {
  const [leave, question] = await asked("edited");
  expect([world.effects.calls("edited"), world.effects.calls("side-edited")]).toEqual([0, 1]);
  await running.kill();
  running = await RunProcess.start(world.configFile);
  const plan = leave.plan?.hash ?? "";
  const edit = (args: Record<string, string | number>) => ({ type: "edit", plan, arguments: args }) as const;
  const say = (decision: Parameters<typeof decide>[1], by?: string) => code(decide(leave.id, decision, by));
  expect(await say({ type: "approve", plan }, "eve")).toBe("interrupt_not_found");
  expect(await say({ type: "approve", plan: "0".repeat(64) })).toBe("plan_mismatch");
  expect(await say({ type: "answer", response: "yes" })).toBe("invalid_request");
  expect(await say(edit({ no: "such" }))).toBe("invalid_request");
  expect(await code(decide(question.id, { type: "answer", response: "neither" }))).toBe("invalid_request");
  expect(await say(edit({ of: "other" }))).toBe("taken");
  expect(await say({ type: "approve", plan })).toBe("interrupt_decided");
  expect((await running.record("edited"))?.status).toBe("waiting");
  expect(await code(decide(question.id, { type: "answer", response: "that" }))).toBe("taken");
  await ends("edited");
  expect(["edited", "other", "side-edited"].map((what) => world.effects.calls(what))).toEqual([0, 1, 1]);
});

it("goes on without what a person refused, and leaves all else as it was", async () => {
  const [leave, question] = await asked("refused");
  await decide(question.id, { type: "answer", response: "this" });
  await decide(leave.id, { type: "reject", plan: leave.plan?.hash ?? "", reason: "Not today." });
  await ends("refused");
  expect(await running.record("refused")).toMatchObject({ outcome: "answered" });
  expect([world.effects.calls("refused"), world.effects.calls("side-refused")]).toEqual([0, 1]);
});

it("goes on without what nobody decided in time, and takes no word of it afterwards", async () => {
  const brief = await new KillWorld().open(1_500);
  const process = await RunProcess.start(brief.configFile);
  try {
    await process.tell({ do: "start", id: "late", text: "gated late" });
    await until(async () => (await process.interrupts("late")).length === 1);
    const [leave] = await process.interrupts("late");
    await until(async () => (await process.record("late"))?.status === "ended");
    const late = process.tell({
      do: "decide",
      id: leave?.id ?? "",
      decision: { type: "approve", plan: leave?.plan?.hash ?? "" },
    });
    expect(await code(late)).toBe("interrupt_expired");
    expect([brief.effects.calls("late"), brief.effects.calls("side-late")]).toEqual([0, 1]);
  } finally {
    await process.kill();
    await brief.close();
  }
});

function decide(
  id: string,
  decision: Extract<Parameters<RunProcess["tell"]>[0], { do: "decide" }>["decision"],
  by?: string,
) {
  return running.tell({ do: "decide", id, decision, ...(by !== undefined && { by }) });
}

// The end of a run in the record: told by whoever knows it, once, and not where the run only goes on elsewhere.
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { RunState } from "../../../src/core/runs/RunState.ts";
import { chat } from "../../support/agents/gateway.ts";
import { Notebook } from "../../support/audit/Notebook.ts";
import {
  ANSWERED,
  type DeskWorld,
  deskWorld,
  OWNER,
  type Play,
  recordIs,
  request,
} from "../../support/runs/runServiceFixtures.ts";

let world: DeskWorld;
let notebook: Notebook;
beforeEach(async () => {
  world = await deskWorld();
  notebook = new Notebook();
});
afterEach(() => world.close());

const KEY = { ...OWNER, id: "r1" };

/** Goes on until it is told to end, and says then what the loop says. */
const hangs: Play = async (_state, _going, signal, take) => {
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await take([{ ...ANSWERED, outcome: "cancelled" }]);
};
const answers: Play = async (_state, _going, _signal, take) => void (await take([ANSWERED]));

describe("a run that is kept", () => {
  it("has not ended where its process only ends, and ends in the one that takes it up", async () => {
    const { auditRecorder } = notebook;
    const first = world.desk(hangs, { auditRecorder });
    await first.start(request("r1"));
    await first.stop();
    expect(notebook.sentences).toEqual(["ada asks default"]);
    const second = world.desk(answers, { auditRecorder });
    second.startBackgroundRuns();
    await recordIs(second, KEY, ({ status }) => status === "ended");
    await second.stop();
    expect(notebook.sentences).toEqual(["ada asks default", "the run ends: answered"]);
  });

  it("ends by its owner's word, whoever holds it", async () => {
    const { auditRecorder } = notebook;
    const desk = world.desk(hangs, { auditRecorder });
    await desk.start(request("r1"));
    await desk.cancel(KEY);
    expect(notebook.sentences).toEqual(["ada asks default", "ada cancels", "the run ends: cancelled"]);
  });

  it("does not begin where nobody can write down who asked, and is not there", async () => {
    notebook.isFull = true;
    const desk = world.desk(answers, { auditRecorder: notebook.auditRecorder });
    await expect(desk.start(request("r1"))).rejects.toMatchObject({ failure: { code: "run_not_saved" } });
    expect(await world.store.runs.get(KEY)).toBeUndefined();
  });
});

describe("a run that is kept nowhere", () => {
  const state = { id: "r1", request: chat() } as unknown as RunState;
  const ENDED = ["the run ends: cancelled"];

  it("ends in the record before its reader hears so", async () => {
    let seen: readonly string[] = [];
    await notebook.auditRecorder.turnCollector(state, () => {
      seen = notebook.sentences;
      return undefined;
    })([ANSWERED]);
    expect([seen, notebook.sentences]).toEqual([["the run ends: answered"], ["the run ends: answered"]]);
  });

  it("ends as cancelled where its reader has had enough, or breaks", async () => {
    await notebook.auditRecorder.turnCollector(state, () => "enough")([{ type: "text-delta", text: "one" }]);
    const broken = notebook.auditRecorder.turnCollector(state, () => {
      throw new Error("The reader is gone.");
    });
    await expect(broken([{ type: "text-delta", text: "one" }])).rejects.toThrow("The reader is gone.");
    expect(notebook.sentences).toEqual([...ENDED, ...ENDED]);
  });
});

// What it means for a run that its state could not be written: before its tools run, after that, and at its end.
import { describe, expect, it } from "@jest/globals";
import { RunJournal } from "../../src/agents/RunJournal.ts";
import type { Observation } from "../../src/core/ports.ts";
import type { RunState } from "../../src/core/run.ts";
import { chat } from "./gateway.ts";

const STATE: RunState = {
  id: "run1",
  agent: "default",
  request: chat(),
  gatewayTools: ["search"],
  maxTurns: 3,
  messages: [],
  turn: 1,
  tokens: 0,
  executed: [],
  sentText: false,
};

function journal(write: () => Promise<void>) {
  const observed: Observation[] = [];
  const store = { save: write, forget: write };
  return { journal: new RunJournal({ store, observer: { observe: (one) => observed.push(one) } }), observed };
}

const stores: readonly [string, () => Promise<void>][] = [
  ["rejects", () => Promise.reject(new Error("disk full"))],
  [
    "throws",
    () => {
      throw new Error("disk full");
    },
  ],
];

describe.each(stores)("the journal of a run, over a store that %s", (_how, write) => {
  it("lets no step be taken whose intent is not written", async () => {
    const { journal: written, observed } = journal(write);
    await expect(written.intent(STATE)).rejects.toMatchObject({
      failure: { code: "run_not_saved", message: expect.stringContaining("disk full") },
    });
    expect(observed).toEqual([]);
  });

  it.each(["outcome", "over"] as const)("tells of an %s that is not written, and lets the run go on", async (what) => {
    const { journal: written, observed } = journal(write);
    await (what === "over" ? written.over(STATE.id) : written.outcome(STATE));
    expect(observed).toMatchObject([{ type: "failure", run: "run1", failure: { code: "run_not_saved" } }]);
  });
});

describe("the journal of a run", () => {
  it("says nothing where all is written", async () => {
    const { journal: written, observed } = journal(async () => undefined);
    await written.intent(STATE);
    await written.outcome(STATE);
    await written.over(STATE.id);
    expect(observed).toEqual([]);
  });
});

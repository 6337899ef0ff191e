// Models that never come to an end, row by row of the hostile payloads: what counts is what the tools' server was asked and how often the model was.
import { afterEach, describe, expect, it } from "@jest/globals";
import { idsOf } from "../../support/adversarial/payloads.ts";
import { type LoopSetting, type LoopWorld, runLoopOver, type Said, startLoop } from "../../support/loop/LoopWorld.ts";

const MAX_TURNS = 40;
/** By name, so that a circle of so many turns can be written. */
const ACTIONS = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, { method: "GET", path: `/${name}` }]));

let world: LoopWorld;
afterEach(() => world.close());

async function begin(model: LoopSetting["model"], more: Partial<LoopSetting> = {}): Promise<void> {
  const agent = { max_iterations: MAX_TURNS };
  world = await startLoop({ model, actions: ACTIONS, agent, ...more });
}

function call(name: string, mode: "native" | "text"): Said {
  return mode === "native" ? [{ name }] : `<tool_call>{"name": "${name}", "arguments": {}}</tool_call>`;
}

const MODES = ["native", "text"] as const;

it("has a test for every row about loops", () => {
  world = { close: async () => {} } as LoopWorld;
  expect(idsOf("agent_loop")).toEqual(["AL-002", "AL-004", "AL-007"]);
});

describe.each(MODES)("a model that goes round in circles (%s)", (mode) => {
  it.each([["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]])(
    "is stopped long before its turns are used up (AL-002: %s %s %s %s)",
    async (...names) => {
      await begin((_request, n) => call(names[n % names.length] ?? "", mode), { toolMode: mode });
      expect((await runLoopOver(world)).postel.outcome).toBe("repeats");
      // Once round, and four turns that only did it again.
      expect(world.asked.length).toBeLessThanOrEqual(names.length + 5);
      expect(world.ran.length).toBeLessThanOrEqual(names.length + 4);
    },
  );

  it("is not taken for one that pages through what is new each time", async () => {
    let page = 0;
    await begin((_request, n) => (n < 12 ? call(n % 2 === 0 ? "a" : "b", mode) : "Read it all."), {
      toolMode: mode,
      tools: (_request, response) => {
        page += 1;
        response.end(`{"page": ${page}}`);
      },
    });
    const { content, postel } = await runLoopOver(world);
    expect([content, postel.outcome]).toEqual(["Read it all.", "answered"]);
    expect(world.ran).toHaveLength(12);
  });
});

describe("a tool that says that it is `repeatable`", () => {
  const actions = { a: { method: "GET", path: "/a", repeatable: true } };

  it("is run as often as it is called while it brings something new", async () => {
    let state = 0;
    await begin((_request, n) => (n < 10 ? call("a", "native") : "It is done."), {
      actions,
      tools: (_request, response) => {
        state += 1;
        response.end(`{"progress": ${state}}`);
      },
    });
    const { content, postel } = await runLoopOver(world);
    expect([content, postel.outcome]).toEqual(["It is done.", "answered"]);
    expect(world.ran).toHaveLength(10);
  });

  it("is a repetition where it brings the same, and the run is stopped", async () => {
    await begin(() => call("a", "native"), { actions });
    expect((await runLoopOver(world)).postel.outcome).toBe("repeats");
    expect(world.ran).toHaveLength(4);
  });
});

describe.each([true, false])("a model that never gives what can be used (stream: %s)", (stream) => {
  it.each(MODES)(
    "is asked twice more for a call that nobody can read, and then the answer is a typed error (AL-004, %s)",
    async (mode) => {
      const unreadable: Said =
        mode === "native" ? [{ name: "a", args: '{"x": ' }] : '<tool_call>{"name": "a", "arguments": {]}</tool_call>';
      await begin(() => unreadable, { toolMode: mode });
      const { error } = await runLoopOver(world, {}, stream);
      expect(error).toMatchObject({ code: "model_call_invalid" });
      expect([world.asked.length, world.ran.length]).toEqual([3, 0]);
    },
  );

  it.each(MODES)("has the run ended by two empty answers (AL-007, %s)", async (mode) => {
    await begin(() => "", { toolMode: mode });
    const { content, postel } = await runLoopOver(world, {}, stream);
    expect([content, postel.outcome]).toEqual(["", "no-answer"]);
    expect([world.asked.length, world.ran.length]).toEqual([2, 0]);
  });
});

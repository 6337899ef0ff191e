// What a run may cost: its agent's and its caller's budgets, counted by the prices of its model's row, over HTTP.
import { afterEach, describe, expect, it } from "@jest/globals";
import { type LoopWorld, runLoopOver, startLoop } from "../../support/loop/LoopWorld.ts";

const GET_ITEM = {
  method: "GET",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder of a component.
  path: "/items/${input.item}",
};
const PRICES = { prices: { input: 10, output: 100, cached_input: 1 } };

let world: LoopWorld;
afterEach(() => world.close());

/** Each turn costs 0.01 for its prompt, of which half was cached, and 0.01 for its answer. */
const usage = () => ({
  ...{ prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
  prompt_tokens_details: { cached_tokens: 500 },
});
const TURN = 0.005 + 0.000_5 + 0.01;

async function begin(row: object, agent: object = {}): Promise<void> {
  world = await startLoop({
    model: (_request, n) => [{ name: "get", args: { item: `n${n}` } }],
    actions: { get: GET_ITEM },
    usage,
    agent,
    file: { models: [{ match: ["*"], tools: "native", why: "test", ...row }] },
  });
}

describe("a budget of money", () => {
  it.each([true, false])("ends the run once it is used up, and says what was used (stream: %s)", async (stream) => {
    await begin(PRICES, { budget: { money: 3 * TURN } });
    const { finish, postel, events } = await runLoopOver(world, {}, stream);
    expect([finish, postel.outcome, world.asked.length]).toEqual(["length", "budget", 3]);
    expect(postel.spent).toEqual({ tokens: 3_300, calls: 2, money: expect.closeTo(3 * TURN) });
    if (stream) expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "budget", spent: { tokens: 3_300 } });
  });

  it("can be lowered by the caller, and not raised", async () => {
    await begin(PRICES, { budget: { money: 2 * TURN } });
    await runLoopOver(world, { budget: { money: 100 } });
    expect(world.asked).toHaveLength(2);
    await runLoopOver(world, { budget: { money: TURN / 2 } });
    expect(world.asked).toHaveLength(3);
  });

  it("is refused before anything is asked where nobody knows the prices, and says what to write", async () => {
    await begin({});
    const { status, error } = await runLoopOver(world, { budget: { money: 1 } });
    expect([status, error.code, error.param, world.asked.length]).toEqual([400, "invalid_request", "budget.money", 0]);
    expect(error.message).toContain("prices: {input: …, output: …}");
  });
});

describe("a budget of money of an agent whose summaries another model writes", () => {
  it("is refused where nobody knows what that one costs", async () => {
    const summary = { after_tokens: 0.5, model: "writer" };
    await begin({ match: ["m"], ...PRICES }, { summary });
    const { status, error } = await runLoopOver(world, { budget: { money: 1 } });
    expect([status, world.asked.length]).toEqual([400, 0]);
    expect(error.message).toContain('"writer"');
  });
});

describe("a budget of tokens and calls", () => {
  it("ends the run as `budget`, without money where nobody knows the prices", async () => {
    await begin({});
    const { postel } = await runLoopOver(world, { budget: { tokens: 2_000 } });
    expect([postel.outcome, postel.spent]).toEqual(["budget", { tokens: 2_200, calls: 1 }]);
    expect((await runLoopOver(world, { budget: { calls: 1 } })).postel).toMatchObject({ spent: { calls: 1 } });
  });
});

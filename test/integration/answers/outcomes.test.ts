// How a run ends: what its outcome is in the body, in the stream's `run-end` and on the run's own route, and its finish reason.
import { afterEach, describe, expect, it } from "@jest/globals";
import { type LoopSetting, type LoopWorld, runLoopOver, type Said, startLoop } from "../../support/loop/LoopWorld.ts";

const GET_ITEM = {
  method: "GET",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder of a component.
  path: "/items/${input.item}",
};
const WRITTEN = "I couldn't complete the task within the iteration limit.";

let world: LoopWorld;
afterEach(() => world.close());

async function begin(model: LoopSetting["model"], more: Partial<LoopSetting> = {}): Promise<void> {
  world = await startLoop({ model, actions: { get: GET_ITEM }, ...more });
}

/** Another item each time, so that it is no repetition. */
function another(n: number): Said {
  return [{ name: "get", args: { item: `n${n}` } }];
}

/** What the run's own route says once it is over. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it.
async function recordOf(run: string): Promise<any> {
  return await (await fetch(`${world.gateway.url}/v1/agent/runs/${run}`)).json();
}

describe.each([true, false])("a run that was stopped by its turns (stream: %s)", (stream) => {
  it("says so in words where it had said nothing", async () => {
    await begin((_request, n) => another(n));
    const { content, finish, postel, events } = await runLoopOver(world, { max_turns: 2 }, stream);
    expect({ content, finish, outcome: postel.outcome }).toEqual({
      content: WRITTEN,
      finish: "length",
      outcome: "max-turns",
    });
    if (stream) expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "max-turns", turns: 2 });
    expect(await recordOf(postel.run_id)).toMatchObject({ status: "ended", outcome: "max-turns" });
  });

  it("answers with what it has said so far", async () => {
    const call = JSON.stringify({ name: "get", arguments: { item: "bolts" } });
    await begin((_request, n) => (n === 0 ? `I look it up.\n<tool_call>${call}</tool_call>` : another(n)));
    const { content, postel } = await runLoopOver(world, { max_turns: 2 }, stream);
    expect(content).toContain("I look it up.");
    expect(content).not.toContain(WRITTEN);
    expect(postel.outcome).toBe("max-turns");
  });

  it("gives no words for the object that was asked for", async () => {
    await begin((_request, n) => another(n));
    const asked = { max_turns: 2, response_format: { type: "json_object" } };
    const { content, postel } = await runLoopOver(world, asked, stream);
    expect([content ?? "", postel.outcome]).toEqual(["", "max-turns"]);
  });
});

describe("the outcome of a run", () => {
  it("is `budget` where its calls are used up, and where its tokens are", async () => {
    await begin((_request, n) => another(n), { file: { limits: { run: { max_calls: 2 } } } });
    expect((await runLoopOver(world)).postel).toMatchObject({ outcome: "budget" });
    await world.close();
    await begin((_request, n) => another(n), { file: { limits: { run: { total_tokens: 50 } } } });
    expect(await runLoopOver(world)).toMatchObject({ finish: "length", postel: { outcome: "budget" } });
  });

  it("is `timeout` where its time is up, whatever its tool does", async () => {
    await begin((_request, n) => another(n), { tools: () => {} });
    expect(await runLoopOver(world, { timeout_ms: 300 })).toMatchObject({
      finish: "length",
      postel: { outcome: "timeout" },
    });
  });

  it("is `failed` where it failed, with its failure beside it, and its stream ends in `run-end` too", async () => {
    await begin((_request, n) => (n === 0 ? another(n) : [{ name: "get", args: "{" }]));
    const { error, events } = await runLoopOver(world, {}, true);
    expect(error).toMatchObject({ code: "model_call_invalid" });
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "failed", turns: 1 });
    const run = events.find(({ type }) => type === "run-start").run_id;
    expect(await recordOf(run)).toMatchObject({ outcome: "failed", error: { code: "model_call_invalid" } });
  });
});

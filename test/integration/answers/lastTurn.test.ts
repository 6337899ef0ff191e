// The last turn that a run may take: its model is shown no tools, is told so, and what it calls all the same reaches nobody.

import { afterEach, describe, expect, it } from "@jest/globals";
import { sendError } from "../../support/FakeUpstream.ts";
import {
  type LoopSetting,
  type LoopWorld,
  offeredIn,
  runLoopOver,
  type Said,
  startLoop,
} from "../../support/loop/LoopWorld.ts";

// biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder of a component.
const GET = { method: "GET", path: "/items/${input.item}" };
const SENTENCE = "Now answer the question in plain words.";

let world: LoopWorld;
afterEach(() => world.close());

async function begin(model: LoopSetting["model"], more: Partial<LoopSetting> = {}): Promise<void> {
  world = await startLoop({ model, actions: { get: GET }, ...more });
}

function inText(n: number): Said {
  return `<tool_call>{"name": "get", "arguments": {"item": "n${n}"}}</tool_call>`;
}

function native(n: number): Said {
  return [{ name: "get", args: { item: `n${n}` } }];
}

describe.each([true, false])("the last turn of a run (stream: %s)", (stream) => {
  it("has no `tools` where they go by the wire's field, and the model's answer is the run's", async () => {
    await begin((_request, n) => (n === 2 ? "Here it is." : native(n)));
    const { content, postel } = await runLoopOver(world, { max_turns: 3 }, stream);
    expect([content, postel.outcome]).toEqual(["Here it is.", "answered"]);
    expect(world.asked.map(offeredIn)).toEqual([["get"], ["get"], []]);
    expect(world.asked.map(({ body }) => "tools" in body)).toEqual([true, true, false]);
    expect(world.asked.map(({ body }) => String(body.messages.at(-1)?.content).includes(SENTENCE))).toEqual([
      ...[false, false, true],
    ]);
  });

  it("has no prompt of tools where they go as text", async () => {
    await begin((_request, n) => (n === 1 ? "Here it is." : inText(n)), { toolMode: "text" });
    expect((await runLoopOver(world, { max_turns: 2 }, stream)).content).toContain("Here it is.");
    const prompts = world.asked.map(({ body }) => JSON.stringify(body.messages[0]));
    expect(prompts.map((prompt) => prompt.includes("The service get."))).toEqual([true, false]);
  });

  it.each(["native", "text"] as const)(
    "shows nobody a call that is made all the same, and runs none (%s)",
    async (mode) => {
      await begin((_request, n) => (mode === "native" && n === 0 ? native(n) : inText(n)), { toolMode: mode });
      const { content, postel } = await runLoopOver(world, { max_turns: 2 }, stream);
      expect(content).not.toContain("tool_call");
      expect(postel.outcome).toBe("max-turns");
      expect(world.asked).toHaveLength(2);
      expect(world.ran).toEqual(["GET /items/n0"]);
    },
  );
});

describe("the last turn", () => {
  it("that is the only one has its tools", async () => {
    await begin(() => "Hello.");
    await runLoopOver(world, { max_turns: 1 });
    expect(offeredIn(world.asked[0] as never)).toEqual(["get"]);
  });

  it("has the client's own tools, whose calls end the run anyway", async () => {
    const mine = { type: "function", function: { name: "mine", parameters: { type: "object", properties: {} } } };
    await begin((_request, n) => (n === 0 ? native(n) : [{ name: "mine" }]));
    const { postel, calls } = await runLoopOver(world, { max_turns: 2, tools: [mine] });
    expect(world.asked.map(offeredIn)).toEqual([["get", "mine"], ["mine"]]);
    expect([postel.outcome, calls.map(({ name }) => name)]).toEqual(["handed-over", ["mine"]]);
  });

  it("is the one in which no further call may run", async () => {
    await begin((_request, n) => (n === 2 ? "Enough." : native(n)), { file: { limits: { run: { max_calls: 2 } } } });
    expect((await runLoopOver(world)).content).toBe("Enough.");
    expect(world.asked.map(offeredIn)).toEqual([["get"], ["get"], []]);
  });

  it("goes up as a server wants it that takes no history of calls without their tools", async () => {
    await begin((_request, n) => (n === 0 ? native(n) : "Here it is."), {
      answers: ({ body }, response) => {
        const told = body.messages.some((message) => "tool_calls" in message);
        if (body.tools || !told) return false;
        sendError(
          response,
          400,
          "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        );
        return true;
      },
    });
    const { content, postel } = await runLoopOver(world, { max_turns: 2 });
    expect([content, postel.outcome]).toEqual(["Here it is.", "answered"]);
    expect(world.asked.at(-1)?.body).toMatchObject({ tool_choice: "none", tools: [{}] });
  });
});

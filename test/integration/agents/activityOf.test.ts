// What callers of the library are told of a run: thoughts, tools, errors, each as it happens and no more.
import { expect, it } from "@jest/globals";
import type { Activity } from "../../../src/agents/run/toActivity.ts";
import { chat } from "../../support/agents/gateway.ts";
import { openServices } from "../../support/gatewayModules.ts";
import { configOf, type ScriptedGateway, scriptedGateway } from "../../support/runs/scriptedGateway.ts";

it("a run through the library tells its activities in their order, its thoughts and a tool that fails among them", async () => {
  const yaml = `
upstreams: [{ id: up, base_url: "\${env.UPSTREAM}" }]
agents: [{ id: default, tools: [calculator], plan: true }]
`;
  const model: ScriptedGateway = await scriptedGateway(yaml, "native");
  model.script = [
    "1. Calculate.",
    { calls: [["calculator", { expression: "17*23" }]] },
    { calls: [["calculator", { expression: "1/" }]] },
    "It is 391.",
  ];
  const told: Activity[] = [];
  const testGateway = await openServices(configOf(yaml, { UPSTREAM: model.upstream, TOOLS: "http://127.0.0.1:9" }), {
    observers: [],
    onActivity: (run, activity) => {
      expect(run).toBe("req1");
      told.push(activity);
    },
  });
  await testGateway.runner.run({ chat: chat(), interactive: false }, new AbortController().signal, () => undefined);
  expect(told.map(({ type }) => type)).toEqual(["thought", "tool_start", "tool_end", "tool_start", "error"]);
  expect(told[0]).toEqual({ type: "thought", text: "1. Calculate." });
  expect(told[2]).toMatchObject({ tool: "calculator", content: "391" });
  expect(told[4]).toMatchObject({ tool: "calculator", message: expect.stringMatching(/^Error: /) });
  await testGateway.close();
  await model.close();
});

// What comes before and after an agent's work, as it is written: what could not work is refused when it is loaded.
import { describe, expect, it } from "@jest/globals";
import { configOf } from "../../support/runs/scriptedGateway.ts";

const AGENT = (keys: string) => `
upstreams: [{ id: up, base_url: "\${env.UPSTREAM}" }]
agents: [{ id: default, tools: [calculator], ${keys} }]
`;

describe("how an agent goes about its work", () => {
  it("is its actions' too, and what an action says itself goes before", () => {
    const [agent] = configOf(
      AGENT("plan: true, reflect: true, actions: [{ id: long, task: a }, { id: short, task: b, plan: false }]"),
    ).agents;
    expect(agent?.actions.map(({ course }) => course)).toEqual([
      { plan: true, reflect: true },
      { plan: false, reflect: true },
    ]);
  });

  it("has inputs by a whole schema: a list of names, which would allow anything, is refused with the form that is meant", () => {
    expect(() => configOf(AGENT("inputs: { net: { type: number } }"))).toThrow(/inputs.*\{type: object, properties:/);
  });

  it("makes no task of an agent or of a question, whose run waits for them", () => {
    const entry = (tool: string) =>
      AGENT(`tools: [{ tool: ${tool}, async: true }]`).replace("tools: [calculator], ", "");
    expect(() => configOf(entry("ask_user"))).toThrow(/tools\.0: expected no `async`: `ask_user`/);
    const other = entry("helper").replace("agents: [", "agents: [{ id: helper, model: m }, ");
    expect(() => configOf(other)).toThrow(/expected no `async`: `helper`/);
    expect(configOf(entry("calculator")).agents[0]?.tools).toEqual([{ tool: "calculator", async: true }]);
  });
});

// A run that must not wait for anybody: whatever would need a person is refused before the model is asked, and named.
import { afterEach, describe, expect, it } from "@jest/globals";
import { openServices } from "../../support/gatewayModules.ts";
import { configOf, type ScriptedGateway, scriptedGateway } from "../../support/runs/scriptedGateway.ts";

const FILE = (keys: string) => `
upstreams: [{ id: up, base_url: "\${env.UPSTREAM}" }]
components:
  - { id: mail, type: http-client, base_url: "\${env.TOOLS}", actions: [{ id: send, method: POST, path: /send, body: { to: "\${input.to}" }, approval: always }] }
  - id: find
    type: http-client
    base_url: "\${env.TOOLS}"
    actions: [{ id: find, path: "/find?q=\${input.q}", interrupts: { no_results: { when: { maxItems: 0 }, message: Nothing. } } }]
agents: [{ id: default, ${keys} }]
`;
const QUESTION = { model: "m", messages: [{ role: "user", content: "Go." }], non_interactive: true };

let testGateway: ScriptedGateway | undefined;
afterEach(async () => {
  await testGateway?.close();
  testGateway = undefined;
});

describe("an agent that is never to wait", () => {
  it("is refused at the start where its tools need a person, each by its name", async () => {
    const config = configOf(FILE("non_interactive: true, tools: [calculator, mail, find, ask_user]"));
    await expect(openServices(config, { observers: [] })).rejects.toThrow(
      /agent default is `non_interactive`.*`mail`, `find`, `ask_user`/,
    );
  });

  it("is refused at the start where an action of it brings such a tool", async () => {
    const config = configOf(FILE("non_interactive: true, actions: [{ id: write, task: a, tools: [mail] }]"));
    await expect(openServices(config, { observers: [] })).rejects.toThrow(/action write of the agent default.*`mail`/);
  });

  it("starts where it says of each that nobody is to be asked", async () => {
    const never = "{ component: mail, approval: never }";
    testGateway = await scriptedGateway(FILE(`non_interactive: true, tools: [calculator, ${never}]`), "native");
    testGateway.script = [{ calls: [["mail", { to: "a@b.c" }]] }, "Sent."];
    const { body } = await testGateway.ask(QUESTION);
    expect(body.postel.outcome).toBe("answered");
    expect(testGateway.used).toHaveLength(1);
  });
});

describe("a request that is never to wait", () => {
  it("is a 400 that names the tools which need a person, and nothing was asked", async () => {
    testGateway = await scriptedGateway(FILE("tools: [calculator, mail]"), "native");
    const { status, body } = await testGateway.ask(QUESTION);
    expect([status, body.error.param]).toEqual([400, "non_interactive"]);
    expect(body.error.message).toContain("`mail`");
    expect([testGateway.asked.length, testGateway.used.length]).toEqual([0, 0]);
  });

  it("goes its way where no tool needs one; a dangerous call is refused then, and the model told so", async () => {
    const run = `{ id: shell, type: http-client, base_url: "\${env.TOOLS}", actions: [{ id: run, method: POST, path: /run, body: { sql: "\${input.sql}" }, params: { sql: { type: string, format: sql } } }] }`;
    const yaml = FILE("tools: [shell]").replace("components:", `components:\n  - ${run}`);
    testGateway = await scriptedGateway(yaml, "native");
    testGateway.script = [{ calls: [["shell", { sql: "DROP TABLE users" }]] }, "It was refused."];
    const { body } = await testGateway.ask(QUESTION);
    expect(body.postel.outcome).toBe("answered");
    expect(testGateway.used).toHaveLength(0);
    expect(JSON.stringify(testGateway.asked[1]?.messages)).toContain("a person would have to agree");
  });
});

describe("the time of a run", () => {
  it("is said in minutes or in milliseconds, and not in both", () => {
    expect(configOf(FILE("max_time_minutes: 2")).agents[0]?.limits.timeoutMs).toBe(120_000);
    expect(() => configOf(FILE("max_time_minutes: 2, timeout_ms: 5"))).toThrow(/max_time_minutes.*timeout_ms/);
  });
});

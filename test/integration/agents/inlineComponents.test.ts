// A service, a program and another agent that stand whole among the tools of an agent: each runs, asked over HTTP.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { afterEach, describe, expect, it } from "@jest/globals";
import { type Declared, lastOf, type Said, startDeclared, systemOf } from "../../support/declared/startDeclared.ts";
import type { UpstreamRequest } from "../../support/FakeUpstream.ts";

const YAML = `
agents:
  - id: boss
    model: m
    system_prompt: You are the boss.
    tools:
      - component: { type: http-client, base_url: "\${env.SERVICE_URL}", path: "/find?q=\${input.q}" }
        name: find
      - component: { type: shell, command: [printf, "%s", "said \${input.word}"] }
        name: say
      - component:
          id: writer
          type: agent
          model: m
          system_prompt: You are the writer.
          task: Write \${input.what}.
          tools:
            - { component: { type: http-client, base_url: "\${env.SERVICE_URL}", method: POST, path: /write, body: "\${input.text}" }, name: write }
`;

/** The boss calls one tool, the writer its own; each answers with what came back. */
function calls(name: string, args: object) {
  return (request: UpstreamRequest): Said => {
    const isBoss = systemOf(request).includes("boss");
    const isDone = request.body.messages.some(({ role }) => role === "assistant");
    if (isDone) return `It brought ${lastOf(request)}`;
    return [isBoss ? { name, arguments: args } : { name: "write", arguments: { text: "tea" } }];
  };
}

describe("a whole component among an agent's tools", () => {
  let testGateway: Declared;
  afterEach(() => testGateway.close());

  const ask = async (name: string, args: object) => {
    testGateway = await startDeclared(YAML, calls(name, args));
    const messages = [{ role: "user", content: "Go." }];
    const { body } = await testGateway.post("/v1/agent", { agent: "boss", messages });
    return [body.postel.outcome, body.choices[0].message.content];
  };

  it("is a service that is asked", async () => {
    const [outcome, content] = await ask("find", { q: "tea" });
    expect([outcome, testGateway.asked]).toEqual(["answered", ["GET /find?q=tea"]]);
    expect(content).toContain("/find?q=tea");
  });

  it("is a program that is run", async () => {
    const [outcome, content] = await ask("say", { word: "hello" });
    expect([outcome, testGateway.asked]).toEqual(["answered", []]);
    expect(content).toContain("said hello");
  });

  it("is an agent that does its task with its own, which the first one has not", async () => {
    const [outcome, content] = await ask("writer", { what: "it" });
    expect([outcome, testGateway.asked]).toEqual(["answered", ['POST /write "tea"']]);
    expect(content).toContain("/write");
    const [first] = testGateway.upstream.requests.filter(({ path }) => !path.endsWith("/models"));
    const shown = JSON.stringify(first?.body.tools).match(/(?<="function":{"name":")\w+/g);
    expect(shown).toEqual(["find", "say", "writer"]);
  });
});

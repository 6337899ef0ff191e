// An agent in the modes of a session: on the same history with another model and other tools, or with none.
import { afterEach, describe, expect, it } from "@jest/globals";
import { type Declared, startDeclared } from "../../support/declared/startDeclared.ts";

const YAML = `
agents:
  - id: helper
    model: large
    tools: [{ tool: calculator, approval: always }]
    modes:
      normal: { model: small, tools: [calculator] }
  - id: plain
    model: large
    tools: [calculator]
`;

describe("a mode of an agent", () => {
  let testGateway: Declared;
  afterEach(() => testGateway.close());

  const start = async () => {
    testGateway = await startDeclared(YAML, ({ body: { messages } }) =>
      messages.at(-1)?.role === "tool"
        ? `It is ${messages.at(-1)?.content}.`
        : '<tool_call>{"name": "calculator", "arguments": {"expression": "17 * 23"}}</tool_call>',
    );
  };
  const ask = (agent: string, mode: string, session?: string) =>
    testGateway.post("/v1/agent", {
      ...{ model: agent, mode, messages: [{ role: "user", content: "What is 17 times 23?" }] },
      ...(session !== undefined && { session_id: session }),
    });
  const asked = () => testGateway.upstream.requests.at(-1)?.body;

  it("has its own model and its own tools, with what they say of approval", async () => {
    await start();
    const normal = await ask("helper", "normal", "one");
    expect([normal.body.postel.outcome, normal.body.choices[0].message.content]).toEqual(["answered", "It is 391."]);
    expect(asked()?.model).toBe("small");
    const agent = await ask("helper", "agent", "one");
    expect(agent.body.postel.outcome).toBe("awaiting-human");
    expect(asked()).toMatchObject({ model: "large" });
    expect(asked()?.messages.map(({ content }) => content)).toContain("It is 391.");
  });

  it("that nothing is said of is the agent, and in normal the agent without tools", async () => {
    await start();
    await ask("plain", "normal");
    expect(asked()).toMatchObject({ model: "large" });
    expect(asked()?.tools).toBeUndefined();
    const { body } = await ask("plain", "agent");
    expect(body.choices[0].message.content).toBe("It is 391.");
  });
});

// What an agent is asked to do: its actions, what each says itself, and the message that an input makes.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { afterEach, describe, expect, it } from "@jest/globals";
import { type Declared, lastOf, startDeclared, systemOf } from "../../support/declared/startDeclared.ts";

const YAML = `
components:
  - id: support
    type: agent
    model: m
    system_prompt: You help.
    tools: [calculator]
    max_iterations: 3
    temperature: 0.7
    max_tokens: 50
    actions:
      - id: ticket
        task: "Answer \${input.question}"
        context: { customer: "\${input.customer}", urgent: "\${input.urgent | false}" }
      - id: bare
        task: \${input.question}
        tools: []
        system_prompt: ""
        temperature: 0
        max_iterations: 1
        streaming: true
      - { id: whole, input: "\${input.order}" }
  - { id: lone, type: agent, model: m, task: "Look into \${input.query}." }
  - { id: forgetful, type: agent, model: m, enable_memory: false, system_prompt: Be brief. }
`;

describe("an action", () => {
  let testGateway: Declared;
  afterEach(() => testGateway.close());

  const start = async () => {
    testGateway = await startDeclared(YAML, () => "Done.");
  };
  const last = () => {
    const request = testGateway.upstream.requests.at(-1);
    if (!request) throw new Error("The model was not asked.");
    return request;
  };

  it("is asked with an input, of which the task, the input and the context make the first message", async () => {
    await start();
    const input = { question: "where is it?", customer: 17 };
    const { status, body } = await testGateway.post("/v1/agent", { agent: "support", action: "ticket", input });
    expect([status, body.choices[0].message.content, body.postel.outcome]).toEqual([200, "Done.", "answered"]);
    expect(lastOf(last())).toBe('Task: Answer where is it?\n\nContext: {"customer":17,"urgent":false}');
    expect(systemOf(last())).toBe("You help.");
    expect(last().body).toMatchObject({ temperature: 0.7, max_tokens: 50, tools: [expect.anything()] });
  });

  it("says itself what is present in it, an empty list, nothing at all and zero too", async () => {
    await start();
    const { text } = await testGateway.post("/v1/agent", {
      agent: "support",
      action: "bare",
      input: { question: "Hm?" },
    });
    // The action streams where its caller does not say.
    expect(text).toContain("data: [DONE]");
    expect(last().body.tools).toBeUndefined();
    expect(systemOf(last())).toBe("");
    expect(last().body).toMatchObject({ temperature: 0, max_tokens: 50 });
    expect(lastOf(last())).toBe("Task: Hm?");
    const whole = await testGateway.post("/v1/agent", {
      agent: "support",
      action: "bare",
      input: { question: "" },
      stream: false,
    });
    expect(whole.body.choices[0].message.content).toBe("Done.");
  });

  it("shows as its input what its template makes of it, and leaves out what is absent", async () => {
    await start();
    await testGateway.post("/v1/agent", { agent: "support", action: "whole", input: { order: { id: 9 }, noise: 1 } });
    expect(lastOf(last())).toBe('Input: {"id":9}');
  });

  it("is the only one of an agent that names none, and needs not be named", async () => {
    await start();
    await testGateway.post("/v1/agent", { model: "lone", input: { query: "tides" } });
    expect(lastOf(last())).toBe("Task: Look into tides.");
  });

  it("follows what was said before, and may stand beside a conversation of its caller's", async () => {
    await start();
    const session_id = "talk-1";
    const messages = [{ role: "user", content: "Hello." }];
    await testGateway.post("/v1/agent", { model: "lone", session_id, messages });
    expect(lastOf(last())).toBe("Hello.");
    await testGateway.post("/v1/agent", { model: "lone", session_id, input: { query: "tides" } });
    expect(last().body.messages.map(({ content }) => content)).toEqual(["Hello.", "Done.", "Task: Look into tides."]);
    const kept = await testGateway.get(`/v1/agent/sessions/${session_id}`);
    expect(kept.text).toContain("Look into tides.");
  });

  it("of an agent that remembers nothing is given none of the session's earlier messages", async () => {
    await start();
    for (const content of ["One.", "Two."])
      await testGateway.post("/v1/agent", {
        model: "forgetful",
        session_id: "s1",
        messages: [{ role: "user", content }],
      });
    expect(last().body.messages.map(({ content }) => content)).toEqual(["Be brief.", "Two."]);
  });

  it.each([
    [{ agent: "support", input: { question: "?" } }, "action", /ticket, bare, whole/],
    [{ agent: "support", action: "tickets", input: {} }, "action", /no action "tickets"/],
    [{ agent: "lone", action: "tickets", input: {} }, "action", /no action "tickets"; it has: none\.$/],
    [{ agent: "support", action: "ticket", input: { question: "?" } }, "input", /input\.customer/],
    [{ agent: "support", action: "ticket", input: [1] }, "input", /must be an object/],
    [{ input: { query: "x" } }, "model", /agent/],
    [{ agent: "support", action: "whole", input: { order: {} } }, "input", /nothing to ask/],
  ])("is refused with the field that is wrong: %j", async (body, param, words) => {
    await start();
    const { status, body: answer } = await testGateway.post("/v1/agent", body);
    expect([status, answer.error.param]).toEqual([400, param]);
    expect(answer.error.message).toMatch(words);
    expect(testGateway.upstream.requests.filter(({ path }) => path.endsWith("/chat/completions"))).toEqual([]);
  });
});

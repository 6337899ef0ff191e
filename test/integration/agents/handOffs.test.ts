// One agent gives its conversation to another: who goes on, as whom, with what, and for how long.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type Declared, lastOf, type Said, startDeclared } from "../../support/declared/startDeclared.ts";
import type { UpstreamRequest } from "../../support/FakeUpstream.ts";

function yaml(first: string, second: string, approval = "never"): string {
  return `
components:
  - id: refund
    type: http-client
    base_url: \${env.SERVICE_URL}
    actions: [{ id: pay, method: POST, path: /refund, body: { order: "\${input.order}" }, approval: ${approval} }]
agents:
  - { id: front, model: ${first}, system_prompt: You are the front desk., temperature: 0.9, handoffs: [billing] }
  - id: billing
    model: ${second}
    description: Pays money back.
    system_prompt: You are billing.
    tools: [refund]
    temperature: 0.1
    handoffs: [front]
`;
}

/** Asked as the front desk it hands over; as billing it pays and answers. */
function says(request: UpstreamRequest): Said {
  const isFront = JSON.stringify(request.body.messages).includes("You are the front desk.");
  if (isFront) return [{ name: "hand_off_to_billing", arguments: { reason: "It is about money." } }];
  return lastOf(request).includes("asked") ? "Paid." : [{ name: "refund", arguments: { order: "A7" } }];
}

const ASK = {
  model: "m",
  agent: "front",
  messages: [
    { role: "system", content: "The customer is called Kim." },
    { role: "user", content: "My money back for A7, please." },
  ],
};

describe("an agent that hands a conversation off", () => {
  let testGateway: Declared | undefined;
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "postel-handoff-"));
  });
  afterEach(async () => {
    await testGateway?.close();
    testGateway = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ["m", "m"],
    ["m", "text-m"],
    ["text-m", "m"],
  ])(
    "has the other go on with it, by its own prompt, model, tools and sampling (%s, then %s)",
    async (first, second) => {
      testGateway = await startDeclared(yaml(first, second), says);
      const { text } = await testGateway.post("/v1/agent", { ...ASK, stream: true });
      expect(text).toContain(
        '"postel_event":{"type":"handoff","from":"front","to":"billing","reason":"It is about money."}',
      );
      expect(text).toContain("Paid.");
      expect(testGateway.asked).toEqual(['POST /refund {"order":"A7"}']);
      const [, billing] = testGateway.upstream.requests.filter(({ path }) => path.endsWith("/chat/completions"));
      const told = JSON.stringify(billing?.body.messages);
      expect(billing?.body).toMatchObject({ model: second, temperature: 0.1 });
      expect(told).toContain("You are billing.");
      expect(told).toContain("The customer is called Kim.");
      expect(told).toContain("My money back for A7, please.");
      expect(told).not.toContain("You are the front desk.");
    },
  );

  it("is one run with one end, whose other agent may wait for a person and go on after a restart", async () => {
    const store = join(folder, "store.db");
    testGateway = await startDeclared(yaml("m", "m", "always"), says, store);
    const first = await testGateway.post("/v1/agent", ASK);
    const [message] = first.body.choices;
    const [call] = message.message.tool_calls;
    expect([first.body.postel.outcome, call.function.name]).toEqual(["awaiting-human", "approve_tool_call"]);
    await testGateway.restart();
    const { plan } = JSON.parse(call.function.arguments);
    const word = { role: "tool", tool_call_id: call.id, content: JSON.stringify({ decision: "approve", plan }) };
    const second = await testGateway.post("/v1/agent", { ...ASK, messages: [...ASK.messages, message.message, word] });
    expect([second.body.postel.outcome, second.body.choices[0].message.content]).toEqual(["answered", "Paid."]);
    expect(testGateway.asked).toEqual(['POST /refund {"order":"A7"}']);
  });

  it("to one that hands it back and so on is ended by the run's limits", async () => {
    testGateway = await startDeclared(yaml("m", "m"), ({ body }) => {
      const isFront = JSON.stringify(body.messages).includes("You are the front desk.");
      return [{ name: `hand_off_to_${isFront ? "billing" : "front"}`, arguments: {} }];
    });
    const { body } = await testGateway.post("/v1/agent", { ...ASK, max_turns: 4 });
    const asked = testGateway.upstream.requests.filter(({ path }) => path.endsWith("/chat/completions"));
    expect(body.postel.outcome).not.toBe("answered");
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  it("to nobody that there is, or to itself, is refused when the file is read", async () => {
    const wrong = "agents: [{ id: a, handoffs: [b] }, { id: bb, handoffs: [bb] }]\n";
    await expect(startDeclared(wrong, () => "")).rejects.toThrow(
      /agents\.0\.handoffs\.0: .*bb[\s\S]*agents\.1\.handoffs\.0/,
    );
  });
});

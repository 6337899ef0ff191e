// The key under which a service is asked for an idempotent call: one for each call of a run, whatever ids its models give their calls.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { afterEach, expect, it } from "@jest/globals";
import { type Answer, type ScriptedGateway, scriptedGateway } from "../../support/runs/scriptedGateway.ts";

const YAML = `
upstreams: [{ id: up, base_url: "\${env.UPSTREAM}" }]
components:
  - { id: order, type: http-client, base_url: "\${env.TOOLS}", actions: [{ id: do, method: POST, path: "/order/\${input.of}", idempotent: true, untrusted: false }] }
agents:
  - { id: boss, model: m, tools: [writer, order], max_context_messages: 2 }
  - { id: writer, model: m, tools: [order, deputy], description: Writes. }
  - { id: deputy, model: m, tools: [order], description: Helps. }
`;

let testGateway: ScriptedGateway | undefined;
afterEach(() => testGateway?.close());

/** A call whose id is the same in every answer. */
function callAgain(name: string, args: object): Answer {
  return (response) => {
    const call = { index: 0, id: "call_0", type: "function", function: { name, arguments: JSON.stringify(args) } };
    const choices = [{ index: 0, delta: { role: "assistant", tool_calls: [call] }, finish_reason: "tool_calls" }];
    const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  };
}

/** The keys by what was ordered. */
async function keysOf(script: readonly Answer[]): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  testGateway = await scriptedGateway(YAML, "native", (request, _body, response) => {
    keys.set(request.url ?? "", String(request.headers["idempotency-key"]));
    response.end('{"ok": true}');
  });
  testGateway.script = [...script];
  const { status, body } = await testGateway.ask({ model: "boss", messages: [{ role: "user", content: "Order." }] });
  expect({ status, left: testGateway.script }).toEqual({ status: 200, left: [] });
  expect(body.postel.outcome).toBe("answered");
  return keys;
}

const order = (of: string) => callAgain("order", { of });
const ask = (agent: string, task: string) => callAgain(agent, { task });

it.each<[string, readonly Answer[]]>([
  ["of a run and of a run within it", [order("a"), ask("writer", "a"), order("b"), "Done.", order("c"), "Done."]],
  [
    "of two runs within a run",
    [ask("writer", "a"), order("a"), "Done.", ask("writer", "b"), order("b"), "Done.", "Done."],
  ],
  ["of runs within runs", [ask("writer", "a"), ask("deputy", "a"), order("a"), "Done.", order("b"), "Done.", "Done."]],
  ["of turns of one run", [order("a"), order("b"), "Done."]],
  ["of turns that the model is not shown any more", [..."abcdef"].map(order).concat("Done.")],
])("idempotency keys differ: %s", async (_, script) => {
  const keys = await keysOf(script);
  expect(keys.size).toBe(new Set(keys.values()).size);
  expect(keys.size).toBeGreaterThan(1);
  for (const key of keys.values()) expect(key).toMatch(/^[\w.:/-]{10,255}$/);
});

// One model on two wires, each under a name of its own, asked by the official client: which wire it is shows in nothing that a client reads.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import { FakeUpstream, sendError } from "../../support/FakeUpstream.ts";
import { readConfig } from "../../support/gatewayModules.ts";
import { ANTHROPIC_KEY, AnthropicServer } from "../../support/servers/AnthropicServer.ts";
import { calls, says } from "../../support/servers/anthropicEvents.ts";
import { type RunningGateway, startGateway } from "../../support/startGateway.ts";

const YAML = `components:
  - id: direct
    type: http-client
    base_url: \${env.ANTHROPIC_BASE_URL}
    headers:
      X-API-Key: \${env.ANTHROPIC_API_KEY}
      Anthropic-Version: "2023-06-01"
    actions:
      - id: chat
        path: /messages
        method: POST
        body:
          model: \${env.MODEL | "claude-sonnet-4-5"}
          messages: \${input.messages}
          tools: \${input.tools}
          max_tokens: \${input.max_tokens | 4096}
  - id: proxied
    type: model
    model: claude-sonnet-4-5
    runtime: { type: openai-server, base_url: "\${env.PROXY_BASE_URL}" }
  - { id: support, type: agent, model: direct, tools: [calculator] }
aliases:
  gpt-4o: direct
  gpt-4o-mini: proxied
`;

const TOOL = {
  type: "function",
  function: { name: "lookup", parameters: { type: "object", properties: { order: { type: "integer" } } } },
} as const;
const QUESTION = { role: "user", content: "Where is order 7?" } as const;

let folder: string;
let direct: AnthropicServer;
let proxied: FakeUpstream;
let gateway: RunningGateway;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-wires-"));
  direct = await AnthropicServer.start(({ messages, tools }) => {
    const answered = messages.length > 1;
    const tool = tools?.[0];
    const name = tool && "name" in tool ? tool.name : undefined;
    if (answered || name === undefined) return { content: [says("It is on its way.")] };
    return { content: [calls("toolu_1", name, name === "lookup" ? { order: 7 } : { expression: "6 * 7" })] };
  });
  proxied = await FakeUpstream.start(({ path, body }, response) => {
    if (path.endsWith("/models")) return sendError(response, 404, "Not Found");
    const answered = body.messages.length > 1;
    const call = { id: "call_1", type: "function", function: { name: "lookup", arguments: '{"order": 7}' } };
    const message = answered
      ? { content: "It is on its way." }
      : { content: null, tool_calls: [{ index: 0, ...call }] };
    response.writeHead(200, { "content-type": "application/json" });
    const choices = [
      { index: 0, message: { role: "assistant", ...message }, finish_reason: answered ? "stop" : "tool_calls" },
    ];
    response.end(JSON.stringify({ id: "x", object: "chat.completion", created: 1, model: "m", choices }));
  });
  const file = join(folder, "postel.yaml");
  writeFileSync(file, YAML);
  const env = {
    ANTHROPIC_BASE_URL: direct.baseUrl,
    ANTHROPIC_API_KEY: ANTHROPIC_KEY,
    PROXY_BASE_URL: proxied.baseUrl,
  };
  gateway = await startGateway({ config: readConfig({ file, modelsFile: resolve("config/models.yaml"), env }) });
});
afterEach(async () => {
  await gateway.close();
  await direct.close();
  await proxied.close();
  rmSync(folder, { recursive: true });
});

type Message = OpenAI.ChatCompletionMessageParam;

/** A call of the client's tool, its result, and the answer: all that a client reads of it but for ids. */
async function loop(model: string, stream: boolean): Promise<unknown> {
  const messages: Message[] = [QUESTION];
  const seen = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const runner = gateway.client().chat.completions;
    const asked = { model, messages, tools: [TOOL] };
    const answer = stream
      ? await runner.stream(asked).finalChatCompletion()
      : await runner.create({ ...asked, stream: false });
    const { message, finish_reason } = answer.choices[0] ?? {};
    const call = message?.tool_calls?.[0];
    const done = call?.type === "function" ? JSON.parse(call.function.arguments) : undefined;
    seen.push({ model: answer.model, content: message?.content, done, finish_reason });
    if (message && call) messages.push(message, { role: "tool", tool_call_id: call.id, content: "shipped" });
  }
  return seen;
}

describe.each([
  ["whole", false],
  ["streamed", true],
] as const)("one model on two wires, %s", (_, stream) => {
  it.each(["gpt-4o", "gpt-4o-mini"])(
    "%s calls a tool, reads its result and answers, under the name that was sent",
    async (model) => {
      expect(await loop(model, stream)).toEqual([
        { model, content: null, done: { order: 7 }, finish_reason: "tool_calls" },
        { model, content: "It is on its way.", done: undefined, finish_reason: "stop" },
      ]);
      const taken = {
        direct: direct.taken.length,
        proxied: proxied.requests.filter(({ path }) => !path.endsWith("/models")).length,
      };
      expect(taken).toEqual(model === "gpt-4o" ? { direct: 2, proxied: 0 } : { direct: 0, proxied: 2 });
      expect(direct.refusals).toEqual([]);
    },
  );
});

it("a template's default goes up in the words of the wire, and the caller's own in its place", async () => {
  const ask = { model: "gpt-4o", messages: [QUESTION] };
  const answer = await gateway.client().chat.completions.create(ask);
  await gateway.client().chat.completions.create({ ...ask, max_tokens: 99 });
  expect(answer).toMatchObject({ model: "gpt-4o", postel: { model: "claude-sonnet-4-5" } });
  expect(direct.taken.map(({ body }) => body.max_tokens)).toEqual([4096, 99]);
});

it("an agent asks its model on the other wire, and the gateway runs its tool", async () => {
  const answer = await gateway.client("/v1/agent").chat.completions.create({ model: "support", messages: [QUESTION] });
  expect(answer).toMatchObject({
    model: "support",
    choices: [{ message: { content: "It is on its way." }, finish_reason: "stop" }],
    postel: { model: "claude-sonnet-4-5", outcome: "answered", attempts: 2 },
  });
  const result = direct.taken[1]?.body.messages.at(-1)?.content;
  expect(result).toMatchObject([{ type: "tool_result", content: [{ type: "text", text: "42" }] }]);
});

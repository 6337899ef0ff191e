// Pictures for models that are asked in text: they stand beside the text that tools and history become.
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { delta, events, FakeUpstream, stream, whole } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const URL = "data:image/png;base64,iVBORw0KGgo=";
const picture = { type: "image_url" as const, image_url: { url: URL, detail: "low" as const } };
const tools = [{ type: "function" as const, function: { name: "measure", parameters: { type: "object" } } }];
const question: OpenAI.ChatCompletionMessageParam = {
  role: "user",
  content: [{ type: "text", text: "How wide is this?" }, picture],
};

let refusal: ((body: JsonObject) => string | undefined) | undefined;
let said: readonly string[] = [];
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeEach(async () => {
  refusal = undefined;
  upstream = await FakeUpstream.start((received, response) => {
    const message = refusal?.(received.body);
    if (message !== undefined)
      return whole(400, "application/json", JSON.stringify({ error: { message } }))(received, response);
    const text = said[Math.min(upstream.requests.length, said.length) - 1] ?? "";
    return stream(events(delta({ role: "assistant", content: text }), delta({}, "stop")))(received, response);
  });
  const row = (match: string, more: Partial<ModelProfile>): ModelProfile => ({
    match: [match],
    why: "test",
    tools: "text",
    emulate: "hermes-json",
    ...more,
  });
  gateway = await startGateway({
    config: {
      ...configFor(upstream.baseUrl),
      operatorModels: [
        row("sees", {}),
        row("sees-without-system", { systemRole: "user" }),
        row("not-known", { tools: undefined }),
      ],
    },
  });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

function sentMessages(): readonly { readonly role: string; readonly content: unknown }[] {
  return (upstream.requests.at(-1)?.body.messages ?? []) as never;
}

describe("a picture in a conversation as text", () => {
  it.each([false, true])(
    "goes up beside the tools, and the call that the model writes comes back (stream: %s)",
    async (streamed) => {
      said = ['It needs measuring.\n<tool_call>\n{"name": "measure", "arguments": {"side": "left"}}\n</tool_call>'];
      const params = { model: "sees", messages: [question], tools };
      const { completions } = gateway.client().chat;
      const answer = streamed
        ? await completions.stream(params).finalChatCompletion()
        : await completions.create(params);
      expect(answer.choices[0]).toMatchObject({
        message: { content: "It needs measuring.", tool_calls: [{ function: { name: "measure" } }] },
        finish_reason: "tool_calls",
      });
      expect(answer).toMatchObject({ postel: { tool_mode: "text" } });
      const [system, user] = sentMessages();
      expect(system).toMatchObject({ role: "system", content: expect.stringContaining("measure") });
      expect(user).toEqual({ role: "user", content: question.content });
    },
  );

  it("stays in its place in a history with calls and results", async () => {
    said = ["Twelve."];
    const call = { id: "call_1", type: "function" as const, function: { name: "measure", arguments: "{}" } };
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      question,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "12" },
      { role: "user", content: [picture, { type: "text", text: "And this?" }] },
    ];
    await gateway.client().chat.completions.create({ model: "sees", messages, tools });
    const sent = sentMessages();
    expect(sent.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    const last = sent.at(-1)?.content as readonly JsonObject[];
    expect(last.map(({ type }) => type)).toEqual(["text", "image_url", "text"]);
    expect(last[0]?.text).toContain("12");
  });

  it("goes up where instructions have no role of their own", async () => {
    said = ["Twelve."];
    await gateway.client().chat.completions.create({ model: "sees-without-system", messages: [question], tools });
    const [user, ...rest] = sentMessages();
    expect(rest).toEqual([]);
    const content = user?.content as readonly JsonObject[];
    expect(content.map(({ type }) => type)).toEqual(["text", "text", "image_url"]);
    expect(content[0]?.text).toContain("measure");
  });

  it("goes up in text too where the upstream has just refused the tools", async () => {
    refusal = (body) => (body.tools ? "This model does not support tools." : undefined);
    said = ["?", "Twelve."];
    const answer = await gateway.client().chat.completions.create({ model: "not-known", messages: [question], tools });
    expect(answer).toMatchObject({ choices: [{ message: { content: "Twelve." } }], postel: { tool_mode: "text" } });
    // Whether it refuses tools it may have been asked already on the gateway's own account.
    const inText = upstream.requests.filter(({ body }) => !body.tools);
    expect(JSON.stringify(inText.map(({ body }) => body.messages))).toContain(URL);
  });

  it("is refused by a model that sees nothing in the words of its server, and with its status", async () => {
    refusal = () => "This model does not support image input.";
    const asked = gateway.client().chat.completions.create({ model: "sees", messages: [question], tools });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      code: "upstream_refused",
      message: expect.stringContaining("image input"),
    });
  });
});

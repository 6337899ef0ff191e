// What the contract promises and Anthropic's API has not of its own, kept by the gateway over real HTTP: forms, stops, names, ids, sampling.
import { afterEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import { type House, startHouse } from "../../../support/anthropicGateway.ts";
import { FakeUpstream, whole } from "../../../support/FakeUpstream.ts";
import { calls, says, thinks } from "../../../support/servers/anthropicEvents.ts";

let testGateway: House | undefined;

afterEach(async () => {
  await testGateway?.close();
  testGateway = undefined;
});

const MESSAGES = [{ role: "user" as const, content: "How is the tide at Hull?" }];
const SCHEMA = {
  type: "object",
  properties: { tide: { type: "string", enum: ["high", "low"] }, metres: { type: "number", minimum: 0 } },
  required: ["tide", "metres"],
};
const FORMAT: OpenAI.ResponseFormatJSONSchema = { type: "json_schema", json_schema: { name: "tide", schema: SCHEMA } };

interface WithPostel {
  readonly postel?: { readonly attempts?: number; readonly mended?: readonly string[]; readonly retries?: number };
}

async function ask(body: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>) {
  const { openai } = testGateway as House;
  const answer = await openai.chat.completions.create({ model: "claude-opus-5", messages: MESSAGES, ...body });
  const { postel = {} } = answer as WithPostel;
  return { message: answer.choices[0]?.message, finish: answer.choices[0]?.finish_reason, postel };
}

describe("the form of an answer", () => {
  it("is enforced by the API as far as it goes, and what it leaves open is checked", async () => {
    testGateway = await startHouse((_request, at) => ({
      content: [says(at === 0 ? '{"tide": "high", "metres": -2}' : '{"tide": "high", "metres": 2}')],
    }));
    const { message, postel } = await ask({ response_format: FORMAT });
    expect(JSON.parse(message?.content ?? "")).toEqual({ tide: "high", metres: 2 });
    expect(postel.attempts).toBe(2);
    const [first] = testGateway.server.taken;
    expect(first?.body.output_config?.format?.schema).toMatchObject({ additionalProperties: false });
    expect(JSON.stringify(first?.body)).not.toContain('"minimum"');
  });

  it.each([
    ["any JSON object", { type: "json_object" } as const, '{"tide": "high"}'],
    [
      "free keys",
      {
        type: "json_schema",
        json_schema: { name: "t", schema: { type: "object", additionalProperties: { type: "string" } } },
      } as const,
      '{"Hull": "high"}',
    ],
  ])("of %s, which the API cannot enforce, is asked for in words", async (_what, response_format, text) => {
    testGateway = await startHouse(() => ({ content: [says(`\`\`\`json\n${text}\n\`\`\``)] }));
    const { message, postel } = await ask({ response_format });
    expect(message?.content).toBe(text);
    expect(postel.mended).toEqual(["response_format"]);
    const [first] = testGateway.server.taken;
    expect(first?.body.output_config).toBeUndefined();
    expect(JSON.stringify([first?.body.system, first?.body.messages])).toMatch(/JSON/);
  });
});

describe("what a server of Anthropic's API would refuse", () => {
  it("goes up otherwise for a model of which that is known, at the first try", async () => {
    testGateway = await startHouse(() => ({ content: [says("High.")] }));
    const messages = [...MESSAGES, { role: "assistant" as const, content: "It is" }];
    const { postel } = await ask({ messages, temperature: 0.2, top_p: 0.9 });
    expect(postel.mended).toEqual(["messages", "temperature", "top_p"]);
    expect(testGateway.server.refusals).toEqual([]);
  });

  it("is learnt from its words for any other", async () => {
    testGateway = await startHouse((request) =>
      request.temperature === undefined
        ? { content: [says("High.")] }
        : { status: 400, type: "invalid_request_error", message: "`temperature` is deprecated for this model." },
    );
    const { message, postel } = await ask({ model: "a-model-nobody-knows", temperature: 0.2 });
    expect(message?.content).toBe("High.");
    expect(postel).toMatchObject({ mended: ["temperature"], retries: 1 });
  });

  it("of stops is cut at by the gateway", async () => {
    testGateway = await startHouse(() => ({ content: [says("High.\nLow.")] }));
    const { message, finish } = await ask({ stop: ["\n"] });
    expect([message?.content, finish]).toEqual(["High.", "stop"]);
    expect(testGateway.server.refusals).toEqual([]);
  });

  it("of names and ids goes up under others, and comes back under its own", async () => {
    testGateway = await startHouse(() => ({ content: [calls("toolu_2", "sea_tide", { port: "Brest" })] }));
    const id = "functions.sea.tide:0";
    const call = { id, type: "function" as const, function: { name: "sea.tide", arguments: '{"port":"Hull"}' } };
    const messages = [
      ...MESSAGES,
      { role: "assistant" as const, content: null, tool_calls: [call] },
      { role: "tool" as const, tool_call_id: id, content: "High." },
    ];
    const tools = [{ type: "function" as const, function: { name: "sea.tide" } }];
    const { message } = await ask({ messages, tools });
    expect(message?.tool_calls).toMatchObject([{ id: "toolu_2", function: { name: "sea.tide" } }]);
    expect(testGateway.server.refusals).toEqual([]);
  });
});

describe("a streamed thought", () => {
  it("reaches a client as it is thought, and as the block that it can send back", async () => {
    const thought = thinks("Hull first, then Brest.");
    testGateway = await startHouse(() => ({ content: [thought, says("High.")] }));
    const { openai } = testGateway;
    const stream = await openai.chat.completions.create({ model: "claude-opus-5", messages: MESSAGES, stream: true });
    let text = "";
    const blocks: object[] = [];
    for await (const { choices } of stream) {
      const delta = choices[0]?.delta as { reasoning_content?: string; thinking_blocks?: object[] } | undefined;
      text += delta?.reasoning_content ?? "";
      blocks.push(...(delta?.thinking_blocks ?? []));
    }
    expect(text).toBe("Hull first, then Brest.");
    expect(blocks.at(-1)).toMatchObject({ type: "thinking", index: 0, signature: expect.any(String) });
  });
});

describe("a server of another wire", () => {
  let other: FakeUpstream | undefined;

  afterEach(async () => {
    await other?.close();
    other = undefined;
  });

  it("is told from one of Anthropic's by its answer", async () => {
    const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
    other = await FakeUpstream.start(whole(200, "application/json", JSON.stringify({ choices })));
    testGateway = await startHouse(() => ({ content: [says("High.")] }), { baseUrl: other.baseUrl });
    const failed = await ask({}).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "upstream_protocol_error" });
    expect(String(failed)).toContain("that of its `wire`");
  });
});

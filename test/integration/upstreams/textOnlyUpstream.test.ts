import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { FakeUpstream, sendError, sendText, type UpstreamRequest } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

// A server that knows no tools: it refuses the field, and its model writes a call only if the prompt told it of the tool.
let upstream: FakeUpstream;
let gateway: RunningGateway;
const seen: UpstreamRequest[] = [];
const learnt = Promise.withResolvers<void>();
beforeAll(async () => {
  upstream = await FakeUpstream.start((request, response) => {
    seen.push(request);
    if (request.path.endsWith("/models")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: [{ id: "tiny-llm", object: "model" }] }));
    } else if (request.body.tools) sendError(response, 400, "tiny-llm does not support tools");
    else sendText(response, writeAs(request));
  });
  gateway = await startGateway({
    config: configFor(upstream.baseUrl),
    observer: {
      observe: ({ type }) => {
        if (type === "evidence") learnt.resolve();
      },
    },
  });
});
beforeEach(() => {
  seen.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function writeAs({ body }: UpstreamRequest): string {
  const prompt = body.messages.map(({ content }) => content).join("\n");
  if (prompt.includes("14 degrees")) return "It is 14 degrees in Oslo.";
  if (!prompt.includes("get_weather")) return "I cannot know the weather.";
  return '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>';
}

const messages = [{ role: "user" as const, content: "How warm is it in Oslo?" }];
const tools = [
  {
    type: "function" as const,
    function: {
      name: "get_weather",
      description: "The weather of a city.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

describe("a text-only server behind the gateway", () => {
  it("gives the SDK native tool_calls, and its refusal of tools is remembered", async () => {
    const create = () => gateway.client().chat.completions.create({ model: "tiny-llm", messages, tools });
    const answer = await create();
    expect(answer.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ type: "function", function: { name: "get_weather", arguments: '{"city": "Oslo"}' } }] },
    });
    expect(answer).toMatchObject({ postel: { tool_mode: "text", formats: ["hermes-json"] } });
    await learnt.promise;
    const before = seen.length;
    await create();
    expect(seen.slice(before).filter(({ body }) => body.tools)).toEqual([]);
  });

  it("gives the same in a stream", async () => {
    const stream = gateway.client().chat.completions.stream({ model: "tiny-llm", messages, tools });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ function: { name: "get_weather", arguments: '{"city": "Oslo"}' } }] },
    });
  });

  it.each([
    ["/v1", true],
    ["/v1", false],
    ["/v1/agent", true],
    ["/v1/agent", false],
  ])("goes the whole way of runTools on %s (stream: %s)", async (path, stream) => {
    const asked: string[] = [];
    const runnable = {
      type: "function" as const,
      function: {
        ...tools[0]?.function,
        name: "get_weather",
        description: "The weather of a city.",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        parse: JSON.parse,
        function: ({ city }: { city: string }) => {
          asked.push(city);
          return "14 degrees";
        },
      },
    };
    const { completions } = gateway.client(path).chat;
    const runner = stream
      ? completions.runTools({ model: "tiny-llm", messages, tools: [runnable], stream: true })
      : completions.runTools({ model: "tiny-llm", messages, tools: [runnable] });
    expect(await runner.finalContent()).toBe("It is 14 degrees in Oslo.");
    expect(asked).toEqual(["Oslo"]);
  });

  it("runs the client's tools on the agent's base URL too", async () => {
    const answer = await gateway.client("/v1/agent").chat.completions.create({ model: "tiny-llm", messages, tools });
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: "get_weather" } });
  });

  it("passes the refusal on where the caller pinned the native mode", async () => {
    const asked = gateway
      .client()
      .chat.completions.create(
        { model: "pinned-llm", messages, tools },
        { headers: { "x-postel-tool-mode": "native" } },
      );
    await expect(asked).rejects.toMatchObject({ status: 400, code: "upstream_refused" });
  });

  it("shows the server's own list of models", async () => {
    const page = await gateway.client().models.list();
    expect(page.data.map(({ id }) => id)).toEqual(["tiny-llm"]);
  });
});

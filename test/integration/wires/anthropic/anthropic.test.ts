// An unchanged OpenAI client before a gateway before Anthropic's Messages API, over real HTTP: what is asked arrives, what is said comes back.
import { afterEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import { type House, startHouse } from "../../../support/anthropicGateway.ts";
import type { Reply } from "../../../support/servers/AnthropicServer.ts";
import { calls, INPUT_TOKENS, OUTPUT_TOKENS, says, thinks } from "../../../support/servers/anthropicEvents.ts";
import { signatureOf } from "../../../support/servers/anthropicRequest.ts";

let testGateway: House | undefined;

afterEach(async () => {
  await testGateway?.close();
  testGateway = undefined;
});

async function start(...replies: readonly Reply[]): Promise<House> {
  testGateway = await startHouse((_request, at) => replies[Math.min(at, replies.length - 1)] as Reply);
  return testGateway;
}

const MODEL = "claude-sonnet-4-5";
const QUESTION: OpenAI.ChatCompletionMessageParam = { role: "user", content: "How is the tide at Hull and Brest?" };
const TIDE: OpenAI.ChatCompletionTool = {
  type: "function",
  function: {
    name: "tide",
    description: "The tide at a port.",
    parameters: { type: "object", properties: { port: { type: "string" } }, required: ["port"] },
  },
};
const CLOCK: OpenAI.ChatCompletionTool = { type: "function", function: { name: "clock" } };
const ASK = { model: MODEL, messages: [QUESTION], tools: [TIDE, CLOCK] };
const TWO_CALLS: Reply = {
  content: [
    says("I'll look."),
    calls("toolu_1", "tide", { port: "Hull" }),
    calls("toolu_2", "tide", { port: "Brest" }),
    calls("toolu_3", "clock", {}),
  ],
};

interface Answered {
  readonly message: OpenAI.ChatCompletionMessage & {
    readonly reasoning_content?: string;
    readonly thinking_blocks?: readonly object[];
  };
  readonly finish: string | null | undefined;
  readonly usage: OpenAI.CompletionUsage | null | undefined;
}

/** The same question, whole and streamed, by the client's own helpers. */
async function ask(body: object, streamed: boolean): Promise<Answered> {
  const { openai } = testGateway as House;
  const full = { ...ASK, ...body };
  const completion = streamed
    ? await openai.chat.completions.stream({ ...full, stream_options: { include_usage: true } }).finalChatCompletion()
    : await openai.chat.completions.create(full);
  const [choice] = completion.choices;
  return { message: choice?.message as Answered["message"], finish: choice?.finish_reason, usage: completion.usage };
}

describe.each([
  ["streamed", true],
  ["whole", false],
])("an answer of Anthropic's API that is read %s", (_how, streamed) => {
  it("is text with its counts, in which the cached part of the prompt is included", async () => {
    await start({ content: [says("High water at Hull, "), says("low at Brest. ö")], cached: [7, 3] });
    const { message, finish, usage } = await ask({}, streamed);
    expect(message).toMatchObject({ role: "assistant", content: "High water at Hull, low at Brest. ö" });
    expect(finish).toBe("stop");
    expect(usage).toMatchObject({
      prompt_tokens: INPUT_TOKENS + 10,
      completion_tokens: OUTPUT_TOKENS,
      total_tokens: INPUT_TOKENS + 10 + OUTPUT_TOKENS,
      prompt_tokens_details: { cached_tokens: 7, cache_write_tokens: 3 },
    });
  });

  it("has its parallel calls with their ids, and {} for one without arguments", async () => {
    await start(TWO_CALLS);
    const { message, finish } = await ask({}, streamed);
    expect(message.content).toBe("I'll look.");
    expect(message.tool_calls).toMatchObject([
      { id: "toolu_1", type: "function", function: { name: "tide", arguments: '{"port":"Hull"}' } },
      { id: "toolu_2", type: "function", function: { name: "tide", arguments: '{"port":"Brest"}' } },
      { id: "toolu_3", type: "function", function: { name: "clock", arguments: "{}" } },
    ]);
    expect(finish).toBe("tool_calls");
  });

  it("has what the model thought as reasoning, and beside it the block that its signature seals", async () => {
    await start({
      content: [thinks("Hull first. Then Brest."), { type: "redacted_thinking", data: "c2VjcmV0" }, says("High.")],
    });
    const { message } = await ask({}, streamed);
    expect(message.content).toBe("High.");
    if (streamed) return;
    expect(message.reasoning_content).toBe("Hull first. Then Brest.");
    expect(message.thinking_blocks).toEqual([
      {
        type: "thinking",
        index: 0,
        thinking: "Hull first. Then Brest.",
        signature: signatureOf("Hull first. Then Brest."),
      },
      { type: "redacted_thinking", index: 1, data: "c2VjcmV0" },
    ]);
  });

  it("has no call for a tool that the server ran itself, and annotations for what it cites", async () => {
    const citation = {
      type: "web_search_result_location",
      url: "https://tides.test",
      title: "Tides",
      cited_text: "High at noon.",
      encrypted_index: "ZW5j",
    } as const;
    await start({
      content: [
        says("I'll search. "),
        {
          type: "server_tool_use",
          id: "srvtoolu_1",
          name: "web_search",
          input: { query: "tide" },
          caller: { type: "direct" },
        },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [], caller: { type: "direct" } },
        says("High at noon.", [citation]),
      ],
    });
    const { message, finish } = await ask({}, streamed);
    expect(message).toMatchObject({ content: "I'll search. High at noon." });
    expect(message.tool_calls ?? []).toEqual([]);
    expect(finish).toBe("stop");
    if (streamed) return;
    const url_citation = { url: "https://tides.test", title: "Tides", start_index: 13, end_index: 26 };
    expect(message.annotations).toEqual([{ type: "url_citation", url_citation }]);
  });

  it.each([
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "length"],
    ["stop_sequence", "stop"],
    ["refusal", "content_filter"],
  ] as const)("that ended with %s ends with %s", async (stop, expected) => {
    await start({ content: [says("High w")], stop });
    // The client's helper for streams throws at a length; the finish reason is what is asked for here.
    if (!streamed) expect((await ask({}, false)).finish).toBe(expected);
    else expect(await lastReason()).toBe(expected);
  });

  it("that declined, and said why, is the answer, though a call was demanded", async () => {
    await start({ content: [], stop: "refusal", explanation: "It would do harm." });
    const { message, finish } = await ask({ tool_choice: "required" }, streamed);
    expect({ content: message.content ?? null, refusal: message.refusal, finish }).toEqual({
      content: null,
      refusal: "It would do harm.",
      finish: "content_filter",
    });
    expect((testGateway as House).server.taken).toHaveLength(1);
  });

  it("with calls that leaked into its text has them as calls", async () => {
    const leaked = 'I\'ll look.\n\n<invoke name="tide">\n<parameter name="port">Hull</parameter>\n</invoke>';
    await start({ content: [says(leaked)] });
    const { message, finish } = await ask({}, streamed);
    expect(message.content).toBe("I'll look.");
    expect(message.tool_calls).toMatchObject([{ function: { name: "tide", arguments: '{"port":"Hull"}' } }]);
    expect(finish).toBe("tool_calls");
  });

  it("is the same however its bytes are cut", async () => {
    const content = [thinks("Ebbe → Flut"), says("Flut: 12:30 Uhr, größer ☂"), ...TWO_CALLS_CONTENT];
    await start({ content }, { content, bytes: 1 }, { content, bytes: 7 });
    const answers = [await ask({}, streamed), await ask({}, streamed), await ask({}, streamed)];
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(answers[0]?.message.tool_calls).toHaveLength(3);
  });
});

const TWO_CALLS_CONTENT = "content" in TWO_CALLS ? TWO_CALLS.content.slice(1) : [];

async function lastReason(): Promise<string | null | undefined> {
  let reason: string | null | undefined;
  for await (const chunk of await (testGateway as House).openai.chat.completions.create({ ...ASK, stream: true })) {
    reason = chunk.choices[0]?.finish_reason ?? reason;
  }
  return reason;
}

describe("a loop of tools over Anthropic's API", () => {
  const results: OpenAI.ChatCompletionMessageParam[] = ["toolu_1", "toolu_2", "toolu_3"].map((tool_call_id) => ({
    role: "tool",
    tool_call_id,
    content: "High.",
  }));

  it("gives all results in one turn behind their calls, and the signed thought back that the client dropped", async () => {
    const thought = thinks("Two ports, and the hour.");
    await start({ content: [thought, ...TWO_CALLS_CONTENT] }, { content: [says("High at both.")] });
    const thinking = { reasoning_effort: "high", max_tokens: 20_000 } as const;
    const { message } = await ask(thinking, false);
    const assistant = { role: "assistant" as const, content: message.content, tool_calls: message.tool_calls ?? [] };
    const second = await ask(
      { ...thinking, messages: [QUESTION, assistant, ...results, { role: "user", content: "Well?" }] },
      true,
    );
    expect(second.message.content).toBe("High at both.");
    const { refusals, taken } = (testGateway as House).server;
    expect(refusals).toEqual([]);
    const turns = taken[1]?.body.messages ?? [];
    expect(turns.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(turns[1]?.content).toEqual([thought, ...TWO_CALLS_CONTENT.map(withoutCaller)]);
    expect(turns[2]?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "High." }] },
      { type: "tool_result", tool_use_id: "toolu_2" },
      { type: "tool_result", tool_use_id: "toolu_3" },
      { type: "text", text: "Well?" },
    ]);
    expect(taken[1]?.body.thinking).toEqual({ type: "enabled", budget_tokens: 16_000 });
  });

  it("goes on without thinking where the calls came from another model, and says so", async () => {
    await start({ content: [says("High.")] });
    const call = { id: "call_1", type: "function" as const, function: { name: "tide", arguments: '{"port":"Hull"}' } };
    const messages = [
      QUESTION,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "" },
    ];
    const { openai, server } = testGateway as House;
    const answer = await openai.chat.completions.create({ ...ASK, messages, reasoning_effort: "low" } as never);
    expect(server.refusals).toEqual([]);
    expect(server.taken[0]?.body.thinking).toBeUndefined();
    expect(answer).toMatchObject({ postel: { mended: ["reasoning_effort"] } });
  });

  it("is run by the gateway itself on its agent route", async () => {
    const { gateway } = await start(
      { content: [calls("toolu_1", "calculator", { expression: "17 * 23" })] },
      { content: [says("391.")] },
    );
    const answer = await gateway.client("/v1/agent").chat.completions.create({ model: MODEL, messages: [QUESTION] });
    expect(answer.choices[0]?.message.content).toBe("391.");
    expect(testGateway?.server.taken[1]?.body.messages.at(-1)?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "toolu_1" },
    ]);
  });
});

function withoutCaller(block: object): object {
  const { caller: _, ...rest } = block as { readonly caller?: object };
  return rest;
}

describe("a failure of Anthropic's API", () => {
  it.each([
    [{ status: 401, type: "authentication_error", message: "invalid x-api-key" }, 401, "upstream_unauthorized"],
    [{ status: 403, type: "permission_error", message: "Not yours." }, 403, "upstream_forbidden"],
    [{ status: 404, type: "not_found_error", message: "model: claude-x" }, 404, "model_not_found"],
    [
      { status: 429, type: "rate_limit_error", message: "Slow down.", headers: { "retry-after": "7" } },
      429,
      "upstream_rate_limited",
    ],
    [{ status: 529, type: "overloaded_error", message: "Overloaded" }, 503, "upstream_overloaded"],
    [{ status: 500, type: "api_error", message: "Internal server error" }, 502, "upstream_error"],
    [
      { status: 400, type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
      400,
      "context_length_exceeded",
    ],
  ] as const)("%j is %i %s", async (reply, status, code) => {
    await start(reply);
    const failed = (testGateway as House).openai.chat.completions.create(ASK);
    await expect(failed).rejects.toMatchObject({ status, code });
    const error = await failed.catch((caught) => caught);
    expect(error.message).toContain(reply.message);
    if (reply.status === 429) expect(error.headers.get("retry-after")).toBe("7");
  });

  it("that passes is tried again", async () => {
    testGateway = await startHouse(
      (_request, at) =>
        at === 0 ? { status: 529, type: "overloaded_error", message: "Overloaded" } : { content: [says("High.")] },
      { attempts: 2 },
    );
    const answer = await testGateway.openai.chat.completions.create(ASK);
    expect(answer).toMatchObject({ choices: [{ message: { content: "High." } }], postel: { retries: 1 } });
  });

  it("in the middle of a stream is a typed error behind what was said, with the id of the request", async () => {
    await start({ content: [says("High water at Hull.")], failAfter: [5, "overloaded_error", "Overloaded"] });
    const failed = ask({}, true);
    await expect(failed).rejects.toMatchObject({ code: "upstream_overloaded" });
  });

  it("to finish its answer is a typed error, not an answer that ends", async () => {
    await start({ content: [says("High water at Hull.")], cutAfter: 5 });
    await expect(ask({}, true)).rejects.toMatchObject({ code: "upstream_truncated" });
  });
});

describe("a request of the chat wire to Anthropic's API", () => {
  it("carries its key and version in Anthropic's headers", async () => {
    await start({ content: [says("High.")] });
    await ask({}, false);
    const { headers } = testGateway?.server.taken[0] ?? {};
    expect(headers).toMatchObject({ "x-api-key": "sk-ant-fake", "anthropic-version": "2023-06-01" });
    expect(headers?.authorization).toBeUndefined();
  });

  it("with an image and a file carries both", async () => {
    await start({ content: [says("A chart.")] });
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aVZCT1I=" } },
      { type: "image_url", image_url: { url: "https://tides.test/chart.png", detail: "low" } },
      { type: "file", file: { filename: "tides.pdf", file_data: "data:application/pdf;base64,JVBERg==" } },
    ];
    await ask({ messages: [{ role: "user", content }] }, false);
    expect(testGateway?.server.taken[0]?.body.messages[0]?.content).toEqual([
      { type: "text", text: "What is this?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aVZCT1I=" } },
      { type: "image", source: { type: "url", url: "https://tides.test/chart.png" } },
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" },
        title: "tides.pdf",
      },
    ]);
  });

  it.each([
    [
      "messages",
      {
        messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "AA==", format: "wav" } }] }],
      },
    ],
    ["logprobs", { logprobs: true }],
    ["audio", { audio: { emitter: "alloy", format: "wav" } }],
    ["web_search_options", { web_search_options: {} }],
  ])("that asks for what that API has not is refused by its field: %s", async (param, change) => {
    await start({ content: [says("High.")] });
    await expect(ask(change, false)).rejects.toMatchObject({ status: 400, code: "unsupported_parameter", param });
    expect(testGateway?.server.taken).toEqual([]);
  });

  it("names what it had to leave out or change", async () => {
    const { openai, server } = await start({ content: [says("High.")] });
    const hints = { temperature: 1.5, top_p: 0.9, seed: 7, frequency_penalty: 0.5, user: "u1", metadata: { run: "r" } };
    const answer = await openai.chat.completions.create({ ...ASK, ...hints, store: true });
    expect(answer).toMatchObject({
      postel: { mended: ["frequency_penalty", "metadata", "seed", "store", "temperature", "top_p"] },
    });
    expect(server.taken[0]?.body).toMatchObject({ temperature: 1, metadata: { user_id: "u1" }, max_tokens: 32_000 });
  });

  it("lists the upstream's models", async () => {
    const { openai } = await start({ content: [says("High.")] });
    const ids = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    expect(ids).toContain("claude-opus-5");
  });
});

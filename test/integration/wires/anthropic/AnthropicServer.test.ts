// The fake of Anthropic's API, read by Anthropic's own client: what the other tests of this wire rest on.
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, it } from "@jest/globals";
import { ANTHROPIC_KEY, AnthropicServer, type Reply } from "../../../support/servers/AnthropicServer.ts";
import { calls, OUTPUT_TOKENS, says, thinks } from "../../../support/servers/anthropicEvents.ts";

let server: AnthropicServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function client(reply: Reply): Promise<Anthropic> {
  server = await AnthropicServer.start(() => reply);
  return new Anthropic({ baseURL: server.origin, apiKey: ANTHROPIC_KEY, maxRetries: 0 });
}

const ASK = {
  model: "claude-opus-5",
  max_tokens: 1024,
  messages: [{ role: "user", content: "How is the tide at Hull and Brest?" }],
} satisfies Anthropic.MessageCreateParams;

const TOOLS: Anthropic.Tool[] = [
  { name: "tide", input_schema: { type: "object", properties: { port: { type: "string" } } } },
];

const ANSWER: Reply = {
  content: [
    thinks("Two ports are named."),
    says("I'll look. "),
    calls("toolu_1", "tide", { port: "Hull" }),
    calls("toolu_2", "clock", {}),
  ],
  cached: [7, 3],
};

describe("the fake of Anthropic's API, to Anthropic's own client", () => {
  it("says the same streamed and whole: a thought with its signature, text, two calls, counts", async () => {
    const anthropic = await client(ANSWER);
    const whole = await anthropic.messages.create({ ...ASK, tools: TOOLS });
    expect(whole.content).toEqual("content" in ANSWER && ANSWER.content);
    expect(whole).toMatchObject({ stop_reason: "tool_use", usage: { output_tokens: OUTPUT_TOKENS } });
    const streamed = await anthropic.messages.stream({ ...ASK, tools: TOOLS }).finalMessage();
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.stop_reason).toBe("tool_use");
    expect(streamed.usage).toMatchObject({ output_tokens: OUTPUT_TOKENS, cache_read_input_tokens: 7 });
  });

  it("is an error of the client's own classes where it refuses", async () => {
    const anthropic = await client({ status: 529, type: "overloaded_error", message: "Overloaded" });
    await expect(anthropic.messages.create(ASK)).rejects.toMatchObject({ status: 529, requestID: "req_fake" });
    const stranger = new Anthropic({ baseURL: server?.origin, apiKey: "sk-other", maxRetries: 0 });
    await expect(stranger.messages.create(ASK)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });

  it("breaks its stream off as an error that the client reports", async () => {
    const anthropic = await client({ ...ANSWER, failAfter: [3, "overloaded_error", "Overloaded"] });
    await expect(anthropic.messages.stream({ ...ASK, tools: TOOLS }).finalMessage()).rejects.toThrow("Overloaded");
  });

  it("lists its models", async () => {
    const anthropic = await client(ANSWER);
    const listed = await anthropic.models.list();
    expect(listed.data.map(({ id }) => id)).toContain("claude-opus-5");
  });

  const hull = calls("toolu_1", "tide", { port: "Hull" }) as Anthropic.ToolUseBlockParam;
  it.each<[string, Partial<Anthropic.MessageCreateParamsNonStreaming> & Record<string, unknown>, RegExp]>([
    ["a field that it does not know", { seed: 7 }, /seed: Extra inputs are not permitted/],
    ["no limit", { max_tokens: undefined as never }, /max_tokens: Field required/],
    ["text without words", { messages: [{ role: "user", content: " " }] }, /non-whitespace text/],
    ["an assistant in front", { messages: [{ role: "assistant", content: "Hi" }] }, /first message must use the/],
    ["two users in a row", { messages: [...ASK.messages, ...ASK.messages] }, /roles must alternate/],
    [
      "a call without its result",
      { messages: [...ASK.messages, { role: "assistant", content: [hull] }, { role: "user", content: "Well?" }] },
      /`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1/,
    ],
    [
      "a thought that was changed",
      {
        messages: [
          ...ASK.messages,
          { role: "assistant", content: [{ type: "thinking", thinking: "Other words.", signature: "c2ln" }, hull] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "High." }] },
        ],
      },
      /Invalid `signature` in `thinking` block/,
    ],
    ["a temperature, in the version of the client", { temperature: 0.5 }, /temperature: Extra inputs/],
  ])("refuses %s", async (_what, change, words) => {
    const anthropic = await client(ANSWER);
    await expect(anthropic.messages.create({ ...ASK, ...change } as never)).rejects.toThrow(words);
    expect(server?.taken).toEqual([]);
  });
});

// Which part of a request the refusals of servers are about.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { ADAPTATIONS, mendRequest } from "../../../../src/models/adaptation/adaptations.ts";
import { createProbe } from "../../../../src/models/adaptation/RefusalProbe.ts";
import { readRefusal } from "../../../../src/models/adaptation/readRefusal.ts";
import { buildChatRequestBody } from "../../../../src/models/request/chatRequestBody.ts";
import { CAPABILITIES, modelRequest } from "../../../support/modelRequest.ts";

interface Wording {
  readonly field: string;
  readonly status: number;
  readonly message: string;
}

const WORDINGS = readFileSync("test/fixtures/models/refusals.jsonl", "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Wording);

/** A request that has everything, so that a refusal must say what it is about. */
const EVERYTHING: JsonObject = {
  messages: [
    { role: "system", content: "a" },
    { role: "developer", content: "a" },
    { role: "assistant", content: "b" },
  ],
  tools: [{}],
  tool_choice: "required",
  parallel_tool_calls: true,
  stream: true,
  stream_options: {},
  max_tokens: 1,
  max_completion_tokens: 1,
  temperature: 0.1,
  top_p: 1,
  seed: 1,
  stop: ["x"],
  user: "u",
  reasoning_effort: "low",
  logprobs: true,
  response_format: { type: "json_schema" },
};

function about(message: string, more: { status?: number; param?: string; sentBody?: JsonObject } = {}) {
  return readRefusal({ status: 400, sentBody: EVERYTHING, text: message, ...more });
}

describe("readRefusal: the wordings of servers", () => {
  it.each(WORDINGS.filter(({ field }) => field !== "n"))("$status $message is about $field", (wording) => {
    const json = wording.message.includes("'json_schema' or 'text'")
      ? { type: "json_object" }
      : { type: "json_schema" };
    const found = about(wording.message, {
      status: wording.status,
      sentBody: { ...EVERYTHING, response_format: json },
    });
    const fields: Readonly<Record<string, RegExp>> = {
      "tools+response_format": /^response_format\+tools$/,
      "role:order": /^role:(order|last)$/,
      "role:system": /^role:(system|developer)$/,
    };
    expect(found).toMatch(fields[wording.field] ?? new RegExp(`^${wording.field}(:|$)`));
  });

  it.each([
    ["Unsupported value: 'messages[0].role' does not support 'system' with this model.", "role:system"],
    ["messages[0].role: unknown variant `developer`, expected one of `system`, `user`", "role:developer"],
    ["System message must be at the beginning.", "role:system-first"],
    ['Unknown name "seed": Cannot find field.', "seed"],
    ["property 'user' is unsupported", "user"],
    ["Additional properties are not allowed ('stop' was unexpected)", "stop"],
    ["`temperature` is deprecated for this model.", "temperature"],
    ["Streaming is not supported for this model.", "stream"],
    ["Argument not supported on this model: stop", "stop"],
    ["Model m does not support parameter reasoningEffort.", "reasoning_effort"],
    ["Invalid tool_choice type: 'object'. Supported string values: none, auto, required", "tool_choice:required"],
    ["Unsupported value: 'tool_choice' does not support 'required' with this model.", "tool_choice:required"],
    ["This model does not support assistant message prefill.", "role:last"],
  ])("of others are known too: %s", (message, part) => {
    expect(about(message)).toBe(part);
  });

  it.each([
    "This model only support stream mode, please enable the stream parameter to access the model. ",
    "parameter.enable_thinking must be set to false for non-streaming calls",
    "parameter.enable_thinking必须设置为false才能进行非流式调用",
    "api does not support non-stream mode",
    "Stream must be set to true",
  ])("of servers that only stream are known where no stream was asked for: %s", (message) => {
    expect(about(message, { sentBody: { ...EVERYTHING, stream: false } })).toBe("stream:false");
    expect(about(message)).not.toBe("stream:false");
  });

  const WITH_EFFORT = { messages: [], tools: [{}], reasoning_effort: "high" };
  it.each([
    "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.",
    "`reasoning_effort` must be 'none' when `tools` are provided.",
    "Tool calling is not available with reasoning enabled on this endpoint; use the Responses API.",
    "Invalid request: 'tools' and 'reasoning_effort' cannot be used together.",
    "Function calling requires reasoning effort none for deployment my-gpt-5.6.",
    "Function calling with reasoning is unavailable on /v1/chat/completions; use the Responses API (/v1/responses) instead.",
    "Tools are disabled while reasoning is on; set its effort to none.",
  ])("of models that take no tools while they reason are not about tools alone: %s", (message) => {
    const { reasoning_effort: _, ...byDefault } = WITH_EFFORT;
    for (const sent of [WITH_EFFORT, byDefault])
      expect(about(message, { sentBody: sent, param: "reasoning_effort" })).toBe("reasoning_effort+tools");
    // Refused again although nothing was to be thought.
    expect(about(message, { sentBody: { ...WITH_EFFORT, reasoning_effort: "none" } })).not.toBe(
      "reasoning_effort+tools",
    );
  });

  it.each([
    ["Unsupported value: 'reasoning_effort' does not support 'none' with this model.", "reasoning_effort"],
    ["Unrecognized request argument supplied: reasoning_effort", "reasoning_effort"],
    ["tools are not supported by reasoning models", "tools"],
    ["This model does not support tools. Its reasoning_effort is high.", "tools"],
    ["Invalid schema for function 'plan': 'reasoning' must be of an object, not a string.", undefined],
  ])("of effort or tools alone stay about the one: %s", (message, part) => {
    expect(about(message, { sentBody: WITH_EFFORT })).toBe(part);
  });

  const WITH_FORM = { messages: [], tools: [{}], response_format: { type: "json_schema" } };
  it.each([
    "`response_format` and `tools` are mutually exclusive",
    "You cannot specify response format and function call at the same time",
    "Cannot use custom grammar constraints with tools.",
    "'response_format.type' must be 'text' when tools are provided",
    "Unable to submit request because controlled generation is not supported with tool use.",
    "For controlled generation of only function calls (forced function calling), please set 'tool_config.function_calling_config.mode' field to ANY instead of populating 'response_mime_type'.",
    "JSON mode doesn't work with tools",
  ])("that take no form beside tools are known: %s", (message) => {
    expect(about(message, { sentBody: WITH_FORM })).toBe("response_format+tools");
  });

  it("of a form alone or of tools alone are not about both", () => {
    const formAlone = "Unsupported parameter: 'response_format' is not supported with this model. Use tools.";
    expect(about(formAlone, { sentBody: WITH_FORM })).toBe("response_format:json_schema");
    expect(about("This model does not support tools", { sentBody: WITH_FORM })).toBe("tools");
  });

  const calls = [{ role: "assistant", content: null, tool_calls: [{}] }];
  it.each([
    ["Requests which include `tool_use` or `tool_result` blocks must define tools.", undefined],
    ["litellm.UnsupportedParamsError: Anthropic expects the `tools=` param to be passed in.", undefined],
    ["Bedrock doesn't support tool calling without `tools=` param specified.", undefined],
    ["The toolConfig field must be defined when using toolUse and toolResult content blocks.", undefined],
    ["tools is required when messages contain tool calls", "tools"],
    ["Missing parameter 'tools': the conversation contains tool calls", "tools"],
  ])("that want tools beside a history with calls are known: %s", (message, param) => {
    expect(about(message, { sentBody: { messages: calls }, ...(param && { param }) })).toBe("messages+tools:calls");
    expect(about(message, { sentBody: { messages: calls, tools: [{}] } })).not.toBe("messages+tools:calls");
  });

  it.each([
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    "This model does not support tools",
  ])("of the history itself are not about missing tools: %s", (message) => {
    expect(about(message, { sentBody: { messages: calls } })).not.toBe("messages+tools:calls");
  });

  it("count only for what was sent", () => {
    for (const { message, status } of WORDINGS) {
      const words = about(message, { status, sentBody: { messages: [{ role: "user", content: "x" }] } });
      expect([undefined, "role:order"]).toContain(words);
    }
  });

  it("are about what the error itself names, whatever it quotes", () => {
    expect(about("Invalid content: tools is not supported", { param: "messages[0].content" })).toBeUndefined();
    expect(about("'temperature' is not supported", { param: "temperature" })).toBe("temperature");
  });
});

describe("readRefusal: an error that refuses no part", () => {
  it.each([
    ["max_tokens is too large: 100000. This model supports at most 16384 completion tokens."],
    ["Invalid 'stop': array too long. Expected an array with maximum length 4, but got 5 instead."],
    ["Invalid schema for response_format 'x': 'additionalProperties' is required."],
    ["tools[0].function.name contains characters that are not allowed"],
    ["temperature must be between 0 and 1"],
    ["The user is not allowed to sample from this model"],
    ["Internal error"],
  ])("is its caller's: %s", (message) => {
    expect(about(message)).toBeUndefined();
  });

  it.each([401, 429, 502, 503])("%d says nothing of the request", (status) => {
    expect(about("tools are not supported", { status })).toBeUndefined();
  });

  it("of the server itself counts only in a whole wording", () => {
    expect(about("'temperature' is not supported", { status: 500 })).toBeUndefined();
    expect(about("Conversation roles must alternate user/assistant/…", { status: 500 })).toBe("role:order");
  });
});

describe("readRefusal: a probe", () => {
  it.each([...ADAPTATIONS.keys()].filter((part) => part !== "role:developer"))(
    "for %s has it, and is mended like a caller's",
    (part) => {
      const capabilities = { ...CAPABILITIES, stream: "as-asked" } as const;
      const probe = createProbe(modelRequest({ messages: [{ role: "user", content: "secret" }], capabilities }), part);
      if (!probe) throw new Error("No probe.");
      const body = buildChatRequestBody(probe);
      expect(ADAPTATIONS.get(part)?.isSent(body)).toBe(true);
      expect(JSON.stringify(body)).not.toContain("secret");
      expect(body.max_tokens ?? body.max_completion_tokens).toBe(1);
      const mended = mendRequest(probe, part);
      if (part === "tools") expect(mended).toBeUndefined();
      else expect(mended).toBeDefined();
    },
  );
});

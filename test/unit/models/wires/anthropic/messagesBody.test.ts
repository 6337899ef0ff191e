// The chat wire's body as Anthropic's Messages take it, against the rules of the fake: what becomes of each field, and of histories of any shape.
import { describe, expect, it } from "@jest/globals";
import type { JsonObject, JsonValue } from "../../../../../src/core/messages.ts";
import { buildMessagesBody } from "../../../../../src/models/wires/anthropic/messagesBody.ts";
import { type MessagesRequest, refusalOf, signatureOf } from "../../../../support/servers/anthropicRequest.ts";

const HI = { role: "user", content: "Hi" };
const MODEL = "claude-sonnet-4-5";

function asked(chat: object): { readonly body: MessagesRequest; readonly dropped: readonly string[] } {
  const { body, dropped } = buildMessagesBody({ model: MODEL, messages: [HI], ...chat } as JsonObject);
  return { body: body as unknown as MessagesRequest, dropped };
}

/** What is asked, which the API must take. */
function taken(chat: object): MessagesRequest {
  const { body } = asked(chat);
  expect(refusalOf(body, "2023-06-01")).toBeUndefined();
  return body;
}

const CALL = { id: "call_1", type: "function", function: { name: "tide", arguments: '{"port":"Hull"}' } };
const TOOL = { type: "function", function: { name: "tide" } };
const RESULT = { role: "tool", tool_call_id: "call_1", content: "High." };

describe("buildMessagesBody: messages", () => {
  it("has every instruction in front, in its order, wherever it stood", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      HI,
      { role: "developer", content: [{ type: "text", text: "Say so in French." }] },
      { role: "user", content: "Well?" },
    ];
    const { system, messages: turns } = taken({ messages });
    expect(system).toEqual([
      { type: "text", text: "Be brief." },
      { type: "text", text: "Say so in French." },
    ]);
    expect(turns).toEqual([{ role: "user", content: [HI.content, "Well?"].map((text) => ({ type: "text", text })) }]);
  });

  it.each<[string, readonly object[], readonly string[]]>([
    ["that the assistant begins", [{ role: "assistant", content: "Hello." }, HI], ["user", "assistant", "user"]],
    ["of instructions alone", [{ role: "system", content: "Greet." }], ["user"]],
    ["with an assistant that said nothing", [HI, { role: "assistant", content: "" }, HI], ["user"]],
    [
      "with a user that says nothing",
      [HI, { role: "assistant", content: "Yes?" }, { role: "user", content: " " }],
      ["user", "assistant", "user"],
    ],
    [
      "with two answers in a row",
      [HI, { role: "assistant", content: "a" }, { role: "assistant", content: "b" }, HI],
      ["user", "assistant", "user"],
    ],
    [
      "with the assistant's words to go on from",
      [HI, { role: "assistant", content: "It is \n" }],
      ["user", "assistant"],
    ],
    [
      "with an empty result",
      [HI, { role: "assistant", content: null, tool_calls: [CALL] }, { ...RESULT, content: "" }],
      ["user", "assistant", "user"],
    ],
    [
      "with parts without words",
      [
        {
          role: "user",
          content: [
            { type: "text", text: "" },
            { type: "text", text: "Hi" },
          ],
        },
      ],
      ["user"],
    ],
  ])("%s keeps the rules of its turns", (_what, messages, roles) => {
    expect(taken({ messages, tools: [TOOL] }).messages.map(({ role }) => role)).toEqual(roles);
  });

  it("has results in front of what its user says, though they came behind it", () => {
    const messages = [
      HI,
      { role: "assistant", content: "", tool_calls: [CALL] },
      { role: "user", content: "Well?" },
      RESULT,
    ];
    const content = taken({ messages, tools: [TOOL] }).messages.at(-1)?.content;
    expect((content as { type: string }[]).map(({ type }) => type)).toEqual(["tool_result", "text"]);
  });

  it("has only signed thoughts, in front of text and calls, as they were given", () => {
    const thinking_blocks = [
      { type: "thinking", index: 0, thinking: "Hull.", signature: signatureOf("Hull.") },
      { type: "thinking", index: 1, thinking: "Not signed." },
      { type: "redacted_thinking", index: 2, data: "c2Vj" },
      { type: "thinking", index: 3, thinking: "", signature: signatureOf("") },
      { type: "thinking", index: 4, signature: signatureOf("The last piece of a stream.") },
    ];
    const assistant = {
      role: "assistant",
      content: "I'll look.",
      reasoning_content: "Hull.",
      thinking_blocks,
      tool_calls: [CALL],
    };
    expect(taken({ messages: [HI, assistant, RESULT], tools: [TOOL] }).messages[1]?.content).toEqual([
      { type: "thinking", thinking: "Hull.", signature: signatureOf("Hull.") },
      { type: "redacted_thinking", data: "c2Vj" },
      { type: "thinking", thinking: "", signature: signatureOf("") },
      { type: "text", text: "I'll look." },
      { type: "tool_use", id: "call_1", name: "tide", input: { port: "Hull" } },
    ]);
  });

  it("keeps the marks of the prompt cache on parts, messages and tools", () => {
    const cache_control = { type: "ephemeral" };
    const body = taken({
      messages: [
        { role: "system", content: [{ type: "text", text: "Long.", cache_control }] },
        { ...HI, cache_control },
        { role: "assistant", content: null, tool_calls: [CALL] },
        { ...RESULT, cache_control },
      ],
      tools: [{ ...TOOL, cache_control }],
      cache_control,
    });
    expect(body).toMatchObject({
      system: [{ cache_control }],
      messages: [{ content: [{ cache_control }] }, {}, { content: [{ type: "tool_result", cache_control }] }],
      tools: [{ name: "tide", cache_control }],
      cache_control,
    });
  });
});

describe("buildMessagesBody: tools", () => {
  it.each<[JsonValue, boolean | undefined, JsonValue | undefined]>([
    ["auto", undefined, undefined],
    ["auto", false, { type: "auto", disable_parallel_tool_use: true }],
    ["none", false, { type: "none" }],
    ["required", undefined, { type: "any" }],
    ["required", false, { type: "any", disable_parallel_tool_use: true }],
    [{ type: "function", function: { name: "tide" } }, undefined, { type: "tool", name: "tide" }],
  ])("with tool_choice %j, parallel %j are asked with %j", (tool_choice, parallel_tool_calls, expected) => {
    const body = taken({
      tools: [TOOL],
      tool_choice,
      ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
    });
    expect(body.tool_choice).toEqual(expected);
  });

  it("have the schema of an object where none was given, and none of the chat wire's strict", () => {
    const tools = [
      TOOL,
      { type: "function", function: { name: "clock", strict: true, parameters: { properties: {} } } },
    ];
    expect(taken({ tools }).tools).toEqual([
      { name: "tide", input_schema: { type: "object" } },
      { name: "clock", input_schema: { type: "object", properties: {} } },
    ]);
  });

  it("have no choice where there are none", () => {
    expect(taken({ tool_choice: "none", parallel_tool_calls: false }).tool_choice).toBeUndefined();
  });
});

describe("buildMessagesBody: thinking", () => {
  it.each<[string, object, object]>([
    [
      "claude-opus-5",
      { reasoning_effort: "high" },
      { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    ],
    [
      "claude-opus-4-6",
      { reasoning_effort: "minimal" },
      { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
    ],
    [
      "claude-sonnet-4-5-20250929",
      { reasoning_effort: "medium" },
      { thinking: { type: "enabled", budget_tokens: 4096 } },
    ],
    [
      "anthropic/claude-sonnet-4.5",
      { reasoning_effort: "low" },
      { thinking: { type: "enabled", budget_tokens: 1024 } },
    ],
    ["claude-sonnet-4-20250514", { reasoning_effort: "low" }, { thinking: { type: "enabled", budget_tokens: 1024 } }],
    [
      "claude-sonnet-4",
      { reasoning_effort: "high", max_tokens: 2000 },
      { thinking: { type: "enabled", budget_tokens: 1999 } },
    ],
    ["claude-sonnet-4", { reasoning_effort: "none" }, { thinking: { type: "disabled" } }],
    [
      MODEL,
      { thinking: { type: "enabled", budget_tokens: 2048 }, reasoning_effort: "low" },
      { thinking: { type: "enabled", budget_tokens: 2048 } },
    ],
  ])("of %s with %j is %j", (model, change, expected) => {
    const { thinking, output_config } = asked({ model, ...change }).body;
    expect({ ...(thinking && { thinking }), ...(output_config && { output_config }) }).toEqual(expected);
  });

  it.each<[string, string, object]>([
    ["a model that cannot", "claude-3-5-haiku", {}],
    ["a limit that leaves no room", MODEL, { max_tokens: 512 }],
    ["a call that is demanded", MODEL, { tools: [TOOL], tool_choice: "required" }],
    [
      "calls that came without a thought",
      MODEL,
      {
        tools: [TOOL],
        messages: [
          HI,
          { role: "assistant", content: null, tool_calls: [CALL] },
          RESULT,
          { role: "user", content: "Well?" },
        ],
      },
    ],
  ])("gives way to %s, and that is said", (_what, model, change) => {
    const { body, dropped } = asked({ model, reasoning_effort: "low", ...change });
    expect(refusalOf(body, "2023-06-01")).toBeUndefined();
    expect(body.thinking).toBeUndefined();
    expect(dropped).toEqual(["reasoning_effort"]);
  });

  it("takes the sampling that it excludes with it, and that is said", () => {
    const { body, dropped } = asked({ reasoning_effort: "low", temperature: 0.2, top_p: 0.5, top_k: 5 });
    expect(refusalOf(body, "2023-06-01")).toBeUndefined();
    expect(dropped).toEqual(["temperature", "top_k", "top_p"]);
  });
});

describe("buildMessagesBody: response_format", () => {
  const format = (schema: object) => ({ response_format: { type: "json_schema", json_schema: { name: "a", schema } } });

  it("is a schema of closed objects without the bounds that it refuses", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      required: ["tides"],
      properties: {
        tides: {
          type: "array",
          minItems: 2,
          items: {
            type: "object",
            properties: {
              at: { type: "string", format: "time" },
              note: { type: "string", maxLength: 9, format: "regex" },
              minimum: { type: "number", minimum: 1 },
            },
          },
        },
        port: { oneOf: [{ type: "string" }, { type: "null" }] },
      },
    };
    expect(taken(format(schema)).output_config?.format?.schema).toEqual({
      type: "object",
      required: ["tides"],
      additionalProperties: false,
      properties: {
        tides: {
          type: "array",
          items: {
            type: "object",
            additionalProperties: false,
            properties: {
              at: { type: "string", format: "time" },
              note: { type: "string" },
              minimum: { type: "number" },
            },
          },
        },
        port: { anyOf: [{ type: "string" }, { type: "null" }] },
      },
    });
  });

  it.each([
    ["objects of any keys", { type: "object", additionalProperties: { type: "number" } }],
    ["any object", { type: "object" }],
    ["a schema that contains itself", { type: "object", properties: { next: { $ref: "#" } } }],
    [
      "a definition that contains itself",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/a" } },
        $defs: { a: { type: "object", properties: { a: { $ref: "#/$defs/a" } } } },
      },
    ],
    ["a keyword that it lacks", { type: "object", properties: { a: { not: { type: "null" } } } }],
    ["anything at all", { type: "object", properties: { a: true } }],
  ])("is left to words where it is of %s", (_what, schema) => {
    const { body, dropped } = asked(format(schema));
    expect(body.output_config).toBeUndefined();
    expect(dropped).toEqual(["response_format"]);
  });

  it("is left to words where it is any JSON object", () => {
    expect(asked({ response_format: { type: "json_object" } }).dropped).toEqual(["response_format"]);
    expect(asked({ response_format: { type: "text" } }).dropped).toEqual([]);
  });
});

describe("buildMessagesBody: other fields", () => {
  it("go up in its own words where it has them", () => {
    const body = taken({
      max_completion_tokens: 500,
      stop: ["END"],
      user: "u1",
      service_tier: "default",
      metadata: { user_id: "u2" },
      container: "c1",
      stream: true,
    });
    expect(body).toMatchObject({
      max_tokens: 500,
      stop_sequences: ["END"],
      metadata: { user_id: "u2" },
      service_tier: "standard_only",
      container: "c1",
      stream: true,
    });
  });

  it("that it does not know go up all the same: it says what it does not take", () => {
    expect(refusalOf(asked({ chat_template_kwargs: {} }).body, "2023-06-01")).toBe(
      "chat_template_kwargs: Extra inputs are not permitted",
    );
  });

  it.each([
    ["claude-3-haiku-20240307", 4096],
    ["claude-3-5-haiku-latest", 8192],
    ["claude-opus-4-1", 32_000],
    ["claude-opus-5", 32_000],
  ])("leave %s the longest answer that it surely takes, where nobody said a limit", (model, tokens) => {
    expect(asked({ model }).body.max_tokens).toBe(tokens);
  });
});

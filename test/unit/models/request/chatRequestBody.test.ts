// What an upstream is asked, field by field.
import { describe, expect, it } from "@jest/globals";
import type { Message } from "../../../../src/core/messages.ts";
import type { ModelCapabilities } from "../../../../src/core/models/capabilities.ts";
import { listAdaptedFields } from "../../../../src/models/adaptation/adaptedFields.ts";
import type { ModelRequest } from "../../../../src/models/ModelClient.ts";
import { buildChatRequestBody } from "../../../../src/models/request/chatRequestBody.ts";
import { QUIRKS } from "../../../../src/models/request/quirks.ts";
import { CAPABILITIES, modelRequest, TIDE_TOOL } from "../../../support/modelRequest.ts";

function body(changes: Partial<ModelRequest>, capabilities: Partial<ModelCapabilities> = {}) {
  return buildChatRequestBody(modelRequest({ ...changes, capabilities: { ...CAPABILITIES, ...capabilities } }));
}

const HISTORY: readonly Message[] = [
  { role: "developer", content: "Be brief." },
  { role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }], name: "ann" },
  {
    role: "assistant",
    content: null,
    reasoning: "hm",
    toolCalls: [
      { id: "a", name: "f", arguments: '{"n": 12345678901234567890}', origin: "native", repairs: [], raw: "" },
    ],
  },
  { role: "tool", content: "ok", toolCallId: "a", name: "f" },
];

describe("buildChatRequestBody: messages", () => {
  it("keep parts, names, call ids and the argument text to the last digit", () => {
    expect(body({ messages: HISTORY }).messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }], name: "ann" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: '{"n": 12345678901234567890}' } }],
      },
      { role: "tool", content: "ok", tool_call_id: "a", name: "f" },
    ]);
  });

  it("give the model's thoughts back only in the field that its row names", () => {
    const reasoning = { field: "reasoning_content", opened: "never", interleaved: false } as const;
    expect(body({ messages: HISTORY }, { reasoning }).messages).toContainEqual(
      expect.objectContaining({ reasoning_content: "hm" }),
    );
    expect(JSON.stringify(body({ messages: HISTORY }))).not.toContain("hm");
  });

  it("give a thought that the client wrote back in the field that it wrote, unless the row names another", () => {
    const messages: readonly Message[] = [
      {
        role: "assistant",
        content: "Yes.",
        reasoning: "hm",
        reasoningField: "reasoning",
      },
    ];
    expect(body({ messages }).messages).toEqual([{ role: "assistant", content: "Yes.", reasoning: "hm" }]);
    const reasoning = {
      field: "reasoning_content",
      opened: "never",
      interleaved: false,
    } as const;
    expect(body({ messages }, { reasoning }).messages).toEqual([
      { role: "assistant", content: "Yes.", reasoning_content: "hm" },
    ]);
  });

  it("bring what the client wrote and Postel does not model, of messages, calls and tools", () => {
    const signed = { extra_content: { vendor: { signature: "s" } } };
    const call = {
      id: "a",
      name: "f",
      arguments: "{}",
      origin: "native",
      repairs: [],
      raw: "",
    };
    const sent = body({
      messages: [
        {
          role: "user",
          content: "Hi",
          extra: { cache_control: { type: "ephemeral" } },
        },
        {
          role: "assistant",
          content: null,
          extra: { reasoning_details: [1], role: "evil" },
          toolCalls: [
            {
              ...call,
              extra: { ...signed, function: { hint: 1, name: "evil" } },
            },
          ],
        },
      ],
      tools: [
        {
          ...TIDE_TOOL,
          extra: {
            cache_control: { type: "ephemeral" },
            function: { examples: [] },
          },
        },
      ],
    });
    expect(sent.messages).toEqual([
      { role: "user", content: "Hi", cache_control: { type: "ephemeral" } },
      {
        role: "assistant",
        content: null,
        reasoning_details: [1],
        tool_calls: [
          {
            ...signed,
            id: "a",
            type: "function",
            function: { name: "f", arguments: "{}", hint: 1 },
          },
        ],
      },
    ]);
    expect(sent.tools).toEqual([
      {
        type: "function",
        cache_control: { type: "ephemeral" },
        function: { ...TIDE_TOOL, examples: [] },
      },
    ]);
  });

  it.each(["system", "developer", "user"] as const)(
    "say instructions in the role %s where the model wants that",
    (systemRole) => {
      expect(body({ messages: HISTORY }, { systemRole }).messages).toContainEqual({
        role: systemRole,
        content: "Be brief.",
      });
    },
  );
});

describe("buildChatRequestBody: tools", () => {
  const tools = [TIDE_TOOL, { name: "now" }];

  it("go as functions, one without parameters as one that takes none", () => {
    expect(body({ tools, parallelToolCalls: false })).toMatchObject({
      tools: [
        {
          type: "function",
          function: { name: "lookup_tide", description: "Says the tide.", parameters: TIDE_TOOL.parameters },
        },
        { type: "function", function: { name: "now", parameters: { type: "object", properties: {} } } },
      ],
      parallel_tool_calls: false,
    });
  });

  it("that are none leave no field of theirs, even from the passthrough", () => {
    const passthrough = {
      tools: [1],
      tool_choice: "auto",
      parallel_tool_calls: true,
      functions: [],
      function_call: "auto",
      user: "u",
    };
    const sent = body({ passthrough, parallelToolCalls: true, toolChoice: { type: "required" } });
    expect(Object.keys(sent).sort()).toEqual(["messages", "model", "stream", "stream_options", "user"]);
  });

  it.each([
    [{ type: "auto" }, ["auto", "none", "required", "named"], undefined],
    [{ type: "required" }, ["auto", "required"], "required"],
    [{ type: "required" }, ["auto"], undefined],
    [{ type: "tool", name: "now" }, ["named"], { type: "function", function: { name: "now" } }],
    [{ type: "tool", name: "now" }, ["auto", "required"], "required"],
    [{ type: "none" }, ["none"], "none"],
  ] as const)("choice %j with support for %j is sent as %j", (toolChoice, support, sent) => {
    expect(body({ tools, toolChoice }, { toolChoice: support }).tool_choice).toEqual(sent);
  });

  it("are not sent with `none` to a model that does not obey it", () => {
    expect(body({ tools, toolChoice: { type: "none" } }, { toolChoice: ["auto"] })).not.toHaveProperty("tools");
  });

  it("are not sent with `none` to a model that leaks calls, unless nobody would read what it leaks", () => {
    const none = { tools, toolChoice: { type: "none" } } as const;
    const leaking = { formats: ["hermes-json"] };
    expect(body(none, leaking)).not.toHaveProperty("tools");
    expect(body(none, leaking)).not.toHaveProperty("tool_choice");
    expect(body({ tools, toolChoice: { type: "auto" } }, leaking)).toHaveProperty("tools");
    expect(body(none, { ...leaking, parse: "off" })).toMatchObject({ tool_choice: "none" });
  });

  const CALLED: ModelRequest["messages"] = [
    { role: "user", content: "When is high tide?" },
    {
      role: "assistant",
      content: null,
      toolCalls: [{ id: "c", name: "now", arguments: "{}", origin: "native", repairs: [], raw: "" }],
    },
    { role: "tool", content: "At six.", toolCallId: "c" },
  ];

  it("are sent with `none`, whatever the model leaks, where the upstream wants them beside the calls of the history", () => {
    const none = { tools, toolChoice: { type: "none" } } as const;
    const capabilities = { formats: ["hermes-json"], quirks: ["tools-beside-calls"] };
    expect(body({ ...none, messages: CALLED }, capabilities)).toMatchObject({ tool_choice: "none" });
    expect(body(none, capabilities)).not.toHaveProperty("tools");
    const disobedient = body({ ...none, messages: CALLED }, { ...capabilities, toolChoice: ["auto"] });
    expect(disobedient).toHaveProperty("tools");
    expect(disobedient).not.toHaveProperty("tool_choice");
  });

  it.each([
    ["default", "auto", [], ["tools"]],
    ["evidence", "auto", [], ["tools"]],
    ["default", "required", [], ["tools"]],
    ["default", "none", [], ["tools", "response_format"]],
    ["shipped", "auto", [], ["tools", "response_format"]],
    ["operator", "auto", ["no-format-with-tools"], ["tools"]],
    ["shipped", "none", ["no-format-with-tools"], ["response_format"]],
    ["default", "none", ["no-format-with-tools", "tools-beside-calls"], ["tools"]],
  ] as const)("beside a form that a %s row knows, with the choice %s and the quirks %j: %j goes up", (...row) => {
    const [jsonSchema, type, quirks, sent] = row;
    const output = { type: "json_schema", name: "n", schema: {}, strict: true } as const;
    const asked = body({ tools, toolChoice: { type }, output, messages: CALLED }, { quirks, source: { jsonSchema } });
    expect(["tools", "response_format"].filter((field) => field in asked)).toEqual(sent);
  });

  it("ask for no reasoning where the upstream takes none beside them", () => {
    const quirks = ["no-effort-with-tools"];
    const passthrough = { reasoning: { effort: "high" } };
    expect(body({ tools, passthrough }, { quirks })).toMatchObject({ reasoning_effort: "none" });
    expect(body({ tools, passthrough }, { quirks })).not.toHaveProperty("reasoning");
    expect(body({ passthrough }, { quirks })).not.toHaveProperty("reasoning_effort");
  });
});

describe("buildChatRequestBody: other fields", () => {
  it("never has a field by which a proxy would go elsewhere (SD-008)", () => {
    const routing = [
      ...[
        "client_secret",
        "tenant_id",
        "ssl_verify",
        "region_name",
        "routing_strategy",
        "s3_endpoint_url",
        "virtual_key",
      ],
      ...["auto_router_config", "context_window_fallback_dict", "mock_timeout", "bedrock_tags", "model_info"],

      "api_base",
      "apiBase",
      "base_url",
      "api_key",
      "headers",
      "extra_body",
      "azure_ad_token",
      "user_config",
    ];
    const passthrough = Object.fromEntries([...routing, "user", "metadata", "provider"].map((name) => [name, "x"]));
    const sent = body({ passthrough });
    expect(routing.filter((name) => name in sent)).toEqual([]);
    expect(sent).toMatchObject({ user: "x", metadata: "x", provider: "x" });
  });

  it("has sampling under the wire's names, and a passthrough never overrides it", () => {
    const sampling = {
      temperature: 0,
      topP: 0.5,
      maxTokens: 9,
      stop: ["x"],
      seed: 1,
      presencePenalty: 1,
      frequencyPenalty: 2,
    };
    const passthrough = { temperature: 2, stream: false, model: "other", logprobs: true };
    expect(body({ sampling, passthrough })).toMatchObject({
      model: "m-1",
      stream: true,
      temperature: 0,
      top_p: 0.5,
      max_tokens: 9,
      stop: ["x"],
      seed: 1,
      presence_penalty: 1,
      frequency_penalty: 2,
      logprobs: true,
    });
  });

  it.each([
    ["native", { type: "json_schema", json_schema: { name: "n", schema: { type: "object" }, strict: true } }],
    ["json_object", { type: "json_object" }],
    ["none", undefined],
  ] as const)("asks a model with schema support %s for what it can do", (jsonSchema, sent) => {
    const output = { type: "json_schema", name: "n", schema: { type: "object" }, strict: true } as const;
    expect(body({ output }, { jsonSchema }).response_format).toEqual(sent);
  });
});

describe("buildChatRequestBody: response_format and stream", () => {
  it.each([
    ["always", false, true],
    ["never", true, false],
    ["as-asked", true, true],
    ["as-asked", false, false],
  ] as const)("with `stream: %s` and a caller who says %s is a stream: %s", (row, asked, streamed) => {
    const sent = body({ stream: asked }, { stream: row });
    expect(sent.stream).toBe(streamed);
    expect("stream_options" in sent).toBe(streamed);
  });

  it("is a stream where the answer is watched as it comes, unless the row says that there is none", () => {
    expect(body({ watched: true }, { stream: "as-asked" }).stream).toBe(true);
    expect(body({ watched: true }, { stream: "never" }).stream).toBe(false);
  });

  it.each([
    ["native", [], "asked"],
    ["json_object", [], "in words"],
    ["none", [], "in words"],
    ["native", ["no-format-with-tools"], "in words"],
  ] as const)("says the output's form where the upstream (%s, %j) will not enforce it", (jsonSchema, quirks, said) => {
    const changes = {
      tools: [TIDE_TOOL],
      messages: [{ role: "user", content: "asked" }],
      inWords: [{ role: "user", content: "in words" }],
      output: { type: "json_schema", name: "n", schema: {}, strict: false },
    } as const;
    expect(body(changes, { jsonSchema, quirks }).messages).toEqual([{ role: "user", content: said }]);
  });
});

describe("listAdaptedFields", () => {
  const reported = (changes: Partial<ModelRequest>, capabilities: Partial<ModelCapabilities>) =>
    listAdaptedFields(modelRequest({ ...changes, capabilities: { ...CAPABILITIES, ...capabilities } }));

  it("is each field that goes up otherwise or not at all, and nothing of Postel's own", () => {
    const changes: Partial<ModelRequest> = {
      sampling: { temperature: 1, maxTokens: 5, topP: 1 },
      tools: [TIDE_TOOL],
      toolChoice: { type: "required" },
      stream: true,
    };
    expect(reported(changes, {})).toEqual([]);
    expect(reported(changes, { quirks: ["no-effort-with-tools"] })).toEqual(["reasoning_effort"]);
    const quirks = ["no-temperature", "max-completion-tokens", "no-stream-options"];
    expect(reported(changes, { quirks, toolChoice: ["auto"], stream: "never" })).toEqual([
      "max_tokens",
      "stream",
      "temperature",
      "tool_choice",
    ]);
  });

  it("is the conversation where an instruction changes its mouth or messages their number", () => {
    const messages: Message[] = [
      { role: "system", content: "a" },
      { role: "user", content: "b" },
    ];
    expect(reported({ messages }, { systemRole: "user" })).toEqual(["messages"]);
    expect(reported({ messages }, { quirks: ["merge-system", "alternate-roles"] })).toEqual([]);
    expect(reported({ messages: [...messages, ...messages.slice(1)] }, { quirks: ["alternate-roles"] })).toEqual([
      "messages",
    ]);
  });
});

describe("QUIRKS", () => {
  it.each([...QUIRKS.keys()])("%s says who refuses what, and leaves the given body as it was", (id) => {
    const given = Object.freeze({ messages: Object.freeze([]), max_tokens: 1 });
    expect(QUIRKS.get(id)?.source).toMatch(/\S/);
    expect(() => QUIRKS.get(id)?.apply(given)).not.toThrow();
  });

  it("rename and remove fields", () => {
    const quirks = ["max-completion-tokens", "no-temperature", "no-parallel-tool-calls"];
    const sent = body(
      { sampling: { maxTokens: 5, temperature: 1 }, tools: [TIDE_TOOL], parallelToolCalls: true },
      { quirks },
    );
    expect(sent).toMatchObject({ max_completion_tokens: 5 });
    for (const gone of ["max_tokens", "temperature", "parallel_tool_calls"]) expect(sent).not.toHaveProperty(gone);
  });

  it.each([
    [{ maxTokens: 5 }, [], { max_tokens: 5 }],
    [{ maxCompletionTokens: 5 }, [], { max_completion_tokens: 5 }],
    [{ maxTokens: 5, maxCompletionTokens: 6 }, [], { max_tokens: 5, max_completion_tokens: 6 }],
    [{ maxTokens: 5 }, ["max-completion-tokens"], { max_completion_tokens: 5 }],
    [{ maxCompletionTokens: 5 }, ["max-tokens"], { max_tokens: 5 }],
  ])(
    "a limit of tokens %j goes up as it was written, unless the quirks %j take one spelling",
    (sampling, quirks, sent) => {
      const { max_tokens, max_completion_tokens } = body({ sampling }, { quirks });
      expect({ max_tokens, max_completion_tokens }).toEqual(sent);
    },
  );

  it("no-reasoning-back leaves the client's thoughts out of the history", () => {
    const messages: Message[] = [{ role: "assistant", content: "a", reasoning: "hm", reasoningField: "reasoning" }];
    const quirks = ["no-reasoning-back"];
    expect(body({ messages }, { quirks }).messages).toEqual([{ role: "assistant", content: "a" }]);
  });

  it("json-object-as-schema asks for a schema of any object, and only where an object was asked for", () => {
    const quirks = ["json-object-as-schema"];
    expect(body({ output: { type: "json_object" } }, { quirks }).response_format).toMatchObject({
      type: "json_schema",
      json_schema: { schema: { type: "object" } },
    });
    expect(body({}, { quirks })).not.toHaveProperty("response_format");
  });

  it("alternate-roles gives an occasion to what an assistant said first, user-last one to what it said last", () => {
    const messages: Message[] = [
      { role: "system", content: "s" },
      { role: "assistant", content: "Welcome." },
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ];
    const roles = (quirks: readonly string[]) =>
      (body({ messages }, { quirks }).messages as { role: string }[]).map(({ role }) => role);
    expect(roles(["alternate-roles"])).toEqual(["system", "user", "assistant", "user", "assistant"]);
    expect(roles(["user-last"])).toEqual(["system", "assistant", "user", "assistant", "user"]);
  });

  it("merge-system puts all instructions in front as one", () => {
    const messages: Message[] = [
      { role: "user", content: "q" },
      { role: "system", content: "a" },
      { role: "developer", content: [{ type: "text", text: "b" }] },
    ];
    expect(body({ messages }, { quirks: ["merge-system"] }).messages).toEqual([
      {
        role: "system",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      { role: "user", content: "q" },
    ]);
  });

  it("alternate-roles joins neighbours of one role, but no calls and no results", () => {
    const messages: Message[] = [
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      ...HISTORY.slice(2),
      { role: "tool", content: "ok", toolCallId: "b" },
    ];
    expect(body({ messages }, { quirks: ["alternate-roles"] }).messages).toMatchObject([
      { role: "user", content: "a\n\nb" },
      { role: "assistant" },
      { role: "tool" },
      { role: "tool" },
    ]);
  });
});

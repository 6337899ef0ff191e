// A chat body in Google's words: what goes where, what is dropped by name, and what is refused.
import { describe, expect, it } from "@jest/globals";
import type { JsonObject, JsonValue } from "../../../../../src/core/messages.ts";
import { gemini } from "../../../../../src/models/wires/gemini/gemini.ts";
import { generateRequest } from "../../../../../src/models/wires/gemini/generateRequest.ts";

const USER = { role: "user", content: "Hi" };

function ask(fields: JsonObject) {
  return generateRequest({ model: "gemini-3-flash-preview", messages: [USER], stream: false, ...fields });
}

function contentsOf(messages: JsonValue, model = "gemini-3-flash-preview"): JsonValue | undefined {
  return ask({ model, messages }).body.contents;
}

function call(id: string, name: string, args = "{}", signature?: string): JsonObject {
  return {
    id,
    type: "function",
    function: { name, arguments: args },
    ...(signature !== undefined && { extra_content: { google: { thought_signature: signature } } }),
  };
}

const SKIP = "skip_thought_signature_validator";

describe("generateRequest: the path", () => {
  it.each([
    ["gemini-2.5-pro", true, "/models/gemini-2.5-pro:streamGenerateContent?alt=sse"],
    ["gemini-2.5-pro", false, "/models/gemini-2.5-pro:generateContent"],
    ["models/gemini-2.5-pro", false, "/models/gemini-2.5-pro:generateContent"],
    ["tunedModels/tides-1", false, "/tunedModels/tides-1:generateContent"],
    ["../../secrets", false, "/models/..%2F..%2Fsecrets:generateContent"],
  ])("of %s (streamed: %s) is %s", (model, stream, path) => {
    expect(ask({ model, stream }).path).toBe(path);
    const base = "https://up.test/v1beta";
    expect(gemini.getBaseUrl(`${base}${path}`)).toBe(base);
  });

  it("is not that of another wire", () => {
    expect(gemini.getBaseUrl("https://up.test/v1beta/openai/chat/completions")).toBeUndefined();
  });
});

describe("generateRequest: a conversation", () => {
  it("has one instruction, of everything that was said as system or developer, wherever it was said", () => {
    const { body } = ask({
      messages: [
        { role: "system", content: "Be brief." },
        USER,
        { role: "developer", content: [{ type: "text", text: "Be kind." }] },
      ],
    });
    expect(body.systemInstruction).toEqual({ parts: [{ text: "Be brief." }, { text: "Be kind." }] });
    expect(body.contents).toEqual([{ role: "user", parts: [{ text: "Hi" }] }]);
  });

  it("joins neighbours of one role, and leaves out what says nothing", () => {
    const said = (role: string, content: string | null) => ({ role, content });
    expect(
      contentsOf([said("user", "a"), said("user", ""), said("user", "b"), said("assistant", ""), said("user", "c")]),
    ).toEqual([{ role: "user", parts: [{ text: "a" }, { text: "b" }, { text: "c" }] }]);
  });

  it.each([[[]], [[{ role: "assistant", content: "Hello." }]]])(
    "begins with its user, whatever it is: %j",
    (messages) => {
      const contents = contentsOf([{ role: "system", content: "Greet." }, ...messages]) as readonly JsonObject[];
      expect(contents[0]).toEqual({ role: "user", parts: [{ text: "Begin." }] });
      expect(contents).toHaveLength(messages.length + 1);
    },
  );

  it("answers parallel calls in one turn, in their order, by the names that were called", () => {
    const messages = [
      USER,
      {
        role: "assistant",
        content: null,
        tool_calls: [call("a", "tide", '{"port":"Oslo"}', "sig"), call("b", "clock")],
      },
      { role: "tool", tool_call_id: "a", content: '{"metres": 1}' },
      { role: "tool", tool_call_id: "b", content: "noon" },
      { role: "user", content: "And?" },
    ];
    expect(contentsOf(messages)).toEqual([
      { role: "user", parts: [{ text: "Hi" }] },
      {
        role: "model",
        parts: [
          { functionCall: { id: "a", name: "tide", args: { port: "Oslo" } }, thoughtSignature: "sig" },
          { functionCall: { id: "b", name: "clock", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "tide", response: { metres: 1 } } },
          { functionResponse: { id: "b", name: "clock", response: { result: "noon" } } },
          { text: "And?" },
        ],
      },
    ]);
  });

  it.each([
    ["[1, 2]", { result: [1, 2] }],
    ["42", { result: "42" }],
    ["", { result: "" }],
    ['{"id": 12345678901234567890}', { result: '{"id": 12345678901234567890}' }],
  ])("keeps a tool's result %s as it was", (content, response) => {
    const messages = [
      USER,
      { role: "assistant", content: null, tool_calls: [call("a", "tide", "{}", "sig")] },
      { role: "tool", tool_call_id: "a", content },
    ];
    const contents = contentsOf(messages) as readonly { readonly parts: readonly JsonObject[] }[];
    expect(contents.at(-1)?.parts[0]?.functionResponse).toMatchObject({ response });
  });

  it.each([
    ["gemini-3-pro-preview", SKIP],
    ["gemini-flash-latest", SKIP],
    ["gemini-2.5-flash", undefined],
  ])("that was never signed says so to %s, on the first call of a step alone", (model, signature) => {
    const assistant = { role: "assistant", content: "Look:", tool_calls: [call("a", "tide"), call("b", "clock")] };
    const contents = contentsOf([USER, assistant], model) as readonly { readonly parts: readonly JsonObject[] }[];
    expect(contents[1]?.parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual([
      undefined,
      signature,
      undefined,
    ]);
  });

  it("gives the words' signature back on the last of them, or on none where only it is left", () => {
    const extra_content = { google: { thought_signature: "sig" } };
    expect(contentsOf([USER, { role: "assistant", content: "Hello.", extra_content }, USER])).toMatchObject([
      {},
      { role: "model", parts: [{ text: "Hello.", thoughtSignature: "sig" }] },
      {},
    ]);
    expect(contentsOf([USER, { role: "assistant", content: "", extra_content }, USER])).toMatchObject([
      {},
      { role: "model", parts: [{ text: "", thoughtSignature: "sig" }] },
      {},
    ]);
  });
});

describe("content", () => {
  const parts = (part: JsonObject, model?: string) =>
    (contentsOf([{ role: "user", content: [part] }], model) as readonly { readonly parts: JsonValue }[])[0]?.parts;

  it.each<[JsonObject, JsonObject]>([
    [
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      { inlineData: { mimeType: "image/png", data: "AAAA" } },
    ],
    [
      { type: "image_url", image_url: { url: "data:image/svg+xml;utf8,%3Csvg%2F%3E" } },
      { inlineData: { mimeType: "image/svg+xml", data: "PHN2Zy8+" } },
    ],
    [
      { type: "image_url", image_url: { url: "https://example.org/a.webp?b=c" } },
      { fileData: { fileUri: "https://example.org/a.webp?b=c", mimeType: "image/webp" } },
    ],
    [
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
      { inlineData: { mimeType: "audio/mp3", data: "AAAA" } },
    ],
    [
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
      { inlineData: { mimeType: "application/pdf", data: "AAAA" } },
    ],
    [
      { type: "file", file: { file_id: "https://generativelanguage.googleapis.com/v1beta/files/abc" } },
      { fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/abc" } },
    ],
  ])("%j is %j", (part, expected) => {
    expect(parts(part)).toEqual([expected]);
  });

  it.each<[JsonObject, string]>([
    [{ type: "image_url", image_url: { url: "http://10.0.0.1/a.png" } }, 'not "http://10.0.0.1/a.png"'],
    [{ type: "file", file: { file_id: "file-abc" } }, 'not "file-abc"'],
    [{ type: "hologram" }, '"hologram"'],
  ])("%j is refused by name, and nothing of it goes up", (part, words) => {
    expect(() => parts(part)).toThrow(words);
    expect(() => parts(part)).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({ code: "unsupported_parameter", details: { param: "messages" } }),
      }),
    );
  });

  it("of a tool's result stands inside it where the model looks there, else behind it", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const messages = [
      USER,
      { role: "assistant", content: null, tool_calls: [call("a", "draw", "{}", "sig")] },
      { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "drawn" }, image] },
    ];
    const inline = { inlineData: { mimeType: "image/png", data: "AAAA" } };
    const result = { id: "a", name: "draw", response: { result: "drawn" } };
    const last = (model: string) => (contentsOf(messages, model) as readonly JsonObject[]).at(-1)?.parts;
    expect(last("gemini-3-flash-preview")).toEqual([{ functionResponse: { ...result, parts: [inline] } }]);
    expect(last("gemini-2.5-flash")).toEqual([{ functionResponse: result }, inline]);
  });
});

describe("tools", () => {
  const tool = (parameters?: JsonObject, name = "tide") => ({
    type: "function",
    function: { name, description: "Says it.", strict: true, ...(parameters && { parameters }) },
  });
  const declared = (parameters?: JsonObject) =>
    (ask({ tools: [tool(parameters)] }).body.tools as readonly { readonly functionDeclarations: JsonValue }[])[0]
      ?.functionDeclarations;

  it.each([undefined, { type: "object", properties: {} }, { type: "object", additionalProperties: false }])(
    "without arguments have no parameters: %j",
    (parameters) => {
      expect(declared(parameters)).toEqual([{ name: "tide", description: "Says it." }]);
    },
  );

  it("have their schema as far as the API takes one", () => {
    expect(
      declared({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          port: { $ref: "#/definitions/port", description: "gone" },
          unit: { const: "metre" },
          when: { type: ["string", "null"], pattern: "^\\d+$", default: null },
          depth: { type: "number", exclusiveMinimum: 0, maximum: 9 },
          pattern: { type: "string" },
          any: true,
        },
        definitions: { port: { type: "string", minLength: 1 } },
        required: ["port"],
        additionalProperties: false,
      }),
    ).toEqual([
      {
        name: "tide",
        description: "Says it.",
        parametersJsonSchema: {
          type: "object",
          properties: {
            port: { $ref: "#/$defs/port" },
            unit: { enum: ["metre"] },
            when: { type: ["string", "null"], default: null },
            depth: { type: "number", maximum: 9 },
            pattern: { type: "string" },
            any: {},
          },
          $defs: { port: { type: "string" } },
          required: ["port"],
          additionalProperties: false,
        },
      },
    ]);
  });

  it("say themselves what `allOf` said for them", () => {
    const one = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const other = { properties: { b: { allOf: [{ $ref: "#/$defs/b" }], description: "B" } }, required: ["b"] };
    expect(declared({ allOf: [one, other], $defs: { b: { type: "integer" } } })).toMatchObject([
      {
        parametersJsonSchema: {
          type: "object",
          properties: { a: { type: "string" }, b: { $ref: "#/$defs/b" } },
          required: ["a", "b"],
          $defs: { b: { type: "integer" } },
        },
      },
    ]);
  });

  it.each<[JsonValue, JsonValue | undefined]>([
    ["auto", undefined],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [
      { type: "function", function: { name: "tide" } },
      { mode: "ANY", allowedFunctionNames: ["tide"] },
    ],
    [
      { type: "allowed_tools", allowed_tools: { mode: "required", tools: [tool()] } },
      { mode: "ANY", allowedFunctionNames: ["tide"] },
    ],
    [
      { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [tool()] } },
      { mode: "VALIDATED", allowedFunctionNames: ["tide"] },
    ],
  ])("are chosen: %j", (tool_choice, expected) => {
    const { toolConfig } = ask({ tools: [tool()], tool_choice }).body;
    expect(toolConfig).toEqual(expected && { functionCallingConfig: expected });
  });

  it("that are no functions are refused", () => {
    expect(() => ask({ tools: [{ type: "web_search" }] })).toThrow('"web_search"');
  });
});

describe("generateRequest: how an answer is made", () => {
  const config = (fields: JsonObject) => ask(fields).body.generationConfig;

  it("is said under Google's names", () => {
    expect(
      config({
        temperature: 0.2,
        top_p: 0.9,
        top_k: 40,
        max_completion_tokens: 99,
        stop: ["a", "b"],
        seed: 7,
        presence_penalty: 0.1,
        frequency_penalty: 0.3,
        logprobs: true,
        top_logprobs: 3,
      }),
    ).toEqual({
      temperature: 0.2,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: 99,
      stopSequences: ["a", "b"],
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.3,
      responseLogprobs: true,
      logprobs: 3,
    });
    expect(config({})).toBeUndefined();
    expect(config({ stop: "x" })).toEqual({ stopSequences: ["x"] });
    expect(config({ response_format: { type: "json_object" } })).toEqual({ responseMimeType: "application/json" });
  });

  it.each([
    ["gemini-3-flash-preview", "none", { includeThoughts: false, thinkingLevel: "MINIMAL" }],
    ["gemini-3-flash-preview", "medium", { includeThoughts: true, thinkingLevel: "MEDIUM" }],
    ["gemini-3-pro-preview", "medium", { includeThoughts: true, thinkingLevel: "HIGH" }],
    ["gemini-3.1-pro-preview", "medium", { includeThoughts: true, thinkingLevel: "MEDIUM" }],
    ["gemini-3.1-pro-preview", "minimal", { includeThoughts: true, thinkingLevel: "LOW" }],
    ["gemini-2.5-flash", "none", { includeThoughts: false, thinkingBudget: 0 }],
    ["gemini-2.5-pro", "none", { includeThoughts: false, thinkingBudget: 128 }],
    ["gemini-2.5-flash", "high", { includeThoughts: true, thinkingBudget: 24_576 }],
  ])("lets %s think with the effort %s", (model, reasoning_effort, thinkingConfig) => {
    expect(config({ model, reasoning_effort })).toEqual({ thinkingConfig });
  });

  it("names the effort that a model without thoughts does not take", () => {
    const { body, dropped } = ask({ model: "gemini-2.0-flash", reasoning_effort: "high" });
    expect(body.generationConfig).toBeUndefined();
    expect(dropped).toEqual(["reasoning_effort"]);
  });

  it.each<[string, JsonValue]>([
    ["stop", ["1", "2", "3", "4", "5", "6"]],
    ["reasoning_effort", "banana"],
    ["modalities", ["text", "audio"]],
    ["audio", { emitter: "alloy" }],
    ["web_search_options", {}],
    ["response_format", { type: "grammar" }],
  ])("is not guessed: `%s` %j is refused by name", (param, value) => {
    expect(() => ask({ [param]: value })).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({ code: "unsupported_parameter", details: { param } }),
      }),
    );
  });

  it("drops bookkeeping and hints by name, and passes what is Google's own", () => {
    const safetySettings = [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }];
    const { body, dropped } = ask({
      user: "u",
      store: true,
      metadata: {},
      parallel_tool_calls: false,
      logit_bias: { "1": 2 },
      safetySettings,
      cachedContent: "cachedContents/abc",
      generation_config: { topK: 3, temperature: 1 },
      temperature: 0.5,
      stream_options: { include_usage: true },
      n: 1,
    });
    expect(dropped).toEqual(["logit_bias", "metadata", "parallel_tool_calls", "store", "user"]);
    expect(body).toEqual({
      safetySettings,
      cachedContent: "cachedContents/abc",
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      generationConfig: { topK: 3, temperature: 0.5 },
    });
  });
});

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ASK, errorOf, post, script, startApp, type TestApp, turnEnd, turnStart } from "../../support/testApp.ts";

const tool = (name: string, parameters: unknown = { type: "object" }) => ({
  type: "function",
  function: { name, parameters },
});
const user = { role: "user", content: "x" };

describe("the body of a chat completion", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(script(turnStart, turnEnd));
  });
  afterAll(() => app.close());
  const ask = (body: unknown, headers = {}) => post(`${app.url}/v1/chat/completions`, body, headers);

  it.each<[string, object, string, string]>([
    ["n above 8", { n: 9 }, "invalid_request", "n"],
    ["a negative max_tokens", { max_tokens: -1 }, "invalid_request", "max_tokens"],
    ["a stream flag in quotes", { stream: "true" }, "invalid_request", "stream"],
    ["an unknown role", { messages: [user, { role: "wizard", content: "x" }] }, "invalid_request", "messages[1].role"],
    [
      "a user without content",
      { messages: [{ role: "user", content: null }] },
      "invalid_request",
      "messages[0].content",
    ],
    ["no messages", { messages: [] }, "invalid_request", "messages"],
    ["more messages than the limit", { messages: Array(9).fill(user) }, "invalid_request", "messages"],
    [
      "more tools than the limit",
      { tools: ["a", "b", "c", "d", "e"].map((name) => tool(name)) },
      "invalid_request",
      "tools",
    ],
    ["a tool name with a space", { tools: [tool("send mail")] }, "invalid_request", "tools[0].function.name"],
    ["a tool name with a step up", { tools: [tool("a/../b")] }, "invalid_request", "tools[0].function.name"],
    ["a tool given twice", { tools: [tool("a"), tool("a")] }, "invalid_request", "tools[1].function.name"],
    [
      "a remote schema",
      { tools: [tool("a", { $ref: "http://x/y" })] },
      "invalid_request",
      "tools[0].function.parameters",
    ],
    [
      "a tool of another kind",
      { tools: [{ type: "mcp", server_url: "http://x" }] },
      "invalid_request",
      "tools[0].type",
    ],
    ["a required call without tools", { tool_choice: "required" }, "invalid_request", "tool_choice"],
    [
      "a choice that is not offered",
      { tools: [tool("a")], tool_choice: { type: "function", function: { name: "b" } } },
      "invalid_request",
      "tool_choice",
    ],
    [
      "a remote schema of the answer",
      { response_format: { type: "json_schema", json_schema: { name: "out", schema: { $ref: "http://x/y" } } } },
      "invalid_request",
      "response_format.json_schema.schema",
    ],
    [
      "a malformed schema of the answer",
      { response_format: { type: "json_schema", json_schema: { name: "out", schema: { type: "objekt" } } } },
      "invalid_request",
      "response_format.json_schema.schema",
    ],
    ["a very long stop", { stop: ["a".repeat(100_000 - 300)] }, "invalid_request", "stop"],
    ["a logit_bias of names", { logit_bias: { word: 100 } }, "invalid_request", "logit_bias"],
    ["the caller's chat template", { chat_template: "{{ x }}" }, "unsupported_parameter", "chat_template"],
    ["a host of the caller's (SD-008)", { api_base: "http://127.0.0.1:1" }, "unsupported_parameter", "api_base"],
    ["the same in another spelling", { "Base-URL": "http://127.0.0.1:1" }, "unsupported_parameter", "Base-URL"],
    ["a key of the caller's", { api_key: "sk-x" }, "unsupported_parameter", "api_key"],
    ["headers of the caller's", { extra_headers: { host: "evil.test" } }, "unsupported_parameter", "extra_headers"],
    ["an account of the caller's", { aws_access_key_id: "x" }, "unsupported_parameter", "aws_access_key_id"],
    ["a secret of the caller's", { client_secret: "x" }, "unsupported_parameter", "client_secret"],
    ["a server that is not verified", { ssl_verify: false }, "unsupported_parameter", "ssl_verify"],
    ["models at hosts of the caller's", { fallbacks: [{ api_base: "x" }] }, "unsupported_parameter", "fallbacks"],
    ["an old function whose name is none", { functions: [{ name: "a b" }] }, "invalid_request", "functions[0].name"],
    ["a model name with a line break", { model: "gpt-x\r\nSet-Cookie: a=b" }, "invalid_request", "model"],
  ])("refuses %s and names the field", async (_name, fields, code, param) => {
    const response = await ask({ ...ASK, ...fields });
    const error = await errorOf(response);
    expect(response.status).toBe(400);
    expect(error).toMatchObject({ type: "invalid_request_error", code });
    expect(error.param?.startsWith(param)).toBe(true);
  });

  it("says where malformed JSON breaks", async () => {
    const response = await ask('{"model": "m",\n "messages": x}');
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      code: "invalid_json",
      message: expect.stringContaining("line 2 column 14"),
    });
  });

  it("refuses JSON that nests too deep, a body that is too large, and other content types", async () => {
    const deep = await ask(`{"a":${"[".repeat(70)}${"]".repeat(70)}}`);
    expect([deep.status, (await errorOf(deep)).code]).toEqual([400, "invalid_request"]);
    const large = await ask({ ...ASK, user: "x".repeat(100_001) });
    expect([large.status, (await errorOf(large)).code]).toEqual([413, "request_too_large"]);
    const text = await ask(ASK, { "content-type": "text/plain" });
    expect([text.status, (await errorOf(text)).code]).toEqual([415, "unsupported_media_type"]);
    const utf16 = await ask(ASK, { "content-type": "application/json; charset=utf-16" });
    expect(utf16.status).toBe(415);
  });

  it("is refused where it is no UTF-8, for no character of a caller may be replaced in silence", async () => {
    const bytes = Buffer.from(JSON.stringify({ ...ASK, user: "caf\u00e9" }), "latin1");
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: bytes,
    });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ code: "invalid_json", message: expect.stringMatching(/UTF-8/) });
  });

  it("may begin with a byte order mark, and may hold the character that stands for unreadable ones", async () => {
    const content = "caf\u00e9 \ufffd \u{1f30a}";
    expect((await ask(`\ufeff${JSON.stringify({ ...ASK, messages: [{ ...user, content }] })}`)).status).toBe(200);
    expect(app.requests.at(-1)?.messages[0]?.content).toBe(content);
  });

  it("counts a compressed body by what it unpacks to", async () => {
    const bomb = gzipSync(JSON.stringify({ ...ASK, user: "x".repeat(1_000_000) }));
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: bomb,
    });
    expect(response.status).toBe(413);
  });

  it("refuses sound for a model that is asked in text mode, and only there", async () => {
    const messages = [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "", format: "wav" } }] }];
    const refused = await ask({ ...ASK, model: "text-model", messages });
    expect(await errorOf(refused)).toMatchObject({ code: "unsupported_parameter", param: "messages[0].content" });
    const pinned = await ask({ ...ASK, messages }, { "x-postel-tool-mode": "text" });
    expect(pinned.status).toBe(400);
    expect((await ask({ ...ASK, messages })).status).toBe(200);
  });

  it("refuses a tool mode that is none", async () => {
    const response = await ask(ASK, { "x-postel-tool-mode": "magic" });
    expect(await errorOf(response)).toMatchObject({ code: "invalid_request", param: "x-postel-tool-mode" });
  });

  it("takes what clients really send: nulls, parts, histories with calls, fields it does not know", async () => {
    const response = await ask({
      model: "test-model",
      temperature: null,
      tools: [{ type: "function", function: { name: "get.time", parameters: null } }],
      tool_choice: "auto",
      parallel_tool_calls: false,
      max_tokens: 5,
      max_completion_tokens: 7,
      stop: "END",
      logprobs: true,
      response_format: { type: "json_schema", json_schema: { name: "out", schema: { type: "object" }, strict: true } },
      messages: [
        { role: "system", content: [{ type: "text", text: "be brief" }] },
        {
          role: "assistant",
          content: null,
          reasoning_content: "hm",
          tool_calls: [{ id: "c1", type: "function", function: { name: "get.time", arguments: "" } }],
        },
        { role: "tool", tool_call_id: "c1", content: "12:00" },
        user,
      ],
    });
    expect(response.status).toBe(200);
    expect(app.requests.at(-1)).toMatchObject({
      tools: [{ name: "get.time" }],
      parallelToolCalls: false,
      sampling: { maxTokens: 5, maxCompletionTokens: 7, stop: ["END"] },
      output: { type: "json_schema", name: "out", strict: true },
      passthrough: { logprobs: true },
      messages: [
        { role: "system" },
        {
          role: "assistant",
          content: null,
          reasoning: "hm",
          toolCalls: [{ id: "c1", name: "get.time", arguments: "{}" }],
        },
        { role: "tool", toolCallId: "c1", content: "12:00" },
        { role: "user" },
      ],
    });
    expect(app.requests.at(-1)?.passthrough).toEqual({ logprobs: true });
  });
});

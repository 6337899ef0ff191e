// The wordings of servers and what they mean.
import { describe, expect, it } from "@jest/globals";
import { createUpstreamFailure } from "../../../../src/models/response/upstreamFailure.ts";

function failureOf(status: number, body: string, toolsSent = false) {
  const sent = toolsSent ? { messages: [], tools: [] } : { messages: [] };
  return createUpstreamFailure({ upstream: "up", model: "m", status, body, sent, redact: (text) => text });
}

const error = (message: string, fields = {}) => JSON.stringify({ error: { message, ...fields } });

describe("a status", () => {
  it.each([
    [302, "upstream_protocol_error"],
    [400, "upstream_refused"],
    [401, "upstream_unauthorized"],
    [403, "upstream_forbidden"],
    [404, "upstream_not_found"],
    [408, "upstream_timeout"],
    [429, "upstream_rate_limited"],
    [500, "upstream_error"],
    [502, "upstream_unavailable"],
    [503, "upstream_overloaded"],
    [504, "upstream_timeout"],
    [529, "upstream_overloaded"],
  ])("%d without words is %s", (status, code) => {
    expect(failureOf(status, "").code).toBe(code);
  });
});

describe("an error body", () => {
  it.each([
    error("boom"),
    JSON.stringify([{ error: { message: "boom" } }]),
    JSON.stringify({ object: "error", message: "boom" }),
    JSON.stringify({ detail: "boom" }),
    JSON.stringify({ error: "boom" }),
    "boom",
  ])("is quoted from where the upstream put its words: %s", (body) => {
    expect(failureOf(400, body).message).toBe("The upstream `up` refused the request (400) for model `m`: boom");
  });

  it.each([
    ["a page", "<html><body onload=alert(1)>…"],
    ["a page behind white space and a comment", "\n <!-- x --><!DOCTYPE html><p>502"],
    ["a page as the error", JSON.stringify({ error: "<html><script>alert(1)</script></html>" })],
    ["a page as the error's message", error("<!doctype html><html><title>502</title></html>")],
    ["a page quoted in a message", error("Unexpected answer: <html><head><script src=//evil.test></script>")],
  ])("that is %s is named and not passed on", (_, body) => {
    const found = failureOf(502, body);
    expect(JSON.stringify(found)).not.toMatch(/<|evil|alert/);
    expect(found.message).toContain("an HTML page");
  });

  it("that speaks of marks in angle brackets is no page", () => {
    expect(failureOf(400, error("<|im_start|> is not allowed in content")).message).toContain("<|im_start|>");
  });

  it("that is a page, is long or has control characters does not flood the message", () => {
    expect(failureOf(502, "<html>…").message).toContain("an HTML page");
    expect(failureOf(500, "x".repeat(5_000)).message.length).toBeLessThan(400);
    expect(failureOf(500, "a\u001b[31m\r\nb").message).toContain("a [31m b");
  });

  it.each([
    [400, error("This model's maximum context length is 8192 tokens.", { code: "context_length_exceeded" })],
    [400, error("the request exceeds the available context size", { type: "exceed_context_size_error" })],
    [400, error("prompt is too long: 210000 tokens > 200000 maximum")],
    [413, error("Please reduce the length of the messages or completion.")],
    [500, error("input length exceeds maximum context length")],
    [400, error("The input (40960 tokens) is longer than the model's context length (32768 tokens).")],
    [400, error("The number of tokens to keep from the initial prompt is greater than the context length.")],
  ])("%d %s is a context that is too long", (status, body) => {
    expect(failureOf(status, body).code).toBe("context_length_exceeded");
  });

  it("400 is no fault of the request where the server says that it does not know the key", () => {
    const details = [{ reason: "API_KEY_INVALID" }];
    expect(failureOf(400, error("API key not valid.", { details })).code).toBe("upstream_unauthorized");
  });

  it.each([
    error('model "x" not found, try pulling it first'),
    error("The model `x` does not exist.", { code: "model_not_found" }),
    error("models/x is not found for API version v1beta, or is not supported for generateContent."),
  ])("404 %s is a model that is not there", (body) => {
    expect(failureOf(404, body).code).toBe("model_not_found");
  });
});

describe("a refusal of tools", () => {
  it.each([
    [400, error('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')],
    [400, error("registry.ollama.ai/library/gemma3:4b does not support tools")],
    [500, error("tools param requires --jinja flag")],
    [404, error("No endpoints found that support tool use. To learn more about provider routing, visit …")],
    [400, error("`tool calling` is not supported with this model")],
    [400, error("Function calling is not enabled for models/x")],
    [501, error("tools are not yet implemented")],
    [400, error("Unsupported value: 'tool_choice' does not support 'required' with this model.")],
    [400, error("Unrecognized request argument supplied: tools")],
    [400, error("ollama does not support parameters: ['tools'], for model=x.")],
    [
      422,
      JSON.stringify({
        detail: [{ type: "extra_forbidden", loc: ["body", "tools"], msg: "Extra inputs are not permitted" }],
      }),
    ],
    [400, error("This model doesn't support function calling")],
  ])("%d %s is known", (status, body) => {
    expect(failureOf(status, body, true)).toMatchObject({ code: "upstream_refused", details: { toolsRefused: true } });
    expect(failureOf(status, body, false).details).not.toHaveProperty("toolsRefused");
  });

  it.each([
    [400, error("Invalid schema for function 'f': 'number' is not supported")],
    [400, error("tools[0].function.name contains characters that are not allowed")],
    [400, error("Unsupported parameter: 'parallel_tool_calls' is not supported with this model.")],
    [400, error("'temperature' is not supported with this model.")],
    [400, error("Invalid 'tools': array too long. Expected an array with maximum length 128.")],
    [400, error("messages with role 'tool' must be a response to a preceding message with 'tool_calls'.")],
    [429, error("tools are not available at this rate")],
    [400, error("Unknown function f")],
  ])("%d %s is none", (status, body) => {
    expect(failureOf(status, body, true).details).not.toHaveProperty("toolsRefused");
  });
});

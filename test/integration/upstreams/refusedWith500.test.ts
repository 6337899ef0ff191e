// An upstream that refuses a part of a request in words, with the status 500: adapted to at once. Other errors of 500 are sent again.

import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../src/core/messages.ts";
import { FakeUpstream } from "../../support/FakeUpstream.ts";
import { configFor, startGateway } from "../../support/startGateway.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const tools = [{ type: "function", function: { name: "measure", parameters: { type: "object", properties: {} } } }];
const response_format = { type: "json_object" };

function fail(response: ServerResponse, message: string): void {
  response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } }));
}

function answer(response: ServerResponse, { stream }: JsonObject): void {
  const whole = { id: "c", created: 1, model: "m" };
  const usage = { prompt_tokens: 5000, completion_tokens: 5, total_tokens: 5005 };
  if (!stream) {
    const choices = [{ index: 0, message: { role: "assistant", content: "{}" }, finish_reason: "stop" }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...whole, object: "chat.completion", choices, usage }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const choices = [{ index: 0, delta: { content: "{}" }, finish_reason: "stop" }];
  response.write(`data: ${JSON.stringify({ ...whole, object: "chat.completion.chunk", choices, usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}

/** @param refuse writes an error where the body is refused, and then gives true */
async function serve(refuse: (body: JsonObject, response: ServerResponse) => boolean) {
  const upstream = await FakeUpstream.start(({ body }, response) => {
    const sent = body as unknown as JsonObject;
    if (!refuse(sent, response)) answer(response, sent);
  });
  const retries = { attempts: 3, minWaitMs: 1, maxWaitMs: 2 };
  const gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), retries } });
  open.push(upstream, gateway);
  const ask = async (more: JsonObject): Promise<number> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: "a-deployment",
        messages: [{ role: "user", content: "Answer in JSON." }],
        tools,
        ...more,
      }),
    });
    await response.text();
    return response.status;
  };
  /** Callers' requests; without the gateway's own probes. */
  const sent = () => upstream.requests.filter(({ body }) => !("max_tokens" in body)).length;
  return { ask, sent };
}

const FORM = { response_format, tool_choice: "none" };
const TOGETHER = "response_format is not supported with tools";

describe.each([false, true])("a refusal with the status 500 (stream: %s)", (stream) => {
  it.each([
    ["a form beside tools", FORM, TOGETHER, (body: JsonObject) => "tools" in body && "response_format" in body],
    ["tools, by a plain sentence", {}, "tools are not supported", (body: JsonObject) => "tools" in body],
    ["tools, of the model", {}, "This model does not support tool calling.", (body: JsonObject) => "tools" in body],
    ["tools, by a missing flag", {}, "tools param requires --jinja flag", (body: JsonObject) => "tools" in body],
  ])("is adapted to at once: %s", async (_, more, words, isRefused) => {
    const { ask, sent } = await serve((body, response) => {
      if (isRefused(body)) fail(response, words);
      return isRefused(body);
    });
    expect([await ask({ ...more, stream }), sent()]).toEqual([200, 2]);
  });

  it("is known where its body comes in pieces", async () => {
    const { ask, sent } = await serve((body, response) => {
      if (!("tools" in body && "response_format" in body)) return false;
      response.writeHead(500, { "content-type": "application/json" });
      response.write('{"error": {"message": "response_format is not ', () =>
        setImmediate(() => response.end('supported with tools"}}')),
      );
      return true;
    });
    expect([await ask({ ...FORM, stream }), sent()]).toEqual([200, 2]);
  });
});

describe("another error with the status 500", () => {
  it.each([
    ["that says nothing of the request", "Internal server error"],
    ["that names tools in passing", "Unexpected error while tools were read"],
    ["that only quotes a refusal of another part", "Images in tools are not supported"],
  ])("is sent again as it was: %s", async (_, words) => {
    let failed = 0;
    const { ask, sent } = await serve((_, response) => {
      failed += 1;
      if (failed < 3) fail(response, words);
      return failed < 3;
    });
    expect([await ask({}), sent()]).toEqual([200, 3]);
  });
});

// What a schema asks beyond types, through the whole gateway: asked again by name, failed by name, and reported where it was not checked.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { chunk, FakeUpstream, type UpstreamRequest } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

/** The arguments of the call that the model makes, one answer after the other, or its words. */
let answers: readonly string[] = [];
const seen: UpstreamRequest["body"][] = [];
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start(({ body }, response) => {
    const answer = answers[Math.min(seen.length, answers.length - 1)] ?? "";
    seen.push(body);
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (body.tools === undefined) {
      response.end(`${chunk(answer)}${chunk("", "stop")}data: [DONE]\n\n`);
      return;
    }
    const call = {
      index: 0,
      id: `call_${seen.length}`,
      type: "function",
      function: { name: "book", arguments: answer },
    };
    const choices = [{ index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" }];
    response.end(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices })}\n\ndata: [DONE]\n\n`);
  });
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
});
beforeEach(() => {
  seen.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const parameters = {
  type: "object",
  properties: {
    seats: { type: "integer", maximum: 8 },
    code: { type: "string", pattern: "^[A-Z]{3}$" },
    twin: { pattern: "(.)\\1" },
  },
  required: ["seats"],
};
const tools = [{ type: "function", function: { name: "book", parameters } }];
const response_format = { type: "json_schema", json_schema: { name: "out", schema: parameters } };

interface Answer {
  readonly choices?: readonly [
    { readonly message: { content: string | null; tool_calls?: readonly { function: { arguments: string } }[] } },
  ];
  readonly postel?: {
    readonly repairs: readonly string[];
    readonly issues: readonly { code: string; message: string }[];
  };
  readonly error?: { readonly code: string; readonly message: string };
}

async function ask(body: object): Promise<Answer> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "some-model", messages: [{ role: "user", content: "Book." }], ...body }),
  });
  return (await response.json()) as Answer;
}

describe("a call that breaks a rule of its schema", () => {
  it("is asked again with the rule's name, and the mended one reaches the client", async () => {
    answers = ['{"seats":9}', '{"seats":"8","code":"ABC"}'];
    const answer = await ask({ tools });
    expect(answer.choices?.[0].message.tool_calls?.[0]?.function.arguments).toBe('{"seats":8,"code":"ABC"}');
    expect(answer.postel?.issues).toMatchObject([
      { code: "invalid-arguments", message: expect.stringMatching(/at most 8, got 9/) },
    ]);
    expect(JSON.stringify(seen[1])).toMatch(/at most 8, got 9/);
  });

  it("is a failure that names the rule where the model does not mend it", async () => {
    answers = ['{"seats":1,"code":"abc"}'];
    expect((await ask({ tools })).error).toMatchObject({
      code: "model_call_invalid",
      message: expect.stringMatching(/must match the pattern/),
    });
  });

  it("leaves with a word where a rule could not be checked", async () => {
    answers = ['{"seats":1,"twin":"ab"}'];
    expect((await ask({ tools })).postel).toMatchObject({ repairs: ["schema-unchecked"], issues: [] });
  });
});

describe("a bound answer", () => {
  it("is asked again for a broken rule, and says what was not checked of it", async () => {
    answers = ['{"seats":9}', '{"seats":2}'];
    expect((await ask({ response_format })).choices?.[0].message.content).toBe('{"seats":2}');
    seen.length = 0;
    answers = ['{"seats":2,"twin":"ab"}'];
    const answer = await ask({ response_format });
    expect(answer.choices?.[0].message.content).toBe('{"seats":2,"twin":"ab"}');
    expect(answer.postel?.issues).toMatchObject([{ code: "schema-unchecked" }]);
  });
});

import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { chunk, FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

type Play = (response: ServerResponse, asked: number) => void;

// A model that plays these answers one after the other, the last one over and over.
let plays: readonly Play[] = [];
let asked = 0;
let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start((_request, response) => {
    plays[Math.min(asked, plays.length - 1)]?.(response, asked);
    asked += 1;
  });
  const operatorModels: readonly ModelProfile[] = [{ match: ["wordy-*"], onInvalid: "text", why: "test" }];
  gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), operatorModels } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function play(...next: readonly Play[]): void {
  plays = next;
  asked = 0;
}

const says =
  (text: string): Play =>
  (response) =>
    sendText(response, text);

const isCut =
  (text: string): Play =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${chunk(text)}${chunk("", "length")}data: [DONE]\n\n`);
  };

/** A call through the wire's own field. */
const calls =
  (name: string, args: string): Play =>
  (response, asked) => {
    const delta = {
      tool_calls: [{ index: 0, id: `call_${asked}`, type: "function", function: { name, arguments: args } }],
    };
    const choices = [{ index: 0, delta, finish_reason: "tool_calls" }];
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices })}\n\ndata: [DONE]\n\n`);
  };

const UNREADABLE = '<tool_call>\n{"name": "get_weather", "arguments": {"city": Oslo\n</tool_call>';
const tools = [
  {
    type: "function" as const,
    function: {
      name: "get_weather",
      description: "The weather of a city.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];
const ASK = { model: "some-model", messages: [{ role: "user" as const, content: "How warm is it in Oslo?" }], tools };

interface Heard {
  readonly status: number;
  readonly headers: Headers;
  /** What a client sees as the answer's text, streamed or not. */
  readonly content: string | null;
  readonly calls: readonly unknown[];
  readonly finish: string | null | undefined;
  readonly error: Record<string, unknown> | undefined;
  readonly done: boolean;
}

interface Piece {
  readonly choices?: readonly {
    readonly message?: Message;
    readonly delta?: Message;
    readonly finish_reason: string | null;
  }[];
  readonly error?: Record<string, unknown>;
}
interface Message {
  readonly content?: string | null;
  readonly tool_calls?: readonly unknown[];
}

async function ask(body: object, headers: Record<string, string> = {}, path = "/v1/chat/completions"): Promise<Heard> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ ...ASK, ...body }),
  });
  const text = await response.text();
  const data = text.startsWith("data:")
    ? text.split("\n\n").flatMap((line) => line.match(/^data: (.*)$/s)?.[1] ?? [])
    : [text];
  const pieces = data.filter((one) => one !== "[DONE]").map((one) => JSON.parse(one) as Piece);
  const said = pieces.flatMap(({ choices }) => choices?.map((choice) => choice.message ?? choice.delta ?? {}) ?? []);
  const texts = said.flatMap(({ content }) => (typeof content === "string" && content !== "" ? [content] : []));
  return {
    status: response.status,
    headers: response.headers,
    content: texts.length === 0 ? null : texts.join(""),
    calls: said.flatMap((message) => message.tool_calls ?? []),
    finish: pieces
      .flatMap(({ choices }) => choices?.map((choice) => choice.finish_reason) ?? [])
      .findLast((one) => one),
    error: pieces.find(({ error }) => error)?.error,
    done: data.includes("[DONE]"),
  };
}

const PATHS = ["/v1/chat/completions", "/v1/agent"];
const WAYS = PATHS.flatMap((path) => [true, false].map((stream) => [path, stream] as const));

describe.each(WAYS)("a call that never becomes valid (%s, stream: %s)", (path, stream) => {
  it.each([
    ["in text", says(UNREADABLE), { code: "malformed-call", arguments: UNREADABLE.slice(0, UNREADABLE.indexOf("</")) }],
    [
      "through the wire's field",
      calls("get_weather", '{"town": "Oslo"}'),
      { code: "invalid-arguments", name: "get_weather", arguments: '{"town": "Oslo"}' },
    ],
  ])("is a typed failure after the last attempt: %s", async (_title, answer, refused) => {
    play(answer);
    const { status, headers, error, content } = await ask({ stream }, {}, path);
    expect([status, headers.get("x-should-retry"), content]).toEqual([502, "false", null]);
    expect(error).toMatchObject({ code: "model_call_invalid", type: "model_error", details: { attempts: 3 } });
    const details = (error?.details ?? {}) as { refused?: readonly { reason?: string }[] };
    expect(details.refused).toHaveLength(3);
    expect(details.refused?.[0]).toMatchObject(refused);
    expect(details.refused?.[0]?.reason).toMatch(/\w/);
    expect(asked).toBe(3);
  });

  it.each([["required" as const], [{ type: "function" as const, function: { name: "get_weather" } }]])(
    "is a typed failure where it was demanded: %j",
    async (tool_choice) => {
      play(says("Let me think about that. "));
      const { status, error, content, done } = await ask({ stream, tool_choice }, {}, path);
      expect(error).toMatchObject({ code: "model_call_invalid" });
      expect(done).toBe(false);
      expect(status).toBe(stream ? 200 : 502);
      if (stream) expect(content).toBe("Let me think about that. ");
      else expect(error?.partial).toMatchObject({ content: "Let me think about that. " });
    },
  );

  it("is the model's own words, once, where those are wanted", async () => {
    play(says(UNREADABLE));
    const { status, content, finish } = await ask({ stream }, { "x-postel-on-invalid": "text" }, path);
    expect([status, content, finish]).toEqual([200, UNREADABLE, "stop"]);
  });

  it("reaches the client as it came where that is wanted", async () => {
    play(calls("get_weather", '{"town": "Oslo"'));
    const { status, calls: passed, finish } = await ask({ stream }, { "x-postel-on-invalid": "pass" }, path);
    expect([status, finish]).toEqual([200, "tool_calls"]);
    expect(JSON.stringify(passed)).toContain('"id":"call_2"');
    expect(JSON.stringify(passed)).toContain(JSON.stringify('{"town": "Oslo"'));
  });

  it("is what the model's row says, and the header goes before it", async () => {
    play(says(UNREADABLE));
    const model = "wordy-model";
    expect((await ask({ stream, model }, {}, path)).content).toBe(UNREADABLE);
    expect((await ask({ stream, model }, { "x-postel-on-invalid": "error" }, path)).error).toMatchObject({
      code: "model_call_invalid",
    });
  });

  it("stays `length` where the token limit cut it, without its marks", async () => {
    play(isCut(`Let me look. ${UNREADABLE.slice(0, 40)}`));
    const { status, content, finish, calls: passed } = await ask({ stream, tool_choice: "required" }, {}, path);
    expect([status, content?.trim(), finish, passed]).toEqual([200, "Let me look.", "length", []]);
    expect(asked).toBe(1);
  });

  it("leaves no text of an earlier attempt beside that of a later one", async () => {
    play(says(`Let me look. ${UNREADABLE}`), says("It is cold."));
    const { content, error, finish } = await ask({ stream }, {}, path);
    if (stream) {
      expect([content?.trim(), error?.code]).toEqual(["Let me look.", "model_call_invalid"]);
    } else {
      expect([content, finish]).toEqual(["It is cold.", "stop"]);
    }
  });

  it("is forgotten once a later attempt makes it", async () => {
    play(says(`Let me look. ${UNREADABLE}`), calls("get_weather", '{"city": "Oslo"}'));
    const { calls: made, finish, content } = await ask({ stream }, {}, path);
    expect(JSON.stringify(made)).toContain("Oslo");
    expect([finish, content?.trim()]).toEqual(["tool_calls", stream ? "Let me look." : undefined]);
  });
});

describe.each(WAYS)("an answer that a schema binds (%s, stream: %s)", (path, stream) => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const response_format = { type: "json_schema", json_schema: { name: "out", schema } };

  it.each([
    ["with tools", tools],
    ["without", undefined],
  ])("is a typed failure where it never has its form: %s", async (_title, offered) => {
    play(says("Sure, it is cold."));
    const { status, headers, error, content } = await ask({ stream, response_format, tools: offered }, {}, path);
    expect([status, headers.get("x-should-retry"), content]).toEqual([502, "false", null]);
    expect(error).toMatchObject({ code: "model_output_invalid", details: { attempts: 3 } });
  });

  it("is the model's own words where those are wanted", async () => {
    play(says("Sure, it is cold."));
    const { status, content } = await ask({ stream, response_format }, { "x-postel-on-invalid": "text" }, path);
    expect([status, content]).toEqual([200, "Sure, it is cold."]);
  });

  it("has no content beside a call", async () => {
    play(says('Let me look. <tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'));
    const { content, calls: made, finish } = await ask({ stream, response_format }, {}, path);
    expect([content, finish]).toEqual([null, "tool_calls"]);
    expect(made).not.toEqual([]);
  });
});

describe("a client's own retries", () => {
  it("do not multiply those of the gateway", async () => {
    play(says(UNREADABLE));
    const { default: OpenAI } = await import("openai");
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "none", maxRetries: 2 });
    await expect(client.chat.completions.create(ASK)).rejects.toMatchObject({
      status: 502,
      code: "model_call_invalid",
    });
    expect(asked).toBe(3);
  });
});

describe("a header that Postel does not know", () => {
  it.each([
    ["x-postel-on-invalid", "ignore"],
    ["x-postel-parse", "maybe"],
  ])("is a 400 that names it: %s", async (name, value) => {
    play(says("Hi."));
    const { status, error } = await ask({}, { [name]: value });
    expect([status, error?.param]).toEqual([400, name]);
  });
});

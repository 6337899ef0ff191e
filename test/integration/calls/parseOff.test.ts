import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const QUESTION = "How warm is it in Oslo?";
const MARKED =
  '<think>Hm.</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call><|im_end|>\n';

let answer: (response: ServerResponse) => void = () => undefined;
let upstream: FakeUpstream;
/** Parses, but for the models of one row. */
let gateway: RunningGateway;
/** Its upstream's models write what nobody reads. */
let untouched: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start((_request, response) => answer(response));
  const config = configFor(upstream.baseUrl);
  const operatorModels: readonly ModelProfile[] = [{ match: ["raw-*"], parse: "off", why: "test" }];
  gateway = await startGateway({ config: { ...config, operatorModels } });
  const upstreams = config.upstreams.map((one) => (one.type === "server" ? { ...one, parse: "off" as const } : one));
  untouched = await startGateway({ config: { ...config, upstreams } });
});
afterAll(async () => {
  await gateway.close();
  await untouched.close();
  await upstream.close();
});

const tools = [
  {
    type: "function",
    function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
  },
];

interface Message {
  readonly content?: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}
interface Piece {
  readonly choices?: readonly {
    readonly message?: Message;
    readonly delta?: Message;
    readonly finish_reason?: string | null;
  }[];
  readonly error?: { readonly code: string };
}

async function ask(
  { url }: RunningGateway,
  body: object,
  headers: Record<string, string> = {},
  path = "/v1/chat/completions",
) {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "some-model", messages: [{ role: "user", content: QUESTION }], tools, ...body }),
  });
  const text = await response.text();
  const lines = text.startsWith("data:") ? text.split("\n\n").map((line) => line.slice(6)) : [text];
  const pieces = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Piece);
  const choices = pieces.flatMap((piece) => piece.choices ?? []);
  const messages = choices.map(({ message, delta }) => message ?? delta ?? {});
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  return {
    status: response.status,
    content: messages.map(({ content }) => content ?? "").join(""),
    reasoning: messages.map(({ reasoning_content }) => reasoning_content ?? "").join(""),
    name: calls.map((call) => call.function?.name ?? "").join(""),
    args: calls.map((call) => call.function?.arguments ?? "").join(""),
    ids: calls.flatMap(({ id }) => id ?? []),
    finish: choices.findLast(({ finish_reason }) => finish_reason)?.finish_reason,
    error: pieces.find(({ error }) => error)?.error?.code,
  };
}

const OFF = { "x-postel-parse": "off" };
const asked: readonly [string, () => RunningGateway, string, Record<string, string>][] = [
  ["by the header", () => gateway, "some-model", OFF],
  ["by the model's row", () => gateway, "raw-model", {}],
  ["by its upstream", () => untouched, "some-model", {}],
];
const cases = asked.flatMap(([title, to, model, headers]) =>
  ["/v1/chat/completions", "/v1/agent"].flatMap((path) =>
    [true, false].map((stream) => ({ title, to, model, headers, path, stream })),
  ),
);

describe.each(cases)("a text that nobody may touch, $title ($path, stream: $stream)", (given) => {
  const send = (body: object = {}) =>
    ask(given.to(), { model: given.model, stream: given.stream, ...body }, given.headers, given.path);

  it("arrives with every mark and every blank, and is not asked for again", async () => {
    answer = (response) => sendText(response, MARKED);
    const asked = () => upstream.requests.filter(({ body }) => JSON.stringify(body).includes(QUESTION)).length;
    const before = asked();
    const heard = await send({ tool_choice: "required", response_format: { type: "json_object" } });
    expect(heard).toMatchObject({ status: 200, content: MARKED, reasoning: "", name: "", finish: "stop" });
    expect(asked() - before).toBe(1);
  });

  it("leaves the wire's own calls and reasoning as they came", async () => {
    answer = (response) => {
      const tool_calls = [
        { index: 0, id: "not a legal id", type: "function", function: { name: "Get-Weather", arguments: '{"town":' } },
      ];
      const choices = [{ index: 0, delta: { reasoning_content: "Hm.", tool_calls }, finish_reason: "tool_calls" }];
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices })}\n\ndata: [DONE]\n\n`,
      );
    };
    expect(await send({ parallel_tool_calls: false })).toEqual({
      status: 200,
      content: "",
      reasoning: "Hm.",
      name: "Get-Weather",
      args: '{"town":',
      ids: ["not a legal id"],
      finish: "tool_calls",
      error: undefined,
    });
  });

  it("is not asked for in text mode, whose calls nobody would read", async () => {
    answer = (response) => sendError(response, 400, "this model does not support tools");
    // A model of its own: what the gateway learns of it is no other's.
    expect(await send({ model: given.model.replace("model", "refuser") })).toMatchObject({
      status: 400,
      error: "upstream_refused",
    });
  });
});

describe("the same text where Postel reads it", () => {
  it("is a call, whatever another model's row says", async () => {
    answer = (response) => sendText(response, MARKED);
    expect(await ask(gateway, {})).toMatchObject({ reasoning: "Hm.", name: "get_weather", content: "" });
  });
});

describe("/v1/parse", () => {
  const parse = async (body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${gateway.url}/v1/parse`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ text: MARKED, tools, ...body }),
    });
    return { status: response.status, body: (await response.json()) as object };
  };

  it("leaves the text alone where the header or the model's row says so", async () => {
    const verbatim = { content: MARKED, reasoning_content: null, tool_calls: [], issues: [] };
    expect((await parse({}, OFF)).body).toMatchObject(verbatim);
    expect((await parse({ model: "raw-model" })).body).toMatchObject(verbatim);
    expect((await parse({})).body).toMatchObject({ content: null, tool_calls: [{}] });
    expect((await parse({}, { "x-postel-parse": "no" })).status).toBe(400);
  });
});

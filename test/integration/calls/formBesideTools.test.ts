// Tools and a form for the answer, for models that no row knows: the form goes up wherever no call may come, and the upstream's refusals are adapted to.

import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { ObservedCapability } from "../../../src/core/models/capabilities.ts";
import { FakeUpstream, sendError } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

type Body = JsonObject & { readonly messages: readonly JsonObject[] };

const ANSWER = '{"river":"Elbe","km":1094}';
const WORDS = "The Elbe is 1,094 km long.";
const CALL = { id: "call_1", type: "function", function: { name: "measure", arguments: '{"river":"Elbe"}' } };
const MEASURED = [
  { role: "user", content: "How long is the Elbe? Answer in JSON." },
  { role: "assistant", content: null, tool_calls: [CALL] },
  { role: "tool", tool_call_id: "call_1", content: "1094" },
];
const tools = [
  { type: "function", function: { name: "measure", parameters: { type: "object", properties: { river: {} } } } },
];
const schema = {
  type: "object",
  properties: { river: { type: "string" }, km: { type: "integer" } },
  required: ["river", "km"],
  additionalProperties: false,
};
const FORMS = {
  json_schema: { type: "json_schema", json_schema: { name: "length", strict: true, schema } },
  json_object: { type: "json_object" },
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

interface Setting {
  readonly gateway: RunningGateway;
  readonly upstream: FakeUpstream;
  /** What callers' requests were sent as; without the gateway's own probes. */
  sent(): readonly Body[];
  /** Resolves with what the gateway has learnt next of the model. */
  learnt(): Promise<ObservedCapability>;
}

/** Says what an upstream would that enforces a form, and answers in words where none went up. */
function enforced({ response_format }: Body): JsonObject {
  return { content: response_format ? ANSWER : WORDS };
}

async function serve(
  refusalOf: (body: Body) => string | undefined = () => undefined,
  messageFor: (body: Body) => JsonObject = enforced,
): Promise<Setting> {
  const upstream = await FakeUpstream.start(({ body }, response) => {
    const sent = body as unknown as Body;
    const refusal = refusalOf(sent);
    if (refusal !== undefined) sendError(response, 400, refusal);
    else sendMessage(response, sent, messageFor(sent));
  });
  const waiting: ((evidence: ObservedCapability) => void)[] = [];
  const known: ObservedCapability[] = [];
  const gateway = await startGateway({
    config: configFor(upstream.baseUrl),
    observer: {
      observe: (observation) => {
        if (observation.type !== "evidence") return;
        const next = waiting.shift();
        if (next) next(observation.evidence);
        else known.push(observation.evidence);
      },
    },
  });
  open.push(upstream, gateway);
  return {
    gateway,
    upstream,
    sent: () =>
      upstream.requests.map(({ body }) => body as unknown as Body).filter(({ max_tokens }) => max_tokens !== 1),
    learnt: () => {
      const already = known.shift();
      return already ? Promise.resolve(already) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

function sendMessage(response: ServerResponse, { stream }: Body, message: JsonObject): void {
  const finish_reason = message.tool_calls ? "tool_calls" : "stop";
  const head = { id: "c", created: 1, model: "m" };
  const usage = { prompt_tokens: 5000, completion_tokens: 5, total_tokens: 5005 };
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
    response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunks = [
    { choices: [{ index: 0, delta: message, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage },
  ];
  for (const chunk of chunks)
    response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...chunk })}\n\n`);
  response.end("data: [DONE]\n\n");
}

interface Answer {
  readonly status: number;
  readonly content: string;
  readonly mended: readonly string[] | undefined;
}

async function ask({ gateway }: Setting, body: JsonObject, headers: Record<string, string> = {}): Promise<Answer> {
  const path = body.output ? "/v1/agent" : "/v1/chat/completions";
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "a-deployment", messages: MEASURED, tools, ...body }),
  });
  const text = await response.text();
  const pieces = body.stream ? text.split("\n\n").filter((event) => event.startsWith("data: {")) : [`data: ${text}`];
  const chunks = pieces.map((piece) => JSON.parse(piece.slice("data: ".length)));
  const said = chunks.flatMap(({ choices }) => choices ?? []).map((choice) => choice.delta ?? choice.message);
  return {
    status: response.status,
    content: said.map(({ content }) => content ?? "").join(""),
    mended: chunks.findLast(({ postel }) => postel)?.postel.mended,
  };
}

/** What of a request decides about tools and form. */
function askedFor({ tools: offered, tool_choice, response_format }: Body): readonly unknown[] {
  const format = response_format as JsonObject | undefined;
  return [offered === undefined ? "no tools" : "tools", tool_choice, format?.type];
}

const WITHOUT_TOOLS = "Requests which include `tool_use` or `tool_result` blocks must define tools.";
const needsTools = ({ messages, tools: offered }: Body) =>
  !offered && messages.some(({ tool_calls }) => tool_calls) ? WITHOUT_TOOLS : undefined;
const BESIDE_TOOLS = "json mode cannot be combined with tool/function calling";
const refusesFormBesideTools = ({ response_format, tools: offered }: Body) =>
  response_format && offered ? BESIDE_TOOLS : undefined;

const WAYS = (["json_schema", "json_object"] as const).flatMap((form) =>
  [false, true].map((stream) => ({ form, stream })),
);

describe.each(WAYS)("a form beside tools on a model of no row ($form, stream: $stream)", ({ form, stream }) => {
  const response_format = FORMS[form];

  it("goes up where the caller's choice is none, and is the first question's", async () => {
    const setting = await serve();
    const answer = await ask(setting, { stream, response_format, tool_choice: "none" });
    expect(answer).toEqual({ status: 200, content: ANSWER, mended: undefined });
    expect(setting.sent().map(askedFor)).toEqual([["tools", "none", form]]);
  });

  it("goes up with the second question, which shows the model no tools", async () => {
    const setting = await serve();
    const answer = await ask(setting, { stream, response_format });
    expect(answer).toMatchObject({ status: 200, content: ANSWER });
    expect(setting.sent().map(askedFor)).toEqual([
      ["tools", undefined, undefined],
      ["no tools", undefined, form],
    ]);
  });

  it("stays away where the model may call, so that it can", async () => {
    const setting = await serve();
    await ask(setting, { stream, response_format, messages: MEASURED.slice(0, 1) });
    expect(askedFor(setting.sent()[0] as Body)).toEqual(["tools", undefined, undefined]);
  });

  it("goes up beside tools where the gateway checks nothing", async () => {
    const setting = await serve();
    const answer = await ask(setting, { stream, response_format }, { "x-postel-parse": "off" });
    expect(answer).toMatchObject({ status: 200, content: ANSWER });
    expect(setting.sent().map(askedFor)).toEqual([["tools", undefined, form]]);
  });

  it("takes the tools along, forbidden, where the upstream wants them beside the history's calls", async () => {
    const setting = await serve(needsTools);
    const answer = await ask(setting, { stream, response_format });
    expect(answer).toMatchObject({ status: 200, content: ANSWER });
    expect(setting.sent().map(askedFor)).toEqual([
      ["tools", undefined, undefined],
      ["no tools", undefined, form],
      ["tools", "none", form],
    ]);
    expect(await setting.learnt()).toMatchObject({ refused: "messages+tools:calls" });
    await ask(setting, { stream, response_format });
    expect(setting.sent().slice(3).map(askedFor)).toEqual([
      ["tools", undefined, undefined],
      ["tools", "none", form],
    ]);
  });

  it("takes along the tools that were called where the request has none and the upstream wants some", async () => {
    const setting = await serve(needsTools);
    const answer = await ask(setting, { stream, response_format, tools: undefined } as unknown as JsonObject);
    expect(answer).toMatchObject({ status: 200, content: ANSWER });
    expect(setting.sent().map(askedFor)).toEqual([
      ["no tools", undefined, form],
      ["tools", "none", form],
    ]);
    expect(setting.sent()[1]?.tools).toMatchObject([{ type: "function", function: { name: "measure" } }]);
  });

  it("is learnt to be refused beside stand-ins too, so that the next caller without tools is asked once", async () => {
    const setting = await serve((body) =>
      JSON.stringify(body.messages).includes("one JSON")
        ? needsTools(body)
        : (refusesFormBesideTools(body) ?? needsTools(body)),
    );
    const request = {
      stream,
      response_format,
      tools: undefined,
    } as unknown as JsonObject;
    await ask(setting, request, { "x-postel-on-invalid": "text" });
    expect([await setting.learnt(), await setting.learnt()].map(({ refused }) => refused).toSorted()).toEqual([
      "messages+tools:calls",
      "response_format+tools",
    ]);
    const before = setting.sent().length;
    await ask(setting, request, { "x-postel-on-invalid": "text" });
    expect(setting.sent().slice(before).map(askedFor)[0]).toEqual(["tools", "none", undefined]);
  });

  it("takes the place of forbidden tools where the upstream refuses both together, and the next caller is asked once", async () => {
    const setting = await serve(refusesFormBesideTools);
    const answer = await ask(setting, { stream, response_format, tool_choice: "none" });
    expect(answer).toEqual({ status: 200, content: ANSWER, mended: ["tool_choice", "tools"] });
    expect(setting.sent().map(askedFor)).toEqual([
      ["tools", "none", form],
      ["no tools", undefined, form],
    ]);
    expect(await setting.learnt()).toMatchObject({ refused: "response_format+tools" });
    expect(await ask(setting, { stream, response_format, tool_choice: "none" })).toEqual(answer);
    expect(setting.sent().slice(2).map(askedFor)).toEqual([["no tools", undefined, form]]);
  });

  it("is asked for in words where the upstream refuses it beside tools and the history without them", async () => {
    const setting = await serve((body) =>
      !body.response_format && JSON.stringify(body.messages).includes("one JSON")
        ? undefined
        : (refusesFormBesideTools(body) ?? needsTools(body)),
    );
    await ask(setting, { stream, response_format, tool_choice: "none" }, { "x-postel-on-invalid": "text" });
    expect(setting.sent().slice(0, 3).map(askedFor)).toEqual([
      ["tools", "none", form],
      ["no tools", undefined, form],
      ["tools", "none", undefined],
    ]);
    expect(JSON.stringify(setting.sent()[2]?.messages)).toContain("Write your final answer as one JSON");
  });
});

describe("a form beside tools", () => {
  it("is read out of a run's work with its schema, whose last turn has no tools to call", async () => {
    const setting = await serve();
    const answer = await ask(setting, { output: schema });
    expect(answer.status).toBe(200);
    const last = setting.sent().at(-1) as Body;
    expect(last.response_format).toMatchObject({ type: "json_schema", json_schema: { schema } });
    expect([undefined, "none"]).toContain(last.tool_choice);
  });

  it("is not forced on a model that may call once only its JSON mode was found out", async () => {
    const refusal = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.";
    const setting = await serve(({ response_format }) =>
      (response_format as JsonObject | undefined)?.type === "json_schema" ? refusal : undefined,
    );
    await ask(setting, { response_format: FORMS.json_schema, tool_choice: "none" });
    await setting.learnt();
    const before = setting.sent().length;
    await ask(setting, { response_format: FORMS.json_schema });
    expect(setting.sent().slice(before).map(askedFor)).toEqual([
      ["tools", undefined, undefined],
      ["no tools", undefined, "json_object"],
    ]);
  });

  it("leaves the tools' calls to the model: a call that comes is the answer", async () => {
    const setting = await serve(undefined, () => ({ content: null, tool_calls: [{ index: 0, ...CALL }] }));
    const { choices } = await setting.gateway.client().chat.completions.create({
      model: "a-deployment",
      messages: [{ role: "user", content: "How long is the Elbe?" }],
      tools: tools as never,
      response_format: FORMS.json_schema as never,
    });
    expect(choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: null, tool_calls: [CALL] } });
    expect(setting.sent()).toHaveLength(1);
  });
});

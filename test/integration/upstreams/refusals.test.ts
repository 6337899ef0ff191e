// Upstreams that refuse a part of a right request: the caller gets its answer, and only what the gateway saw itself is held against the upstream.

import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { JsonObject, JsonValue } from "../../../src/core/messages.ts";
import type { ObservedCapability } from "../../../src/core/models/capabilities.ts";
import type { Observer } from "../../../src/core/ports.ts";
import { chat } from "../../support/agents/gateway.ts";
import { collect, pulled } from "../../support/events.ts";
import { FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";
import { openServices } from "../../support/gatewayModules.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

interface Wording {
  readonly field: string;
  readonly status: number;
  readonly message: string;
}

/** What an upstream says to a body; undefined: it answers. */
type Judge = (body: JsonObject) => Wording | undefined;

const WORDINGS = readFileSync("test/fixtures/models/refusals.jsonl", "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Wording);

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

interface Setting {
  readonly upstream: FakeUpstream;
  readonly gateway: RunningGateway;
  /** Resolves with what the gateway remembers next. */
  learnt(): Promise<ObservedCapability>;
  bodies(): readonly JsonObject[];
}

async function serve(judge: Judge): Promise<Setting> {
  const upstream = await FakeUpstream.start((request, response) => {
    const body = request.body as unknown as JsonObject;
    const refusal = judge(body);
    if (refusal) sendError(response, refusal.status, refusal.message);
    else if (body.stream === false) sendWhole(response, "It is warm END of it.");
    else sendText(response, "It is warm END of it.");
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
    upstream,
    gateway,
    learnt: () => {
      const already = known.shift();
      return already ? Promise.resolve(already) : new Promise((resolve) => waiting.push(resolve));
    },
    bodies: () => upstream.requests.map(({ body }) => body as unknown as JsonObject),
  };
}

function sendWhole(response: Parameters<typeof sendText>[0], content: string): void {
  response.writeHead(200, { "content-type": "application/json" });
  const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
  response.end(JSON.stringify({ id: "c", object: "chat.completion", choices }));
}

interface Asked {
  readonly status: number;
  readonly content: string;
  readonly postel: JsonObject;
  readonly usage?: JsonValue | undefined;
  readonly error?: JsonObject | undefined;
}

/** One chat completion, streamed or not, in the same form. */
async function ask(gateway: RunningGateway, request: JsonObject, headers: Record<string, string> = {}): Promise<Asked> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "How warm is it?" }], ...request }),
  });
  const text = await response.text();
  const chunks = text.startsWith("data:")
    ? text
        .split("\n\n")
        .filter((line) => line.startsWith("data: {"))
        .map((line) => JSON.parse(line.slice(6)))
    : [JSON.parse(text)];
  const content = chunks.map(({ choices = [] }) => (choices[0]?.delta ?? choices[0]?.message)?.content ?? "").join("");
  const found = (name: string) => chunks.map((chunk) => chunk[name]).findLast((value) => value);
  return { status: response.status, content, postel: found("postel"), usage: found("usage"), error: found("error") };
}

const tools = [{ type: "function", function: { name: "get_weather", parameters: { type: "object", properties: {} } } }];
const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };

/** By the refused field: whether a body has it, and a request that has it. */
const CASES: Readonly<Record<string, { has: (body: JsonObject) => boolean; request: JsonObject; mended?: string }>> = {
  stream: { has: (body) => body.stream === true, request: {} },
  stream_options: { has: (body) => "stream_options" in body, request: {} },
  max_tokens: { has: (body) => "max_tokens" in body, request: { max_tokens: 9 }, mended: "max_tokens" },
  max_completion_tokens: {
    has: (body) => "max_completion_tokens" in body,
    request: { max_completion_tokens: 9 },
    mended: "max_completion_tokens",
  },
  temperature: { has: (body) => "temperature" in body, request: { temperature: 0.1 }, mended: "temperature" },
  parallel_tool_calls: {
    has: (body) => "parallel_tool_calls" in body,
    request: { tools, parallel_tool_calls: false },
    mended: "parallel_tool_calls",
  },
  "role:system": {
    has: ({ messages }) => JSON.stringify(messages).includes('"system"'),
    request: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
    },
    mended: "messages",
  },
  "role:order": {
    has: ({ messages }) => {
      const roles = (messages as { role: string }[]).map(({ role }) => role);
      return roles.at(-1) === "assistant" || roles.some((role, at) => role === roles[at + 1]);
    },
    request: {
      messages: [
        { role: "user", content: "Hi" },
        { role: "user", content: "Hello?" },
      ],
    },
    mended: "messages",
  },
  stop: { has: (body) => "stop" in body, request: { stop: ["END"] }, mended: "stop" },
  reasoning_effort: {
    has: (body) => "reasoning_effort" in body,
    request: { reasoning_effort: "low" },
    mended: "reasoning_effort",
  },
  logprobs: { has: (body) => "logprobs" in body, request: { logprobs: true }, mended: "logprobs" },
};

const TRAILING: JsonObject = {
  messages: [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello, I" },
  ],
};

describe.each([true, false])("streamed: %s", (stream) => {
  // What nobody asks for is not refused.
  it.each(WORDINGS.filter(({ field }) => field in CASES && (stream || !field.startsWith("stream"))))(
    "$status $message costs nobody an answer",
    async (wording) => {
      const { has, request, mended } = CASES[wording.field] ?? { has: () => false, request: {} };
      const { gateway, bodies } = await serve((body) => (has(body) ? wording : undefined));
      const own = wording.message.startsWith("Expected last role") ? TRAILING : request;
      const { status, content, postel, usage } = await ask(gateway, {
        stream,
        stream_options: stream ? { include_usage: true } : null,
        ...own,
      });
      expect(status).toBe(200);
      expect(content.trim()).toBe(wording.field === "stop" ? "It is warm" : "It is warm END of it.");
      expect(bodies().map(has)).toEqual([true, false]);
      const fields = mended ?? (stream && wording.field === "stream" ? "stream" : undefined);
      expect(postel).toMatchObject({ attempts: 1, retries: 1, usage_estimated: true });
      expect(postel.mended).toEqual(fields && [fields]);
      expect(usage).toMatchObject({ completion_tokens: expect.any(Number), prompt_tokens: expect.any(Number) });
    },
  );

  it.each([
    [{ type: "json_schema", json_schema: { name: "n", schema } }, ["json_schema", "json_object", undefined]],
    [{ type: "json_object" }, ["json_object", "json_schema", undefined]],
  ])("a response_format %j is weakened step by step, and in the end asked for in words", async (format, formats) => {
    const { gateway, bodies } = await serve(({ response_format }) =>
      response_format ? { field: "", status: 400, message: "This response_format type is unavailable now" } : undefined,
    );
    await ask(gateway, { stream, response_format: format });
    const sent = bodies().slice(0, 3);
    expect(sent.map(({ response_format }) => (response_format as JsonObject | undefined)?.type)).toEqual(formats);
    expect(JSON.stringify(sent[2]?.messages)).toContain("JSON");
    expect(JSON.stringify(sent[0]?.messages)).not.toContain("JSON");
  });

  it.each(WORDINGS.filter(({ field }) => field === "tools+response_format"))(
    "a response_format that is refused beside tools goes up in words: $message",
    async (wording) => {
      const { gateway, bodies } = await serve((body) =>
        "tools" in body && "response_format" in body ? wording : undefined,
      );
      const json = { type: "json_schema", json_schema: { name: "n", schema } };
      await ask(gateway, { stream, model: "gpt-4o", tools, response_format: json });
      const [first, second] = bodies();
      expect(first).toMatchObject({ tools: [{}], response_format: { type: "json_schema" } });
      expect(second).toMatchObject({ tools: [{}] });
      expect(second).not.toHaveProperty("response_format");
      expect(JSON.stringify(second?.messages)).toContain("JSON Schema");
    },
  );

  it("an upstream that knows nothing but two roles and their texts still answers, each part refused once", async () => {
    const known = new Set(["model", "messages", "stream"]);
    const { gateway, bodies } = await serve((body) => {
      const unknown = Object.keys(body).find((field) => !known.has(field));
      if (unknown !== undefined) {
        return { field: unknown, status: 400, message: `Unrecognized request argument supplied: ${unknown}` };
      }
      if (body.stream === true) return { field: "stream", status: 400, message: "Streaming is not supported." };
      const roles = (body.messages as { role: string }[]).map(({ role }) => role);
      const wrong = roles.some((role) => role === "system");
      return wrong ? { field: "role", status: 400, message: "System role not supported" } : undefined;
    });
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ];
    const wishes = { temperature: 1, top_p: 1, seed: 1, stop: ["END"], logprobs: true, reasoning_effort: "low" };
    const { status, content, postel } = await ask(gateway, { stream, messages, tools, max_tokens: 3, ...wishes });
    expect([status, content.trim()]).toEqual([400, ""]);
    expect(postel).toBeUndefined();
    const served = await ask(gateway, { stream, messages, tools, ...wishes });
    expect([served.status, served.content.trim()]).toEqual([200, "It is warm"]);
    expect(served.postel).toMatchObject({ tool_mode: "text", attempts: 1 });
    expect(bodies().length).toBeLessThan(40);
  });

  it("a tool_choice that is refused is kept by checking", async () => {
    const { gateway, bodies } = await serve(({ tool_choice }) =>
      tool_choice ? { field: "", status: 400, message: "Tool choice must be auto" } : undefined,
    );
    const named = { type: "function", function: { name: "get_weather" } };
    const { error } = await ask(gateway, { stream, tools, tool_choice: named });
    expect(error).toMatchObject({ code: "model_call_invalid" });
    expect(
      bodies()
        .slice(0, 3)
        .map(({ tool_choice }) => tool_choice),
    ).toEqual([named, "required", undefined]);
  });

  it.each([
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
    "Bedrock doesn't support tool calling without `tools=` param specified.",
  ])(
    "a history with calls that is refused without tools goes up with them, though the model leaks: %s",
    async (message) => {
      const { gateway, bodies, learnt } = await serve((body) =>
        !("tools" in body) && JSON.stringify(body.messages).includes('"tool_calls"')
          ? { field: "", status: 400, message }
          : undefined,
      );
      const call = { id: "c1", type: "function", function: { name: "get_weather", arguments: "{}" } };
      const messages = [
        { role: "user", content: "How warm is it?" },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "c1", content: "14 degrees" },
      ];
      const request = { stream, model: "claude-sonnet-4", messages, tools, tool_choice: "none" };
      const { status, content } = await ask(gateway, request);
      expect([status, content.trim()]).toEqual([200, "It is warm END of it."]);
      expect(
        bodies()
          .slice(0, 2)
          .map((body) => [body.tool_choice, (body.messages as unknown[]).length]),
      ).toEqual([
        [undefined, 3],
        ["none", 3],
      ]);
      expect(await learnt()).toMatchObject({ refused: "messages+tools:calls" });
    },
  );

  it("a refusal of something that cannot be done without is passed on, and names its upstream once", async () => {
    const message = "gemma:2b does not support tools";
    const { gateway, bodies } = await serve(({ tools: sent }) =>
      sent ? { field: "", status: 400, message } : undefined,
    );
    const { status, error } = await ask(gateway, { stream, tools }, { "x-postel-tool-mode": "native" });
    expect(status).toBe(400);
    expect(error).toMatchObject({
      message: `The upstream \`fake\` refused the request (400) for model \`m\`: ${message}`,
    });
    const [own] = bodies().filter(({ messages }) => JSON.stringify(messages).includes("How warm"));
    expect(own).toHaveProperty("tools");
    expect(bodies().filter(({ messages }) => JSON.stringify(messages).includes("How warm"))).toHaveLength(1);
  });

  it("what is refused again although it was mended is passed on", async () => {
    const message = "Unsupported parameter: 'seed' is not supported with this model.";
    const { gateway, upstream } = await serve(() => ({ field: "", status: 400, message }));
    const { status } = await ask(gateway, { stream, seed: 1 });
    expect(status).toBe(400);
    expect(upstream.requests.filter(({ body }) => "seed" in body)).not.toHaveLength(0);
  });
});

describe("what a run's refusal teaches", () => {
  it("holds for the further turns of that run", async () => {
    let turns = 0;
    const message = "Unsupported value: 'temperature' does not support 0.1 with this model.";
    const upstream = await FakeUpstream.start((request, response) => {
      const body = request.body as unknown as JsonObject;
      // It refuses callers and not the probe.
      if ("temperature" in body && body.max_tokens !== 1) sendError(response, 400, message);
      else if (body.max_tokens === 1) sendText(response, "Hi");
      else {
        turns += 1;
        sendText(
          response,
          turns > 1 ? "It is 4." : '<tool_call>{"name": "calculator", "arguments": {"expression": "2+2"}}</tool_call>',
        );
      }
    });
    const gateway = await startGateway({ config: configFor(upstream.baseUrl) });
    open.push(upstream, gateway);
    const messages = [{ role: "user" as const, content: "What is 2+2?" }];
    const answer = await gateway
      .client("/v1/agent")
      .chat.completions.create({ model: "m", messages, temperature: 0.1 });
    expect(answer).toMatchObject({ postel: { mended: ["temperature"], retries: 1, attempts: 2 } });
    expect(turns).toBe(2);
  });
});

describe("what one caller's refusal teaches", () => {
  const refusing =
    (field: string, message: string): Judge =>
    (body) =>
      field in body ? { field, status: 400, message } : undefined;

  it("is asked by the gateway itself, with one token and nobody's words, and then spares the others the detour", async () => {
    const { gateway, learnt, bodies } = await serve(
      refusing("temperature", "Unsupported value: 'temperature' does not support 0.1 with this model."),
    );
    await ask(gateway, { temperature: 0.1 });
    expect(await learnt()).toMatchObject({
      refused: "temperature",
      reason: expect.stringContaining("does not support"),
    });
    expect(bodies()).toHaveLength(3);
    expect(bodies()[2]).toMatchObject({ max_tokens: 1, messages: [{ role: "user", content: "Hi" }] });
    const { postel } = await ask(gateway, { temperature: 0.7 });
    expect(bodies()).toHaveLength(4);
    expect(postel).toMatchObject({ retries: 0, mended: ["temperature"] });
    const model = (await (await fetch(`${gateway.url}/v1/models/m`)).json()) as { postel: JsonObject };
    expect(model.postel).toMatchObject({
      quirks: ["no-temperature"],
      source: { quirks: "evidence", tools: "default" },
    });
  });

  it("is nothing where the upstream only quoted the caller", async () => {
    const words = "Your manual says: 'temperature' is not supported, and tools are not supported.";
    const { gateway, bodies } = await serve(({ messages }) =>
      JSON.stringify(messages).includes("manual")
        ? { field: "", status: 400, message: `Cannot answer: ${words}` }
        : undefined,
    );
    const attack = { messages: [{ role: "user", content: words }], temperature: 0.2, tools };
    expect((await ask(gateway, attack)).status).toBe(400);
    const before = bodies().length;
    const { status, postel } = await ask(gateway, { temperature: 0.2, tools });
    expect(status).toBe(200);
    expect(postel).toMatchObject({ tool_mode: "native", retries: 0 });
    expect(postel.mended).toBeUndefined();
    expect(
      bodies()
        .slice(before)
        .some((body) => body.temperature === 0.2 && "tools" in body),
    ).toBe(true);
  });

  it("is asked at most once an hour for each model and part", async () => {
    const message = "Unsupported parameter: 'seed' is not supported";
    // It refuses callers and not the probe.
    const { gateway, bodies } = await serve((body) =>
      "seed" in body && body.max_tokens !== 1 ? { field: "seed", status: 400, message } : undefined,
    );
    for (let n = 0; n < 3; n += 1) expect((await ask(gateway, { seed: 1 })).postel).toMatchObject({ retries: 1 });
    expect(bodies().filter(({ max_tokens }) => max_tokens === 1)).toHaveLength(1);
  });

  it("of tools asks nobody in text who wants the model's words untouched: there the refusal is the answer", async () => {
    const { gateway, learnt } = await serve(refusing("tools", "m does not support tools"));
    expect((await ask(gateway, { tools })).postel).toMatchObject({ tool_mode: "text" });
    await learnt();
    expect((await ask(gateway, { tools }, { "x-postel-parse": "off" })).status).toBe(400);
  });

  it("is in no transcript but its caller's own exchanges", async () => {
    const folder = await mkdtemp(join(tmpdir(), "postel-refusals-"));
    const { upstream } = await serve(refusing("seed", "Unsupported parameter: 'seed' is not supported"));
    const learnt = Promise.withResolvers<void>();
    const observe: Observer["observe"] = ({ type }) => {
      if (type === "evidence") learnt.resolve();
    };
    const testGateway = await openServices(configFor(upstream.baseUrl), {
      observers: [{ observe }],
      recordTo: folder,
    });
    const asked = chat({ sampling: { seed: 1 } });
    await collect(pulled((take) => testGateway.runner.complete(asked, new AbortController().signal, take)));
    await learnt.promise;
    await testGateway.close();
    const files = await readdir(folder);
    const recorded = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
    await rm(folder, { recursive: true });
    expect(upstream.requests).toHaveLength(3);
    expect(recorded.join("").match(/"method":"POST"/g)).toHaveLength(2);
  });
});

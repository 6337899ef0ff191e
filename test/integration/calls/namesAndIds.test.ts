// Servers that take no other names and ids than their own kind: the caller keeps his, whatever the model calls a tool by.

import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import type { JsonObject } from "../../../src/core/messages.ts";
import { FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

interface Wire {
  readonly messages: readonly {
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly tool_choice?: { readonly function?: { readonly name: string } };
}

const LONG = `remote.${"very-".repeat(20)}long`;
const OWN = ["fs.read", "fs/read", LONG];

function tool(name: string): OpenAI.ChatCompletionTool {
  return {
    type: "function",
    function: { name, parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] } },
  };
}

/** What OpenAI's own API says of names and ids, in its words. */
function refusalOf({ messages, tools = [] }: Wire): string | undefined {
  for (const [at, { function: called }] of tools.entries()) {
    if (!/^[a-zA-Z0-9_-]*$/.test(called.name))
      return `Invalid 'tools[${at}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    if (called.name.length > 64)
      return `Invalid 'tools[${at}].function.name': string too long. Expected a string with maximum length 64, but got a string with length ${called.name.length} instead.`;
  }
  for (const [at, { tool_calls: calls = [] }] of messages.entries())
    for (const { id } of calls)
      if (id.length > 40)
        return `Invalid 'messages[${at}].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`;
  return undefined;
}

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

interface Setting {
  readonly upstream: FakeUpstream;
  readonly gateway: RunningGateway;
  bodies(): readonly Wire[];
  /** Kept once the gateway remembers what it was refused. */
  readonly learnt: Promise<void>;
}

/** A server that refuses by `judge` and else calls, by `answer`, the tool that it was shown at a place. */
async function serve(
  judge: (body: Wire) => string | undefined,
  answer: (response: ServerResponse, shown: readonly string[]) => void,
): Promise<Setting> {
  const upstream = await FakeUpstream.start(({ body }, response) => {
    const wire = body as unknown as Wire;
    const refusal = judge(wire);
    if (refusal !== undefined) sendError(response, 400, refusal);
    else
      answer(
        response,
        (wire.tools ?? []).map((one) => one.function.name),
      );
  });
  const { promise: learnt, resolve } = Promise.withResolvers<void>();
  const gateway = await startGateway({
    config: configFor(upstream.baseUrl),
    observer: {
      observe: ({ type }) => type === "evidence" && resolve(),
    },
  });
  open.push(upstream, gateway);
  return { upstream, gateway, learnt, bodies: () => upstream.requests.map(({ body }) => body as unknown as Wire) };
}

/** Streams a structured call whose name comes in two pieces. */
function sendCall(response: ServerResponse, name: string): void {
  const half = Math.ceil(name.length / 2);
  const pieces = [
    { id: "call_abc", type: "function", function: { name: name.slice(0, half) } },
    { function: { name: name.slice(half) } },
    { function: { arguments: '{"path":' } },
    { function: { arguments: '"/a"}' } },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [at, piece] of pieces.entries()) {
    const delta = { tool_calls: [{ index: 0, ...piece }] };
    const finish = at === pieces.length - 1 ? "tool_calls" : null;
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}

function leak(response: ServerResponse, name: string): void {
  sendText(response, `Let me look. <tool_call>{"name": "${name}", "arguments": {"path": "/a"}}</tool_call>`);
}

async function calledBy(gateway: RunningGateway, model: string, stream: boolean): Promise<unknown> {
  const request = { model, messages: [{ role: "user" as const, content: "Read /a" }], tools: OWN.map(tool) };
  const chat = gateway.client().chat.completions;
  const answer = stream ? await chat.stream(request).finalChatCompletion() : await chat.create(request);
  return answer.choices[0]?.message.tool_calls?.map((call) => call.type === "function" && call.function);
}

describe.each([true, false])("streamed: %s", (stream) => {
  describe.each([
    ["structured", sendCall],
    ["leaked into the text", leak],
  ])("a call that is %s", (_how, send) => {
    it.each(OWN.map((name, at) => [name, at] as const))("of %s comes back by that name", async (name, at) => {
      const { gateway, bodies } = await serve(refusalOf, (response, shown) => send(response, shown[at] ?? ""));
      expect(await calledBy(gateway, "gpt-4o", stream)).toEqual([
        { name, arguments: expect.stringMatching(/"path":\s*"\/a"/) },
      ]);
      // The row knows it beforehand: nothing was refused.
      expect(bodies()).toHaveLength(1);
    });

    it("of a server that nobody knew to be strict comes back by its name too", async () => {
      const { gateway, bodies } = await serve(refusalOf, (response, shown) => send(response, shown[2] ?? ""));
      expect(await calledBy(gateway, "some-model", stream)).toEqual([expect.objectContaining({ name: LONG })]);
      expect(bodies().slice(0, 2).map(refusalOf)).toEqual([
        expect.stringContaining("tools[0].function.name"),
        undefined,
      ]);
    });
  });

  it("a forced choice names the tool as it was shown", async () => {
    const { gateway, bodies } = await serve(refusalOf, (response, shown) => sendCall(response, shown[0] ?? ""));
    const request = {
      model: "gpt-4o",
      messages: [{ role: "user" as const, content: "Read /a" }],
      tools: OWN.map(tool),
      tool_choice: { type: "function" as const, function: { name: "fs.read" } },
    };
    const chat = gateway.client().chat.completions;
    const answer = stream ? await chat.stream(request).finalChatCompletion() : await chat.create(request);
    const [body] = bodies();
    expect(body?.tool_choice?.function?.name).toBe(body?.tools?.[0]?.function.name);
    expect(answer.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: "fs.read" } }]);
  });
});

describe("a call of a tool that was not offered", () => {
  it("is refused by the name that the model wrote", async () => {
    const { gateway } = await serve(refusalOf, (response) => sendCall(response, "fs_write"));
    await expect(calledBy(gateway, "gpt-4o", false)).rejects.toMatchObject({ status: 502, code: "model_call_invalid" });
  });
});

describe("with parsing off", () => {
  it("a structured call still has the caller's name", async () => {
    const { gateway } = await serve(refusalOf, (response, shown) => sendCall(response, shown[1] ?? ""));
    const { choices } = await gateway
      .client()
      .chat.completions.create(
        { model: "gpt-4o", messages: [{ role: "user", content: "Read /a" }], tools: OWN.map(tool) },
        { headers: { "x-postel-parse": "off" } },
      );
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: "fs/read" } }]);
  });
});

function historyWith(ids: readonly string[]): OpenAI.ChatCompletionMessageParam[] {
  return ids.flatMap((id): OpenAI.ChatCompletionMessageParam[] => [
    { role: "user", content: "Read /a" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "fs_read", arguments: '{"path":"/a"}' } }],
    },
    { role: "tool", tool_call_id: id, content: "text" },
  ]);
}

const FOREIGN = ["toolu_01A09q90qw90lq917835lq9", "functions.fs_read:0", `call_${"x".repeat(55)}`];

interface Strict {
  readonly server: string;
  readonly model: string;
  readonly legal: (id: string, at: number) => boolean;
  readonly words: (id: string) => string;
}

const STRICT: readonly Strict[] = [
  {
    server: "Mistral",
    model: "mistral-large-latest",
    legal: (id) => /^[a-zA-Z0-9]{9}$/.test(id),
    words: (id) => `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
  },
  {
    server: "OpenAI",
    model: "gpt-4o",
    legal: (id) => id.length <= 40,
    words: (id) =>
      `Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
  },
  {
    server: "Anthropic",
    model: "claude-sonnet-4-5",
    legal: (id) => /^[a-zA-Z0-9_-]+$/.test(id),
    words: () => "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    server: "Kimi",
    model: "kimi-k2-instruct",
    legal: (id, at) => id === `functions.fs_read:${at}`,
    words: (id) => `invalid tool call id ${id}`,
  },
];

function strictly({ legal, words }: Strict): (body: Wire) => string | undefined {
  return ({ messages }) => {
    const calls = messages.flatMap(({ tool_calls: all = [] }) => all.map(({ id }) => id));
    const results = messages.flatMap(({ tool_call_id: id }) => id ?? []);
    const bad = calls.find((id, at) => !legal(id, at));
    if (bad !== undefined) return words(bad);
    return JSON.stringify(calls) === JSON.stringify(results) ? undefined : "results do not answer the calls";
  };
}

describe("ids of calls that another server gave", () => {
  it.each(STRICT)("are written as $server takes them, without a refusal", async (strict) => {
    const { gateway, bodies } = await serve(strictly(strict), (response) => sendText(response, "It says text."));
    const { choices } = await gateway.client().chat.completions.create({
      model: strict.model,
      messages: [...historyWith(FOREIGN), { role: "user", content: "And?" }],
      tools: [tool("fs_read")],
    });
    expect(choices[0]?.message.content).toContain("It says text.");
    expect(bodies()).toHaveLength(1);
  });

  it.each(STRICT.filter(({ server }) => server !== "Kimi"))(
    "are written anew where a server that nobody knew refuses them as $server does",
    async (strict) => {
      const { gateway, bodies } = await serve(strictly(strict), (response) => sendText(response, "It says text."));
      const { choices } = await gateway.client().chat.completions.create({
        model: "some-model",
        messages: [...historyWith(FOREIGN), { role: "user", content: "And?" }],
        tools: [tool("fs_read")],
      });
      expect(choices[0]?.message.content).toContain("It says text.");
      expect(bodies().slice(0, 2).map(strictly(strict))).toEqual([expect.any(String), undefined]);
    },
  );
});

it("postel.mended does not speak of what the caller cannot tell", async () => {
  const { gateway } = await serve(refusalOf, (response, shown) => sendCall(response, shown[0] ?? ""));
  const answer = await gateway.client().chat.completions.create({
    model: "gpt-4o",
    messages: [...historyWith(FOREIGN), { role: "user", content: "And?" }],
    tools: OWN.map(tool),
  });
  expect((answer as unknown as { postel: JsonObject }).postel).not.toHaveProperty("mended");
});

it.each([
  { what: "names", judge: refusalOf, names: OWN, ids: ["short"] },
  ...STRICT.filter(({ server }) => server !== "Kimi").map((strict) => ({
    what: `ids of ${strict.server}`,
    judge: strictly(strict),
    names: ["look"],
    ids: FOREIGN,
  })),
])("refused $what are not sent again once the gateway has asked for itself", async ({ judge, names, ids }) => {
  const { gateway, bodies, learnt } = await serve(judge, (response) => sendText(response, "It says text."));
  const request = {
    model: "some-model",
    messages: [...historyWith(ids), { role: "user" as const, content: "And?" }],
    tools: names.map(tool),
  };
  await gateway.client().chat.completions.create(request);
  await learnt;
  const before = bodies().length;
  await gateway.client().chat.completions.create(request);
  expect(bodies().slice(before).map(judge)).toEqual([undefined]);
});

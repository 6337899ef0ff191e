// A server whose chat template knows no tools: it takes the field, answers 200, and its model invents. What the server counted gives it away.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../src/core/messages.ts";
import { FakeUpstream } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const INVENTED = "It is sunny in Oslo, with 31 degrees.";
const CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>';

interface Said {
  readonly content: string;
  readonly usage?: JsonObject | undefined;
  readonly toolCalls?: readonly JsonObject[];
}

/** What it says to a request with `tools`; where the tools stand in the prompt it calls one. */
async function serve(dropping: Said): Promise<{ readonly upstream: FakeUpstream; readonly gateway: RunningGateway }> {
  const upstream = await FakeUpstream.start(({ path, body }, response) => {
    if (path.endsWith("/models")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: [{ id: "m", object: "model" }] }));
      return;
    }
    const said = body.tools ? dropping : { content: CALL, usage: { prompt_tokens: 300, completion_tokens: 20 } };
    const delta = { role: "assistant", content: said.content, ...(said.toolCalls && { tool_calls: said.toolCalls }) };
    const chunk = { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: "stop" }] };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    if (said.usage) response.write(`data: ${JSON.stringify({ id: "c", choices: [], usage: said.usage })}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  const gateway = await startGateway({ config: configFor(upstream.baseUrl) });
  open.push(upstream, gateway);
  return { upstream, gateway };
}

/** Beyond the first, so many that the schemas have the length of a usual client's. */
function toolsOf(number: number) {
  return Array.from({ length: number }, (_, n) => ({
    type: "function" as const,
    function: {
      name: n === 0 ? "get_weather" : `look_up_${n}`,
      description: "Says what the weather of a city is now, or was on a day of the last year.",
      parameters: {
        type: "object",
        properties: { city: { type: "string", description: "The city's name." } },
        required: ["city"],
      },
    },
  }));
}

interface Wishes {
  readonly said?: string;
  readonly stream: boolean;
  readonly tools?: number;
  readonly required?: boolean;
  readonly headers?: Record<string, string>;
}

async function ask(
  gateway: RunningGateway,
  { stream, tools = 5, required, headers = {}, said = "How warm is it in Oslo?" }: Wishes,
) {
  const request = {
    model: "m",
    messages: [{ role: "user" as const, content: said }],
    tools: toolsOf(tools),
    ...(required && { tool_choice: "required" as const }),
  };
  const { completions } = gateway.client().chat;
  const answer = stream
    ? await completions.stream(request, { headers }).finalChatCompletion()
    : await completions.create(request, { headers });
  const message = answer.choices[0]?.message;
  const calls = (message?.tool_calls ?? []).map((call) => (call.type === "function" ? call.function.name : ""));
  return { content: message?.content ?? "", calls, answer };
}

async function shownOf(gateway: RunningGateway): Promise<JsonObject> {
  const response = await fetch(`${gateway.url}/v1/models/m`);
  return ((await response.json()) as { readonly postel: JsonObject }).postel;
}

function modesOf({ requests }: FakeUpstream): readonly string[] {
  return requests
    .filter(({ path }) => path.endsWith("/chat/completions"))
    .map(({ body }) => (body.tools ? "native" : "text"));
}

const FEW = { prompt_tokens: 31, completion_tokens: 12 };
const TEXT_BY_EVIDENCE = { tool_mode: "text", source: { tools: "evidence" } };

describe("an upstream that drops the tools", () => {
  it("is asked again in text, and from then on at once", async () => {
    const { gateway, upstream } = await serve({ content: INVENTED, usage: FEW });
    const first = await ask(gateway, { stream: false });
    expect([first.content, first.calls]).toEqual(["", ["get_weather"]]);
    expect(first.answer).toMatchObject({ postel: { tool_mode: "text", attempts: 2, retries: 1 } });
    await ask(gateway, { stream: true });
    expect(modesOf(upstream)).toEqual(["native", "text", "text"]);
    expect(await shownOf(gateway)).toMatchObject(TEXT_BY_EVIDENCE);
  });

  it("is not what a server is whose count cannot hold the messages either: of such a count nothing is concluded", async () => {
    const { gateway, upstream } = await serve({ content: INVENTED, usage: FEW });
    const said = `${"The weather of a city is told by its name. ".repeat(10)}How warm is it in Oslo?`;
    expect(await ask(gateway, { stream: false, said })).toMatchObject({ content: INVENTED });
    expect(modesOf(upstream)).toEqual(["native"]);
  });

  it("is found behind a long run of one character too, which can be a single token", async () => {
    const { gateway, upstream } = await serve({ content: INVENTED, usage: FEW });
    const said = `${"=".repeat(5_000)} How warm is it in Oslo? ${" ".repeat(5_000)}`;
    expect(await ask(gateway, { stream: false, said })).toMatchObject({ content: "", calls: ["get_weather"] });
    expect(modesOf(upstream)).toEqual(["native", "text"]);
  });

  it("has its words stand where they have left in a stream, and is asked in text the next time", async () => {
    const { gateway, upstream } = await serve({ content: INVENTED, usage: FEW });
    expect(await ask(gateway, { stream: true })).toMatchObject({ content: INVENTED, calls: [] });
    expect(await ask(gateway, { stream: true })).toMatchObject({ content: "", calls: ["get_weather"] });
    expect(modesOf(upstream)).toEqual(["native", "text"]);
  });

  it("is asked in text for a call that was required, whatever words have left", async () => {
    const { gateway, upstream } = await serve({ content: INVENTED, usage: FEW });
    expect(await ask(gateway, { stream: true, required: true })).toMatchObject({ calls: ["get_weather"] });
    expect(modesOf(upstream)).toEqual(["native", "text"]);
  });

  it("is asked in text in a stream too where nothing has left", async () => {
    const { gateway, upstream } = await serve({ content: "", usage: FEW });
    expect(await ask(gateway, { stream: true })).toMatchObject({ content: "", calls: ["get_weather"] });
    expect(modesOf(upstream)).toEqual(["native", "text"]);
  });

  it("is not asked otherwise where the caller pinned the mode", async () => {
    const { gateway, upstream } = await serve({ content: INVENTED, usage: FEW });
    const headers = { "x-postel-tool-mode": "native" };
    expect(await ask(gateway, { stream: false, headers })).toMatchObject({ content: INVENTED, calls: [] });
    expect(modesOf(upstream)).toEqual(["native"]);
  });
});

it("a recording is not held to the tokens that another prompt had", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postel-counted-"));
  open.push({ close: async () => rmSync(folder, { recursive: true }) });
  const recording = readFileSync("fixtures/transcripts/plain-answer.jsonl", "utf8");
  writeFileSync(join(folder, "m.jsonl"), recording.replace(/(prompt_tokens\\":)\d+/, "$131"));
  const upstreams = [{ type: "recorded", id: "recorded", transcripts: folder }] as const;
  const gateway = await startGateway({ config: { ...configFor("http://unused.invalid/v1"), upstreams } });
  open.push(gateway);
  const { answer } = await ask(gateway, { stream: false });
  expect(answer).toMatchObject({ usage: { prompt_tokens: 31 }, postel: { tool_mode: "native", attempts: 1 } });
});

describe.each([true, false])("an answer without a call is an answer (stream: %s)", (stream) => {
  const called = {
    index: 0,
    id: "c1",
    type: "function",
    function: { name: "get_weather", arguments: '{"city":"Oslo"}' },
  };

  it.each<[string, Said, number]>([
    ["that counts enough tokens", { content: INVENTED, usage: { prompt_tokens: 400, completion_tokens: 12 } }, 5],
    ["that counts nothing", { content: INVENTED }, 5],
    ["that counts none", { content: INVENTED, usage: { prompt_tokens: 0, completion_tokens: 12 } }, 5],
    [
      "that counts what was cached apart",
      { content: INVENTED, usage: { ...FEW, prompt_tokens_details: { cached_tokens: 380 } } },
      5,
    ],
    ["that was shown few tools", { content: INVENTED, usage: FEW }, 1],
    ["that calls a tool", { content: "", toolCalls: [called], usage: FEW }, 5],
    ["that leaks a call", { content: `Well: ${CALL}`, usage: FEW }, 5],
  ])("where it comes from an upstream %s", async (_, said, tools) => {
    const { gateway, upstream } = await serve(said);
    await ask(gateway, { stream, tools });
    expect(modesOf(upstream)).toEqual(["native"]);
    expect(await shownOf(gateway)).toMatchObject({ tool_mode: "native", source: { tools: "default" } });
  });
});

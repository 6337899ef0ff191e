// `n` answers to one request, each a turn of its own: the official client, and upstreams that answer each question in their own time.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import type { Config } from "../../../src/core/config/configuration.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import { delta, events, FakeUpstream, stream, type UpstreamRequest } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

type Answer = (response: ServerResponse, received: UpstreamRequest, question: number) => unknown;

let upstream: FakeUpstream;
let gateway: RunningGateway;
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

async function start(
  answer: Answer,
  more: (config: Config) => Partial<Config> = () => ({}),
  recordTo?: string,
): Promise<void> {
  let questions = 0;
  upstream = await FakeUpstream.start((received, response) => {
    const question = questions;
    questions += 1;
    return answer(response, received, question);
  });
  const config = configFor(upstream.baseUrl);
  gateway = await startGateway({ config: { ...config, ...more(config) }, recordTo });
}

const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };

function answered(text: string): JsonObject[] {
  return [delta({ role: "assistant", content: text }), { ...delta({}, "stop"), usage }];
}

const says = (text: string) => stream(events(...answered(text)));
const LETTERS = ["a", "b", "c", "d"];
const letter: Answer = (response, received, question) => says(LETTERS[question] ?? "?")(received, response);
const messages = [{ role: "user" as const, content: "Say something." }];
const ASK: OpenAI.ChatCompletionCreateParamsNonStreaming = { model: "m", messages, n: 3 };

/** Resolves once so many have come to it. */
function meeting(of: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    come += 1;
    if (come >= of) all.resolve();
    return all.promise;
  };
}

describe("n answers to one request", () => {
  it("are choices of one answer, each with its index, and cost what all of them cost", async () => {
    await start(letter);
    const answer = await gateway.client().chat.completions.create(ASK);
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(answer.choices.map(({ message }) => message.content).sort()).toEqual(["a", "b", "c"]);
    expect(answer.usage).toMatchObject({ prompt_tokens: 30, completion_tokens: 6, total_tokens: 36 });
    expect(answer).toMatchObject({ postel: { attempts: 3 } });
  });

  it("come interleaved in a stream, each under its index, with one usage and one end", async () => {
    const together = meeting(3);
    await start(async (response, _received, question) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(delta({ role: "assistant", content: `${LETTERS[question]}1 ` }))}\n\n`);
      // None of them could end if they were asked for one after the other.
      await together();
      response.end(events(...answered(`${LETTERS[question]}2`)));
    });
    const body = { ...ASK, stream: true, stream_options: { include_usage: true } };
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const data = (await response.text())
      .split("\n\n")
      .flatMap((event) => (event.startsWith("data: ") ? [event.slice(6)] : []));
    expect(data.filter((text) => text === "[DONE]")).toHaveLength(1);
    const chunks = data.slice(0, -1).map((text) => JSON.parse(text) as OpenAI.ChatCompletionChunk);
    const of = (index: number) => chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index));
    const texts = [0, 1, 2].map((index) =>
      of(index)
        .map((choice) => choice.delta.content ?? "")
        .join(""),
    );
    expect(texts.sort()).toEqual(["a1 a2", "b1 b2", "c1 c2"]);
    for (const index of [0, 1, 2]) {
      expect(of(index).filter((choice) => choice.delta.role === "assistant")).toHaveLength(1);
      expect(
        of(index)
          .map((choice) => choice.finish_reason)
          .filter(Boolean),
      ).toEqual(["stop"]);
    }
    expect(chunks.flatMap((chunk) => chunk.usage?.total_tokens ?? [])).toEqual([36]);
    expect(chunks.filter((chunk) => "postel" in chunk)).toHaveLength(1);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it("are put together by the official client, calls too", async () => {
    await start((response, received, question) =>
      says(`<tool_call>{"name": "look", "arguments": {"at": "${LETTERS[question]}"}}</tool_call>`)(received, response),
    );
    const tools = [
      {
        type: "function" as const,
        function: { name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } },
      },
    ];
    const { choices } = await gateway
      .client()
      .chat.completions.stream({ ...ASK, tools, stream: true })
      .finalChatCompletion();
    expect(choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual(
      [0, 1, 2].map((index) => [index, "tool_calls"]),
    );
    const given = choices.flatMap(
      ({ message }) => message.tool_calls?.map((call) => call.type === "function" && call.function.arguments) ?? [],
    );
    expect(given.sort()).toEqual(["a", "b", "c"].map((at) => `{"at": "${at}"}`));
  });

  it("have seeds of their own where one is given, or all would be the same", async () => {
    await start(letter);
    await gateway.client().chat.completions.create({ ...ASK, seed: 7 });
    expect(upstream.requests.map(({ body }) => body.seed).sort()).toEqual([7, 8, 9]);
    expect(upstream.requests.some(({ body }) => "n" in body)).toBe(false);
  });

  it("are no answer where one of them fails: its failure is theirs, and the others are stopped", async () => {
    const left = Promise.withResolvers<void>();
    await start((response, received, question) => {
      if (question === 1) {
        response.writeHead(500, { "content-type": "application/json" }).end('{"error": {"message": "Out of memory."}}');
      } else if (question === 2) response.once("close", () => left.resolve());
      else return says("a")(received, response);
      return undefined;
    });
    await expect(gateway.client().chat.completions.create(ASK)).rejects.toMatchObject({
      status: 502,
      code: "upstream_error",
    });
    await left.promise;
  });

  it("end a stream with the failure of one of them, and without [DONE]", async () => {
    const begun = Promise.withResolvers<void>();
    await start(async (response, _received, question) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (question === 0)
        return void response.write(`data: ${JSON.stringify(delta({ content: "Half" }))}\n\n`, () => begun.resolve());
      if (question === 1) {
        await begun.promise;
        response.write(`data: ${JSON.stringify(delta({ content: "An" }))}\n\n`, () => response.destroy());
      }
    });
    const body = JSON.stringify({ ...ASK, stream: true });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const text = await response.text();
    expect(text).toContain('data: {"error":{"code":"upstream_');
    expect(text).not.toContain("[DONE]");
  });

  it("are all stopped where the client leaves", async () => {
    const asked = meeting(3);
    const left = meeting(3);
    await start((response) => {
      void asked();
      response.once("close", () => void left());
    });
    const controller = new AbortController();
    const request = gateway.client().chat.completions.create(ASK, { signal: controller.signal });
    const gone = request.catch(() => "gone");
    await asked().then(() => undefined);
    controller.abort();
    expect(await gone).toBe("gone");
    await left();
  });

  it("take no more places than the gateway has: the rest follow when one is free", async () => {
    let now = 0;
    let most = 0;
    await start(
      async (response, received, question) => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return letter(response, received, question);
      },
      ({ server }) => ({ server: { ...server, maxInFlight: 2 } }),
    );
    const { choices } = await gateway.client().chat.completions.create({ ...ASK, n: 4 });
    expect(choices.map(({ message }) => message.content).sort()).toEqual(LETTERS);
    expect(most).toBeLessThanOrEqual(2);
    // All places are free again.
    await gateway.client().chat.completions.create({ ...ASK, n: 2 });
  });

  it("are recorded as a request each, which a replay can ask", async () => {
    const folder = await mkdtemp(join(tmpdir(), "choices-"));
    await start(letter, undefined, folder);
    await gateway.client().chat.completions.create({ ...ASK, n: 2, seed: 7 });
    await gateway.close();
    const files = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
    const headers = await Promise.all(
      files.map(async (name) => JSON.parse((await readFile(join(folder, name), "utf8")).split("\n")[0] ?? "")),
    );
    expect(headers.map(({ request }) => [request.body.n, request.body.seed]).sort()).toEqual([
      [1, 7],
      [1, 8],
    ]);
    await rm(folder, { recursive: true });
    gateway = await startGateway({ config: configFor(upstream.baseUrl) });
  });

  it("are not given by a run, which has one", async () => {
    await start(letter);
    const asked = gateway.client("/v1/agent").chat.completions.create({ ...ASK, n: 2 });
    await expect(asked).rejects.toMatchObject({ status: 400, code: "unsupported_parameter", param: "n" });
  });
});

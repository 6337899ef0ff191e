// A chat completion is told as the run of one turn that it is: asked as a completion and as such a run, a model's answer comes to the same events.

import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createRunState } from "../../../src/agents/planning/createRunState.ts";
import { NO_JOURNAL } from "../../../src/agents/run/Journal.ts";
import type { EventSink } from "../../../src/core/events/EventSink.ts";
import type { RunEvent } from "../../../src/core/events/events.ts";
import type { ChatRequest } from "../../../src/core/requests.ts";
import { chat } from "../../support/agents/gateway.ts";
import { chunk, FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";
import { type GatewayServices, openServices } from "../../support/gatewayModules.ts";
import { LIGHTHOUSE, modelTexts } from "../../support/modelTexts.ts";
import { configFor } from "../../support/startGateway.ts";

type Play = (response: ServerResponse) => void;

/** What somebody who reads does: leaves, or has enough, when so many events have come. */
interface Reader {
  readonly leavesAt?: number;
  readonly enoughAt?: number;
}

let upstream: FakeUpstream;
let testGateway: GatewayServices;
let play: Play;
let observed: RunEvent[];

beforeAll(async () => {
  upstream = await FakeUpstream.start((_, response) => play(response));
  testGateway = await openServices(configFor(upstream.baseUrl), {
    observers: [{ observe: (seen) => void (seen.type === "run-event" && observed.push(seen.event)) }],
  });
});

afterAll(async () => {
  await testGateway.close();
  await upstream.close();
});

/** As a completion, and as the run of one turn. */
const WAYS = {
  completion: (request: ChatRequest, signal: AbortSignal, take: EventSink<RunEvent>) =>
    testGateway.runner.complete(request, signal, take),
  run: (request: ChatRequest, signal: AbortSignal, take: EventSink<RunEvent>) =>
    testGateway.runner.proceed(
      { ...createRunState(request, "", request.messages), maxTurns: 1 },
      { journal: NO_JOURNAL },
      signal,
      (events) => take(events.filter(({ type }) => type !== "run-start" && type !== "run-end")),
    ),
};

async function told(way: keyof typeof WAYS, request: ChatRequest, { leavesAt, enoughAt }: Reader) {
  observed = [];
  const caller = new AbortController();
  const heard: RunEvent[] = [];
  const before = upstream.requests.length;
  await WAYS[way](request, caller.signal, (events) => {
    heard.push(...events);
    if (leavesAt !== undefined && heard.length >= leavesAt) caller.abort();
    return enoughAt !== undefined && heard.length >= enoughAt ? "enough" : undefined;
  });
  // Ids of calls are drawn anew for each answer.
  const drawn = (events: readonly RunEvent[]): unknown =>
    JSON.parse(JSON.stringify(events).replaceAll(/"(id|callId)":"[A-Za-z0-9]{9}"/g, '"$1":"drawn"'));
  return { heard: drawn(heard), observed: drawn(observed), asked: upstream.requests.length - before };
}

async function toldAlike(request: Partial<ChatRequest>, reader: Reader = {}) {
  const asked = chat({ tools: LIGHTHOUSE, ...request });
  const completion = await told("completion", asked, reader);
  expect(completion).toEqual(await told("run", asked, reader));
  return completion;
}

/** Each piece in a read of its own, as far as a turn of the loop parts them. */
function streaming(...pieces: readonly string[]): Play {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end("data: [DONE]\n\n");
  };
}

/** All of it in one read. */
function atOnce(...pieces: readonly string[]): Play {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${pieces.join("")}data: [DONE]\n\n`);
  };
}

function delta(fields: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })}\n\n`;
}

const CALL = { index: 0, id: "c1", type: "function", function: { name: "set_lamp", arguments: '{"colour":"red"}' } };
const WORDS = [chunk("High water "), chunk("is at nine.")];
const HORN = [delta({ reasoning_content: "The horn.", mood: "calm" }), delta({ tool_calls: [CALL] }, "tool_calls")];
const SCHEMA = { type: "object", properties: { at: { type: "integer" } }, required: ["at"] };

describe.each([{ stream: true }, { stream: false }])("a completion whose stream is $stream", ({ stream }) => {
  it.each<{ readonly name: string; readonly play: Play; readonly asked?: Partial<ChatRequest>; readonly by?: Reader }>([
    { name: "words", play: streaming(...WORDS, chunk("", "stop")) },
    { name: "words that were cut", play: streaming(...WORDS, chunk("", "length")) },
    { name: "words up to a stop text", play: streaming(...WORDS), asked: { sampling: { stop: [" nine"] } } },
    { name: "a call behind a thought", play: streaming(...HORN) },
    {
      name: "a call in words",
      play: streaming(chunk('<tool_call>{"name": "set_lamp", "arguments": {}}'), chunk("", "stop")),
    },
    {
      name: "a broken call, and what comes of it",
      play: streaming(chunk('<tool_call>{"name": "set'), chunk("", "stop")),
    },
    {
      name: "words where a call must be",
      play: streaming(...WORDS, chunk("", "stop")),
      asked: { toolChoice: { type: "required" } },
    },
    { name: "a call of a tool that is not allowed", play: streaming(...HORN), asked: { allowedTools: ["log-entry"] } },
    { name: "calls that pass as they came", play: streaming(...HORN), asked: { parse: "off" } },
    {
      name: "an answer in its form",
      play: streaming(chunk('{"at": '), chunk("9}", "stop")),
      asked: { tools: [], output: { type: "json_schema", name: "tide", schema: SCHEMA, strict: false } },
    },
    {
      name: "an answer in another form",
      play: streaming(...WORDS, chunk("", "stop")),
      asked: { tools: [], output: { type: "json_schema", name: "tide", schema: SCHEMA, strict: false } },
    },
    { name: "nothing", play: streaming(chunk("", "stop")) },
    { name: "a stream that breaks off", play: streaming(...WORDS) },
    { name: "a refusal", play: (response) => sendError(response, 400, "no") },
    { name: "a fault of the server", play: (response) => sendError(response, 500, "overloaded") },
    { name: "a caller who has left before the calls are told", play: atOnce(...HORN), by: { leavesAt: 1 } },
  ])("is told as its run: $name", async ({ play: asked, asked: request, by }) => {
    play = asked;
    await toldAlike({ stream, ...request }, by);
  });

  it("is told as its run, whatever a model writes", async () => {
    for (const text of fc.sample(modelTexts(6), { numRuns: 8, seed: 7_678 })) {
      play = (response) => sendText(response, text);
      await toldAlike({ stream });
    }
  }, 60_000);
});

it("is told as its run to a reader who has had enough: nothing more", async () => {
  play = atOnce(...WORDS, chunk("", "stop"));
  const { heard, observed: seen } = await toldAlike({ stream: true }, { enoughAt: 1 });
  expect(heard).not.toContainEqual(expect.objectContaining({ type: "turn-end" }));
  expect(seen).not.toContainEqual(expect.objectContaining({ type: "run-end" }));
});

it("says behind its calls what was said beside them before, as its run does", async () => {
  const call = { name: "set_lamp", arguments: '{"colour":"red"}', origin: "native", repairs: [], raw: "" };
  const history = (id: string) => [
    { role: "user" as const, content: "Where is Paris?" },
    { role: "assistant" as const, content: null, toolCalls: [{ ...call, id }] },
    { role: "tool" as const, content: "done", toolCallId: id },
  ];
  for (const [at, way] of (["completion", "run"] as const).entries()) {
    const id = `call${at}`;
    play = streaming(HORN.join("").replaceAll('"c1"', JSON.stringify(id)));
    await told(way, chat({ tools: LIGHTHOUSE }), {});
    play = streaming(...WORDS, chunk("", "stop"));
    await told(way, chat({ tools: LIGHTHOUSE, messages: history(id) }), {});
    expect(upstream.requests.at(-1)?.body).toMatchObject({ messages: [{}, { mood: "calm" }, {}] });
  }
});

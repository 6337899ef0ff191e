// Answers that are words alone are told without a run's work: a client, and whoever observes, gets what the run would have given, whatever the upstream sends.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { RunEvent } from "../../../src/core/events/events.ts";
import { createHttpServer, openServices } from "../../support/gatewayModules.ts";
import { LIGHTHOUSE, modelTexts } from "../../support/modelTexts.ts";
import { chunk, configFor, type FakeUpstream, sendError, sendText, startUpstream } from "../../support/startGateway.ts";

const TOOLS = LIGHTHOUSE.map(({ name, parameters }) => ({ type: "function", function: { name, parameters } }));
const USAGE = { prompt_tokens: 900, completion_tokens: 7, total_tokens: 907 };

type Play = (response: ServerResponse) => void;

/** The gateway, whose completions are told as they may be, or by their runs alone. */
interface Door {
  readonly url: string;
  /** The run's events of the last request, in their order. */
  events: RunEvent[];
  /** What else was observed of it. */
  beside: string[];
  close(): Promise<void>;
}

let upstream: FakeUpstream;
let play: Play;
let doors: { readonly plain: Door; readonly run: Door };

async function open(byRun: boolean): Promise<Door> {
  const door: Pick<Door, "events" | "beside"> = { events: [], beside: [] };
  const observe = (seen: { readonly type: string; readonly event?: RunEvent }): void => {
    if (seen.event) door.events.push(seen.event);
    else if (seen.type !== "request") door.beside.push(seen.type);
  };
  const testGateway = await openServices(configFor(upstream.baseUrl), { observers: [{ observe }] });
  // A list of what is allowed, which a run alone heeds, and which allows all.
  const complete: typeof testGateway.runner.complete = (request, signal, take) =>
    testGateway.runner.complete(
      { ...request, ...(byRun && { allowedTools: request.tools.map(({ name }) => name) }) },
      signal,
      take,
    );
  const clock = { ...testGateway.clock, now: () => 1_700_000_000_000 };
  const ids = { ...testGateway.ids, requestId: () => "same" };
  const stopping = new AbortController().signal;
  const server = createHttpServer({
    ...testGateway,
    runner: { ...testGateway.runner, complete },
    clock,
    ids,
    stopping,
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return Object.assign(door, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await testGateway.close();
    },
  });
}

beforeAll(async () => {
  upstream = await startUpstream((_, response) => play(response));
  doors = { plain: await open(false), run: await open(true) };
});

afterAll(async () => {
  await Promise.all([doors.plain.close(), doors.run.close()]);
  await upstream.close();
});

async function answer(door: Door, request: object): Promise<unknown> {
  Object.assign(door, { events: [], beside: [] });
  const headers = { "content-type": "application/json", "x-postel-raw": "1" };
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "?" }], ...request });
  const response = await fetch(door.url, { method: "POST", headers, body });
  // Ids of calls are drawn anew for each answer.
  const drawn = (text: string): string => text.replaceAll(/"id":"[A-Za-z0-9]{9}"/g, '"id":"drawn"');
  const told = [...response.headers].filter(([name]) => name.startsWith("x-postel"));
  const text = drawn(await response.text());
  return {
    status: response.status,
    told,
    text,
    events: drawn(JSON.stringify(door.events)),
    beside: door.beside.sort(),
  };
}

/** The same request by both ways; how often the upstream was asked. */
async function both(asked: Play, request: object = {}): Promise<number> {
  play = asked;
  const before = upstream.requests.length;
  const told = await answer(doors.plain, request);
  const times = upstream.requests.length - before;
  expect(told).toEqual(await answer(doors.run, request));
  expect(upstream.requests.length - before).toBe(2 * times);
  return times;
}

function saying(
  message: object,
  more: { readonly finish?: string | null; readonly [field: string]: unknown } = {},
): Play {
  const { finish = "stop", ...fields } = more;
  const choices = [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: finish }];
  return (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "a", object: "chat.completion", model: "m", choices, usage: USAGE, ...fields }));
  };
}

/** The document of `saying`, sent in another way. */
function sent(message: object, send: (response: ServerResponse, document: string) => void): Play {
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }];
  const document = JSON.stringify({ id: "a", object: "chat.completion", model: "m", choices, usage: USAGE });
  return (response) => send(response, document);
}

function streaming(pieces: readonly string[], end: "end" | "reset" = "end"): Play {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (end === "end") response.end(`${chunk("", "stop")}data: [DONE]\n\n`);
    else response.destroy();
  };
}

function thought(text: string): string {
  return chunk("").replace('"content":""', `"reasoning_content":${JSON.stringify(text)}`);
}

const WORDS = { content: "High water is at nine, so leave at eight." };
const CALL = { id: "c1", type: "function", function: { name: "sound_horn", arguments: "{}" } };

it.each<{ readonly name: string; readonly play: Play; readonly request?: object }>([
  { name: "words", play: saying(WORDS) },
  {
    name: "words with fields of the upstream's own",
    play: saying({ ...WORDS, refusal: null, mood: "calm" }, { tier: 2 }),
  },
  { name: "words that were cut", play: saying(WORDS, { finish: "length" }) },
  { name: "words that were filtered", play: saying(WORDS, { finish: "content_filter" }) },
  { name: "words beside tools", play: saying(WORDS), request: { tools: TOOLS } },
  { name: "words without a count", play: saying(WORDS, { usage: undefined }) },
  { name: "words of which more came than were wanted", play: saying(WORDS), request: { max_tokens: 3 } },
  { name: "words where log-probabilities were wanted", play: saying(WORDS), request: { logprobs: true } },
  { name: "two answers", play: saying(WORDS), request: { n: 2 } },
  { name: "words where a limit was kept", play: saying(WORDS), request: { max_completion_tokens: 300 } },
  {
    name: "words and log-probabilities",
    play: saying(
      {},
      {
        choices: [
          { index: 0, message: WORDS, logprobs: { content: [{ token: "High", logprob: -1 }] }, finish_reason: "stop" },
        ],
      },
    ),
    request: { logprobs: true },
  },
  {
    name: "words in a document that comes in two parts",
    play: sent(WORDS, (response, document) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(document.slice(0, 40));
      setTimeout(() => response.end(document.slice(40)), 20);
    }),
  },
  {
    name: "words in a document that is called a stream",
    play: sent(WORDS, (response, document) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).end(document),
    ),
  },
  {
    name: "words in a document of no type, behind white space",
    play: sent(WORDS, (response, document) => response.writeHead(200).end(`\n ${document}`)),
  },
  {
    name: "words in a compressed document",
    play: sent(WORDS, (response, document) =>
      response
        .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(gzipSync(document)),
    ),
  },
  {
    name: "words of half a document",
    play: sent(WORDS, (response, document) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": document.length });
      response.write(document.slice(0, -30));
      setTimeout(() => response.destroy(), 20);
    }),
  },
  { name: "words in a page", play: (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>") },
  { name: "a long answer", play: saying({ content: "High water is at nine. ".repeat(4_000) }) },
  {
    name: "parts of words",
    play: saying({
      content: [
        { type: "text", text: "At " },
        { type: "text", text: "nine." },
      ],
    }),
  },
  {
    name: "words of another choice",
    play: saying({}, { choices: [{ index: 1, message: WORDS, finish_reason: "stop" }] }),
  },
  {
    name: "one choice without a list",
    play: saying({}, { choices: { index: 0, message: WORDS, finish_reason: "stop" } }),
  },
  { name: "words that were given up", play: saying(WORDS, { finish: "error" }) },
  { name: "words without an end", play: saying(WORDS, { finish: null }) },
  { name: "words in another's word for the end", play: saying(WORDS, { finish: "end_turn" }) },
  { name: "an error in words of its own", play: saying(WORDS, { error: { message: "overloaded", code: 503 } }) },
  { name: "a count that makes no sense", play: saying(WORDS, { usage: { prompt_tokens: -1 } }) },
  { name: "words with marks in them", play: saying({ content: "<think>So.</think>\n\nAt nine. <tool_call>" }) },
  {
    name: "words that must be read",
    play: saying({ content: "Look:\n```\nset_lamp()\n```\n" }),
    request: { tools: TOOLS },
  },
  {
    name: "words where no call is allowed",
    play: saying({ content: "set_lamp(colour='red')" }),
    request: { tools: TOOLS, tool_choice: "none" },
  },
  { name: "words behind a thought", play: saying({ ...WORDS, reasoning_content: "The tide, then." }) },
  { name: "a stream where none was asked for", play: (response) => sendText(response, "At nine, or so.") },
  {
    name: "thoughts and words in turns, piece by piece, and a call",
    play: streaming([
      thought("So, "),
      thought("then."),
      chunk("At "),
      chunk("nine."),
      thought("Or?"),
      chunk(" <tool_call>"),
      chunk("{}"),
    ]),
    request: { tools: TOOLS },
  },
  { name: "a stream that breaks off behind words", play: streaming([chunk("At "), chunk("nine")], "reset") },
  {
    name: "a stream that ends in an error",
    play: streaming([chunk("At "), 'data: {"error": {"message": "gone"}}\n\n']),
  },
  { name: "a call", play: saying({ tool_calls: [CALL] }, { finish: "tool_calls" }), request: { tools: TOOLS } },
  { name: "a call behind words", play: saying({ ...WORDS, tool_calls: [CALL] }), request: { tools: TOOLS } },
  {
    name: "a call where one must be",
    play: saying({ tool_calls: [CALL] }),
    request: { tools: TOOLS, tool_choice: "required" },
  },
  { name: "a broken call", play: saying({ content: '<tool_call>{"name": "set_lamp"' }), request: { tools: TOOLS } },
  { name: "nothing", play: saying({ content: "" }) },
  { name: "nothing that can be seen", play: saying({ content: " \n" }) },
  { name: "a picture alone", play: saying({ content: "", images: [{ type: "image_url" }] }) },
  { name: "a refusal", play: (response) => sendError(response, 400, "no") },
  { name: "a fault of the server", play: (response) => sendError(response, 500, "overloaded") },
  { name: "half a document", play: (response) => void response.writeHead(200).end('{"choices": [{') },
  { name: "a connection that breaks", play: (response) => void response.destroy() },
  {
    name: "a history that must be mended",
    play: saying(WORDS),
    request: {
      messages: [
        { role: "user", content: "?" },
        { role: "assistant", content: null, tool_calls: [CALL] },
      ],
    },
  },
  {
    name: "a history that must be mended, and a call",
    play: saying({ tool_calls: [CALL] }, { finish: "tool_calls" }),
    request: {
      tools: TOOLS,
      messages: [
        { role: "tool", content: "9", tool_call_id: "x" },
        { role: "user", content: "?" },
      ],
    },
  },
])("$name: told alike", async ({ play: asked, request }) => {
  await both(asked, request);
});

it("asks the upstream no more often: once for words, and again where the run would", async () => {
  expect(await both(saying(WORDS), { tools: TOOLS })).toBe(1);
  expect(await both(saying({ content: "" }))).toBe(2);
  expect(await both(saying({ content: "<think>So.</think> At nine." }))).toBe(1);
  expect(await both(sent(WORDS, (response, document) => response.writeHead(200).end(document)))).toBe(1);
});

it("asks in text where words show that the tools were dropped", async () => {
  const described = { ...TOOLS[0]?.function, description: "Turns the lamp of the tower to a colour. ".repeat(20) };
  const dropped = saying(WORDS, { usage: { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 } });
  expect(await both(dropped, { tools: [{ type: "function", function: described }], model: "drops" })).toBe(2);
});

it("is told alike whatever a model writes", async () => {
  for (const text of fc.sample(modelTexts(6), { numRuns: 12, seed: 7_678 }))
    for (const request of [{}, { tools: TOOLS }]) await both(saying({ content: text }), request);
}, 120_000);

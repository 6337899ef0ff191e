// Words that leave before they are read: a client gets the same bytes as without, whatever the upstream sends and however it ends.

import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { TextFastLane } from "../../../src/core/events/TextFastLane.ts";
import { parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import { tokensOf } from "../../support/chunkings.ts";
import { FAST_PATHS } from "../../support/defaults.ts";
import { chunk, FakeUpstream } from "../../support/FakeUpstream.ts";
import { createHttpServer, openServices } from "../../support/gatewayModules.ts";
import { LIGHTHOUSE, modelTexts } from "../../support/modelTexts.ts";
import { configFor } from "../../support/startGateway.ts";

/** What the upstream does: writes, each in a read of its own as far as a turn of the loop parts them, and how it ends. */
interface Play {
  readonly writes: readonly string[];
  readonly end: "end" | "reset";
}

const RECORDINGS = resolve("fixtures/transcripts");
const TOOLS = LIGHTHOUSE.map(({ name, parameters }) => ({ type: "function", function: { name, parameters } }));

let upstream: FakeUpstream;
let play: Play;
let doors: { readonly ahead: Door; readonly behind: Door };

interface Door {
  readonly url: string;
  /** Words that have left ahead. */
  left(): number;
  close(): Promise<void>;
}

/** The gateway, whose requests keep their lane or lose it. */
async function open(hasLane: boolean): Promise<Door> {
  const testGateway = await openServices(configFor(upstream.baseUrl), { observers: [] });
  const stopping = new AbortController().signal;
  let left = 0;
  const counted = (lane: TextFastLane): TextFastLane => {
    const offer = lane.trySend.bind(lane);
    lane.trySend = (kind, words) => {
      const taken = offer(kind, words);
      left += taken ? words.length : 0;
      return taken;
    };
    return lane;
  };
  const complete: typeof testGateway.runner.complete = ({ ahead, ...request }, signal, take) =>
    testGateway.runner.complete({ ...request, ...(hasLane && ahead && { ahead: counted(ahead) }) }, signal, take);
  const clock = { ...testGateway.clock, now: () => 1_700_000_000_000 };
  const ids = { ...testGateway.ids, requestId: () => "same" };
  const runner = { ...testGateway.runner, complete };
  const server = createHttpServer({ ...testGateway, runner, clock, ids, stopSignal: stopping }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`,
    left: () => left,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await testGateway.close();
    },
  };
}

beforeAll(async () => {
  upstream = await FakeUpstream.start((_, response) => void act(response, play));
  doors = { ahead: await open(true), behind: await open(false) };
});

afterAll(async () => {
  await Promise.all([doors.ahead.close(), doors.behind.close()]);
  await upstream.close();
});

async function act(response: ServerResponse, { writes, end }: Play): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of writes) {
    if (response.destroyed) return;
    response.write(piece);
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  if (end === "end") response.end();
  else response.destroy();
}

/** Ids of calls are drawn anew for each answer. */
function body(text: string): string {
  return text.replaceAll(/"id":"[A-Za-z0-9]{9}"/g, '"id":"drawn"');
}

async function answer({ url }: Door, request: object): Promise<string> {
  const headers = { "content-type": "application/json" };
  const asked = JSON.stringify({ model: "m", messages: [{ role: "user", content: "?" }], stream: true, ...request });
  const response = await fetch(url, { method: "POST", headers, body: asked });
  return `${response.status} ${body(await response.text())}`;
}

/** The same request both ways; what left ahead in the first. */
async function both(asked: Play, request: object = {}): Promise<{ words: number; text: string }> {
  play = asked;
  const { ahead, behind } = doors;
  const before = ahead.left();
  const text = await answer(ahead, request);
  const words = ahead.left() - before;
  const other = await answer(behind, request);
  expect(text).toBe(other);
  return { words, text };
}

const DONE = "data: [DONE]\n\n";

function spoken(pieces: readonly string[]): Play {
  return { writes: [...pieces.map((piece) => chunk(piece)), chunk("", "stop"), DONE], end: "end" };
}

// With the fast paths switched off no word leaves ahead.
(FAST_PATHS ? describe : describe.skip)("a streamed answer whose words leave ahead", () => {
  it("has the bytes that it has without: prose, of which most words do", async () => {
    const words = tokensOf("The tide turns at six, so x < y holds and nobody waits. ".repeat(12));
    const { words: left, text } = await both(spoken(words));
    expect(left).toBeGreaterThan(words.length / 4);
    expect(text).toContain("[DONE]");
  });

  it("has them for each recorded answer, event by event as its server sent it, with tools and without", async () => {
    let left = 0;
    for (const file of readdirSync(RECORDINGS).filter((name) => name.endsWith(".jsonl"))) {
      const { exchanges } = parseTranscript(readFileSync(join(RECORDINGS, file), "utf8"), file);
      for (const { chunks, response } of exchanges) {
        if (response?.status !== 200) continue;
        const sent = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
        const recorded: Play = { writes: sent.match(/[\s\S]+?(?:\n\n|$)/g) ?? [], end: "end" };
        for (const request of [{}, { tools: TOOLS }]) left += (await both(recorded, request)).words;
      }
    }
    expect(left).toBeGreaterThan(0);
  });

  it("has them for whatever models write, in pieces of any size", async () => {
    const texts = fc.sample(fc.tuple(modelTexts(10), fc.integer({ min: 0, max: 9 })), { numRuns: 60, seed: 7_678 });
    for (const [text, size] of texts) {
      const pieces = size === 0 ? tokensOf(text) : (text.match(new RegExp(`[\\s\\S]{1,${size}}`, "gu")) ?? []);
      await both(spoken(["Well", ", then: ", ...pieces]), size % 2 === 0 ? { tools: TOOLS } : {});
    }
  });

  it("has them where the upstream breaks off, says an error, or cuts an event in two", async () => {
    const words = tokensOf("All is well on the coast tonight, and the lamp turns. ".repeat(6)).map((word) =>
      chunk(word),
    );
    const error = `data: ${JSON.stringify({ error: { message: "overloaded", code: 529 } })}\n\n`;
    const cut = chunk(" and this");
    const endings: readonly Play[] = [
      { writes: words, end: "reset" },
      { writes: words, end: "end" },
      { writes: [...words, error], end: "end" },
      { writes: [...words, cut.slice(0, 40), cut.slice(40), chunk("", "length"), DONE], end: "end" },
      { writes: [...words, chunk(" more", "stop"), ...words, DONE, ...words], end: "end" },
      { writes: [...words, ": comment\n\n", ...words, `event: error\n${error}`], end: "end" },
    ];
    for (const ending of endings) expect((await both(ending)).words).toBeGreaterThan(10);
  });

  it("has them where the model thinks in a field of its own, in turns with what it says", async () => {
    const thought = (text: string): string =>
      chunk("").replace('"content":""', `"reasoning_content":${JSON.stringify(text)}`);
    const thoughts = tokensOf("If the tide turns at six, <b> they wait; {so} be it.\nAnd then? ".repeat(5)).map(
      thought,
    );
    const words = tokensOf("They leave at six, and nobody waits for them. ".repeat(5)).map((word) => chunk(word));
    const writes = [...thoughts, ...words, ...thoughts, ...words, chunk("", "stop"), DONE];
    const { words: left, text } = await both({ writes, end: "end" });
    expect(left).toBeGreaterThan((thoughts.length + words.length) / 2);
    expect(text).toContain("reasoning_content");
    await both({ writes: thoughts.slice(0, 30), end: "reset" });
  });

  it("leaves no words ahead of a stop text, an answer in a form, or a caller who reads it whole", async () => {
    const words = tokensOf("The tide turns at six, and nobody waits. ".repeat(4));
    for (const request of [{ stop: ["nobody"] }, { response_format: { type: "json_object" } }, { n: 2 }])
      expect((await both(spoken(words), request)).words).toBe(0);
  });
});

describe("the lane of a stream", () => {
  it("takes nothing while nobody reads or nobody writes, and nothing of a piece of which one word does not pass", () => {
    const sent: string[] = [];
    const lane = new TextFastLane();
    expect(lane.trySend("text", ["a"])).toBe(false);
    lane.writer = {
      send: (_, words) => {
        sent.push(...words);
        return true;
      },
    };
    expect(lane.trySend("text", ["a"])).toBe(false);
    lane.reader = { isPlainText: (_, word) => word !== "<" };
    expect(lane.trySend("text", ["a", "<"])).toBe(false);
    expect(lane.trySend("text", ["a", "b"])).toBe(true);
    expect(sent).toEqual(["a", "b"]);
  });
});

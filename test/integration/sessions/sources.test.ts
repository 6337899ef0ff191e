// What results rest on, from a real service to POST /chat and to whoever watches the run: once each, in order, and nothing that is no source.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { HttpClientComponent } from "../../../src/core/config/components.ts";
import { sendText } from "../../support/FakeUpstream.ts";
import { agent, send, startTalk, type Talk } from "../../support/sessions/talk.ts";

let talk: Talk;
let service: Server;
/** What the service has found, by the query. */
let found: Record<string, unknown>;

beforeEach(async () => {
  service = createServer((request, response) => {
    const query = new URL(request.url ?? "", "http://service").searchParams.get("q") ?? "";
    response.end(JSON.stringify({ text: `about ${query}`, ...(query in found && { results: found[query] }) }));
  });
  await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
});
afterEach(async () => {
  await talk.close();
  service.closeAllConnections();
  await new Promise((closed) => service.close(closed));
});

/** A model that searches for each of these, then answers. */
async function start(...queries: readonly string[]): Promise<void> {
  const { port } = service.address() as AddressInfo;
  const search: HttpClientComponent = {
    type: "http-client",
    id: "search",
    description: "Search.",
    baseUrl: `http://127.0.0.1:${port}`,
    headers: { "x-key": "k3y-of-the-house" },
    actions: [
      {
        id: "find",
        tool: "search",
        method: "GET",
        path: "/?q=${input.query}",
        params: {},
        output: "${response.text}",
        sources: "${response.results}",
      },
    ],
  };
  const calls = queries.map(
    (query) => `<tool_call>${JSON.stringify({ name: "search", arguments: { query } })}</tool_call>`,
  );
  talk = await startTalk(
    (request, response) => {
      const isDone = request.body.messages.some(({ role }) => role === "tool");
      sendText(response, isDone ? "Found." : `So.\n${calls.join("")}`);
    },
    () => ({ components: [search], agents: [agent({ tool: "search" })] }),
  );
}

const ask = async () =>
  (await send(`${talk.url}/chat`, "POST", { session_id: "s", question: "go", mode: "agent" })).body;

describe("the sources of an answer", () => {
  it("are those of its calls in their order, what two of them name only once", async () => {
    const tides = { title: "Tides", url: "https://example.org/tides", rank: 1 };
    found = { one: [tides, { id: "doc-7" }], two: [{ title: "Moon", url: "http://example.org/moon" }, tides] };
    await start("one", "two");
    expect(await ask()).toMatchObject({
      answer: expect.stringContaining("Found."),
      sources: [
        { tool: "search", title: "Tides", url: "https://example.org/tides" },
        { tool: "search", id: "doc-7" },
        { tool: "search", title: "Moon", url: "http://example.org/moon" },
      ],
    });
    expect(talk.said().filter(({ role }) => role === "tool")).toMatchObject([
      { content: "about one" },
      { content: "about two" },
    ]);
  });

  it("are texts and web addresses, whatever a hostile service says", async () => {
    found = {
      one: [
        { title: { toString: "x" }, url: 7, id: ["a"] },
        { title: "script", url: "javascript:alert(1)" },
        { title: "hidden", url: " java\nscript:alert(1)" },
        { title: "file", url: "file:///etc/passwd" },
        { title: "x".repeat(1_001), id: "long title" },
        { title: "key", url: "https://example.org/?k=k3y-of-the-house" },
        "https://example.org/bare",
        null,
        { __proto__: { title: "inherited" }, tool: "calculator", url: "https://example.org/last" },
      ],
    };
    await start("one");
    const { sources } = await ask();
    expect(sources).toEqual([
      { tool: "search", title: "script" },
      { tool: "search", title: "hidden" },
      { tool: "search", title: "file" },
      { tool: "search", id: "long title" },
      { tool: "search", title: "key", url: expect.not.stringContaining("k3y-of-the-house") },
      { tool: "search", url: "https://example.org/last" },
    ]);
  });

  it("are at most fifty of a result, and none where the service names no list", async () => {
    found = { one: Array.from({ length: 60 }, (_, n) => ({ id: `n${n}` })), two: { title: "no list" } };
    await start("one", "two", "three");
    const body = await ask();
    expect(body.sources).toHaveLength(50);
    expect(body.sources.at(-1)).toEqual({ tool: "search", id: "n49" });
    expect(body.answer).toContain("Found.");
  });

  it("are told with the result to whoever watches the run", async () => {
    found = { one: [{ title: "Tides", url: "https://example.org/tides" }] };
    await start("one");
    await ask();
    const [run] = (await send(`${talk.url}/v1/agent/runs`, "GET")).body.data;
    const events = await fetch(`${talk.url}/v1/agent/runs/${run.id}/events`, {
      headers: { authorization: "Bearer ada" },
    });
    const results = (await events.text()).split("\n").filter((line) => line.includes('"tool-result"'));
    expect(results).toEqual([expect.stringContaining('"sources":[{"title":"Tides"')]);
  });
});

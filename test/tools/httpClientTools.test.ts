// An HTTP service as a tool, against a real server on the loopback.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { HttpActionConfig, HttpClientComponent } from "../../src/core/components.ts";
import type { JsonObject, JsonValue } from "../../src/core/messages.ts";
import type { Egress, EgressRequest } from "../../src/core/ports.ts";
import { matchesSchema } from "../../src/formats/fitting/matchesSchema.ts";
import { httpClientTools } from "../../src/tools/httpClientTools.ts";
import type { Tool } from "../../src/tools/Tool.ts";
import { contextOf } from "./toolFixtures.ts";

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let server: Server;
let seen: Seen[] = [];
let sent: EgressRequest[] = [];
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  seen = [];
  sent = [];
  answer = (response) => response.end('{"results":[{"title":"one"}],"n":2}');
  server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
    answer(response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const egress: Egress = {
  async send(request, signal) {
    sent.push(request);
    const { method, url, headers, body } = request;
    const response = await fetch(url, {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(body !== undefined && { body }),
    });
    const empty: AsyncIterable<Uint8Array> = (async function* () {})();
    return { status: response.status, headers: Object.fromEntries(response.headers), body: response.body ?? empty };
  },
};

function toolOf(action: Partial<HttpActionConfig>, component: Partial<HttpClientComponent> = {}): Tool {
  const { port } = server.address() as AddressInfo;
  const [tool] = httpClientTools(
    {
      type: "http-client",
      id: "svc",
      description: "A service.",
      baseUrl: `http://127.0.0.1:${port}/v1`,
      headers: {},
      actions: [{ id: "a", tool: "svc", method: "GET", path: "/x", params: {}, ...action }],
      ...component,
    },
    { egress, headersMs: 1_234, redact: (text) => text, matches: matchesSchema },
  );
  if (!tool) throw new Error("no tool");
  return tool;
}

const run = (tool: Tool, args: JsonObject = {}) => tool.execute(args, contextOf());

describe("the parameters of an http-client tool", () => {
  it("follow from its placeholders: required without a default, of the default's type, refined by `params`", () => {
    const { spec } = toolOf({
      method: "POST",
      path: "/p/${input.id}?n=${input.n | 5}",
      body: { q: "${input.q}", deep: [{ on: "${input.on | true}", o: "${input.filter.kind}" }], s: "${input.s | 'x'}" },
      params: { q: { type: "array", items: { type: "string" }, description: "Words." } },
    });
    expect(spec).toEqual({
      name: "svc",
      description: "A service.",
      parameters: {
        type: "object",
        properties: {
          id: { type: "string" },
          n: { type: "number", default: 5 },
          q: { type: "array", items: { type: "string" }, description: "Words." },
          on: { type: "boolean", default: true },
          filter: { type: "object" },
          s: { type: "string", default: "x" },
        },
        required: ["id", "q", "filter"],
        additionalProperties: false,
      },
    });
  });
});

describe("the request of an http-client tool", () => {
  it("carries the configured headers, the run, and values with their types", async () => {
    const tool = toolOf(
      {
        method: "POST",
        body: { q: "${input.q}", n: "${input.n | 5}", text: "about ${input.q} x${input.n | 5}", c: 1 },
      },
      { headers: { authorization: "Bearer k" } },
    );
    await run(tool, { q: ["a", { b: null }] });
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
      q: ["a", { b: null }],
      n: 5,
      text: 'about ["a",{"b":null}] x5',
      c: 1,
    });
    expect(seen[0]).toMatchObject({
      method: "POST",
      url: "/v1/x",
      headers: { authorization: "Bearer k", "content-type": "application/json" },
    });
    expect(sent[0]?.purpose).toMatchObject({
      kind: "tool",
      run: "run-1",
      repeatable: false,
      timers: { headersMs: 1_234 },
    });
    expect(sent[0]?.purpose.key).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it.each([
    ["GET", true],
    ["HEAD", true],
    ["POST", false],
    ["PUT", false],
    ["PATCH", false],
    ["DELETE", false],
  ])("of a %s says whether it may be repeated", async (method, repeatable) => {
    const tool = toolOf({ method });
    await run(tool);
    expect(tool.idempotent).toBe(repeatable);
    expect(sent[0]?.purpose.repeatable).toBe(repeatable);
  });

  it.each([
    ["a/b", "/v1/o/a%2Fb"],
    ["../admin", "/v1/o/..%2Fadmin"],
    ["a?x=1", "/v1/o/a%3Fx%3D1"],
    ["a#b", "/v1/o/a%23b"],
    ["%2e%2e", "/v1/o/%252e%252e"],
    ["a\\b", "/v1/o/a%5Cb"],
    ["é \r\n", "/v1/o/%C3%A9%20%0D%0A"],
    ["@evil.test", "/v1/o/%40evil.test"],
    ["\ud800", "/v1/o/%EF%BF%BD"],
    [7, "/v1/o/7"],
  ])("keeps the value %j one path segment", async (id, url) => {
    await run(toolOf({ path: "/o/${input.id}" }), { id });
    expect(seen.map((request) => request.url)).toEqual([url]);
  });

  it.each(["..", ".", ""])("refuses the path value %j, which no encoding can hold", async (id) => {
    await expect(run(toolOf({ path: "/o/${input.id}" }), { id })).rejects.toThrow(
      /would leave the path|must not be empty/,
    );
    await expect(run(toolOf({ path: "/o/${input.id}/x" }), { id })).rejects.toThrow();
    expect(seen).toEqual([]);
  });

  it("refuses dots that only together make a step up", async () => {
    const tool = toolOf({ path: "/o/${input.a}${input.b}/x" });
    await expect(run(tool, { a: ".", b: "." })).rejects.toThrow("would leave the path");
  });

  it("keeps a value one query value, and lets it be empty", async () => {
    const tool = toolOf({ path: "/s?q=${input.q}&n=${input.n | 3}" });
    await run(tool, { q: "a&n=9#x +" });
    await run(tool, { q: "" });
    await run(tool, { q: ".." });
    expect(seen.map((request) => request.url)).toEqual([
      "/v1/s?q=a%26n%3D9%23x%20%2B&n=3",
      "/v1/s?q=&n=3",
      "/v1/s?q=..&n=3",
    ]);
  });

  it("never reads a placeholder in a value", async () => {
    await run(toolOf({ method: "POST", body: { q: "${input.q}", t: "a ${input.q}" } }), { q: "${input.secret}" });
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ q: "${input.secret}", t: "a ${input.secret}" });
  });

  it("is not sent while a value is missing, prototype names included", async () => {
    await expect(run(toolOf({ path: "/o/${input.constructor}" }))).rejects.toThrow(
      "${input.constructor} has no value.",
    );
    await expect(run(toolOf({ method: "POST", body: "${input.a.b}" }), { a: {} })).rejects.toThrow("has no value");
    expect(seen).toEqual([]);
  });
});

describe("the answer of an http-client tool", () => {
  it.each<[string | undefined, JsonValue]>([
    [undefined, { results: [{ title: "one" }], n: 2 }],
    ["${response}", { results: [{ title: "one" }], n: 2 }],
    ["${response.results}", [{ title: "one" }]],
    ["${response.results.0.title}", "one"],
    ["${response.n} found: ${response.results.0.title}", "2 found: one"],
    ["${response.nothing | none}", "none"],
  ])("through the output template %p is %j", async (output, expected) => {
    expect(await run(toolOf({ output }))).toEqual(expected);
  });

  it("is its text where it is no JSON", async () => {
    answer = (response) => response.end("plain words");
    expect(await run(toolOf({}))).toBe("plain words");
    await expect(run(toolOf({ output: "${response.a}" }))).rejects.toThrow("${response.a} has no value.");
  });

  it.each([400, 404, 500, 503])("of status %d is an error with the status and a short body", async (status) => {
    answer = (response) => response.writeHead(status).end(`{"error":"${"x".repeat(5_000)}"}`);
    const outcome = run(toolOf({}));
    await expect(outcome).rejects.toThrow(`the service answered with status ${status}: {"error":"xxx`);
    await expect(outcome).rejects.toThrow(/^.{1,600}$/);
  });

  it("that sends it elsewhere is an error, and nobody goes there", async () => {
    answer = (response) => response.writeHead(302, { location: "/elsewhere" }).end();
    await expect(run(toolOf({}))).rejects.toThrow("status 302");
    expect(seen).toHaveLength(1);
  });

  it("that is too long is an error, not a piece of it", async () => {
    answer = (response) => response.end("x".repeat(3 * 1024 * 1024));
    await expect(run(toolOf({}))).rejects.toThrow("longer than 2097152 bytes");
  });
});

describe("a service that does a thing once for each key", () => {
  it("is sent the same key for whatever run of a call, and its tool may run twice", async () => {
    const tool = toolOf({ method: "POST", body: {}, idempotent: true });
    await run(tool);
    await run(tool);
    expect(seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["run-1-call00001", "run-1-call00001"]);
    expect(tool.idempotent).toBe(true);
    expect(sent[0]?.purpose.repeatable).toBe(true);
  });

  it.each([
    [{ method: "POST", body: {} }, false],
    [{ method: "GET" }, true],
    [{ method: "GET", idempotent: false }, false],
  ] as const)("is sent none where it does not say so: %j", async (action, idempotent) => {
    const tool = toolOf(action);
    await run(tool);
    expect(seen[0]?.headers["idempotency-key"]).toBeUndefined();
    expect(tool.idempotent).toBe(idempotent);
  });
});

describe("what a service says", () => {
  it("counts as written by a stranger unless it is the operator's own", () => {
    expect([toolOf({}).untrusted, toolOf({ untrusted: false }).untrusted]).toEqual([true, false]);
  });

  it("has a person asked where it fits what the configuration names, and only then", async () => {
    const when = { properties: { results: { maxItems: 0 } }, required: ["results"] };
    const tool = toolOf({
      interrupts: { no_results: { when, message: "Nothing found.", suggestion: "Other words?" } },
    });
    expect(await run(tool)).toMatchObject({ n: 2 });
    answer = (response) => response.end('{"results":[]}');
    const need = { type: "no_results", question: "Nothing found.", reason: "Other words?" };
    await expect(run(tool)).rejects.toMatchObject({ name: "InterruptRaised", need });
  });
});

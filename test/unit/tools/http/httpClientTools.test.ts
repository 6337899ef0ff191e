// An HTTP service as a tool, against a real server on the loopback.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { Credentials } from "../../../../src/core/config/Credentials.ts";
import type { HttpActionConfig, HttpClientComponent } from "../../../../src/core/config/components.ts";
import type { JsonObject, JsonValue } from "../../../../src/core/messages.ts";
import type { Egress, EgressRequest } from "../../../../src/core/ports.ts";
import { matchesSchema } from "../../../../src/formats/validation/fitValue.ts";
import { createHttpClientTools } from "../../../../src/tools/http/httpClientTools.ts";
import type { Tool } from "../../../../src/tools/Tool.ts";
import { contextOf } from "../../../support/toolFixtures.ts";

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
  const [tool] = createHttpClientTools(
    {
      type: "http-client",
      id: "svc",
      description: "A service.",
      baseUrl: `http://127.0.0.1:${port}/v1`,
      headers: {},
      actions: [{ id: "a", tool: "svc", method: "GET", path: "/x", params: {}, ...action }],
      ...component,
    },
    { egress, headersMs: 1_234, redact: (text) => text, credentials: CREDENTIALS, matches: matchesSchema },
  );
  if (!tool) throw new Error("no tool");
  return tool;
}

const CREDENTIALS = new Credentials([
  ["ann", { CRM: "key-of-ann" }],
  ["bob", { CRM: "key-of-bob", OTHER: "other-of-bob" }],
]);

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

describe("the query of an http-client tool", () => {
  it("has a value of each template: lists as several, null as none, objects as JSON", async () => {
    const query = { q: "${input.q}", tag: "${input.tags}", none: null, "a b": 1, on: true, o: "${input.o}" };
    await run(toolOf({ path: "/s?fixed=1", query }), { q: "a&b=c#d", tags: ["x", "y&z"], o: { k: "=" } });
    expect(seen[0]?.url).toBe(
      "/v1/s?fixed=1&q=a%26b%3Dc%23d&tag=x&tag=y%26z&a%20b=1&on=true&o=%7B%22k%22%3A%22%3D%22%7D",
    );
  });

  it("makes parameters of its inputs, as headers and forms do", () => {
    const templates = { query: { q: "${input.q}" }, headers: { "x-h": "${input.h | 3}" }, form: { f: "${input.f}" } };
    const { spec } = toolOf({ method: "POST", ...templates }, { headers: { "x-c": "${input.c}" } });
    expect(spec.parameters).toMatchObject({
      properties: { q: { type: "string" }, h: { type: "number" }, f: { type: "string" }, c: { type: "string" } },
      required: ["q", "f", "c"],
    });
  });
});

describe("the headers of an http-client tool", () => {
  it("hold values of the call, those of the action before those of the component", async () => {
    const tool = toolOf(
      { headers: { "x-lang": "${input.lang}" } },
      { headers: { "x-lang": "en", "x-n": "n ${input.n}" } },
    );
    await run(tool, { lang: 'de; q="é"', n: 7 });
    expect(seen[0]?.headers).toMatchObject({ "x-n": "n 7" });
    expect(Buffer.from(String(seen[0]?.headers["x-lang"]), "latin1").toString("latin1")).toContain("de");
  });

  it.each(["a\r\nx-evil: 1", "a\nb", "a\u0000b", "€", "\ud83d\ude00"])(
    "are not sent with the value %j",
    async (lang) => {
      await expect(run(toolOf({ headers: { "x-lang": "${input.lang}" } }), { lang })).rejects.toThrow(
        "the value for the header x-lang has line breaks or characters that no header can hold.",
      );
      expect(sent).toEqual([]);
    },
  );
});

describe("a form of an http-client tool", () => {
  it("is sent as one, each value in its place", async () => {
    await run(toolOf({ method: "POST", form: { to: "${input.to}", n: 1 } }), { to: "a@b.test&n=9" });
    expect(seen[0]).toMatchObject({
      body: "to=a%40b.test%26n%3D9&n=1",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  });
});

describe("what an agent adds to a call", () => {
  it("is filled in and no parameter", async () => {
    const tool = toolOf({ path: "/t/${context.tenant}", query: { id: "${context.ids}", q: "${input.q}" } });
    expect(tool.spec.parameters).toMatchObject({ properties: { q: {} }, required: ["q"] });
    await tool.execute({ q: "x" }, { ...contextOf(), context: { tenant: "a/b", ids: [1, 2] } });
    expect(seen[0]?.url).toBe("/v1/t/a%2Fb?id=1&id=2&q=x");
    await expect(run(tool, { q: "x" })).rejects.toThrow("${context.tenant} has no value.");
  });
});

describe("the credentials of a run's owner", () => {
  const tool = () =>
    toolOf(
      { method: "POST", query: { k: "${owner.CRM}" }, body: { key: "${owner.CRM}" } },
      { headers: { authorization: "Bearer ${owner.CRM}" } },
    );

  it.each(["ann", "bob"])("are sent for %s and nobody else", async (owner) => {
    await tool().execute({}, { ...contextOf(), owner });
    expect(seen[0]).toMatchObject({ url: `/v1/x?k=key-of-${owner}`, body: `{"key":"key-of-${owner}"}` });
    expect(seen[0]?.headers.authorization).toBe(`Bearer key-of-${owner}`);
  });

  it("are missing before anything is sent, with what is to be done", async () => {
    const other = toolOf({ headers: { "x-key": "${owner.OTHER}" } });
    await expect(run(other)).rejects.toThrow("ann has no credential `OTHER`, so nothing was sent");
    await expect(tool().execute({}, { ...contextOf(), owner: "__proto__" })).rejects.toThrow("has no credential `CRM`");
    await expect(run(toolOf({ headers: { "x-key": "${owner.constructor}" } }))).rejects.toThrow("has no credential");
    expect(sent).toEqual([]);
  });

  it("are no parameter and in no description of the tool", () => {
    expect(JSON.stringify(tool().spec)).not.toMatch(/owner|CRM|key-of/);
  });
});

describe("a call that fails on its way", () => {
  it.each([
    [{}, undefined],
    [{ retries: 0 }, 1],
    [{ retries: 2 }, 3],
  ])("is sent so often as the action says: %j", async (action, attempts) => {
    await run(toolOf(action));
    expect(sent[0]?.purpose.attempts).toBe(attempts);
  });

  it("has the time that its action says", () => {
    expect(toolOf({ timeoutMs: 77 }).timeoutMs).toBe(77);
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

  it.each([
    ["text/plain; charset=iso-8859-1", Buffer.from("caf\xe9", "latin1"), "café"],
    ['application/json; charset="utf-16le"', Buffer.from('{"a":"é"}', "utf16le"), { a: "é" }],
    ["text/plain; charset=nobody-knows", Buffer.from("é"), "é"],
  ])("is read in the coding that %s names", async (type, bytes, expected) => {
    answer = (response) => response.writeHead(200, { "content-type": type }).end(bytes);
    expect(await run(toolOf({}))).toEqual(expected);
  });

  it("that is no text is an error that says what it is", async () => {
    answer = (response) =>
      response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0]));
    await expect(run(toolOf({}))).rejects.toThrow("is no text (its content-type is image/png)");
  });

  it.each([204, 200, 202])("of status %d without content says that it was done", async (status) => {
    answer = (response) => response.writeHead(status).end();
    expect(await run(toolOf({ output: "${response.id}" }))).toBe(`Done (status ${status}, no content).`);
  });

  it("that is an endless error is read only as far as it is shown", async () => {
    answer = (response) => {
      response.writeHead(500);
      const more = (): void => void response.write("x".repeat(65_536), () => response.destroyed || more());
      more();
    };
    await expect(run(toolOf({}))).rejects.toThrow(/status 500: x{500}$/);
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

describe("the request that a person is to agree to", () => {
  it("is the one that will be sent, without what the caller has of secrets, and with nothing unseen", async () => {
    const body = { text: "${input.text}", from: "us" };
    const tool = toolOf({ method: "POST", path: "/x/${input.id}", query: { key: "${owner.CRM}" }, body });
    const args = { id: "7 ?", text: "a\u202eb" };
    const shown = tool.effect?.(args).question ?? "";
    await tool.execute(args, { ...contextOf(), owner: "ann" });
    const [request] = sent;
    expect(shown.replace("%5Bredacted%5D", "key-of-ann").replace("\\u{202e}", "\u202e")).toBe(
      `send this request? ${request?.method} ${request?.url}\n${request?.body}`,
    );
    expect(shown).not.toContain("key-of-ann");
  });

  it("tells how much of a long body is not shown", () => {
    const tool = toolOf({ method: "POST", body: { text: "${input.text}" } });
    expect(tool.effect?.({ text: "x".repeat(5_000) }).question).toMatch(/x{900}… \(5011 characters\)$/);
  });
});

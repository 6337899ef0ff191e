import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import { CALLER_RIGHTS, type Right } from "../../../src/core/requests.ts";
import type { AppServices } from "../../../src/server/AppServices.ts";
import { suggestPath } from "../../../src/server/http/notFound.ts";
import { ROUTES } from "../../../src/server/routes.ts";
import { SERVER } from "../../support/defaults.ts";
import { ASK, errorOf, post, script, startApp, type TestApp, turnEnd, turnStart } from "../../support/testApp.ts";

const PATHS = ROUTES.map(({ path }) => path);

let app: TestApp | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

async function start(overrides: Partial<AppServices> = {}): Promise<string> {
  app = await startApp(script(turnStart, turnEnd), overrides);
  return app.url;
}

function callersLogged(): readonly (string | undefined)[] {
  return (app?.observed ?? []).flatMap((one) => (one.type === "request" ? [one.caller] : []));
}

describe("paths", () => {
  it.each([
    ["/v1/v1/chat/completions", "/v1/chat/completions"],
    ["/chat/completions", "/v1/chat/completions"],
    ["/openai/v1/chat/completions/", "/v1/chat/completions"],
    ["/agent/chat/completions", "/v1/agent/chat/completions"],
    ["/V1//models", "/v1/models"],
    ["/agent", "/v1/agent"],
    ["/completions", "/v1/completions"],
    ["/v1/audio/speech", undefined],
  ])("%s was meant to be %s", (asked, meant) => {
    expect(suggestPath(asked, PATHS)).toBe(meant);
  });

  it("answers an unknown path with an OpenAI-shaped 404 that names the right one", async () => {
    const response = await post(`${await start()}/v1/v1/chat/completions`, ASK);
    expect(response.status).toBe(404);
    expect(await errorOf(response)).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("Did you mean /v1/chat/completions?"),
    });
  });

  it("names every path that it serves where none was meant", async () => {
    const { message } = await errorOf(await post(`${await start()}/v1/audio/speech`, ASK));
    expect(message).toBe(
      "There is nothing at POST /v1/audio/speech. The gateway serves /v1/chat/completions, /v1/agent, /v1/agent/chat/completions, /v1/embeddings, /v1/completions, /v1/rerank, /v1/agent/models, /v1/agent/runs, /v1/agent/interrupts, /v1/agent/sessions, /v1/agent/memories, /v1/models, /api/workflows, /v1/parse, /health, /ready, /chat.",
    );
  });

  it.each([...Map.groupBy(ROUTES, ({ path }) => path)])(
    "takes at %s its methods, and no other",
    async (path, routes) => {
      const url = `${await start()}${path.replace("*id", "test-model")}`;
      const methods = routes.map(({ method }) => method);
      const wrong = await fetch(url, { method: "PUT" });
      expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, methods.join(", ")]);
      for (const method of methods) expect((await fetch(url, { method })).status).not.toBe(405);
    },
  );

  it.each(ROUTES)("says who may $method $path", async (route) => {
    const rights: readonly Right[] = route.probe ? [] : route.can;
    const keys = CALLER_RIGHTS.map((right) => ({
      name: right,
      can: [right],
      digest: createHash("sha256").update(right).digest("hex"),
    }));
    const url = `${await start({ server: { ...SERVER, apiKeys: keys } })}${route.path.replace("*id", "test-model")}`;
    const refused: Right[] = [];
    for (const right of CALLER_RIGHTS) {
      const answer = await fetch(url, { method: route.method, headers: { authorization: `Bearer ${right}` } });
      if (answer.status === 403) refused.push(right);
    }
    expect(refused).toEqual(route.probe ? [] : CALLER_RIGHTS.filter((right) => !rights.includes(right)));
  });

  it("answers a wrong method with 405 and Allow", async () => {
    const response = await fetch(`${await start()}/v1/chat/completions`);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await errorOf(response)).code).toBe("method_not_allowed");
  });
});

describe("who may call", () => {
  const digest = createHash("sha256").update("right-key").digest("hex");

  it("asks for a key where keys are configured, and health needs none", async () => {
    const url = await start({ server: { ...SERVER, apiKeys: [{ name: "alice", can: ["ask"], digest }] } });
    const none = await fetch(`${url}/v1/models`);
    expect([none.status, none.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(await errorOf(none)).toMatchObject({ code: "invalid_api_key", type: "invalid_request_error" });
    expect((await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
    expect((await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer right-key" } })).status).toBe(200);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("tells agents and the log who holds the key, and nobody what the key is", async () => {
    const apiKeys = ["other-key", "right-key"].map((key) => ({
      name: `holder-of-${key.slice(0, 5)}`,
      can: ["ask"] as const,
      digest: createHash("sha256").update(key).digest("hex"),
    }));
    const url = await start({ server: { ...SERVER, apiKeys } });
    for (const path of ["/v1/chat/completions", "/v1/agent"]) {
      expect((await post(`${url}${path}`, ASK, { authorization: "Bearer right-key" })).status).toBe(200);
    }
    await post(`${url}/v1/agent`, ASK, { authorization: "Bearer wrong" });
    const caller = { name: "holder-of-right", can: ["ask"] };
    expect([app?.requests[0]?.caller, app?.runs[0]?.chat.caller]).toEqual([caller, caller]);
    expect(callersLogged()).toEqual([caller.name, caller.name, undefined]);
    expect(JSON.stringify(app?.observed)).not.toContain("right-key");
  });

  it.each([false, true])(
    "calls whoever asks without keys `local` (opened to all: %s)",
    async (allowUnauthenticated) => {
      const url = await start({ server: { ...SERVER, allowUnauthenticated } });
      await post(`${url}/v1/chat/completions`, ASK, { authorization: "Bearer anything" });
      expect(app?.requests[0]?.caller).toEqual({ name: "local", can: ["ask", "decide", "admin"] });
      expect(callersLogged()).toEqual(["local"]);
    },
  );

  it("refuses a foreign Host without keys, since a rebound page would send one", async () => {
    const url = await start();
    expect(await statusWithHost(url, "evil.test")).toBe(400);
    expect(await statusWithHost(url, "127.0.0.1/v1/admin?")).toBe(400);
    expect(await statusWithHost(url, "localhost:7678")).toBe(200);
    expect(await statusWithHost(url, "[::1]:7678")).toBe(200);
  });

  it("answers to any name where the operator opened it, and to a web page only where its origin is named", async () => {
    const url = await start({
      server: { ...SERVER, allowUnauthenticated: true, corsOrigins: ["http://good.test"] },
    });
    expect(await statusWithHost(url, "postel:7678")).toBe(200);
    expect(await statusWithHost(url, "rebound.test", "http://rebound.test")).toBe(400);
    expect(await statusWithHost(url, "postel:7678", "http://good.test")).toBe(200);
  });

  it("lets configured origins in, preflight included, and no others", async () => {
    const url = await start({ server: { ...SERVER, corsOrigins: ["http://good.test"] } });
    const preflight = (origin: string) =>
      fetch(`${url}/v1/chat/completions`, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type,x-stainless-os",
        },
      });
    const good = await preflight("http://good.test");
    expect(good.status).toBe(204);
    expect(good.headers.get("access-control-allow-origin")).toBe("http://good.test");
    expect(good.headers.get("access-control-allow-headers")).toBe("content-type,x-stainless-os");
    expect((await preflight("http://evil.test")).headers.get("access-control-allow-origin")).toBeNull();
  });

  it("takes a request id that is legal and no other", async () => {
    const url = await start();
    const idOf = async (id: string) =>
      (await fetch(`${url}/health`, { headers: { "x-request-id": id } })).headers.get("x-request-id");
    expect(await idOf("abc_-9")).toBe("abc_-9");
    expect(await idOf("a b")).toBe("fresh-id");
    expect(await idOf("x".repeat(129))).toBe("fresh-id");
  });
});

describe("models", () => {
  it("lists them with what Postel knows of each", async () => {
    const list = (await (await fetch(`${await start()}/v1/models`)).json()) as { object: string; data: object[] };
    expect(list).toMatchObject({
      object: "list",
      data: [
        {
          id: "org/test-model",
          object: "model",
          owned_by: "main",
          postel: { upstream: "main", tool_mode: "native", model_row: "test-*", source: { tools: "shipped" } },
        },
      ],
    });
  });

  it("shows one by its name, slashes included, and what only a wildcard serves", async () => {
    const url = await start();
    expect(await (await fetch(`${url}/v1/models/org/test-model`)).json()).toMatchObject({ id: "org/test-model" });
    expect(await (await fetch(`${url}/v1/models/org%2Fother`)).json()).toMatchObject({
      id: "org/other",
      owned_by: "main",
    });
  });

  it("does not know a model that no upstream serves", async () => {
    const url = await start({ directory: { resolve: () => [], list: async () => [] } });
    const response = await fetch(`${url}/v1/models/none`);
    expect([response.status, (await errorOf(response)).code]).toEqual([404, "model_not_found"]);
  });

  it("lists agents as models on the agent's base URL", async () => {
    const list = await (await fetch(`${await start()}/v1/agent/models`)).json();
    expect(list).toMatchObject({ data: [{ id: "helper-agent", object: "model", postel: { tools: ["calculator"] } }] });
  });
});

describe("/v1/agent", () => {
  it("hands the run's own fields to the runner and keeps them from the upstream", async () => {
    const url = await start();
    const response = await post(`${url}/v1/agent`, {
      ...ASK,
      agent: "helper-agent",
      max_turns: 3,
      timeout_ms: 500,
      user: "u",
    });
    expect(response.status).toBe(200);
    expect(app?.runs[0]).toMatchObject({
      agent: "helper-agent",
      limits: { maxTurns: 3, timeoutMs: 500 },
      chat: { passthrough: { user: "u" } },
    });
  });

  it("hands a budget on as limits, of its minutes and `timeout_ms` the lesser", async () => {
    const budget = { tokens: 9, calls: 2, money: 0.5, minutes: 0.5 };
    await post(`${await start()}/v1/agent`, { ...ASK, timeout_ms: 60_000, budget });
    const limits = { timeoutMs: 30_000, totalTokens: 9, maxCalls: 2, maxMoney: 0.5 };
    expect(app?.runs[0]).toMatchObject({ limits });
  });

  it("refuses a budget of what it cannot count, instead of running without it", async () => {
    const response = await post(`${await start()}/v1/agent`, { ...ASK, budget: { dollars: 1 } });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ code: "invalid_request", param: "budget" });
  });

  it.each(["context"])("refuses %s, which it cannot honour", async (field) => {
    const response = await post(`${await start()}/v1/agent/chat/completions`, { ...ASK, [field]: "x" });
    expect(await errorOf(response)).toMatchObject({ code: "unsupported_parameter", param: field });
  });

  it("lets a tool choice name a tool of the gateway", async () => {
    const body = { ...ASK, tool_choice: { type: "function", function: { name: "calculator" } } };
    expect((await post(`${await start()}/v1/agent`, body)).status).toBe(200);
  });
});

describe("a gateway that is about to end", () => {
  it("refuses new work with 503 and says that it is not ready", async () => {
    const url = await start({ stopSignal: AbortSignal.abort() });
    const response = await post(`${url}/v1/chat/completions`, ASK);
    expect([response.status, (await errorOf(response)).code]).toEqual([503, "shutting_down"]);
    expect((await fetch(`${url}/ready`)).status).toBe(503);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("sends away those who wait for a place, and lets those who have one end", async () => {
    const stopping = new AbortController();
    let begun = (): void => {};
    let end = (): void => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const play = async function* () {
      yield turnStart;
      begun();
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      yield turnEnd;
    };
    app = await startApp(play, { stopSignal: stopping.signal, server: { ...SERVER, maxInFlight: 1, maxQueued: 1 } });
    const { url } = app;
    const first = post(`${url}/v1/chat/completions`, ASK);
    await running;
    const others = [1, 2].map(() => post(`${url}/v1/chat/completions`, ASK));
    expect((await errorOf(await Promise.race(others))).code).toBe("gateway_overloaded");
    stopping.abort();
    const bodies = await Promise.all(others.map(async (other) => ((await other).bodyUsed ? "" : errorOf(await other))));
    expect(bodies).toContainEqual(expect.objectContaining({ code: "shutting_down" }));
    end();
    expect((await first).status).toBe(200);
  });
});

describe("POST /v1/parse", () => {
  it("reads a text as `postel parse --jsonl` does", async () => {
    const tools = [
      {
        type: "function",
        function: { name: "get_time", parameters: { type: "object", properties: { zone: { type: "string" } } } },
      },
    ];
    const text = 'Sure. <tool_call>{"name": "get_time", "arguments": {"zone": "UTC"}}</tool_call>';
    const response = await post(`${await start()}/v1/parse`, {
      id: 7,
      chunks: [text.slice(0, 20), text.slice(20)],
      tools,
    });
    expect(await response.json()).toMatchObject({
      id: 7,
      reasoning_content: null,
      tool_calls: [{ type: "function", function: { name: "get_time", arguments: '{"zone": "UTC"}' } }],
      finish_reason: "tool_calls",
      issues: [],
    });
  });

  it("reads a text as the form that its answer is bound to, as an answer with that `response_format` is read", async () => {
    const ask = { text: 'Here you are: {"eos": "<|im_end|>",}', response_format: { type: "json_object" } };
    const answer = await (await post(`${await start()}/v1/parse`, ask)).json();
    expect(answer).toMatchObject({ content: '{"eos": "<|im_end|>"}', tool_calls: [], finish_reason: "stop" });
  });

  it("refuses a schema of `response_format` that it could not hold a text to", async () => {
    const schema = { $ref: "https://elsewhere.example/schema.json" };
    const response_format = { type: "json_schema", json_schema: { name: "o", schema } };
    const response = await post(`${await start()}/v1/parse`, { text: "{}", response_format });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: "invalid_request", param: "response_format.json_schema.schema" } },
    ]);
  });

  it("explains each stretch of the text where it is asked to", async () => {
    const text = 'Sure. <tool_call>{"name": "no_such_tool"}</tool_call>';
    const tools = [{ type: "function", function: { name: "get_time", parameters: { type: "object" } } }];
    const ask = { text, tools };
    const url = await start();
    const response = await post(`${url}/v1/parse`, { ...ask, explain: true });
    expect(((await response.json()) as { explain: unknown }).explain).toEqual([
      { at: 0, length: 6, kind: "content", text: "Sure. " },
      {
        at: 6,
        length: text.length - 6,
        kind: "issue",
        text: text.slice(6),
        family: "hermes-json",
        code: expect.any(String),
        why: expect.any(String),
      },
    ]);
    expect(await (await post(`${url}/v1/parse`, ask)).json()).not.toHaveProperty("explain");
  });

  it("explains a quarter of a megabyte, and no more", async () => {
    const url = await start({ server: { ...SERVER, maxBodyBytes: 1_000_000 } });
    const [most, text, chunks] = await Promise.all([
      post(`${url}/v1/parse`, { text: "x".repeat(262_144), explain: true }),
      post(`${url}/v1/parse`, { text: "x".repeat(262_145), explain: true }),
      post(`${url}/v1/parse`, { chunks: ["x", "x".repeat(262_144)], explain: true }),
    ]);
    expect(most.status).toBe(200);
    expect(text.status).toBe(400);
    expect(await errorOf(text)).toMatchObject({ code: "invalid_request", param: "explain" });
    expect(chunks.status).toBe(400);
    const unexplained = await post(`${url}/v1/parse`, { text: "x".repeat(262_145) });
    expect(unexplained.status).toBe(200);
  });

  it("names the field that is wrong", async () => {
    const response = await post(`${await start()}/v1/parse`, { text: 5 });
    expect(await errorOf(response)).toMatchObject({ code: "invalid_request", param: "text" });
  });
});

/** `fetch` does not let a Host header be set. */
function statusWithHost(url: string, host: string, origin?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    httpRequest(`${url}/v1/models`, { headers: { host, ...(origin && { origin }) } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

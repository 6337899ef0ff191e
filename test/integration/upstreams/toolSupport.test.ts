// Servers that say of themselves whether their model's template takes tools: asked once, in time, and believed where they say no.
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { Config } from "../../../src/core/config/configuration.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import { delta, events, FakeUpstream, sendError, type UpstreamRequest } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** What is there beside the OpenAI wire, by its path without the query. */
type Beside = Readonly<Record<string, (response: ServerResponse, request: UpstreamRequest) => void>>;

async function serve(beside: Beside, change: (config: Config) => Config = (config) => config) {
  const upstream = await FakeUpstream.start(
    (request, response) => {
      const path = request.path.split("?")[0] ?? "";
      if (beside[path]) return beside[path](response, request);
      if (path === "/v1/models") return json({ object: "list", data: [] })(response);
      if (path !== "/v1/chat/completions") return sendError(response, 404, "File Not Found");
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(events(delta({ content: "Fine." }), delta({}, "stop")));
    },
    { all: true },
  );
  const gateway = await startGateway({ config: change(configFor(upstream.baseUrl)) });
  opened.push(upstream, gateway);
  return { upstream, gateway };
}

function json(body: JsonObject): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
}

const props = (supports: boolean) =>
  json({
    default_generation_settings: { n_ctx: 8192 },
    total_slots: 1,
    chat_template: "{{ messages }}",
    chat_template_caps: { supports_system_role: true, supports_tool_calls: supports, supports_tools: supports },
  });
const show = (...capabilities: readonly string[]) =>
  json({
    template: "{{ .Prompt }}",
    details: { family: "x" },
    model_info: { "general.architecture": "x" },
    capabilities,
  });

const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];

async function ask(gateway: RunningGateway, body: JsonObject, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], tools, ...body }),
  });
  await response.text();
  return response.status;
}

function questions({ requests }: FakeUpstream): readonly string[] {
  return requests
    .filter(({ path }) => !path.startsWith("/v1/"))
    .map(({ method, path }) => `${method} ${path.split("?")[0]}`);
}

function modes({ requests }: FakeUpstream): readonly string[] {
  const asked = requests.filter(({ path }) => path === "/v1/chat/completions");
  return asked.map(({ body }) => (body.tools ? "native" : "text"));
}

async function shown(gateway: RunningGateway): Promise<JsonObject> {
  const response = await fetch(`${gateway.url}/v1/models/m`);
  return ((await response.json()) as { readonly postel: JsonObject }).postel;
}

const PROPS = "GET /props";
const SHOW = "POST /api/show";

describe.each([true, false])("a server that tells (stream: %s)", (stream) => {
  it.each<[string, Beside, readonly string[]]>([
    ["llama.cpp's properties", { "/props": props(false) }, [PROPS]],
    ["Ollama's capabilities", { "/api/show": show("completion", "vision") }, [PROPS, SHOW]],
  ])("by %s that its model takes no tools is asked in text at once, and asked once", async (_, beside, asked) => {
    const { gateway, upstream } = await serve(beside);
    await Promise.all([ask(gateway, { stream }), ask(gateway, { stream })]);
    await ask(gateway, { stream });
    expect(modes(upstream)).toEqual(["text", "text", "text"]);
    expect(questions(upstream)).toEqual(asked);
    expect(await shown(gateway)).toMatchObject({ tool_mode: "text", source: { tools: "probe" } });
  });

  it.each<[string, Beside, readonly string[]]>([
    ["llama.cpp's properties", { "/props": props(true) }, [PROPS]],
    // Older builds say so of every model.
    [
      "them, whatever its imitation of Ollama says",
      { "/props": props(true), "/api/show": show("completion") },
      [PROPS],
    ],
    [
      "properties without a word about tools",
      { "/props": json({ total_slots: 1 }), "/api/show": show("completion") },
      [PROPS],
    ],
    ["Ollama's capabilities", { "/api/show": show("completion", "tools", "thinking") }, [PROPS, SHOW]],
    ["no answer that could be read", { "/props": json({}), "/api/show": json({ error: "?" }) }, [PROPS, SHOW]],
  ])("by %s nothing against it is asked natively", async (_, beside, asked) => {
    const { gateway, upstream } = await serve(beside);
    await ask(gateway, { stream });
    await ask(gateway, { stream });
    expect(modes(upstream)).toEqual(["native", "native"]);
    expect(questions(upstream)).toEqual(asked);
  });

  it("holds no request up for longer than a second, and serves the next by what it said later", async () => {
    const late = Promise.withResolvers<ServerResponse>();
    const { gateway, upstream } = await serve({ "/props": (response) => late.resolve(response) });
    expect(await ask(gateway, { stream })).toBe(200);
    props(false)(await late.promise);
    await ask(gateway, { stream });
    expect(modes(upstream)).toEqual(["native", "text"]);
    expect(questions(upstream)).toEqual([PROPS]);
  });

  it("is asked again where it was still loading", async () => {
    let loads = true;
    const { gateway, upstream } = await serve({
      "/props": (response) => (loads ? sendError(response, 503, "Loading model") : props(false)(response)),
    });
    await ask(gateway, { stream });
    loads = false;
    await ask(gateway, { stream });
    expect(modes(upstream)).toEqual(["native", "text"]);
  });
});

describe("a server that cannot tell", () => {
  it("is asked once for all its models, and each of Ollama's models once", async () => {
    const plain = await serve({});
    for (const model of ["a", "b", "a"]) await ask(plain.gateway, { model });
    expect(questions(plain.upstream)).toEqual([PROPS, SHOW]);
    const ollama = await serve({
      "/api/show": (response, { body }) => {
        response.writeHead(404, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: `model '${String(body.model)}' not found` }));
      },
    });
    for (const model of ["a", "b", "a"]) await ask(ollama.gateway, { model });
    expect(questions(ollama.upstream)).toEqual([PROPS, SHOW, SHOW]);
  });

  it.each<[string, JsonObject, Record<string, string>]>([
    ["no tools are offered", { tools: [] }, {}],
    ["none may be called", { tool_choice: "none" }, {}],
    ["the caller pinned the mode", {}, { "x-postel-tool-mode": "native" }],
    ["nobody would read a call", {}, { "x-postel-parse": "off" }],
    ["its model is asked in text anyway", { model: "gemma2:2b" }, {}],
  ])("is not asked where %s", async (_, body, headers) => {
    const { gateway, upstream } = await serve({ "/props": props(false) });
    await ask(gateway, body, headers);
    expect(questions(upstream)).toEqual([]);
  });

  it("is asked with the upstream's own key, beside its base URL's /v1", async () => {
    const { gateway, upstream } = await serve({}, (config) => ({
      ...config,
      upstreams: config.upstreams.map((one) =>
        one.type === "server" ? { ...one, baseUrl: one.baseUrl.replace("/v1", "/proxy/v1"), apiKey: "sesame" } : one,
      ),
    }));
    await ask(gateway, {});
    const asked = upstream.requests.filter(({ path }) => !path.includes("/v1/"));
    expect(asked.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/proxy/props?model=m&autoload=false", "Bearer sesame"],
      ["/proxy/api/show", "Bearer sesame"],
    ]);
  });
});

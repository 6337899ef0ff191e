// A gateway from a YAML text, before a model that a test writes and tools whose own server counts.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { FakeUpstream, sendError, type UpstreamRequest } from "../FakeUpstream.ts";
import { sendTurn } from "../simulateModel.ts";
import { configOf, type RunningGateway, startGateway } from "../startGateway.ts";

/** What the model says: words, in which calls may stand as text, calls of the wire's own field, or the words of its server's 400. */
export type Said = string | readonly ModelCall[] | Refused;

interface Refused {
  readonly refused: string;
}

interface ModelCall {
  readonly name: string;
  /** As the model writes them, if it is no object. */
  readonly args?: object | string;
}

export interface LoopWorld {
  readonly gateway: RunningGateway;
  /** Requests to the model. */
  readonly asked: readonly UpstreamRequest[];
  /** What the tools' server was asked, as `METHOD /path`. */
  readonly ran: readonly string[];
  /** How many of its requests were open at once at most. */
  mostAtOnce(): number;
  close(): Promise<void>;
}

export interface LoopSetting {
  /** The answer of the model to the request of this number, from 0. */
  readonly model: (request: UpstreamRequest, n: number) => Said;
  /** Answers a request in the model's place; false where the model is to answer it. */
  readonly answers?: (request: UpstreamRequest, response: ServerResponse) => boolean;
  /** What the server says that a request and its answer came to; absent: nothing. */
  readonly usage?: (request: UpstreamRequest) => object;
  /** Of an entry of the server's list of models, beside its id `m`; absent: nothing is listed. */
  readonly listed?: object;
  /** What the tools' server answers; absent: `{"ok": true}`. */
  readonly tools?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Of the YAML: each is the one action of an `http-client` and a tool of the one agent, by this name. */
  readonly actions: Readonly<Record<string, object>>;
  /** Headers that each of the actions sends. */
  readonly headers?: object;
  /** Of the process, for the file. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further components. */
  readonly components?: readonly object[];
  /** Further keys of the agent. */
  readonly agent?: object;
  /** Further keys of the file. */
  readonly file?: object;
  readonly toolMode?: "native" | "text";
}

export async function startLoop(setting: LoopSetting): Promise<LoopWorld> {
  const { model, actions, agent = {}, file = {}, toolMode = "native" } = setting;
  const upstream = await FakeUpstream.start((request, response) => {
    const data = setting.listed ? [{ id: "m", object: "model", ...setting.listed }] : [];
    if (request.path.endsWith("/models")) response.end(JSON.stringify({ object: "list", data }));
    else if (!setting.answers?.(request, response))
      send(response, model(request, asked().length - 1), setting.usage?.(request));
  });
  const asked = () => upstream.requests.filter(({ path }) => path.endsWith("/chat/completions"));
  const tools = await startTools(setting.tools ?? ((_request, response) => response.end('{"ok":true}')));
  const components = Object.entries(actions).map(([id, action]) => ({
    ...{
      type: "http-client",
      id,
      description: `The service ${id}.`,
      base_url: tools.url,
      headers: setting.headers ?? {},
    },
    actions: [{ id, ...action }],
  }));
  // JSON is YAML.
  const written = {
    upstreams: [{ id: "fake", wire: "openai", base_url: upstream.baseUrl, models: ["*"] }],
    models: [{ match: ["*"], tools: toolMode, why: "test" }],
    components: [...components, ...(setting.components ?? [])],
    agents: [{ id: "default", tools: Object.keys(actions), ...agent }],
    ...file,
  };
  const config = configOf(JSON.stringify(written), setting.env);
  const gateway = await startGateway({ config: { ...config, retries: { attempts: 1, minWaitMs: 1, maxWaitMs: 1 } } });
  return {
    gateway,
    get asked() {
      return asked();
    },
    ran: tools.ran,
    mostAtOnce: tools.mostAtOnce,
    close: () => closeAll(gateway, upstream, tools),
  };
}

async function closeAll(gateway: RunningGateway, upstream: FakeUpstream, tools: Tools): Promise<void> {
  await gateway.close();
  await upstream.close();
  await tools.close();
}

interface Tools {
  readonly url: string;
  readonly ran: string[];
  mostAtOnce(): number;
  close(): Promise<void>;
}

async function startTools(answer: NonNullable<LoopSetting["tools"]>): Promise<Tools> {
  const ran: string[] = [];
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => {
    ran.push(`${request.method} ${request.url}`);
    open += 1;
    most = Math.max(most, open);
    response.on("close", () => {
      open -= 1;
    });
    response.setHeader("content-type", "application/json");
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ran,
    mostAtOnce: () => most,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function send(response: ServerResponse, said: Said, usage: object | undefined): void {
  if (typeof said === "object" && "refused" in said) {
    sendError(response, 400, said.refused);
    return;
  }
  const turn =
    typeof said === "string"
      ? { text: said }
      : { calls: said.map(({ name, args = {} }) => ({ name, arguments: args })) };
  sendTurn(response, { ...turn, usage }, true);
}

export interface LoopAnswer {
  readonly status: number;
  readonly content: string | null | undefined;
  readonly finish: string | undefined;
  /** The client's own, and what waits for a person; of a whole answer. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it.
  readonly postel: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly error: any;
  /** Of a stream. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly events: readonly any[];
}

/** A run of the agent that whoever names none gets. */
export async function runLoopOver(
  { gateway }: Pick<LoopWorld, "gateway">,
  body: object = {},
  stream = false,
): Promise<LoopAnswer> {
  const response = await fetch(`${gateway.url}/v1/agent`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream, messages: [{ role: "user", content: "Go." }], ...body }),
  });
  const text = await response.text();
  return stream && response.ok ? streamed(response.status, text) : whole(response.status, text);
}

function whole(status: number, text: string): LoopAnswer {
  const { choices = [], postel, error } = JSON.parse(text);
  const { message, finish_reason: finish } = choices[0] ?? {};
  // biome-ignore lint/suspicious/noExplicitAny: as it came.
  const calls = (message?.tool_calls ?? []).map((call: any) => ({ id: call.id, ...call.function }));
  return { status, content: message?.content, finish, calls, postel, error, events: [] };
}

function streamed(status: number, text: string): LoopAnswer {
  const chunks = text
    .split("\n\n")
    .filter((part) => part.startsWith("data: {"))
    .map((part) => JSON.parse(part.slice(6)));
  const contents = chunks.flatMap(({ choices = [] }) => choices[0]?.delta?.content ?? []);
  return {
    status,
    content: contents.join(""),
    calls: [],
    finish: chunks.flatMap(({ choices = [] }) => choices[0]?.finish_reason ?? [])[0],
    postel: chunks.find(({ postel }) => postel)?.postel,
    error: chunks.find(({ error }) => error)?.error,
    events: chunks.flatMap(({ postel_event: event }) => event ?? []),
  };
}

/** The names of the tools that the model was offered in this request. */
export function offeredIn({ body }: UpstreamRequest): readonly string[] {
  return (body.tools ?? []).map((tool) => (tool as { function: { name: string } }).function.name);
}

// A gateway from a YAML text before a model whose answers the test lists, and a tool server that counts.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../../../src/core/config/configuration.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import { FakeUpstream, sendError, type UpstreamRequest } from "../FakeUpstream.ts";
import { type SimulatedTurn, sendTurn } from "../simulateModel.ts";
import { configOf as configOfYaml, type RunningGateway, startGateway } from "../startGateway.ts";

/** What the model does when it is asked: words, calls, or whatever the test writes. */
export type Answer =
  | string
  | { readonly calls: readonly (readonly [name: string, args: JsonObject])[] }
  | ((response: ServerResponse, body: UpstreamRequest["body"]) => void);

/** How the model's server takes tools: by its own field, or not at all, so that the model is asked in text. */
export type Kind = "native" | "text";
export const KINDS: readonly Kind[] = ["native", "text"];

export interface ScriptedGateway {
  readonly url: string;
  readonly gateway: RunningGateway;
  /** The base URL of the model's server. */
  readonly upstream: string;
  /** What the model was asked, each once; requests whose tools its server refused are not among them. */
  readonly asked: UpstreamRequest["body"][];
  /** What the tool server was asked. */
  readonly used: { readonly path: string; readonly body: string }[];
  /** The answers that are still to come. */
  script: Answer[];
  /** Answers as the model does. */
  answer(answer: Answer, response: ServerResponse, body: UpstreamRequest["body"]): void;
  ask(body: object): Promise<{ readonly status: number; readonly body: Body }>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it.
type Body = any;

export type ToolServer = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** @param yaml knows `${env.UPSTREAM}` and `${env.TOOLS}`. */
export async function scriptedGateway(
  yaml: string,
  kind: Kind,
  tool: ToolServer = (_request, _body, response) => response.end('{"ok": true}'),
): Promise<ScriptedGateway> {
  const asked: UpstreamRequest["body"][] = [];
  const used: { path: string; body: string }[] = [];
  const upstream: FakeUpstream = await FakeUpstream.start((request, response) => {
    if (request.path.endsWith("/models")) return response.end('{"object": "list", "data": [{"id": "m"}]}');
    if (kind === "text" && request.body.tools) return sendError(response, 400, "this model does not support tools");
    asked.push(request.body);
    const answer = testGateway.script.shift() ?? "There is no answer left in the script.";
    testGateway.answer(answer, response, request.body);
  });
  const tools = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString("utf8");
    used.push({ path: request.url ?? "", body });
    tool(request, body, response);
  }).listen(0, "127.0.0.1");
  await once(tools, "listening");
  const toolsUrl = `http://127.0.0.1:${(tools.address() as AddressInfo).port}`;
  const gateway = await startGateway({ config: configOf(yaml, { UPSTREAM: upstream.baseUrl, TOOLS: toolsUrl }) });
  const testGateway: ScriptedGateway = {
    ...{ url: gateway.url, gateway, upstream: upstream.baseUrl, asked, used, script: [] },
    answer(answer, response, body) {
      if (typeof answer === "function") answer(response, body);
      else sendTurn(response, turnOf(answer, kind), true);
    },
    async ask(body) {
      const response = await fetch(`${gateway.url}/v1/agent`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Body };
    },
    async close() {
      await gateway.close();
      tools.closeAllConnections();
      tools.close();
      await upstream.close();
    },
  };
  return testGateway;
}

/** The configuration of this text, whose servers are nowhere unless `env` says where. */
export function configOf(yaml: string, env: Readonly<Record<string, string>> = NOWHERE): Config {
  return configOfYaml(yaml, env);
}

function turnOf(answer: Exclude<Answer, (...given: never) => void>, kind: Kind): SimulatedTurn {
  if (typeof answer === "string") return { text: answer };
  const calls = answer.calls.map(([name, args]) => ({ name, arguments: args }));
  return { calls, ...(kind === "text" && { format: "hermes-json" }) };
}

const NOWHERE = { UPSTREAM: "http://127.0.0.1:9/v1", TOOLS: "http://127.0.0.1:9" };

/** The events of a run that were streamed beside its answer, with the text of the chunks between. */
export async function streamed(
  testGateway: ScriptedGateway,
  body: object,
): Promise<{ readonly events: readonly Body[]; readonly text: string; readonly last: Body }> {
  const response = await fetch(`${testGateway.url}/v1/agent`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true }),
  });
  const chunks = (await response.text())
    .split("\n\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line): Body => JSON.parse(line.slice("data: ".length)));
  return {
    events: chunks.flatMap((chunk) => (chunk.postel_event ? [chunk.postel_event] : [])),
    text: chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? "").join(""),
    last: chunks.findLast((chunk) => chunk.choices?.[0]?.finish_reason),
  };
}

// A gateway from a YAML text before a model whose answers the test lists, and a tool server that counts.

import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Config } from "../../../src/core/config/configuration.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import { FakeUpstream, sendError, sendText, type UpstreamRequest } from "../FakeUpstream.ts";
import { readConfig } from "../gatewayModules.ts";
import { type RunningGateway, startGateway } from "../startGateway.ts";

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
  let ids = 0;
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
      else if (typeof answer === "string") sendText(response, answer);
      else if (kind === "native") sendCalls(response, answer.calls, () => `call${String(++ids).padStart(5, "0")}`);
      else sendText(response, answer.calls.map(inText).join("\n"));
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

/** @throws PostelError `invalid_configuration`. */
export function configOf(yaml: string, env: Readonly<Record<string, string>> = NOWHERE): Config {
  const folder = mkdtempSync(join(tmpdir(), "postel-scripted-"));
  try {
    const file = join(folder, "postel.yaml");
    writeFileSync(file, yaml);
    return readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NOWHERE = { UPSTREAM: "http://127.0.0.1:9/v1", TOOLS: "http://127.0.0.1:9" };

function inText([name, args]: readonly [string, JsonObject]): string {
  return `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
}

function sendCalls(
  response: ServerResponse,
  calls: readonly (readonly [string, JsonObject])[],
  nextId: () => string,
): void {
  const toolCalls = calls.map(([name, args], index) => ({
    index,
    id: nextId(),
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk({ role: "assistant", tool_calls: toolCalls }, null));
  response.end(`${chunk({}, "tool_calls")}data: [DONE]\n\n`);
}

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

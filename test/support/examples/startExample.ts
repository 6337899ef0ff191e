// The gateway as a process of its own, before one of the example files as it is, and services that count what they are asked.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { JsonObject } from "../../../src/core/messages.ts";
import { startPostel } from "../cli/runPostel.ts";

export interface Example {
  readonly url: string;
  close(): Promise<void>;
}

/** @param env the only way in which a test says where things are. */
export async function startExample(file: string, env: Record<string, string>): Promise<Example> {
  const child = startPostel(["serve", "--config", `test/fixtures/examples/${file}.yaml`, "--port", "0"], env);
  const errors = child.stderr ? text(child.stderr) : Promise.resolve("");
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  for await (const line of lines) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (!url) continue;
    return {
      url,
      close: async () => {
        const ended = once(child, "close");
        child.kill("SIGTERM");
        await ended;
      },
    };
  }
  throw new Error(`The gateway did not start: ${await errors}`);
}

export interface Service {
  readonly url: string;
  /** What it was asked, in order: method, path and body. */
  readonly asked: { readonly what: string; readonly body: JsonObject }[];
  close(): Promise<void>;
}

/** A service that answers everything alike. */
export async function startService(answers: JsonObject): Promise<Service> {
  const asked: Service["asked"] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    asked.push({ what: `${request.method} ${request.url}`, body: body === "" ? {} : (JSON.parse(body) as JsonObject) });
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it.
export type Answered = { readonly status: number; readonly body: any };

/** Runs a workflow, plain or streamed; of a stream the last event is the answer, and its status that of the answer's kind. */
export async function runWorkflow(url: string, id: string, input: JsonObject, stream: boolean): Promise<Answered> {
  const response = await post(`${url}/api/workflows/${id}`, { ...input, ...(stream && { stream }) });
  const said = await response.text();
  if (!stream) return { status: response.status, body: JSON.parse(said) };
  const last = said.trim().split("\n\n").at(-1) ?? "";
  const { type, ...body } = JSON.parse(last.replace(/^data: /, "")) as JsonObject;
  if (type !== "workflow-end") throw new Error(`The stream ended with ${last}`);
  return { status: body.outcome === "awaiting-human" ? 202 : response.status, body };
}

export async function ask(url: string, body?: JsonObject): Promise<Answered> {
  const response = await (body ? post(url, body) : fetch(url));
  return { status: response.status, body: await response.json() };
}

function post(url: string, body: JsonObject): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

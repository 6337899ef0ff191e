// A server on 127.0.0.1 that takes and answers what Anthropic's Messages API does.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { ErrorType } from "@anthropic-ai/sdk/resources/shared";
import { eventsOf, messageOf, type Said } from "./anthropicEvents.ts";
import { type MessagesRequest, refusalOf } from "./anthropicRequest.ts";
import { KEPT } from "./keptConnections.ts";

interface Refused {
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How an answer gets to its reader, where that is not at once and whole. */
interface Way {
  /** The connection breaks behind so many events. */
  readonly cutAfter?: number;
  /** An error comes behind so many events. */
  readonly failAfter?: readonly [events: number, type: ErrorType, message: string];
  /** Bytes of each write. */
  readonly bytes?: number;
}

export type Reply = (Said & Way) | Refused;

/** One request that the server took, with the headers that it came with. */
export interface Taken {
  readonly body: MessagesRequest;
  readonly headers: IncomingMessage["headers"];
}

export const ANTHROPIC_KEY = "sk-ant-fake";
const REQUEST_ID = "req_fake";

export class AnthropicServer {
  /** For upstreams, `/v1` and all. */
  readonly baseUrl: string;
  /** For the vendor's own SDK, which adds the path itself. */
  readonly origin: string;
  /** The requests that kept the rules of the API, in their order. */
  readonly taken: Taken[] = [];
  /** The words with which the others were refused. */
  readonly refusals: string[] = [];
  readonly #close: () => Promise<void>;

  private constructor(origin: string, close: () => Promise<void>) {
    this.origin = origin;
    this.baseUrl = `${origin}/v1`;
    this.#close = close;
  }

  /** @param reply what the model says to a request that the API takes; `at` counts those from 0. */
  static async start(reply: (request: MessagesRequest, at: number) => Reply): Promise<AnthropicServer> {
    const server = createServer(KEPT, (request, response) => {
      void answer(fake, reply, request, response).catch(() => response.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const fake = new AnthropicServer(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    });
    return fake;
  }

  close(): Promise<void> {
    return this.#close();
  }
}

async function answer(
  fake: AnthropicServer,
  reply: (request: MessagesRequest, at: number) => Reply,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers } = request;
  const path = (request.url ?? "").split("?", 1)[0];
  const version = headers["anthropic-version"];
  const key = headers["x-api-key"] ?? headers.authorization?.replace(/^Bearer /, "");
  if (key !== ANTHROPIC_KEY)
    return refuse(response, { status: 401, type: "authentication_error", message: "invalid x-api-key" });
  if (typeof version !== "string") return refuseRequest(response, "anthropic-version: header is required");
  if (request.method === "GET" && path === "/v1/models") return list(response);
  if (request.method !== "POST" || path !== "/v1/messages")
    return refuse(response, { status: 404, type: "not_found_error", message: "Not Found" });
  const body = (await json(request)) as MessagesRequest;
  const refusal = refusalOf(body, version);
  if (refusal !== undefined) {
    fake.refusals.push(refusal);
    return refuseRequest(response, refusal);
  }
  fake.taken.push({ body, headers });
  const said = reply(body, fake.taken.length - 1);
  if ("status" in said) return refuse(response, said);
  const message = messageOf(said, body.model);
  if (body.stream) return await stream(response, eventsOf(message), said);
  send(response, 200, message);
}

function list(response: ServerResponse): void {
  const data = ["claude-opus-5", "claude-sonnet-4-5"].map((id) => ({ type: "model", id, display_name: id }));
  send(response, 200, { data, has_more: false, first_id: data[0]?.id, last_id: data[1]?.id });
}

function refuseRequest(response: ServerResponse, message: string): void {
  refuse(response, { status: 400, type: "invalid_request_error", message });
}

function refuse(response: ServerResponse, { status, type, message, headers }: Refused): void {
  send(response, status, { type: "error", error: { type, message }, request_id: REQUEST_ID }, headers);
}

function send(response: ServerResponse, status: number, body: object, headers: Refused["headers"] = {}): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": REQUEST_ID, ...headers });
  response.end(JSON.stringify(body));
}

async function stream(response: ServerResponse, events: ReturnType<typeof eventsOf>, way: Way): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "request-id": REQUEST_ID });
  const { cutAfter, failAfter, bytes } = way;
  const shown = events.slice(0, cutAfter ?? failAfter?.[0]);
  const error = failAfter && {
    type: "error",
    error: { type: failAfter[1], message: failAfter[2] },
    request_id: REQUEST_ID,
  };
  const all = error ? [...shown, { event: "error", data: error }] : shown;
  const text = Buffer.from(all.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(""));
  const size = bytes ?? text.length;
  for (let at = 0; at < text.length; at += size) {
    await new Promise((done) => response.write(text.subarray(at, at + size), done));
  }
  if (cutAfter !== undefined) response.destroy();
  else response.end();
}

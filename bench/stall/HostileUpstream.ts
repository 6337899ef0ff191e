// Runs an OpenAI-compatible server on 127.0.0.1 whose answers are attacks. The model name of a request selects the answer.
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The fields of a request that answers depend on. */
interface UpstreamRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages?: readonly { readonly role: string }[];
}

/** Writes one answer. If it throws an error, the server closes the connection. */
export type Answer = (response: ServerResponse, request: UpstreamRequest) => Promise<void>;

/** Characters of events that are collected before a write. */
const WRITE_CHARS = 65_536;
const PAGES_PATH = "/pages/";

/** A server with one answer and one page for each model name. */
export class HostileUpstream {
  /** URL with `/v1` at its end. */
  readonly baseUrl: string;
  readonly #server: Server;
  /** The model names of the unfinished answers. */
  readonly #openAnswers: Map<ServerResponse, string>;

  private constructor(server: Server, openAnswers: Map<ServerResponse, string>) {
    this.#server = server;
    this.#openAnswers = openAnswers;
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  /**
   * Starts a server. A model that has no answer answers with the text "ok".
   * @param answers by model name; changes take effect at once.
   * @param pages HTML pages by model name, served at `/pages/MODEL`.
   */
  static async start(
    answers: ReadonlyMap<string, Answer>,
    pages: ReadonlyMap<string, Buffer> = new Map(),
  ): Promise<HostileUpstream> {
    const openAnswers = new Map<ServerResponse, string>();
    const server = createServer(async (request, response) => {
      openAnswers.set(response, "");
      response.once("close", () => openAnswers.delete(response));
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const page = pages.get(request.url?.slice(PAGES_PATH.length) ?? "");
        if (page) return void response.writeHead(200, { "content-type": "text/html" }).end(page);
        if (request.method === "GET") return answerNotFound(response);
        const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as UpstreamRequest;
        openAnswers.set(response, body.model);
        await (answers.get(body.model) ?? answerWithText("ok"))(response, body);
      } catch {
        response.destroy();
      }
    });
    server.listen(0, "127.0.0.1", 4096);
    await once(server, "listening");
    return new HostileUpstream(server, openAnswers);
  }

  /** Returns the number of unfinished answers of `model`, or of all models. */
  countOpenAnswers(model?: string): number {
    return [...this.#openAnswers.values()].filter((name) => model === undefined || name === model).length;
  }

  /** Closes all connections and the server. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function answerNotFound(response: ServerResponse): void {
  response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"no such path"}}');
}

/** Calls the tool `toolName` with the URL of the model's page. After the tool's result it answers with the text "ok". */
export function answerWithPageCall(toolName: string): Answer {
  return (response, request) => {
    if (request.messages?.at(-1)?.role === "tool") return answerWithText("ok")(response, request);
    const args = JSON.stringify({ url: `http://${response.req.headers.host}${PAGES_PATH}${request.model}` });
    const call = { id: "call00000", type: "function", function: { name: toolName, arguments: args } };
    return request.stream
      ? answerWithEvents(() => [{ tool_calls: [{ index: 0, ...call }] }], "tool_calls")(response, request)
      : answerWithMessage({ content: null, tool_calls: [call] }, "tool_calls")(response, request);
  };
}

/** Answers with `text`: as one JSON body, or as events of `chunkSize` characters if the request asks for a stream. */
export function answerWithText(text: string, chunkSize = 32_768): Answer {
  return (response, request) =>
    request.stream
      ? answerWithEvents(() => splitIntoDeltas(text, chunkSize), "stop")(response, request)
      : answerWithMessage({ content: text }, "stop")(response, request);
}

/** Answers with one JSON body that holds `message`. */
export function answerWithMessage(message: object, finishReason: string): Answer {
  return async (response) => {
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finishReason }];
    const body = JSON.stringify({ id: "x", object: "chat.completion", created: 1, model: "m", choices });
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  };
}

/** Answers with one event for each delta, as fast as the gateway reads them. */
export function answerWithEvents(createDeltas: () => Iterable<object>, finishReason: string): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    let pending = "";
    for (const delta of createDeltas()) {
      pending += formatEvent([{ index: 0, delta, finish_reason: null }]);
      if (pending.length < WRITE_CHARS) continue;
      await writeWithBackpressure(response, pending);
      pending = "";
    }
    response.end(`${pending}${formatStreamEnd(finishReason)}`);
  };
}

/** Yields one delta for each `chunkSize` characters of `text`. */
export function* splitIntoDeltas(text: string, chunkSize: number): Generator<object> {
  for (let start = 0; start < text.length; start += chunkSize) yield { content: text.slice(start, start + chunkSize) };
}

/** Returns a chat completion chunk as a server-sent event. @param fields more fields of the chunk. */
export function formatEvent(choices: readonly object[], fields: object = {}): string {
  const chunk = { id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices, ...fields };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function formatStreamEnd(finishReason: string): string {
  return `${formatEvent([{ index: 0, delta: {}, finish_reason: finishReason }])}data: [DONE]\n\n`;
}

/** The last events of a stream with the finish reason `stop`. */
export const STREAM_END = formatStreamEnd("stop");

/** Writes and waits until the connection accepts more data. @throws Error if the connection is closed. */
export async function writeWithBackpressure(response: ServerResponse, data: string | Buffer): Promise<void> {
  if (response.destroyed) throw new Error("The gateway has closed the connection.");
  if (response.write(data)) return;
  await new Promise<void>((resolve, reject) => {
    const onDrain = () => {
      response.off("close", onClose);
      resolve();
    };
    const onClose = () => {
      response.off("drain", onDrain);
      reject(new Error("The gateway has closed the connection."));
    };
    response.once("drain", onDrain).once("close", onClose);
  });
}

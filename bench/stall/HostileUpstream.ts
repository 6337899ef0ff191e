// An OpenAI-compatible server on 127.0.0.1 whose answers are attacks: which one, the model's name says. Knows no gateway.
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Asked {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages?: readonly { readonly role: string }[];
}

/** Writes one answer; whatever it throws ends the connection. */
export type Answer = (response: ServerResponse, asked: Asked) => Promise<void>;

export class HostileUpstream {
  readonly baseUrl: string;
  readonly #server: Server;
  /** Answers that are under way, and whose they are. */
  readonly #open: Map<ServerResponse, string>;

  private constructor(server: Server, open: Map<ServerResponse, string>) {
    this.#server = server;
    this.#open = open;
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  /** A model without an answer of its own says "ok". @param pages by the names of models, at `PAGES` and the name. */
  static async start(
    answers: ReadonlyMap<string, Answer>,
    pages: ReadonlyMap<string, Buffer> = new Map(),
  ): Promise<HostileUpstream> {
    const open = new Map<ServerResponse, string>();
    const server = createServer(async (request, response) => {
      open.set(response, "");
      response.once("close", () => open.delete(response));
      const pieces: Buffer[] = [];
      try {
        for await (const piece of request) pieces.push(piece as Buffer);
        const page = pages.get(request.url?.slice(PAGES.length) ?? "");
        if (page) return void response.writeHead(200, { "content-type": "text/html" }).end(page);
        if (request.method === "GET") return refuse(response);
        const asked = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Asked;
        open.set(response, asked.model);
        await (answers.get(asked.model) ?? says("ok"))(response, asked);
      } catch {
        response.destroy();
      }
    });
    server.listen(0, "127.0.0.1", 4096);
    await once(server, "listening");
    return new HostileUpstream(server, open);
  }

  /** How many answers are under way, of one model or of all. */
  open(model?: string): number {
    return [...this.#open.values()].filter((name) => model === undefined || name === model).length;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const PAGES = "/pages/";

/** Has the page of the model read by the tool of this name, and then says "ok". */
export function reads(tool: string): Answer {
  return (response, asked) => {
    if (asked.messages?.at(-1)?.role === "tool") return says("ok")(response, asked);
    const url = `http://${response.req.headers.host}${PAGES}${asked.model}`;
    const call = { id: "call00000", type: "function", function: { name: tool, arguments: JSON.stringify({ url }) } };
    return asked.stream
      ? streams(() => [{ tool_calls: [{ index: 0, ...call }] }], "tool_calls")(response, asked)
      : whole({ content: null, tool_calls: [call] }, "tool_calls")(response, asked);
  };
}

function refuse(response: ServerResponse): void {
  response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"no such path"}}');
}

/** A whole answer of this text, as it was asked for: one JSON body, or events of `size` characters each. */
export function says(text: string, size = 32_768): Answer {
  return (response, asked) =>
    asked.stream
      ? streams(() => deltas(text, size), "stop")(response, asked)
      : whole({ content: text }, "stop")(response, asked);
}

/** One JSON body with this message. */
export function whole(message: object, finish: string): Answer {
  return async (response) => {
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }];
    const body = JSON.stringify({ id: "x", object: "chat.completion", created: 1, model: "m", choices });
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  };
}

/** Events with these deltas, each behind the other as fast as they are read. */
export function streams(deltas: () => Iterable<object>, finish: string): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    let held = "";
    for (const delta of deltas()) {
      held += event([{ index: 0, delta, finish_reason: null }]);
      if (held.length < 65_536) continue;
      await send(response, held);
      held = "";
    }
    response.end(`${held}${event([{ index: 0, delta: {}, finish_reason: finish }])}data: [DONE]\n\n`);
  };
}

export function* deltas(text: string, size: number): Generator<object> {
  for (let at = 0; at < text.length; at += size) yield { content: text.slice(at, at + size) };
}

export function event(choices: readonly object[], more: object = {}): string {
  const fields = { id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices, ...more };
  return `data: ${JSON.stringify(fields)}\n\n`;
}

/** Writes, and waits for room or for the end of the connection. @throws Error once the connection is gone. */
export async function send(response: ServerResponse, piece: string | Buffer): Promise<void> {
  if (response.destroyed) throw new Error("The reader has left.");
  if (response.write(piece)) return;
  await new Promise<void>((resolve, reject) => {
    const onDrain = () => {
      response.off("close", onClose);
      resolve();
    };
    const onClose = () => {
      response.off("drain", onDrain);
      reject(new Error("The reader has left."));
    };
    response.once("drain", onDrain).once("close", onClose);
  });
}

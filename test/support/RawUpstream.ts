// A TCP server that plays a script of bytes, silence and broken ends for each model name.
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** `end`: FIN. `reset`: RST. `silence`: nothing more. `drip`: the same piece again and again, until the reader leaves. */
export type Step =
  | { readonly type: "write"; readonly bytes: Buffer }
  | { readonly type: "drip"; readonly bytes: Buffer; readonly everyMs: number }
  | { readonly type: "pause"; readonly ms: number }
  | { readonly type: "end" | "reset" | "silence" };

export class RawUpstream {
  readonly baseUrl: string;
  readonly #server: Server;
  /** Connections on which an exchange of this model was begun. */
  readonly #sockets: Map<string, Set<Socket>>;
  readonly #all: Set<Socket>;

  private constructor(server: Server, sockets: Map<string, Set<Socket>>, all: Set<Socket>) {
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    this.#server = server;
    this.#sockets = sockets;
    this.#all = all;
  }

  static async start(scripts: ReadonlyMap<string, (streamed: boolean) => readonly Step[]>): Promise<RawUpstream> {
    const sockets = new Map<string, Set<Socket>>();
    const all = new Set<Socket>();
    const server = createServer((socket) => {
      all.add(socket);
      socket.on("close", () => all.delete(socket)).on("error", () => {});
      void serve(socket, (model, streamed) => {
        const ofModel = sockets.get(model) ?? new Set();
        sockets.set(model, ofModel.add(socket));
        return scripts.get(model)?.(streamed) ?? [];
      }).catch(() => socket.destroy());
    });
    server.listen(0, "127.0.0.1", 4096);
    await once(server, "listening");
    return new RawUpstream(server, sockets, all);
  }

  exchanges(model: string): number {
    return this.#sockets.get(model)?.size ?? 0;
  }

  /** The connections of a model's exchanges that are still open. */
  open(model: string): number {
    return [...(this.#sockets.get(model) ?? [])].filter((socket) => !socket.destroyed).length;
  }

  async close(): Promise<void> {
    for (const socket of this.#all) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}

async function serve(socket: Socket, scriptOf: (model: string, streamed: boolean) => readonly Step[]): Promise<void> {
  let text = "";
  for await (const piece of socket) {
    text += (piece as Buffer).toString("latin1");
    const headers = text.indexOf("\r\n\r\n");
    if (headers === -1) continue;
    const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
    const body = text.slice(headers + 4);
    if (body.length < length) continue;
    const isPost = text.startsWith("POST");
    text = body.slice(length);
    if (!isPost) {
      socket.write("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
      continue;
    }
    const { model, stream } = JSON.parse(body.slice(0, length)) as {
      readonly model: string;
      readonly stream?: boolean;
    };
    // Not awaited: what the reader does meanwhile must be noticed.
    void play(socket, scriptOf(model, stream === true)).catch(() => socket.destroy());
  }
}

async function play(socket: Socket, script: readonly Step[]): Promise<void> {
  for (const step of script) {
    if (socket.destroyed) return;
    switch (step.type) {
      case "write":
        socket.write(step.bytes);
        break;
      case "drip":
        while (!socket.destroyed) {
          if (!socket.write(step.bytes)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
          await sleep(step.everyMs);
        }
        break;
      case "pause":
        await sleep(step.ms);
        break;
      case "end":
        socket.end();
        return;
      case "reset":
        socket.resetAndDestroy();
        return;
      case "silence":
        return;
    }
  }
}

// A service whose effects are counted by itself: by what was to be done, and by the key of the call where it heeds keys.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Points } from "./Points.ts";

export class EffectServer {
  readonly #server: Server;
  readonly #points: Points;
  readonly #effects = new Map<string, number>();
  readonly #keys = new Set<string>();
  readonly #calls = new Map<string, number>();

  constructor(points: Points) {
    this.#points = points;
    this.#server = createServer((request, response) => {
      void this.#serve(request, response).catch(() => response.destroy());
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** How often it was done. */
  effects(what: string): number {
    return this.#effects.get(what) ?? 0;
  }

  /** How often it was asked for. */
  calls(what: string): number {
    return this.#calls.get(what) ?? 0;
  }

  /** `/read/WHAT` has no effect, `/keyed/WHAT` one for each key, `/plain/WHAT` one for each call. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for await (const _ of request);
    const [, kind = "", what = ""] = (request.url ?? "").split("/");
    const side = what.startsWith("side") ? "side tool" : "tool";
    count(this.#calls, what);
    await this.#points.at(`${side} called`);
    const key = String(request.headers["idempotency-key"]);
    if (kind === "plain" || (kind === "keyed" && !this.#keys.has(key))) count(this.#effects, what);
    this.#keys.add(key);
    await this.#points.at(`${side} done`);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ done: what }));
  }
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

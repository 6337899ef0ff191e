// Connects callers in this process to an HTTP server. A connection is a pair of streams in memory instead of a socket.
import type { Server } from "node:http";
import { type Duplex, duplexPair } from "node:stream";

export class InProcessConnections {
  readonly #server: Server;
  readonly #open = new Set<Duplex>();

  /** @param server need not listen */
  constructor(server: Server) {
    this.#server = server;
  }

  /** Opens a connection and returns the client's end of it. If one end closes, so does the other. */
  connect(): Duplex {
    const [client, server] = duplexPair();
    this.#open.add(client);
    client.once("close", () => {
      this.#open.delete(client);
      server.destroy();
    });
    server.once("close", () => client.destroy());
    this.#server.emit("connection", server);
    return client;
  }

  /** Closes all open connections, whatever they transfer. */
  destroy(): void {
    for (const client of this.#open) client.destroy();
  }
}

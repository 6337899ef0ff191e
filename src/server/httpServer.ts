// Creates the HTTP server: its timers and its connection limit.
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { AppServices } from "./AppServices.ts";
import { createRequestListener } from "./fastpath/hotRoutes.ts";
import { handleClientError } from "./http/clientErrorHandler.ts";
import { COMMON_WIRE } from "./routes.ts";

/** Milliseconds. */
export interface ReceivingTimers {
  /** Milliseconds for the headers of a request, and for an idle new connection. */
  readonly headersMs: number;
  /** Milliseconds for a body to arrive after the client was asked for it. */
  readonly bodyMs: number;
  /** Milliseconds until the next request on a kept-alive connection. */
  readonly keepMs: number;
  /** Milliseconds between two checks of these limits. */
  readonly checkMs: number;
}

/** Keep-alive lasts longer than that of load balancers (mostly 60 s): a request on a closing connection would be lost. */
const RECEIVING: ReceivingTimers = { headersMs: 10_000, bodyMs: 30_000, keepMs: 65_000, checkMs: 1_000 };

/**
 * Share of `server.max_connections` that is accepted on top and answered with an error. Connections beyond that are closed
 * unread.
 */
const SURPLUS = 0.25;

/** The server of the gateway; it listens nowhere yet. */
export function createHttpServer(services: AppServices, timers: ReceivingTimers = RECEIVING): Server {
  const { maxConnections, queueMs } = services.server;
  const surplus = new WeakSet<Socket>();
  const answer = createRequestListener(services, { bodyMs: timers.bodyMs, isSurplus: (socket) => surplus.has(socket) });
  const options = {
    headersTimeout: timers.headersMs,
    // A body is not read while its request waits for permits, so this is only the last resort after `bodyMs`.
    requestTimeout: timers.headersMs + 2 * queueMs + timers.bodyMs,
    keepAliveTimeout: timers.keepMs,
    connectionsCheckingInterval: timers.checkMs,
    // Node's own refusal has no body.
    requireHostHeader: false,
  };
  const server = createServer(options, answer);
  // The body reader decides if the body is requested; the request pipeline rejects requests.
  server.on("checkContinue", answer).on("checkExpectation", answer);
  handleClientError(server, { ...services, wire: COMMON_WIRE });
  server.maxConnections = maxConnections + Math.ceil(maxConnections * SURPLUS);
  let open = 0;
  server.on("connection", (socket: Socket) => {
    open += 1;
    if (open > maxConnections) surplus.add(socket);
    socket.once("close", () => {
      open -= 1;
    });
  });
  return server;
}

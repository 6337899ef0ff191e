// The HTTP server around the door: its timers, how many connections it keeps, what it does with each. Knows no route.
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { AppServices } from "./AppServices.ts";
import { createRequestListener } from "./fastpath/hotRoutes.ts";
import { handleClientError } from "./http/clientErrorHandler.ts";
import { COMMON_WIRE } from "./routes.ts";

/** Milliseconds. */
export interface ReceivingTimers {
  /** For the headers of a request, and for a connection that says nothing. */
  readonly headersMs: number;
  /** For the body of a request, once it has been asked for. */
  readonly bodyMs: number;
  /** For the next request on a connection that has had its answer. */
  readonly keepMs: number;
  /** How often all these are looked at. */
  readonly checkMs: number;
}

/** Connections are kept for longer than balancers keep theirs (60 s is what most do): a request that meets a closing one would be lost. */
const RECEIVING: ReceivingTimers = { headersMs: 10_000, bodyMs: 30_000, keepMs: 65_000, checkMs: 1_000 };

/** Of `server.max_connections`: so many more are told that they are too many; what comes beyond them is closed unread. */
const SURPLUS = 0.25;

/** The server of the gateway; it listens nowhere yet. */
export function createHttpServer(services: AppServices, timers: ReceivingTimers = RECEIVING): Server {
  const { maxConnections, queueMs } = services.server;
  const surplus = new WeakSet<Socket>();
  const answer = createRequestListener(services, { bodyMs: timers.bodyMs, isSurplus: (socket) => surplus.has(socket) });
  const options = {
    headersTimeout: timers.headersMs,
    // A body is not read while its request waits for a place and for room, so this is only the last resort behind `bodyMs`.
    requestTimeout: timers.headersMs + 2 * queueMs + timers.bodyMs,
    keepAliveTimeout: timers.keepMs,
    connectionsCheckingInterval: timers.checkMs,
    // Node's own refusal has no body.
    requireHostHeader: false,
  };
  const server = createServer(options, answer);
  // Whether a body is asked for is decided where it is read, and what is refused is refused behind the door.
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

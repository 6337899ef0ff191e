// Serves the services of a gateway: to callers in this process, and over HTTP.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { validateBind } from "../config/sections/checkBindAddress.ts";
import type { Config } from "../core/config/configuration.ts";
import { createFailure, PostelError } from "../core/failures.ts";
import { countActiveAnswers } from "../server/activeAnswers.ts";
import { createHttpServer } from "../server/httpServer.ts";
import { createFetchHandler } from "../server/inProcess/fetchHandler.ts";
import { InProcessConnections } from "../server/inProcess/InProcessConnections.ts";
import type { GatewayServices } from "./GatewayServices.ts";

/** A running gateway. It serves the same routes, with the same checks and limits, to callers of `fetch` and over HTTP. */
export interface Gateway {
  /**
   * Answers a request of the Fetch standard without a socket. The response is streamed with back-pressure. The work for it ends
   * if the request's signal aborts or the response's body is cancelled. The function needs no `this`.
   *
   * The checks are those of HTTP: without `server.api_keys` the host of the URL must be `localhost` or `server.host`. Failures of
   * the gateway are responses, such as 400 for an invalid request and 503 once `close` is called.
   *
   * @throws the reason of the request's signal if it aborts; the error of the request's body if that fails
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Starts the HTTP server, and resolves with its URL, such as `http://127.0.0.1:7678`. A gateway listens once.
   *
   * @throws PostelError `invalid_configuration` if the address cannot be used, or the gateway listens already or is closed
   */
  listen(options?: ListenOptions): Promise<string>;
  /**
   * Closes the gateway. New requests are answered with 503. Active answers get 30 seconds to end; then their connections and the
   * port are closed, background runs stop, pending records are written, and the store and all connections are closed. Further
   * calls return the same promise.
   */
  close(): Promise<void>;
}

export interface ListenOptions {
  /** 0 to 65535; 0: any free port. Default: `server.port` of the configuration. */
  readonly port?: number | undefined;
  /** Host name or address to listen on. Default: `server.host` of the configuration. */
  readonly host?: string | undefined;
  /** Closes the gateway when it aborts, as `close` does. */
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds for active answers to end after the gateway was asked to close. */
const DRAIN_MS = 30_000;

/** @param services closed with the gateway */
export function openGateway(services: GatewayServices, config: Config): Gateway {
  const stopping = new AbortController();
  const server = createHttpServer({ ...services, stopSignal: stopping.signal });
  const answers = countActiveAnswers(server);
  const connections = new InProcessConnections(server);
  let isStarted = false;
  const start = (): void => {
    if (!isStarted) services.start();
    isStarted = true;
  };
  const end = async (): Promise<void> => {
    stopping.abort();
    // The port stays open until then, so that new requests are answered with 503.
    await answers.finish(DRAIN_MS);
    server.close();
    server.closeAllConnections();
    connections.destroy();
    await services.close();
  };
  let ended: Promise<void> | undefined;
  const close = (): Promise<void> => {
    ended ??= end();
    return ended;
  };
  return {
    fetch: createFetchHandler(() => {
      start();
      return connections.connect();
    }),
    async listen({ port = config.server.port, host = config.server.host, signal } = {}) {
      signal?.throwIfAborted();
      const fault = ended ? "the gateway is closed; create another one" : validateBind({ ...config.server, host });
      if (fault !== undefined) throw refuse(host, port, fault);
      await listen(server, { host, port, backlog: config.server.maxConnections });
      start();
      // An error of closing is that of `close`, which returns the same promise.
      const stop = () => void close().catch(() => {});
      signal?.addEventListener("abort", stop, { once: true, signal: stopping.signal });
      return formatUrl(host, (server.address() as AddressInfo).port);
    },
    close,
  };
}

interface Address {
  readonly host: string;
  readonly port: number;
  /** Maximum number of connections that wait in the kernel, which has its own limit (`net.core.somaxconn`). */
  readonly backlog: number;
}

function listen(server: Server, address: Address): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (error: Error) => reject(refuse(address.host, address.port, explain(error)));
  try {
    server.once("error", fail).listen({ ...address }, resolve);
  } catch (error) {
    fail(error as Error);
  }
  return promise.finally(() => server.off("error", fail));
}

function explain({ code, message }: NodeJS.ErrnoException): string {
  if (code === "ERR_SERVER_ALREADY_LISTEN") return "the gateway listens already; create another one";
  if (code === "EADDRINUSE")
    return "the port is taken by another program; choose another one with `--port` or `server.port` (0: any free one)";
  return message;
}

function refuse(host: string, port: number, why: string): PostelError {
  return new PostelError(createFailure("invalid_configuration", `Cannot listen on ${host}:${port}: ${why}.`));
}

/** The URL that reaches a server from this machine. */
function formatUrl(host: string, port: number): string {
  const shown = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
  return `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
}

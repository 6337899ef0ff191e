// Answers input that the HTTP parser rejects, in the usual error format.
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createFailure, type Failure } from "../../core/failures.ts";
import type { Ids, Observer } from "../../core/ports.ts";
import type { ErrorFormat } from "../apis/FrontApi.ts";
import { sendFailure } from "./errorHandler.ts";
import { buildFailureHead } from "./failureStatus.ts";
import { getLastResponse, getRequestContext } from "./RequestContext.ts";

interface Services {
  readonly ids: Pick<Ids, "requestId">;
  readonly observer: Observer;
  /** The requested path is unknown at this point, so the gateway chooses the error format. */
  readonly wire: ErrorFormat;
}

/** Milliseconds for which further input is read: closing a connection with unread bytes would discard the answer. */
const LINGER_MS = 2_000;

/** Answers all parser errors of `server`. */
export function handleClientError(server: Server, services: Services): void {
  const refused = new WeakSet<Duplex>();
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // Node reports every further piece of an unreadable connection again.
    if (refused.has(socket)) return;
    refused.add(socket);
    const silent = socket instanceof Socket && socket.bytesRead === 0;
    if (!socket.writable || error.code === "ECONNRESET" || silent) {
      socket.destroy();
      return;
    }
    const answer = getLastResponse(socket);
    if (answer === undefined || isOver(answer)) throwInvalid(socket, toFailure(error), services);
    // The unreadable input follows a request that is still being answered.
    else if (answer.req.complete) answer.once("close", () => socket.destroy());
    else if (answer.headersSent) socket.destroy();
    else refuseBody(answer, toFailure(error), services);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    throwInvalid(
      socket,
      createFailure("method_not_allowed", "The gateway is no proxy, so it takes no CONNECT."),
      services,
    );
  });
}

function isOver(answer: ServerResponse): boolean {
  return answer.writableFinished && answer.req.complete;
}

/** Header overflow and timeout are node's own errors; the others come from the parser. */
function toFailure(error: NodeJS.ErrnoException & { readonly reason?: unknown }): Failure {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return createFailure(
        "headers_too_large",
        "The headers of the request are larger than 16 KiB; send fewer or shorter ones.",
      );
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return createFailure(
        "request_timeout",
        "The request did not arrive in time; send it again, without a pause in it.",
      );
    default: {
      const reason = typeof error.reason === "string" ? ` (${error.reason})` : "";
      return createFailure("invalid_request", `This is no HTTP request that can be read${reason}.`);
    }
  }
}

/** Rejects a request whose body turned out to be unreadable after it began. */
function refuseBody(response: ServerResponse, cause: Failure, { observer, wire }: Services): void {
  const { id, paced } = getRequestContext(response);
  observer.observe({ type: "failure", run: id, failure: cause });
  paced.setHeader("connection", "close");
  void sendFailure(response, cause, { wire });
}

/** There is no request, so the answer is written to the connection itself. */
function throwInvalid(socket: Duplex, cause: Failure, { ids, observer, wire }: Services): void {
  const run = ids.requestId();
  const { status, headers } = buildFailureHead(cause);
  const text = JSON.stringify(wire.failureBody(cause));
  const fields = {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
    "x-request-id": run,
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", text].join("\r\n"));
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
  observer.observe({ type: "failure", run, failure: cause });
  observer.observe({ type: "request", run, method: "-", path: "-", status, ms: 0, aborted: false });
}

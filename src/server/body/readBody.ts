// Rejects requests before their body is read, and reads bodies within a byte and time limit.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import express, { type Request, type RequestHandler, type Response } from "express";
import type { Semaphore } from "../../core/async/Semaphore.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { RequestContext } from "../http/RequestContext.ts";

/** A connection above the limit gets one answer that says so, and is closed. @throws PostelError. */
export function rejectExcessConnections(
  { request, response, path }: RequestContext,
  isSurplus: (socket: Socket) => boolean,
): void {
  if (!isSurplus(request.socket)) return;
  response.setHeader("connection", "close");
  if (path === "/health") return;
  const message = "The gateway has more connections than it keeps (`server.max_connections`). Try again in a moment.";
  throw new PostelError(createFailure("gateway_overloaded", message, { retryAfterMs: 1_000 }));
}

/**
 * Checks the rules of HTTP: exactly one Host (RFC 9112, 3.2) that matches the target, and no expectation except
 * `100-continue`. @throws PostelError.
 */
export function rejectUnsupportedExpectations(request: IncomingMessage): void {
  const { headers, httpVersion, url = "/" } = request;
  checkSingleHost(request.rawHeaders);
  if (!url.startsWith("/") && url !== "*") checkTarget(url, request);
  if (headers.host === undefined && httpVersion === "1.1") {
    throw new PostelError(createFailure("invalid_request", "The request has no `Host` header.", { param: "host" }));
  }
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    throw new PostelError(
      createFailure("expectation_failed", "Of `Expect` only `100-continue` is kept.", { param: "expect" }),
    );
  }
}

/** Node uses the first of two Host headers; a proxy in front of the gateway may have used the second. */
function checkSingleHost(rawHeaders: readonly string[]): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts < 2) return;
  throw new PostelError(
    createFailure("invalid_request", "The request has more than one `Host` header.", { param: "host" }),
  );
}

/** A target with a host in it is for a proxy, unless it is the `Host` of the request and the address that the connection came to. */
function checkTarget(url: string, { headers, socket }: IncomingMessage): void {
  const target = URL.parse(url);
  const host = target?.host.toLowerCase();
  const address = socket.localAddress?.replace(/^::ffff:/, "");
  const ownHosts = [
    `localhost:${socket.localPort}`,
    `${address}:${socket.localPort}`,
    `[${address}]:${socket.localPort}`,
  ];
  const isOwn = target?.protocol === "http:" && host === headers.host?.toLowerCase() && ownHosts.includes(host ?? "");
  if (isOwn) return;
  const message = "The request's target names another host, and the gateway is no proxy. Send the path alone.";
  throw new PostelError(createFailure("invalid_request", message, { param: "host" }));
}

export interface BodyLimits {
  readonly maxBytes: number;
  /** Milliseconds from the request for the body until all of it has arrived. */
  readonly ms: number;
  /**
   * Byte permits for bodies. A request holds its permits until its answer is complete, because the values parsed from the
   * body live as long.
   */
  readonly bytes: Semaphore;
}

/** Reads the body of a request once byte permits are free. */
export type Receive = (exchange: RequestContext) => Promise<Buffer>;

/**
 * A body whose declared length is too large is rejected before a byte is read, and before the client is asked for it
 * (`Expect: 100-continue`). `maxBytes` applies after decompression.
 */
export function createBodyReader(limits: BodyLimits): Receive {
  const { maxBytes, ms, bytes } = limits;
  const decode = express.raw({ type: () => true, limit: maxBytes });
  return async (exchange) => {
    const { "content-length": declaredLength, "content-encoding": encoding } = exchange.request.headers;
    if (Number(declaredLength ?? 0) > maxBytes) {
      throw new PostelError(
        createFailure("request_too_large", `The body is larger than ${maxBytes} bytes (\`server.max_body_bytes\`).`),
      );
    }
    exchange.throwIfGone();
    const length = declaredLength !== undefined && encoding === undefined ? Number(declaredLength) : undefined;
    const size = length ?? maxBytes;
    exchange.hold(bytes, bytes.tryAcquire(size) ?? (await bytes.acquireInTurn(exchange.signal, size)));
    exchange.paced.askForBody();
    if (length === undefined) return await waitForBody(exchange, ms, (done) => readEncoded(exchange, decode, done));
    return (
      bodyThatCame(exchange, length) ?? (await waitForBody(exchange, ms, (done) => readPlain(exchange.request, done)))
    );
  };
}

/** Returns the body if all of it has arrived already. The HTTP parser enforces its length. */
function bodyThatCame({ request }: RequestContext, length: number): Buffer | undefined {
  if (!request.complete || length === 0 || request.readableLength !== length) return undefined;
  return request.read() as Buffer;
}

type Done = (error: unknown, body?: Buffer) => void;

/** Never resolves if an answer was sent in the meantime. */
function waitForBody(exchange: RequestContext, ms: number, read: (done: Done) => void): Promise<Buffer> {
  const { request, response } = exchange;
  return new Promise((resolve, reject) => {
    let isOver = false;
    const done: Done = (error, body = NO_BYTES) => {
      // If an answer was sent meanwhile, the body reader sees a broken connection.
      if (isOver || response.headersSent) return;
      isOver = true;
      clearTimeout(exchange.lateBody);
      exchange.keep(body.length);
      if (error === undefined) resolve(body);
      else reject(error);
    };
    const onTimeout = (): void => {
      if (isOver || response.headersSent) return;
      exchange.paced.setHeader("connection", "close");
      const message = `The body of the request did not arrive within ${ms} ms; send it again, without a pause in it.`;
      done(new PostelError(createFailure("request_timeout", message)));
    };
    if (!request.complete && !response.destroyed) exchange.lateBody = setTimeout(onTimeout, ms);
    read(done);
  });
}

const NO_BYTES = Buffer.alloc(0);

/** A body that was encoded, or did not say its length. */
function readEncoded({ request, response }: RequestContext, decode: RequestHandler, done: Done): void {
  const decoded = (error?: unknown): void => {
    done(error, Buffer.isBuffer(request.body) ? request.body : undefined);
  };
  decode(request as Request, response as ServerResponse as Response, decoded);
}

/** Reads a body without content encoding. */
function readPlain(request: IncomingMessage, done: Done): void {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => done(undefined, pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)));
  request.on("close", () => {
    if (!request.complete)
      done(new PostelError(createFailure("cancelled", "The client left before its body was whole.")));
  });
}

// What is refused of a request before its body is read, and for how long its body is waited for. Knows no field and no route.
import type { Socket } from "node:net";
import type { Request, RequestHandler } from "express";
import { failure, PostelError } from "../core/failures.ts";
import type { Places } from "../core/Places.ts";
import { clientSignal } from "./clientSignal.ts";
import { pacedOf } from "./PacedResponse.ts";

/** Connections beyond those that the gateway keeps are answered once, so that whoever is too many knows it. */
export function refuseSurplus(isSurplus: (socket: Socket) => boolean): RequestHandler {
  return (request, response, next) => {
    if (!isSurplus(request.socket)) return next();
    response.setHeader("connection", "close");
    if (request.path === "/health") return next();
    const message = "The gateway has more connections than it keeps (`server.max_connections`). Try again in a moment.";
    throw new PostelError(failure("gateway_overloaded", message, { retryAfterMs: 1_000 }));
  };
}

/** Of HTTP itself: a Host (RFC 9112, 3.2), and no expectation but the one that is kept. */
export const refuseUnmet: RequestHandler = ({ headers, httpVersion }, _response, next) => {
  if (headers.host === undefined && httpVersion === "1.1") {
    throw new PostelError(failure("invalid_request", "The request has no `Host` header.", { param: "host" }));
  }
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    throw new PostelError(
      failure("expectation_failed", "Of `Expect` only `100-continue` is kept.", { param: "expect" }),
    );
  }
  next();
};

export interface BodyLimits {
  readonly maxBytes: number;
  /** Milliseconds from when the body is asked for until it is there. */
  readonly ms: number;
  /** Bytes of bodies: a request holds its own until its answer is over, for what was made of them lives as long. */
  readonly bytes: Pick<Places, "take">;
}

/**
 * Takes the body once there is room for it: by `read`, where it is encoded or does not say its length. One that says that it is too
 * large is refused before a byte of it, and before it is asked for where the client waits for that (`Expect: 100-continue`).
 */
export function readWithin(read: RequestHandler, { maxBytes, ms, bytes }: BodyLimits): RequestHandler {
  return async (request, response, next) => {
    const { "content-length": length, "content-encoding": encoding } = request.headers;
    if (Number(length ?? 0) > maxBytes) {
      throw new PostelError(
        failure("request_too_large", `The body is larger than ${maxBytes} bytes (\`server.max_body_bytes\`).`),
      );
    }
    const known = length !== undefined && encoding === undefined;
    const leave = await bytes.take(clientSignal(response), known ? Number(length) : maxBytes);
    let over = false;
    const done = (error?: unknown): void => {
      // The reader hears of an answer that was given meanwhile as a connection that broke.
      if (over || response.headersSent) return;
      over = true;
      clearTimeout(timer);
      leave(Buffer.isBuffer(request.body) ? request.body.length : 0);
      next(error);
    };
    const late = (): void => {
      response.setHeader("connection", "close");
      const message = `The body of the request did not arrive within ${ms} ms; send it again, without a pause in it.`;
      done(new PostelError(failure("request_timeout", message)));
    };
    const timer = request.complete ? undefined : setTimeout(late, ms);
    response.on("close", () => {
      clearTimeout(timer);
      leave();
    });
    pacedOf(response).askForBody();
    if (known) readPlain(request, Number(length), done);
    else await read(request, response, done);
  };
}

/** A body as it was sent, whose length the parser of HTTP holds it to; one that has come is taken as it is. */
function readPlain(request: Request, length: number, done: (error?: unknown) => void): void {
  if (request.complete && length > 0 && request.readableLength === length) {
    request.body = request.read();
    done();
    return;
  }
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    request.body = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    done();
  });
  request.on("close", () => {
    if (!request.complete) done(new PostelError(failure("cancelled", "The client left before its body was whole.")));
  });
}

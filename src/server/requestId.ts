// The id of a request: the client's own where it is legal, else a fresh one. Knows no log.
import type { RequestHandler, Response } from "express";
import type { Ids } from "../core/ports.ts";

const LEGAL = /^[A-Za-z0-9_-]{1,128}$/;

/** Puts the id on the response, where everything later reads it. */
export function assignRequestId(ids: Pick<Ids, "requestId">): RequestHandler {
  return (request, response, next) => {
    const given = request.get("x-request-id");
    response.setHeader("x-request-id", given !== undefined && LEGAL.test(given) ? given : ids.requestId());
    next();
  };
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader("x-request-id") ?? "");
}

// The ids of a request, and of what it goes on with: the one that its caller sees, and the one by which the house keeps it apart. Knows no log.
import type { RequestHandler, Response } from "express";
import type { Ids } from "../core/ports.ts";

const LEGAL = /^[A-Za-z0-9_-]{1,128}$/;
/** Characters of a fresh id behind a caller's own. */
const SUFFIX = 8;

/** Puts both ids on the response, where everything later reads them. */
export function assignRequestId(ids: Pick<Ids, "requestId">): RequestHandler {
  return (request, response, next) => {
    const given = request.get("x-request-id");
    const fresh = ids.requestId();
    const chosen = given !== undefined && LEGAL.test(given);
    response.setHeader("x-request-id", chosen ? given : fresh);
    response.locals.run = chosen ? `${given}-${fresh.slice(0, SUFFIX)}` : fresh;
    next();
  };
}

/** The id that the caller sees: its own where it chose a legal one. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader("x-request-id") ?? "");
}

/** The id of logs, recordings and runs. It begins with the caller's, and no two requests share it: callers repeat theirs. */
export function runIdOf(response: Response): string {
  return String(response.locals.run ?? "");
}

/** Says which session the request is a turn of: its log line names it. */
export function noteSession(response: Response, session: string): void {
  response.locals.session = session;
}

/** Undefined where it is of none. */
export function sessionOf(response: Response): string | undefined {
  return response.locals.session as string | undefined;
}

/** Says which run the request takes further: its log line has what is heard of that. */
export function noteResumed(response: Response, run: string): void {
  response.locals.resumed = run;
}

/** Undefined where it took none further. */
export function resumedBy(response: Response): string | undefined {
  return response.locals.resumed as string | undefined;
}

// Tells the observer of each request once, when its answer is over. Knows no logger.
import type { RequestHandler } from "express";
import type { Clock, Observer } from "../core/ports.ts";
import { callerOf } from "./callerGate.ts";
import { resumedBy, runIdOf, sessionOf } from "./requestId.ts";
import { SERVED_ROUTES } from "./servedRoutes.ts";

/** Probes are left out: they would drown the rest. */
const SILENT: ReadonlySet<string> = new Set(SERVED_ROUTES.flatMap(({ probe, path }) => (probe ? [path] : [])));

export function requestLog(observer: Observer, clock: Pick<Clock, "monotonic">): RequestHandler {
  return (request, response, next) => {
    if (SILENT.has(request.path)) return next();
    const { method, path } = request;
    const start = clock.monotonic();
    response.on("close", () => {
      const ms = Math.round(clock.monotonic() - start);
      const aborted = !response.writableFinished;
      observer.observe({
        type: "request",
        run: runIdOf(response),
        method,
        path,
        status: response.statusCode,
        ms,
        aborted,
        caller: callerOf(response)?.name,
        session: sessionOf(response),
        resumed: resumedBy(response),
      });
    });
    next();
  };
}

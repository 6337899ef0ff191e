// Services → the Express app, as a value. Never listens.
import type { Socket } from "node:net";
import express, { type Express, type RequestHandler } from "express";
import { PostelError } from "../core/failures.ts";
import type { AppServices } from "./AppServices.ts";
import { admission, bodyBytes, SHUTTING_DOWN } from "./admission.ts";
import { callerGate } from "./callerGate.ts";
import { cors } from "./cors.ts";
import { errorHandler } from "./errorHandler.ts";
import { inOrder } from "./inOrder.ts";
import { jsonBody } from "./jsonBody.ts";
import { paceAnswers } from "./PacedResponse.ts";
import { refuseSurplus, refuseUnmet } from "./receiving.ts";
import { assignRequestId } from "./requestId.ts";
import { requestLog } from "./requestLog.ts";
import { requireRight } from "./rights.ts";
import { COMMON_WIRE, type Method, SERVED_ROUTES, type ServedRoute } from "./servedRoutes.ts";
import { turnstile } from "./turnstile.ts";
import { unknownPath, wrongMethod } from "./unknownPath.ts";

export interface Receiving {
  /** Milliseconds for a body, once it has been asked for. */
  readonly bodyMs: number;
  /** True for a connection beyond those that the server keeps. */
  readonly isSurplus: (socket: Socket) => boolean;
}

/** @param receiving what the server around the app knows of its connections. */
export function createApp(services: AppServices, { bodyMs, isSurplus }: Receiving): Express {
  const { server, limits, observer } = services;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  const named = [assignRequestId(services.ids), requestLog(observer, services.clock)];
  const paced = [paceAnswers(services.timeouts.readerMs, observer), refuseSurplus(isSurplus), refuseUnmet];
  app.use(inOrder(...named, ...paced, cors(server.corsOrigins)));

  const served = [...Map.groupBy(SERVED_ROUTES, ({ path }) => path)];
  const serve = (path: string, routes: readonly ServedRoute[], before: (route: ServedRoute) => RequestHandler[]) => {
    const at = app.route(path);
    for (const route of routes) {
      const handle = inOrder(...before(route), route.handler(services));
      at[VERBS[route.method]](handle);
    }
    const methods = routes.map(({ method }) => method);
    at.all(wrongMethod(...methods), errorHandler(services, routes[0]?.wire ?? COMMON_WIRE));
  };
  for (const [path, routes] of served) if (routes.every(({ probe }) => probe)) serve(path, routes, () => []);

  app.use(inOrder(turnstile(), callerGate(server), refuseWhenStopping(services.stopping)));
  const json = { depth: limits.jsonDepth, keys: limits.jsonKeys, values: limits.jsonValues };
  const body = jsonBody({ maxBytes: server.maxBodyBytes, ms: bodyMs, bytes: bodyBytes(server), json });
  const admit = admission(server, services.stopping);
  const before = (route: ServedRoute): RequestHandler[] => {
    if (route.probe) return [];
    const reads = route.method === "POST" && !route.bare;
    return [requireRight(route.can), ...(route.lasting ? [] : [admit]), ...(reads ? body : [])];
  };
  for (const [path, routes] of served) if (!routes.every(({ probe }) => probe)) serve(path, routes, before);

  const paths = served.map(([path]) => path).filter((path) => !/[*:]/.test(path));
  app.use(unknownPath(paths), errorHandler(services, COMMON_WIRE));
  return app;
}

const VERBS = { GET: "get", POST: "post", DELETE: "delete" } as const satisfies Record<Method, string>;

function refuseWhenStopping(stopping: AbortSignal): RequestHandler {
  return (_request, response, next) => {
    if (!stopping.aborted) return next();
    response.setHeader("connection", "close");
    throw new PostelError(SHUTTING_DOWN);
  };
}

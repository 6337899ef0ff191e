// Builds the Express app with all routes from the services. Does not listen.
import express, { type Express, type RequestHandler } from "express";
import type { AppServices } from "./AppServices.ts";
import { createErrorHandler } from "./http/errorHandler.ts";
import { createMethodNotAllowedHandler, createNotFoundHandler } from "./http/notFound.ts";
import { getRequestContext } from "./http/RequestContext.ts";
import type { RequestPipeline } from "./http/RequestPipeline.ts";
import { COMMON_WIRE, getRoutePolicy, type Method, ROUTES, type ServedRoute } from "./routes.ts";

/** @param entrance the request pipeline that all requests share. */
export function createApp(services: AppServices, entrance: RequestPipeline): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use((request, response, next) => {
    const exchange = entrance.open(request, response, request.path);
    if (entrance.greet(exchange)) return;
    // Some handlers answer by Express itself.
    response.setHeader("x-request-id", exchange.id);
    next();
  });

  const served = [...Map.groupBy(ROUTES, ({ path }) => path)];
  const serve = (path: string, routes: readonly ServedRoute[]) => {
    const at = app.route(path);
    for (const route of routes) at[VERBS[route.method]](createHandler(route, services, entrance));
    const methods = routes.map(({ method }) => method);
    at.all(createMethodNotAllowedHandler(...methods), createErrorHandler(services, routes[0]?.wire ?? COMMON_WIRE));
  };
  for (const [path, routes] of served) if (routes.every(({ probe }) => probe)) serve(path, routes);

  app.use((_request, response, next) => {
    entrance.inTurn(() => {
      try {
        entrance.identify(getRequestContext(response));
        next();
      } catch (thrown) {
        next(thrown);
      }
    });
  });
  for (const [path, routes] of served) if (!routes.every(({ probe }) => probe)) serve(path, routes);

  const paths = served.map(([path]) => path).filter((path) => !/[*:]/.test(path));
  app.use(createNotFoundHandler(paths), createErrorHandler(services, COMMON_WIRE));
  return app;
}

const VERBS = { GET: "get", POST: "post", DELETE: "delete" } as const satisfies Record<Method, string>;

function createHandler(route: ServedRoute, services: AppServices, entrance: RequestPipeline): RequestHandler {
  const handle = route.handler(services);
  const terms = getRoutePolicy(route);
  if (!terms) return handle;
  return async (request, response, next) => {
    await entrance.admit(getRequestContext(response), terms);
    await handle(request, response, next);
  };
}

// Services → the Express app, as a value, in which every route has its place. Never listens.
import express, { type Express, type RequestHandler } from "express";
import type { AppServices } from "./AppServices.ts";
import type { Entrance } from "./Entrance.ts";
import { exchangeOf } from "./Exchange.ts";
import { errorHandler } from "./errorHandler.ts";
import { COMMON_WIRE, type Method, SERVED_ROUTES, type ServedRoute, termsOf } from "./servedRoutes.ts";
import { unknownPath, wrongMethod } from "./unknownPath.ts";

/** @param entrance what its requests go through, as all of the gateway do. */
export function createApp(services: AppServices, entrance: Entrance): Express {
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

  const served = [...Map.groupBy(SERVED_ROUTES, ({ path }) => path)];
  const serve = (path: string, routes: readonly ServedRoute[]) => {
    const at = app.route(path);
    for (const route of routes) at[VERBS[route.method]](handlerOf(route, services, entrance));
    const methods = routes.map(({ method }) => method);
    at.all(wrongMethod(...methods), errorHandler(services, routes[0]?.wire ?? COMMON_WIRE));
  };
  for (const [path, routes] of served) if (routes.every(({ probe }) => probe)) serve(path, routes);

  app.use((_request, response, next) => {
    entrance.inTurn(() => {
      try {
        entrance.identify(exchangeOf(response));
        next();
      } catch (thrown) {
        next(thrown);
      }
    });
  });
  for (const [path, routes] of served) if (!routes.every(({ probe }) => probe)) serve(path, routes);

  const paths = served.map(([path]) => path).filter((path) => !/[*:]/.test(path));
  app.use(unknownPath(paths), errorHandler(services, COMMON_WIRE));
  return app;
}

const VERBS = { GET: "get", POST: "post", DELETE: "delete" } as const satisfies Record<Method, string>;

function handlerOf(route: ServedRoute, services: AppServices, entrance: Entrance): RequestHandler {
  const handle = route.handler(services);
  const terms = termsOf(route);
  if (!terms) return handle;
  return async (request, response, next) => {
    await entrance.admit(exchangeOf(response), terms);
    await handle(request, response, next);
  };
}

// Dispatches requests: hot routes directly, all others through the Express app.
import type { RequestListener } from "node:http";
import type { AppServices } from "../AppServices.ts";
import type { ErrorFormat } from "../apis/FrontApi.ts";
import { createApp } from "../createApp.ts";
import { sendError } from "../http/errorHandler.ts";
import type { RequestContext, RouteHandler } from "../http/RequestContext.ts";
import { type ConnectionInfo, RequestPipeline, type RoutePolicy } from "../http/RequestPipeline.ts";
import { getRoutePolicy, ROUTES } from "../routes.ts";

interface HotRoute {
  readonly terms: RoutePolicy;
  readonly wire: ErrorFormat;
  readonly answers: RouteHandler;
}

/** @param receiving state of the server's connections. */
export function createRequestListener(services: AppServices, receiving: ConnectionInfo): RequestListener {
  const silent = new Set(ROUTES.flatMap(({ probe, path }) => (probe ? [path] : [])));
  const entrance = new RequestPipeline(services, receiving, silent);
  const app = createApp(services, entrance);
  const hot = hotRoutes(services);
  const refuse = (error: unknown, { response }: RequestContext, { wire }: HotRoute): Promise<void> =>
    sendError(error, response, services, wire).catch(() => void response.destroy());
  const serve = async (exchange: RequestContext, route: HotRoute): Promise<void> => {
    try {
      entrance.identify(exchange);
      await entrance.admit(exchange, route.terms);
      await route.answers(exchange.request, exchange.response);
    } catch (error) {
      await refuse(error, exchange, route);
    }
  };
  return (request, response) => {
    const { method, url = "" } = request;
    // Matches the usual spelling only; Express handles any other spelling.
    const route = method === "POST" ? hot.get(url) : undefined;
    if (!route) return app(request, response);
    const exchange = entrance.open(request, response, url);
    try {
      if (!entrance.greet(exchange)) entrance.inTurn(() => void serve(exchange, route));
    } catch (error) {
      void refuse(error, exchange, route);
    }
  };
}

/** Hot routes by path; all of them use POST. */
function hotRoutes(services: AppServices): ReadonlyMap<string, HotRoute> {
  const routes = new Map<string, HotRoute>();
  for (const route of ROUTES) {
    const terms = getRoutePolicy(route);
    if (route.hot && terms) routes.set(route.path, { terms, wire: route.wire, answers: route.hot(services) });
  }
  return routes;
}

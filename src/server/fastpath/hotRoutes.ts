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
  readonly policy: RoutePolicy;
  readonly wire: ErrorFormat;
  readonly handle: RouteHandler;
}

/** @param receiving state of the server's connections. */
export function createRequestListener(services: AppServices, receiving: ConnectionInfo): RequestListener {
  const silent = new Set(ROUTES.flatMap(({ probe, path }) => (probe ? [path] : [])));
  const pipeline = new RequestPipeline(services, receiving, silent);
  const app = createApp(services, pipeline);
  const routes = services.fastPaths ? findHotRoutes(services) : new Map<string, HotRoute>();
  const refuse = (error: unknown, { response }: RequestContext, { wire }: HotRoute): Promise<void> =>
    sendError(error, response, services, wire).catch(() => void response.destroy());
  const serve = async (context: RequestContext, route: HotRoute): Promise<void> => {
    try {
      pipeline.identify(context);
      await pipeline.admit(context, route.policy);
      await route.handle(context.request, context.response);
    } catch (error) {
      await refuse(error, context, route);
    }
  };
  return (request, response) => {
    const { method, url = "" } = request;
    // Matches the usual spelling only; Express handles any other spelling.
    const route = method === "POST" ? routes.get(url) : undefined;
    if (!route) return app(request, response);
    const context = pipeline.open(request, response, url);
    try {
      if (!pipeline.greet(context)) pipeline.inTurn(() => void serve(context, route));
    } catch (error) {
      void refuse(error, context, route);
    }
  };
}

/** Returns the hot routes by path. All of them use POST. */
function findHotRoutes(services: AppServices): ReadonlyMap<string, HotRoute> {
  const routes = new Map<string, HotRoute>();
  for (const route of ROUTES) {
    const policy = getRoutePolicy(route);
    if (route.hot && policy) routes.set(route.path, { policy, wire: route.wire, handle: route.hot(services) });
  }
  return routes;
}

// Whoever comes, by the shortest way to their handler: hot routes at once, all others through the Express app. Knows no route's work.
import type { RequestListener } from "node:http";
import type { AppServices } from "./AppServices.ts";
import { createApp } from "./createApp.ts";
import { Entrance, type Receiving, type Terms } from "./Entrance.ts";
import type { Answers, Exchange } from "./Exchange.ts";
import { answerFault } from "./errorHandler.ts";
import { SERVED_ROUTES, termsOf } from "./servedRoutes.ts";
import type { FailureWire } from "./wires/Wire.ts";

interface HotRoute {
  readonly terms: Terms;
  readonly wire: FailureWire;
  readonly answers: Answers;
}

/** @param receiving what the server around it knows of its connections. */
export function door(services: AppServices, receiving: Receiving): RequestListener {
  const silent = new Set(SERVED_ROUTES.flatMap(({ probe, path }) => (probe ? [path] : [])));
  const entrance = new Entrance(services, receiving, silent);
  const app = createApp(services, entrance);
  const hot = hotRoutes(services);
  const refuse = (error: unknown, { response }: Exchange, { wire }: HotRoute): Promise<void> =>
    answerFault(error, response, services, wire).catch(() => void response.destroy());
  const serve = (exchange: Exchange, route: HotRoute): void => {
    const { request, response } = exchange;
    try {
      entrance.identify(exchange);
      const entering = entrance.admit(exchange, route.terms);
      const over = entering ? entering.then(() => route.answers(request, response)) : route.answers(request, response);
      over.catch((error: unknown) => refuse(error, exchange, route));
    } catch (error) {
      void refuse(error, exchange, route);
    }
  };
  return (request, response) => {
    const { method, url = "" } = request;
    // As most spell it; however else it is spelled, Express finds it.
    const route = method === "POST" ? hot.get(url) : undefined;
    if (!route) return app(request, response);
    const exchange = entrance.open(request, response, url);
    try {
      if (!entrance.greet(exchange)) entrance.inTurn(() => serve(exchange, route));
    } catch (error) {
      void refuse(error, exchange, route);
    }
  };
}

/** By their paths; all of them are asked by POST. */
function hotRoutes(services: AppServices): ReadonlyMap<string, HotRoute> {
  const routes = new Map<string, HotRoute>();
  for (const route of SERVED_ROUTES) {
    const terms = termsOf(route);
    if (route.hot && terms) routes.set(route.path, { terms, wire: route.wire, answers: route.hot(services) });
  }
  return routes;
}

// A route's handler that is loaded with the first request for it: a start does without. Knows no route.
import type { RequestHandler } from "express";
import type { AppServices } from "./AppServices.ts";

type Handler = (services: AppServices) => RequestHandler;

/** @param load gives the handler; where that fails the request does, and the next one tries again. */
export function lateHandler(load: () => Promise<Handler>): Handler {
  return (services) => {
    let made: RequestHandler | undefined;
    return async (request, response, next) => {
      made ??= (await load())(services);
      await made(request, response, next);
    };
  };
}

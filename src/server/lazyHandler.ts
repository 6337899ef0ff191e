// A route's handler that is loaded with the first request for it: a start does without. Knows no route.
import type { AppServices } from "./AppServices.ts";

type Handler<Given extends readonly unknown[]> = (services: AppServices) => (...given: Given) => unknown;

/** @param load gives the handler; where that fails the request does, and the next one tries again. */
export function createLazyHandler<Given extends readonly unknown[]>(
  load: () => Promise<Handler<Given>>,
): (services: AppServices) => (...given: Given) => Promise<void> {
  return (services) => {
    let made: ReturnType<Handler<Given>> | undefined;
    return async (...given) => {
      made ??= (await load())(services);
      await made(...given);
    };
  };
}

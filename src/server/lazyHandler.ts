// Loads the handler of a route with the first request for it, which keeps the start fast.
import type { AppServices } from "./AppServices.ts";

type Handler<Given extends readonly unknown[]> = (services: AppServices) => (...given: Given) => unknown;

/** @param load loads the handler; if it fails, so does the request, and the next one tries again. */
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

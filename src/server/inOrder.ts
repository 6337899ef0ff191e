// Several handlers as one, so that a request passes the router once for all of them. Knows no request.
import type { RequestHandler } from "express";

/** Each comes when the one before it says so; what one throws or rejects with goes to whoever comes behind all of them. */
export function inOrder(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let at = 0;
    const go = (error?: unknown): void => {
      const handler = error === undefined ? handlers[at] : undefined;
      if (!handler) {
        next(error);
        return;
      }
      at += 1;
      try {
        const done: unknown = handler(request, response, go);
        if (done instanceof Promise) done.catch(next);
      } catch (thrown) {
        next(thrown);
      }
    };
    go();
  };
}

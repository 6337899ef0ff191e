// Answers unknown paths and methods, and suggests the path that was probably meant.
import type { RequestHandler } from "express";
import { createFailure, PostelError } from "../../core/failures.ts";

/** @param served the paths of the gateway, without wildcard paths. */
export function createNotFoundHandler(served: readonly string[]): RequestHandler {
  return (request) => {
    const meant = suggestPath(request.path, served);
    const hint = meant ? `Did you mean ${meant}?` : `The gateway serves ${served.join(", ")}.`;
    throw new PostelError(
      createFailure("not_found", `There is nothing at ${request.method} ${request.path.slice(0, 200)}. ${hint}`),
    );
  };
}

/** Handles methods that a served path does not support. */
export function createMethodNotAllowedHandler(...allowed: readonly string[]): RequestHandler {
  return (request) => {
    const allow = allowed.join(", ");
    throw new PostelError(
      createFailure("method_not_allowed", `${request.path.slice(0, 200)} takes ${allow}, not ${request.method}.`, {
        allow,
      }),
    );
  };
}

/** The served path whose part after `/v1` is the longest suffix of `path`; finds doubled and missing prefixes alike. */
export function suggestPath(path: string, served: readonly string[]): string | undefined {
  const asked = path.toLowerCase().replace(/\/+/g, "/").replace(/\/$/, "");
  const fits = served.filter((one) => asked.endsWith(one.replace(/^\/v1/, "")));
  return fits.toSorted((a, b) => b.length - a.length)[0];
}

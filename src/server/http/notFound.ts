// Answers unknown paths and methods, and suggests the path that was probably meant.
import type { RequestHandler } from "express";
import { createFailure, PostelError } from "../../core/failures.ts";

/** @param paths the paths of the gateway, without wildcard paths. */
export function createNotFoundHandler(paths: readonly string[]): RequestHandler {
  return (request) => {
    const suggestion = suggestPath(request.path, paths);
    const hint = suggestion ? `Did you mean ${suggestion}?` : `The gateway serves ${paths.join(", ")}.`;
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
export function suggestPath(path: string, paths: readonly string[]): string | undefined {
  const normalizedPath = path.toLowerCase().replace(/\/+/g, "/").replace(/\/$/, "");
  const fits = paths.filter((one) => normalizedPath.endsWith(one.replace(/^\/v1/, "")));
  return fits.toSorted((a, b) => b.length - a.length)[0];
}

// Answers paths and methods that are not served, naming the one that was probably meant. Knows the served paths only by list.
import type { RequestHandler } from "express";
import { failure, PostelError } from "../core/failures.ts";

/** What the gateway serves: the whole HTTP contract in one list. */
const PATHS = [
  "/v1/chat/completions",
  "/v1/agent",
  "/v1/agent/chat/completions",
  "/v1/agent/models",
  "/v1/models",
  "/v1/parse",
  "/health",
  "/ready",
] as const;

export const unknownPath: RequestHandler = (request) => {
  const meant = meantPath(request.path);
  const hint = meant ? `Did you mean ${meant}?` : `The gateway serves ${PATHS.join(", ")}.`;
  throw new PostelError(
    failure("not_found", `There is nothing at ${request.method} ${request.path.slice(0, 200)}. ${hint}`),
  );
};

/** For the methods that a served path does not take. */
export function wrongMethod(...allowed: readonly string[]): RequestHandler {
  return (request) => {
    const allow = allowed.join(", ");
    throw new PostelError(
      failure("method_not_allowed", `${request.path.slice(0, 200)} takes ${allow}, not ${request.method}.`, { allow }),
    );
  };
}

/** The served path whose tail, past `/v1`, is the longest one that `path` ends with: finds doubled and missing prefixes alike. */
export function meantPath(path: string): string | undefined {
  const asked = path.toLowerCase().replace(/\/+/g, "/").replace(/\/$/, "");
  const fits = PATHS.filter((served) => asked.endsWith(served.replace(/^\/v1/, "")));
  return fits.toSorted((a, b) => b.length - a.length)[0];
}

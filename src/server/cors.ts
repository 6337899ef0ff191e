// Lets the configured browser origins call the gateway, preflight included. Knows no route.
import type { RequestHandler } from "express";

const ANSWER_HEADERS = [
  ...["x-request-id", "x-postel-tool-mode", "x-postel-formats", "x-postel-repairs", "x-postel-attempts"],
  ...["retry-after", "x-should-retry"],
].join(", ");

/** `*` lets any origin in; others must be named exactly. */
export function cors(origins: readonly string[]): RequestHandler {
  return (request, response, next) => {
    const origin = request.get("origin");
    const allowed = origin !== undefined && (origins.includes("*") || origins.includes(origin));
    if (origins.length > 0) response.vary("origin");
    if (allowed) {
      response.set({ "access-control-allow-origin": origin, "access-control-expose-headers": ANSWER_HEADERS });
    }
    if (request.method !== "OPTIONS" || request.get("access-control-request-method") === undefined) return next();
    if (allowed) {
      response.set({
        "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
        // SDKs send headers of their own (`x-stainless-…`), so those that are asked for are let through.
        "access-control-allow-headers": request.get("access-control-request-headers") ?? "authorization, content-type",
        "access-control-max-age": "600",
      });
    }
    response.status(204).end();
  };
}

// Allows the configured browser origins to call the gateway, including preflight requests.
import type { RequestContext } from "./RequestContext.ts";

const ANSWER_HEADERS = [
  ...["x-request-id", "x-postel-tool-mode", "x-postel-formats", "x-postel-repairs", "x-postel-attempts"],
  ...["retry-after", "x-should-retry"],
].join(", ");

/** Sets the CORS headers; returns true if the request was a preflight and is answered. */
export type Cors = (exchange: RequestContext) => boolean;

/** `*` allows any origin; others must match exactly. */
export function createCors(origins: readonly string[]): Cors {
  return ({ request: { headers, method }, response, paced }) => {
    const { origin } = headers;
    const allowed = origin !== undefined && (origins.includes("*") || origins.includes(origin));
    if (origins.length > 0) response.setHeader("Vary", "origin");
    if (allowed) {
      response.setHeader("access-control-allow-origin", origin);
      response.setHeader("access-control-expose-headers", ANSWER_HEADERS);
    }
    if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return false;
    if (allowed) {
      response.setHeader("access-control-allow-methods", "GET, POST, DELETE, OPTIONS");
      // SDKs send headers of their own (`x-stainless-…`), so all requested headers are allowed.
      const normalizedPath = headers["access-control-request-headers"];
      response.setHeader("access-control-allow-headers", normalizedPath ?? "authorization, content-type");
      response.setHeader("access-control-max-age", "600");
    }
    paced.writeHead(204, {});
    response.end();
    return true;
  };
}

// Lets the configured browser origins call the gateway, preflight included. Knows no route.
import type { RequestContext } from "./RequestContext.ts";

const ANSWER_HEADERS = [
  ...["x-request-id", "x-postel-tool-mode", "x-postel-formats", "x-postel-repairs", "x-postel-attempts"],
  ...["retry-after", "x-should-retry"],
].join(", ");

/** Says which origins may read an answer; true where the request was a preflight, which is answered by it. */
export type Cors = (exchange: RequestContext) => boolean;

/** `*` lets any origin in; others must be named exactly. */
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
      // SDKs send headers of their own (`x-stainless-…`), so those that are asked for are let through.
      const asked = headers["access-control-request-headers"];
      response.setHeader("access-control-allow-headers", asked ?? "authorization, content-type");
      response.setHeader("access-control-max-age", "600");
    }
    paced.writeHead(204, {});
    response.end();
    return true;
  };
}

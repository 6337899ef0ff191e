// Who of those that were let in is served now, and who waits or is sent away. Knows no route and reads no body.
import type { RequestHandler } from "express";
import type { ServerConfig } from "../core/configuration.ts";
import { failure } from "../core/failures.ts";
import { Places } from "../core/Places.ts";
import { clientSignal } from "./clientSignal.ts";

export const SHUTTING_DOWN = failure(
  "shutting_down",
  "The gateway is shutting down; send the request again in a moment.",
);

/**
 * A request holds its place until its answer is over or its client has left. It comes before the body is read, so that a request
 * that waits or is refused costs neither its bytes nor their parsing.
 * @param stopping sends away those who wait; whoever has a place keeps it.
 */
export function admission(
  { maxInFlight, maxQueued, queueMs }: Pick<ServerConfig, "maxInFlight" | "maxQueued" | "queueMs">,
  stopping: AbortSignal,
): RequestHandler {
  const keys = "`server.max_in_flight`, `server.max_queued`, `server.queue_ms`";
  const places = new Places({ most: maxInFlight, mostWaiting: maxQueued, waitMs: queueMs, keys });
  stopping.addEventListener("abort", () => places.refuseWaiting(SHUTTING_DOWN), { once: true });
  return async (_request, response, next) => {
    const leave = await places.take(clientSignal(response));
    response.once("close", leave);
    if (response.destroyed) leave();
    next();
  };
}

// GET /health: reports if the process answers and can write. GET /ready: reports if it accepts new work. Calls no upstream.
import type { RequestHandler } from "express";
import type { WriteHealth, WrittenPlace } from "../../core/WriteHealth.ts";
import type { AppServices } from "../AppServices.ts";

type Services = Pick<AppServices, "health" | "store" | "trail">;

export function createHealthRoute(services: Services): RequestHandler {
  return (_request, response) => {
    response.json({ status: "ok", writes: describeWrites(services) });
  };
}

export function createReadyRoute(services: Services & Pick<AppServices, "stopSignal">): RequestHandler {
  return (_request, response) => {
    const writes = describeWrites(services);
    const { isNeeded, isHealthy } = services.health;
    const status = services.stopSignal.aborted ? "stopping" : isNeeded && !isHealthy ? "not-writable" : "ready";
    response.status(status === "ready" ? 200 : 503).json({ status, writes });
  };
}

/**
 * `ok` or the code of the last write failure, for each store. A store that failed is tried again from time to time, after the
 * answer.
 */
function describeWrites({ health, store, trail }: Services): Readonly<Partial<Record<WrittenPlace, string>>> {
  // The write path records the result itself.
  if (health.takeRetry())
    void store
      .tryToWrite()
      .then(() => trail?.tryToWrite())
      .catch(() => {});
  return { store: getWriteState(health, "store"), ...(trail && { audit: getWriteState(health, "audit") }) };
}

function getWriteState(health: WriteHealth, target: WrittenPlace): string {
  return health.getFailure(target) ?? "ok";
}

// GET /health: the process answers, and can write or not. GET /ready: it also takes new work. Asks no upstream.
import type { RequestHandler } from "express";
import type { WriteHealth, WrittenPlace } from "../../core/WriteHealth.ts";
import type { AppServices } from "../AppServices.ts";

type Services = Pick<AppServices, "health" | "store" | "trail">;

export function createHealthRoute(services: Services): RequestHandler {
  return (_request, response) => {
    response.json({ status: "ok", writes: describeWrites(services) });
  };
}

export function createReadyRoute(services: Services & Pick<AppServices, "stopping">): RequestHandler {
  return (_request, response) => {
    const writes = describeWrites(services);
    const { isNeeded, isGood } = services.health;
    const status = services.stopping.aborted ? "stopping" : isNeeded && !isGood ? "not-writable" : "ready";
    response.status(status === "ready" ? 200 : 503).json({ status, writes });
  };
}

/** `ok`, or the code of the last write's failure, of each place. A place that took no write is tried again now and then, behind the answer. */
function describeWrites({ health, store, trail }: Services): Readonly<Partial<Record<WrittenPlace, string>>> {
  // What became of them is noted where they are made.
  if (health.takeRetry())
    void store
      .tryToWrite()
      .then(() => trail?.tryToWrite())
      .catch(() => {});
  return { store: getWriteState(health, "store"), ...(trail && { audit: getWriteState(health, "audit") }) };
}

function getWriteState(health: WriteHealth, place: WrittenPlace): string {
  return health.failureOf(place) ?? "ok";
}

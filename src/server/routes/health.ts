// GET /health: the process answers. GET /ready: it also takes new work. Knows no upstream.
import type { RequestHandler } from "express";
import type { AppServices } from "../AppServices.ts";

export function health(): RequestHandler {
  return (_request, response) => {
    response.json({ status: "ok" });
  };
}

export function ready({ stopping }: Pick<AppServices, "stopping">): RequestHandler {
  return (_request, response) => {
    response.status(stopping.aborted ? 503 : 200).json({ status: stopping.aborted ? "stopping" : "ready" });
  };
}

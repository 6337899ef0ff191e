// GET /health: the process answers. GET /ready: it also takes new work. Knows no upstream.
import type { RequestHandler } from "express";

export const health: RequestHandler = (_request, response) => {
  response.json({ status: "ok" });
};

export function ready(stopping: AbortSignal): RequestHandler {
  return (_request, response) => {
    response.status(stopping.aborted ? 503 : 200).json({ status: stopping.aborted ? "stopping" : "ready" });
  };
}

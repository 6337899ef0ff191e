// The whole HTTP contract as one list: which paths are served, by which method, and by whom. Knows no field and no order of checks.
import type { RequestHandler } from "express";
import type { AppServices } from "./AppServices.ts";
import { agentModels, agentRun } from "./routes/agent.ts";
import { chatCompletions } from "./routes/chatCompletions.ts";
import { health, ready } from "./routes/health.ts";
import { listModels, showModel } from "./routes/models.ts";
import { parse } from "./routes/parse.ts";

export interface ServedRoute {
  readonly method: "GET" | "POST";
  /** As Express reads it: `*name` takes any further segments. */
  readonly path: string;
  readonly handler: (services: AppServices) => RequestHandler;
  /** True where the machine's keeper asks how the process is: without a key, without waiting for a place, without a line in the log. */
  readonly probe?: true;
}

export const SERVED_ROUTES: readonly ServedRoute[] = [
  { method: "POST", path: "/v1/chat/completions", handler: chatCompletions },
  { method: "POST", path: "/v1/agent", handler: agentRun },
  { method: "POST", path: "/v1/agent/chat/completions", handler: agentRun },
  { method: "GET", path: "/v1/agent/models", handler: agentModels },
  { method: "GET", path: "/v1/models", handler: listModels },
  { method: "GET", path: "/v1/models/*id", handler: showModel },
  { method: "POST", path: "/v1/parse", handler: parse },
  { method: "GET", path: "/health", handler: health, probe: true },
  { method: "GET", path: "/ready", handler: ready, probe: true },
];

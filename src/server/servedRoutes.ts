// The whole HTTP contract as one list: which paths are served, by which method, and by whom. Knows no field and no order of checks.
import type { RequestHandler } from "express";
import type { AppServices } from "./AppServices.ts";
import { agentModels, agentRun } from "./routes/agent.ts";
import { chat } from "./routes/chat.ts";
import { health, ready } from "./routes/health.ts";
import { listModels, showModel } from "./routes/models.ts";
import { parse } from "./routes/parse.ts";
import { passThrough } from "./routes/passThrough.ts";
import { chatCompletions } from "./wires/chatCompletions/chatCompletions.ts";
import type { Wire } from "./wires/Wire.ts";

export interface ServedRoute {
  readonly method: "GET" | "POST";
  /** As Express reads it: `*name` takes any further segments. */
  readonly path: string;
  /** In whose form the route's failures are said, and its requests and answers too where they are a model's. */
  readonly wire: Wire;
  readonly handler: (services: AppServices, wire: Wire) => RequestHandler;
  /** True where the machine's keeper asks how the process is: without a key, without waiting for a place, without a line in the log. */
  readonly probe?: true;
}

/** What no route answers for is said on this one. */
export const COMMON_WIRE: Wire = chatCompletions;

export const SERVED_ROUTES: readonly ServedRoute[] = [
  { method: "POST", path: "/v1/chat/completions", wire: chatCompletions, handler: chat },
  { method: "POST", path: "/v1/agent", wire: chatCompletions, handler: agentRun },
  { method: "POST", path: "/v1/agent/chat/completions", wire: chatCompletions, handler: agentRun },
  { method: "POST", path: "/v1/embeddings", wire: chatCompletions, handler: passThrough("/embeddings") },
  { method: "POST", path: "/v1/completions", wire: chatCompletions, handler: passThrough("/completions") },
  { method: "POST", path: "/v1/rerank", wire: chatCompletions, handler: passThrough("/rerank") },
  { method: "GET", path: "/v1/agent/models", wire: chatCompletions, handler: agentModels },
  { method: "GET", path: "/v1/models", wire: chatCompletions, handler: listModels },
  { method: "GET", path: "/v1/models/*id", wire: chatCompletions, handler: showModel },
  { method: "POST", path: "/v1/parse", wire: chatCompletions, handler: parse },
  { method: "GET", path: "/health", wire: chatCompletions, handler: health, probe: true },
  { method: "GET", path: "/ready", wire: chatCompletions, handler: ready, probe: true },
];

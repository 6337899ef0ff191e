// The whole HTTP contract as one list: which paths are served, by which method, and by whom. Knows no field and no order of checks.
import type { RequestHandler } from "express";
import type { Right } from "../core/requests.ts";
import type { AppServices } from "./AppServices.ts";
import { ANY_RIGHT } from "./rights.ts";
import { agentModels, agentRun } from "./routes/agent.ts";
import { chat } from "./routes/chat.ts";
import { health, ready } from "./routes/health.ts";
import { listModels, showModel } from "./routes/models.ts";
import { parse } from "./routes/parse.ts";
import { passThrough } from "./routes/passThrough.ts";
import { chatCompletions } from "./wires/chatCompletions/chatCompletions.ts";
import type { Wire } from "./wires/Wire.ts";

export type Method = "GET" | "POST" | "DELETE";

export type ServedRoute = CommonRoute &
  (
    | {
        /** What a caller needs of which; nobody else is let through. */
        readonly can: readonly Right[];
        /** True of a POST that says everything by its path. */
        readonly bare?: true;
        readonly probe?: undefined;
      }
    /** True where the machine's keeper asks how the process is: without a key, without waiting for a place, without a line in the log. */
    | { readonly probe: true }
  );

interface CommonRoute {
  readonly method: Method;
  /** As Express reads it: `*name` takes any further segments. */
  readonly path: string;
  /** In whose form the route's failures are said, and its requests and answers too where they are a model's. */
  readonly wire: Wire;
  readonly handler: (services: AppServices, wire: Wire) => RequestHandler;
}

/** What no route answers for is said on this one. */
export const COMMON_WIRE: Wire = chatCompletions;

const ASK: readonly Right[] = ["ask"];

export const SERVED_ROUTES: readonly ServedRoute[] = [
  { method: "POST", path: "/v1/chat/completions", wire: chatCompletions, can: ASK, handler: chat },
  { method: "POST", path: "/v1/agent", wire: chatCompletions, can: ASK, handler: agentRun },
  { method: "POST", path: "/v1/agent/chat/completions", wire: chatCompletions, can: ASK, handler: agentRun },
  { method: "POST", path: "/v1/embeddings", wire: chatCompletions, can: ASK, handler: passThrough("/embeddings") },
  { method: "POST", path: "/v1/completions", wire: chatCompletions, can: ASK, handler: passThrough("/completions") },
  { method: "POST", path: "/v1/rerank", wire: chatCompletions, can: ASK, handler: passThrough("/rerank") },
  { method: "GET", path: "/v1/agent/models", wire: chatCompletions, can: ANY_RIGHT, handler: agentModels },
  { method: "GET", path: "/v1/models", wire: chatCompletions, can: ANY_RIGHT, handler: listModels },
  { method: "GET", path: "/v1/models/*id", wire: chatCompletions, can: ANY_RIGHT, handler: showModel },
  { method: "POST", path: "/v1/parse", wire: chatCompletions, can: ASK, handler: parse },
  { method: "GET", path: "/health", wire: chatCompletions, handler: health, probe: true },
  { method: "GET", path: "/ready", wire: chatCompletions, handler: ready, probe: true },
];

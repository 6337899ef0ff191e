// The HTTP contract as one list: paths, methods, rights and handlers.

import type { RequestHandler } from "express";
import type { Right } from "../core/requests.ts";
import type { PassedPath } from "../models/wires/UpstreamWire.ts";
import type { AppServices } from "./AppServices.ts";
import { chatCompletions } from "./apis/chatCompletions/chatCompletions.ts";
import type { ErrorFormat } from "./apis/FrontApi.ts";
import { simpleChatWire } from "./apis/simpleChatWire.ts";
import { ANY_RIGHT } from "./http/authorize.ts";
import type { RouteHandler } from "./http/RequestContext.ts";
import type { RoutePolicy } from "./http/RequestPipeline.ts";
import { createAgentModelsRoute, createAgentRoute } from "./routes/agent.ts";
import { createSimpleChatRoute } from "./routes/chat.ts";
import { createChatRoute } from "./routes/chatCompletions.ts";
import { createHealthRoute, createReadyRoute } from "./routes/health.ts";
import { decideInterrupt, listInterrupts } from "./routes/interrupts.ts";
import { deleteMemory, listMemories } from "./routes/memories.ts";
import { createListModelsRoute, createShowModelRoute } from "./routes/models.ts";
import { createParseRoute } from "./routes/parse.ts";
import { createPassThroughRoute } from "./routes/passThrough.ts";
import { resumeRun } from "./routes/resumeRun.ts";
import {
  createCancelRunRoute,
  createListRunsRoute,
  createRateRunRoute,
  createShowRunRoute,
  watchRun,
} from "./routes/runs.ts";
import {
  changeSession,
  createDeleteSessionRoute,
  createListSessionsRoute,
  createShowSessionRoute,
  exportSession,
} from "./routes/sessions.ts";
import { listWorkflows, runWorkflow } from "./routes/workflows.ts";

export type Method = "GET" | "POST" | "DELETE";

export type ServedRoute = Row & {
  /** The format of the route's failures. */
  readonly wire: ErrorFormat;
};

type Row = Place &
  (
    | {
        /** Rights of which a caller needs one. */
        readonly can: readonly Right[];
        /** True for a POST whose path says everything, so that it has no body. */
        readonly bare?: true;
        /** True for a cheap stream that may last for days: it takes no permit. */
        readonly lasting?: true;
        readonly probe?: undefined;
      }
    /** True for a health probe of the operator: no key, no permit, no log line. */
    | { readonly probe: true }
  );

interface Place {
  readonly method: Method;
  /** Express path syntax: `*name` matches any further segments. */
  readonly path: string;
  readonly handler: (services: AppServices) => RequestHandler;
  /** Handler without Express, for a POST that is called very often. */
  readonly hot?: (services: AppServices) => RouteHandler;
}

/** Error format for requests that match no route. */
export const COMMON_WIRE: ErrorFormat = chatCompletions;

const ASK: readonly Right[] = ["ask"];
const DECIDE: readonly Right[] = ["decide"];
/** The handler checks further: deciding and asking need different rights. */
const ASK_OR_DECIDE: readonly Right[] = ["ask", "decide"];
/** Rights of callers who delete or change stored data. */
const KEEP: readonly Right[] = ["ask", "admin"];

const completions = (services: AppServices) => createChatRoute(services, chatCompletions);
const agent = (services: AppServices) => createAgentRoute(services, chatCompletions);
const passed = (path: PassedPath) => createPassThroughRoute(path, chatCompletions);
const RUN = "/v1/agent/runs/:id";
const SESSION = "/v1/agent/sessions/:id";

export const ROUTES: readonly ServedRoute[] = [
  ...common([
    { method: "POST", path: "/v1/chat/completions", can: ASK, handler: completions, hot: completions },
    { method: "POST", path: "/v1/agent", can: ASK_OR_DECIDE, handler: agent, hot: agent },
    { method: "POST", path: "/v1/agent/chat/completions", can: ASK_OR_DECIDE, handler: agent, hot: agent },
    { method: "POST", path: "/v1/embeddings", can: ASK, handler: passed("/embeddings") },
    { method: "POST", path: "/v1/completions", can: ASK, handler: passed("/completions") },
    { method: "POST", path: "/v1/rerank", can: ASK, handler: passed("/rerank") },
    {
      method: "GET",
      path: "/v1/agent/models",
      can: ANY_RIGHT,
      handler: createAgentModelsRoute,
    },
    {
      method: "GET",
      path: "/v1/agent/runs",
      can: ANY_RIGHT,
      handler: createListRunsRoute,
    },
    {
      method: "GET",
      path: RUN,
      can: ANY_RIGHT,
      handler: createShowRunRoute,
    },
    {
      method: "GET",
      path: `${RUN}/events`,
      can: ANY_RIGHT,
      lasting: true,
      handler: watchRun,
    },
    {
      method: "POST",
      path: `${RUN}/cancel`,
      can: KEEP,
      bare: true,
      handler: createCancelRunRoute,
    },
    {
      method: "POST",
      path: `${RUN}/resume`,
      can: ASK_OR_DECIDE,
      handler: (services) => resumeRun(services, chatCompletions),
    },
    {
      method: "POST",
      path: `${RUN}/feedback`,
      can: ANY_RIGHT,
      handler: createRateRunRoute,
    },
    {
      method: "POST",
      path: `${RUN}/interrupts/:interrupt`,
      can: DECIDE,
      handler: decideInterrupt,
    },
    {
      method: "GET",
      path: "/v1/agent/interrupts",
      can: ANY_RIGHT,
      handler: listInterrupts,
    },
    {
      method: "GET",
      path: "/v1/agent/sessions",
      can: ANY_RIGHT,
      handler: createListSessionsRoute,
    },
    {
      method: "GET",
      path: SESSION,
      can: ANY_RIGHT,
      handler: createShowSessionRoute,
    },
    {
      method: "POST",
      path: SESSION,
      can: KEEP,
      handler: changeSession,
    },
    {
      method: "DELETE",
      path: SESSION,
      can: KEEP,
      handler: createDeleteSessionRoute,
    },
    {
      method: "GET",
      path: `${SESSION}/export`,
      can: ANY_RIGHT,
      handler: exportSession,
    },
    {
      method: "GET",
      path: "/v1/agent/memories",
      can: ANY_RIGHT,
      handler: listMemories,
    },
    {
      method: "DELETE",
      path: "/v1/agent/memories/:id",
      can: KEEP,
      handler: deleteMemory,
    },
    { method: "GET", path: "/v1/models", can: ANY_RIGHT, handler: createListModelsRoute },
    { method: "GET", path: "/v1/models/*id", can: ANY_RIGHT, handler: createShowModelRoute },
    {
      method: "GET",
      path: "/api/workflows",
      can: ANY_RIGHT,
      handler: listWorkflows,
    },
    {
      method: "POST",
      path: "/api/workflows/:id",
      can: ASK,
      handler: (services) => runWorkflow(services, chatCompletions),
    },
    {
      method: "POST",
      path: "/v1/parse",
      can: ASK,
      handler: createParseRoute,
    },
    { method: "GET", path: "/health", handler: createHealthRoute, probe: true },
    { method: "GET", path: "/ready", handler: createReadyRoute, probe: true },
  ]),
  {
    method: "POST",
    path: "/chat",
    wire: simpleChatWire,
    can: ASK_OR_DECIDE,
    handler: createSimpleChatRoute,
  },
];

/** Requirements of a route; undefined for a probe, which has none. */
export function getRoutePolicy(route: ServedRoute): RoutePolicy | undefined {
  if (route.probe) return undefined;
  return { can: route.can, lasting: route.lasting, readsBody: route.method === "POST" && !route.bare };
}

/** Routes whose failures have the OpenAI format. */
function common(routes: readonly Row[]): readonly ServedRoute[] {
  return routes.map((route) => ({ ...route, wire: COMMON_WIRE }));
}

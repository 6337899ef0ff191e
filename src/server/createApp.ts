// Services → the Express app, as a value. Never listens.
import type { Socket } from "node:net";
import express, { type Express, type RequestHandler } from "express";
import { PostelError } from "../core/failures.ts";
import type { AppServices } from "./AppServices.ts";
import { admission, bodyBytes, SHUTTING_DOWN } from "./admission.ts";
import { callerGate } from "./callerGate.ts";
import { cors } from "./cors.ts";
import { errorHandler } from "./errorHandler.ts";
import { jsonBody } from "./jsonBody.ts";
import { paceAnswers } from "./PacedResponse.ts";
import { refuseSurplus, refuseUnmet } from "./receiving.ts";
import { assignRequestId } from "./requestId.ts";
import { requestLog } from "./requestLog.ts";
import { agentModels, agentRun } from "./routes/agent.ts";
import { chatCompletions } from "./routes/chatCompletions.ts";
import { health, ready } from "./routes/health.ts";
import { listModels, showModel } from "./routes/models.ts";
import { parse } from "./routes/parse.ts";
import { unknownPath, wrongMethod } from "./unknownPath.ts";

export interface Receiving {
  /** Milliseconds for a body, once it has been asked for. */
  readonly bodyMs: number;
  /** True for a connection beyond those that the server keeps. */
  readonly isSurplus: (socket: Socket) => boolean;
}

/** @param receiving what the server around the app knows of its connections. */
export function createApp(services: AppServices, { bodyMs, isSurplus }: Receiving): Express {
  const { server, limits, observer } = services;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(assignRequestId(services.ids), requestLog(observer, services.clock));
  app.use(paceAnswers(services.timeouts.readerMs, observer), refuseSurplus(isSurplus), refuseUnmet);
  app.use(cors(server.corsOrigins));

  app.route("/health").get(health).all(wrongMethod("GET"));
  app.route("/ready").get(ready(services.stopping)).all(wrongMethod("GET"));

  app.use(callerGate(server), refuseWhenStopping(services.stopping));
  const json = { depth: limits.jsonDepth, keys: limits.jsonKeys, values: limits.jsonValues };
  const body = jsonBody({ maxBytes: server.maxBodyBytes, ms: bodyMs, bytes: bodyBytes(server), json });
  const admit = admission(server, services.stopping);
  const post = (path: string | string[], handler: RequestHandler) =>
    app.route(path).post(admit, body, handler).all(wrongMethod("POST"));
  const get = (path: string, handler: RequestHandler) => app.route(path).get(admit, handler).all(wrongMethod("GET"));
  post("/v1/chat/completions", chatCompletions(services));
  post(["/v1/agent", "/v1/agent/chat/completions"], agentRun(services));
  post("/v1/parse", parse(services));
  get("/v1/models", listModels(services));
  get("/v1/models/*id", showModel(services));
  get("/v1/agent/models", agentModels(services));

  app.use(unknownPath, errorHandler(observer, services.redact));
  return app;
}

function refuseWhenStopping(stopping: AbortSignal): RequestHandler {
  return (_request, response, next) => {
    if (!stopping.aborted) return next();
    response.setHeader("connection", "close");
    throw new PostelError(SHUTTING_DOWN);
  };
}

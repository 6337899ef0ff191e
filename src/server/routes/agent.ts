// POST /v1/agent and GET /v1/agent/models: runs whose tools the gateway executes.
import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import type { AgentRunRequest } from "../../agents/AgentRunRequest.ts";
import { withTaskMessage } from "../../agents/planning/buildTaskMessage.ts";
import { resolveAction, resolveAgent } from "../../agents/planning/resolveAgent.ts";
import { DEFAULT_ACTION } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { ChatRequest } from "../../core/requests.ts";
import type { RunRecord } from "../../core/stores/RunStore.ts";
import type { RunSubscriber } from "../../runs/RunService.ts";
import type { AppServices } from "../AppServices.ts";
import type { FrontApi } from "../apis/FrontApi.ts";
import { findTrailingDecisions, type TrailingDecisions } from "../decisions/trailingDecisions.ts";
import { answerEvents } from "../http/answerEvents.ts";
import { refuseWithout } from "../http/authorize.ts";
import { getRequestContext, type RouteHandler } from "../http/RequestContext.ts";
import { wireRun } from "../messages/recordJson.ts";
import { RUN_FIELDS, type RunFields, readRunFields } from "../validation/runFields.ts";
import { acceptChat, type ChatRoute } from "./acceptChat.ts";

export function createAgentRoute(services: AppServices, wire: FrontApi): RouteHandler {
  const route: ChatRoute = {
    wire,
    path: "/v1/agent",
    gatewayTools: true,
    routeFields: RUN_FIELDS,
  };
  return async (request, response) => {
    const { chat, answer } = await acceptChat(services, getRequestContext(response), route);
    const fields = readRunFields(request.body, services.limits);
    const decisions = await findTrailingDecisions(services, chat, fields.sessionId);
    refuseWithout(decisions ? "decide" : "ask", chat.caller);
    const going = {
      signal: getRequestContext(response).signal,
      onResumed: (run: string) => getRequestContext(response).noteResumed(run),
    };
    if (decisions) {
      const decide = await decided(services, { chat, fields, decisions }, response);
      const options = { wire, answer, stream: chat.stream ?? false, run: decisions.run };
      return await answerEvents(response, (onEvents) => decide({ ...going, onEvents }), options);
    }
    const asked = { fields, request: withTaskMessage(runRequest({ chat, fields }), services) };
    if (fields.background) {
      const record = await startRun(services, asked, going.signal);
      response.statusCode = 202;
      return await getRequestContext(response).paced.json(wireRun(record));
    }
    const stream = chat.stream || (request.body.stream == null && streams(services, asked.request));
    const run = ask(services, asked, response);
    await answerEvents(response, (onEvents) => run({ ...going, onEvents }), { wire, answer, stream });
  };
}

interface Sent {
  readonly chat: ChatRequest;
  readonly fields: RunFields;
}

interface Asked {
  readonly request: AgentRunRequest;
  readonly fields: RunFields;
}

type Ask = (going: RunSubscriber) => Promise<void>;

function ask(services: AppServices, { request, fields }: Asked, response: ServerResponse): Ask {
  const { sessionId, noStore } = fields;
  if (sessionId === undefined) return (going) => services.runs.ask(request, { ...going, store: !noStore });
  const session = { owner: request.chat.caller.name, id: sessionId };
  getRequestContext(response).session = sessionId;
  return (going) => services.sessions.ask({ session, request }, going);
}

/** Returns true if the action streams by default. */
function streams(services: AppServices, { chat, agent, action }: AgentRunRequest): boolean {
  return action !== undefined && resolveAction(resolveAgent(services, chat.model, agent), action).streaming === true;
}

/** Resumes a run with decisions; other fields of the request are ignored. @throws PostelError `invalid_request`. */
async function decided(
  { runs, sessions, store }: AppServices,
  { chat, fields, decisions: { run, decisions: given } }: Sent & { readonly decisions: TrailingDecisions },
  response: ServerResponse,
): Promise<Ask> {
  const by = chat.caller;
  const key = { owner: by.name, id: run };
  const id = (await store.runs.get(key))?.sessionId;
  if (fields.sessionId !== undefined && fields.sessionId !== id) {
    const message = `The run \`${run}\` is no turn of the session \`${fields.sessionId}\`.`;
    throw new PostelError(createFailure("invalid_request", message, { param: "session_id" }));
  }
  if (id !== undefined) {
    getRequestContext(response).session = id;
    const session = { owner: by.name, id };
    return (going) => sessions.decide({ session, run, decisions: given, decidedBy: by, holder: chat.id }, going);
  }
  return async (going) => {
    await runs.decideAll(by.name, given, by);
    await runs.resume(key, going);
  };
}

async function startRun(
  { runs, sessions }: AppServices,
  { request, fields: { sessionId } }: Asked,
  signal: AbortSignal,
): Promise<RunRecord> {
  if (sessionId === undefined) return await runs.start(request);
  return await sessions.start({ session: { owner: request.chat.caller.name, id: sessionId }, request }, signal);
}

function runRequest({ chat, fields }: Sent): AgentRunRequest {
  const { agent, action, input, limits, mode, output, nonInteractive, noStore } = fields;
  return { chat, agent, action, input, limits, mode, output, nonInteractive, interactive: !noStore };
}

/** Lists the configured agents as models, for an SDK with base URL `…/v1/agent`. */
export function createAgentModelsRoute(services: AppServices): RequestHandler {
  const data = services.agents.map((agent) => ({
    id: agent.id,
    object: "model",
    created: 0,
    owned_by: "postel",
    postel: {
      ...(agent.description !== undefined && { description: agent.description }),
      ...(agent.model !== undefined && { model: agent.model }),
      tools: agent.tools.map(({ tool, name }) => name ?? tool),
      actions: agent.actions.flatMap(({ id }) => (id === DEFAULT_ACTION ? [] : [id])),
      max_turns: agent.limits.maxTurns,
      timeout_ms: agent.limits.timeoutMs,
    },
  }));
  return async (_request, response) => {
    await getRequestContext(response).paced.json({ object: "list", data });
  };
}

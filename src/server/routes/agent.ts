// POST /v1/agent and GET /v1/agent/models: runs whose tools the gateway executes. Knows no agent logic.
import type { RequestHandler, Response } from "express";
import type { AgentRunRequest } from "../../agents/AgentRunner.ts";
import { failure, PostelError } from "../../core/failures.ts";
import type { ChatRequest } from "../../core/requests.ts";
import type { RunRecord } from "../../core/stores.ts";
import type { Reader } from "../../runs/RunDesk.ts";
import type { AppServices } from "../AppServices.ts";
import { acceptChat, type ChatRoute } from "../acceptChat.ts";
import { answerEvents } from "../answerEvents.ts";
import { clientSignal } from "../clientSignal.ts";
import { pacedOf } from "../PacedResponse.ts";
import { noteResumed, noteSession } from "../requestId.ts";
import { refuseWithout } from "../rights.ts";
import { RUN_FIELDS, type RunFields, readRunFields } from "../runFields.ts";
import { type TrailingDecisions, trailingDecisions } from "../trailingDecisions.ts";
import { wireRun } from "../wireRecords.ts";
import type { Wire } from "../wires/Wire.ts";

export function agentRun(services: AppServices, wire: Wire): RequestHandler {
  const route: ChatRoute = {
    wire,
    path: "/v1/agent",
    gatewayTools: true,
    routeFields: RUN_FIELDS,
  };
  return async (request, response) => {
    const { chat, answer } = await acceptChat(services, { request, response }, route);
    const fields = readRunFields(request.body);
    const decisions = await trailingDecisions(services.store, chat, fields.sessionId);
    refuseWithout(decisions ? "decide" : "ask", chat.caller);
    if (fields.background && !decisions) {
      const record = await startRun(services, { chat, fields }, clientSignal(response));
      response.status(202);
      await pacedOf(response).json(wireRun(record));
      return;
    }
    const ask = decisions
      ? await decided(services, { chat, fields, decisions }, response)
      : asked(services, { chat, fields }, response);
    const going = { signal: clientSignal(response), onResumed: (run: string) => noteResumed(response, run) };
    await answerEvents(response, (take) => ask({ ...going, take }), { wire, answer, stream: chat.stream ?? false });
  };
}

interface Asked {
  readonly chat: ChatRequest;
  readonly fields: RunFields;
}

type Ask = (going: Reader) => Promise<void>;

function asked(services: AppServices, { chat, fields }: Asked, response: Response): Ask {
  const { sessionId, noStore } = fields;
  const request = runRequest({ chat, fields });
  if (sessionId === undefined) return (going) => services.runs.ask(request, { ...going, store: !noStore });
  const session = { owner: chat.caller.name, id: sessionId };
  noteSession(response, sessionId);
  return (going) => services.sessions.ask({ session, request }, going);
}

/** @throws PostelError `invalid_request`. What the request would say beside its decisions is not heard. */
async function decided(
  { runs, sessions, store }: AppServices,
  { chat, fields, decisions: { run, given } }: Asked & { readonly decisions: TrailingDecisions },
  response: Response,
): Promise<Ask> {
  const by = chat.caller;
  const key = { owner: by.name, id: run };
  const id = (await store.runs.get(key))?.sessionId;
  if (fields.sessionId !== undefined && fields.sessionId !== id) {
    const message = `The run \`${run}\` is no turn of the session \`${fields.sessionId}\`.`;
    throw new PostelError(failure("invalid_request", message, { param: "session_id" }));
  }
  if (id !== undefined) {
    noteSession(response, id);
    const session = { owner: by.name, id };
    return (going) => sessions.decide({ session, run, given, by, holder: chat.id }, going);
  }
  return async (going) => {
    for (const { id, decision } of given) await runs.decide(by.name, id, decision, by);
    await runs.resume(key, going);
  };
}

async function startRun({ runs, sessions }: AppServices, asked: Asked, signal: AbortSignal): Promise<RunRecord> {
  const { sessionId } = asked.fields;
  const request = runRequest(asked);
  if (sessionId === undefined) return await runs.start(request);
  return await sessions.start({ session: { owner: asked.chat.caller.name, id: sessionId }, request }, signal);
}

function runRequest({ chat, fields: { agent, limits, mode, noStore } }: Asked): AgentRunRequest {
  return { chat, agent, limits, mode, interactive: !noStore };
}

/** The configured agents, as the models that an SDK with base URL `…/v1/agent` can ask for. */
export function agentModels(services: AppServices): RequestHandler {
  const data = services.agents.map((agent) => ({
    id: agent.id,
    object: "model",
    created: 0,
    owned_by: "postel",
    postel: {
      ...(agent.description !== undefined && { description: agent.description }),
      ...(agent.model !== undefined && { model: agent.model }),
      tools: agent.tools.map(({ tool, name }) => name ?? tool),
      max_turns: agent.limits.maxTurns,
      timeout_ms: agent.limits.timeoutMs,
    },
  }));
  return async (_request, response) => {
    await pacedOf(response).json({ object: "list", data });
  };
}

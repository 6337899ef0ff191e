// POST /v1/agent and GET /v1/agent/models: runs whose tools the gateway executes. Knows no agent logic.
import type { RequestHandler } from "express";
import type { AppServices } from "../AppServices.ts";
import { acceptChat, answerOptions } from "../acceptChat.ts";
import { answerEvents } from "../answerEvents.ts";
import { clientSignal } from "../clientSignal.ts";
import { pacedOf } from "../PacedResponse.ts";
import { RUN_FIELDS, readRunFields } from "../runFields.ts";

export function agentRun(services: AppServices): RequestHandler {
  return async (request, response) => {
    const accepted = await acceptChat(services, request, response, { gatewayTools: true, routeFields: RUN_FIELDS });
    const events = services.runner.run({ chat: accepted.chat, ...readRunFields(request.body) }, clientSignal(response));
    await answerEvents(response, events, answerOptions(services, request, accepted, true));
  };
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
      tools: agent.tools,
      max_turns: agent.limits.maxTurns,
      timeout_ms: agent.limits.timeoutMs,
    },
  }));
  return async (_request, response) => {
    await pacedOf(response).json({ object: "list", data });
  };
}

// POST /v1/agent and GET /v1/agent/models: runs whose tools the gateway executes. Knows no agent logic.
import type { RequestHandler } from "express";
import type { AppServices } from "../AppServices.ts";
import { acceptChat, type ChatRoute } from "../acceptChat.ts";
import { answerEvents } from "../answerEvents.ts";
import { clientSignal } from "../clientSignal.ts";
import { pacedOf } from "../PacedResponse.ts";
import { RUN_FIELDS, readRunFields } from "../runFields.ts";
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
    const run = { chat, ...readRunFields(request.body), interactive: false };
    const signal = clientSignal(response);
    const options = { wire, answer, stream: chat.stream ?? false };
    await answerEvents(response, (take) => services.runner.run(run, signal, take), options);
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
      tools: agent.tools.map(({ tool, name }) => name ?? tool),
      max_turns: agent.limits.maxTurns,
      timeout_ms: agent.limits.timeoutMs,
    },
  }));
  return async (_request, response) => {
    await pacedOf(response).json({ object: "list", data });
  };
}

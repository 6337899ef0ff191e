// POST /v1/agent and GET /v1/agent/models: runs whose tools the gateway executes. Knows no agent logic.
import type { RequestHandler } from "express";
import { z } from "zod";
import { failure, PostelError } from "../../core/failures.ts";
import type { AppServices } from "../AppServices.ts";
import { acceptChat, answerOptions } from "../acceptChat.ts";
import { answerEvents } from "../answerEvents.ts";
import { checkShape } from "../checkShape.ts";
import { clientSignal } from "../clientSignal.ts";

const agentFields = z.looseObject({
  agent: z.string().min(1).max(256).nullish(),
  max_turns: z.int().min(1).max(100).nullish(),
  timeout_ms: z.int().min(1).max(3_600_000).nullish(),
});

const ROUTE_FIELDS = ["agent", "max_turns", "timeout_ms"];

/** Fields that would change where a run lives or how it ends: to ignore them would be to answer another question. */
const REFUSED_FIELDS = ["session_id", "background", "context", "mode", "output"];

export function agentRun(services: AppServices): RequestHandler {
  return async (request, response) => {
    const accepted = acceptChat(services, request, response, { gatewayTools: true, routeFields: ROUTE_FIELDS });
    const fields = checkShape(agentFields, request.body);
    refuseFields(fields);
    const events = services.runner.run(
      {
        chat: accepted.chat,
        ...(fields.agent && { agent: fields.agent }),
        limits: {
          ...(fields.max_turns && { maxTurns: fields.max_turns }),
          ...(fields.timeout_ms && { timeoutMs: fields.timeout_ms }),
        },
      },
      clientSignal(response),
    );
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
  return (_request, response) => {
    response.json({ object: "list", data });
  };
}

function refuseFields(body: Readonly<Record<string, unknown>>): void {
  const param = REFUSED_FIELDS.find((field) => body[field] !== undefined && body[field] !== null);
  if (param === undefined) return;
  throw new PostelError(
    failure("unsupported_parameter", `This version of Postel does not support \`${param}\` on /v1/agent.`, { param }),
  );
}

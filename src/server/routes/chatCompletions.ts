// POST /v1/chat/completions: one turn; the tools are the client's. Knows no agent logic.
import type { RequestHandler } from "express";
import type { AppServices } from "../AppServices.ts";
import { acceptChat, answerOptions } from "../acceptChat.ts";
import { answerEvents } from "../answerEvents.ts";
import { clientSignal } from "../clientSignal.ts";

export function chatCompletions(services: AppServices): RequestHandler {
  return async (request, response) => {
    const accepted = await acceptChat(services, request, response, { gatewayTools: false, routeFields: [] });
    const events = services.runner.complete(accepted.chat, clientSignal(response));
    await answerEvents(response, events, answerOptions(services, request, accepted, false));
  };
}

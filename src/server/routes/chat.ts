// POST /v1/chat/completions: one turn; the tools are the client's. Knows no agent logic and no wire's form.
import type { RequestHandler } from "express";
import type { AppServices } from "../AppServices.ts";
import { acceptChat, type ChatRoute } from "../acceptChat.ts";
import { answerEvents } from "../answerEvents.ts";
import { clientSignal } from "../clientSignal.ts";
import { KnownTools } from "../KnownTools.ts";
import type { Wire } from "../wires/Wire.ts";

export function chat(services: AppServices, wire: Wire): RequestHandler {
  const route: ChatRoute = {
    wire,
    path: "/v1/chat/completions",
    gatewayTools: false,
    routeFields: [],
    knownTools: new KnownTools(),
  };
  return async (request, response) => {
    const { chat, answer } = await acceptChat(services, { request, response }, route);
    const signal = clientSignal(response);
    const options = { wire, answer, stream: chat.stream ?? false };
    await answerEvents(response, (take) => services.runner.complete(chat, signal, take), options);
  };
}

// POST /v1/chat/completions: one turn per choice; the client executes the tools.
import type { ServerResponse } from "node:http";
import type { EventSink } from "../../core/events/EventSink.ts";
import type { RunEvent } from "../../core/events/events.ts";
import { TextFastLane } from "../../core/events/TextFastLane.ts";
import type { ChatRequest } from "../../core/requests.ts";
import type { AppServices } from "../AppServices.ts";
import type { AnswerEncoder, FrontApi } from "../apis/FrontApi.ts";
import { answerEvents } from "../http/answerEvents.ts";
import { getRequestContext, type RequestContext, type RouteHandler } from "../http/RequestContext.ts";
import { type AcceptedChat, acceptChat, type ChatRoute } from "./acceptChat.ts";
import { takeChoices } from "./choices.ts";

export function createChatRoute(services: AppServices, wire: FrontApi): RouteHandler {
  const route: ChatRoute = {
    wire,
    path: "/v1/chat/completions",
    gatewayTools: false,
    routeFields: [],
  };
  const { runner, fastPaths } = services;
  const answerChat = (
    response: ServerResponse,
    exchange: RequestContext,
    { chat, answer, further }: AcceptedChat,
  ): Promise<void> => {
    if (further.length > 0) return answerChoices(response, exchange, [chat, ...further], answer);
    const stream = chat.stream ?? false;
    const { signal } = exchange;
    const ahead = stream && fastPaths ? new TextFastLane() : undefined;
    const asked = ahead ? { ...chat, ahead } : chat;
    return answerEvents(response, (take) => runner.complete(asked, signal, take), { wire, answer, stream, ahead });
  };
  const answerChoices = async (
    response: ServerResponse,
    exchange: RequestContext,
    turns: readonly [ChatRequest, ...ChatRequest[]],
    answer: AnswerEncoder,
  ): Promise<void> => {
    const { signal } = exchange;
    const options = { wire, answer, stream: turns[0].stream ?? false, choices: turns.length };
    const places = exchange.furtherPlaces(turns.length - 1);
    const asked = turns.map(
      (turn) => (either: AbortSignal, take: EventSink<RunEvent>) => runner.complete(turn, either, take),
    );
    try {
      const atOnce = 1 + places.length;
      await answerEvents(response, (take) => takeChoices(asked, { signal, atOnce }, take), options);
    } finally {
      for (const leave of places) leave();
    }
  };
  return async (_request, response) => {
    const exchange = getRequestContext(response);
    await answerChat(response, exchange, await acceptChat(services, exchange, route));
  };
}

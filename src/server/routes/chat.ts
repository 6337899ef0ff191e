// POST /v1/chat/completions: one turn, or one for each of several answers; the tools are the client's. Knows no agent logic and no wire's form.
import type { RunEvent } from "../../core/events.ts";
import type { Take } from "../../core/take.ts";
import { WordsAhead } from "../../core/WordsAhead.ts";
import type { AppServices } from "../AppServices.ts";
import { acceptChat, type ChatRoute } from "../acceptChat.ts";
import { answerEvents } from "../answerEvents.ts";
import { takeChoices } from "../choices.ts";
import { type Answers, exchangeOf } from "../Exchange.ts";
import type { Wire } from "../wires/Wire.ts";

export function chat(services: AppServices, wire: Wire): Answers {
  const route: ChatRoute = {
    wire,
    path: "/v1/chat/completions",
    gatewayTools: false,
    routeFields: [],
  };
  const { runner } = services;
  return async (_request, response) => {
    const exchange = exchangeOf(response);
    const { turns, answer } = await acceptChat(services, exchange, route);
    const [chat, ...further] = turns;
    const { signal } = exchange;
    const options = { wire, answer, stream: chat.stream ?? false, choices: turns.length };
    if (further.length === 0) {
      const ahead = chat.stream ? new WordsAhead() : undefined;
      const asked = ahead ? { ...chat, ahead } : chat;
      await answerEvents(response, (take) => runner.complete(asked, signal, take), { ...options, ahead });
      return;
    }
    const places = exchange.furtherPlaces(further.length);
    const asked = turns.map(
      (turn) => (either: AbortSignal, take: Take<RunEvent>) => runner.complete(turn, either, take),
    );
    try {
      const atOnce = 1 + places.length;
      await answerEvents(response, (take) => takeChoices(asked, { signal, atOnce }, take), options);
    } finally {
      for (const leave of places) leave();
    }
  };
}

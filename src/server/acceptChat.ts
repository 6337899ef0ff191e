// An HTTP request for a chat or a run → the checked request and how to answer it. Knows no events.
import type { Request, Response } from "express";
import { failure, PostelError } from "../core/failures.ts";
import type { JsonObject } from "../core/messages.ts";
import type { ChatRequest } from "../core/requests.ts";
import type { AppServices } from "./AppServices.ts";
import type { AnswerOptions } from "./answerEvents.ts";
import { callerOf } from "./callerGate.ts";
import { type AcceptedRequest, type HeaderWishes, readChatRequest } from "./openaiRequest.ts";
import { runIdOf } from "./requestId.ts";
import { hasNonText } from "./wireMessages.ts";

/** @throws PostelError, a caller failure that names the field or header. */
export async function acceptChat(
  services: AppServices,
  request: Request,
  response: Response,
  route: { readonly gatewayTools: boolean; readonly routeFields: readonly string[] },
): Promise<AcceptedRequest> {
  const accepted = await readChatRequest(request.body, {
    ...route,
    id: runIdOf(response),
    caller: callerOf(response),
    wishes: readWishes(request),
    limits: services.limits,
  });
  refuseUnreadableParts(services, accepted.chat);
  const { id, pinnedToolMode, onInvalid, parse } = accepted.chat;
  const asked = {
    path: route.gatewayTools ? "/v1/agent" : "/v1/chat/completions",
    ...(pinnedToolMode && { toolMode: pinnedToolMode }),
    ...(onInvalid && { onInvalid }),
    ...(parse && { parse }),
    // It was parsed from JSON text and is an object, or it would have been refused.
    body: request.body as JsonObject,
  } as const;
  services.observer.observe({ type: "asked", run: id, request: asked });
  return accepted;
}

export function answerOptions(
  services: AppServices,
  request: Request,
  { chat, includeUsage }: AcceptedRequest,
  agent: boolean,
): AnswerOptions {
  const created = Math.floor(services.clock.now() / 1000);
  const frame = { id: `chatcmpl-${chat.id}`, model: chat.model, created };
  return { frame, stream: chat.stream ?? false, includeUsage, agent, raw: request.get("x-postel-raw") === "1" };
}

function readWishes(request: Request): HeaderWishes {
  return {
    pinnedToolMode: readHeader(request, "x-postel-tool-mode", ["native", "text"]),
    onInvalid: readHeader(request, "x-postel-on-invalid", ["error", "text", "pass"]),
    parse: readHeader(request, "x-postel-parse", ["off"]),
  };
}

/** @throws PostelError `invalid_request` that names the header and what it may say. */
export function readHeader<Value extends string>(
  request: Request,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const said = request.get(name);
  const value = values.find((one) => one === said);
  if (said === undefined || value !== undefined) return value;
  const choice = values.map((one) => `\`${one}\``).join(" or ");
  throw new PostelError(failure("invalid_request", `The header \`${name}\` must be ${choice}.`, { param: name }));
}

/** A text-mode model is given one prompt of plain text: an image in it would be lost in silence. */
function refuseUnreadableParts({ directory, detector, agents }: AppServices, chat: ChatRequest): void {
  const index = chat.messages.findIndex(hasNonText);
  if (index < 0) return;
  const model = agents.find((agent) => agent.id === chat.model)?.model ?? chat.model;
  const resolved = directory.resolve(model);
  if (!resolved) return;
  const query = {
    model: resolved.model,
    key: resolved.key,
    ...(chat.pinnedToolMode && { pinned: chat.pinnedToolMode }),
  };
  if (detector.detect(query).tools !== "text") return;
  const param = `messages[${index}].content`;
  throw new PostelError(
    failure(
      "unsupported_parameter",
      `\`${param}\` holds a part that is no text; \`${model}\` is asked in text mode and would not see it.`,
      { param },
    ),
  );
}

// Reads an HTTP request for a chat or a run as a checked request and its answer encoder.
import type { IncomingMessage } from "node:http";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { ReceivedRequest } from "../../core/ports.ts";
import type { ChatRequest } from "../../core/requests.ts";
import type { AppServices } from "../AppServices.ts";
import type { AcceptContext, Accepted, FrontApi } from "../apis/FrontApi.ts";
import type { RequestContext } from "../http/RequestContext.ts";
import { createChoiceRequests } from "./choices.ts";

/** Properties of a chat route. */
export interface ChatRoute extends Pick<AcceptContext, "gatewayTools" | "routeFields"> {
  readonly wire: FrontApi;
  /** Name of the route in recordings. */
  readonly path: ReceivedRequest["path"];
}

/** The request, and how it is answered. */
export interface AcceptedChat extends Pick<Accepted, "chat" | "answer"> {
  /** Requests of the second and later choices, if the client wants several. */
  readonly further: readonly ChatRequest[];
}

/** @throws PostelError, a caller failure that names the field or header. */
export async function acceptChat(
  services: AppServices,
  { request, caller, run }: Pick<RequestContext, "request" | "caller" | "run">,
  route: ChatRoute,
): Promise<AcceptedChat> {
  const { limits, clock } = services;
  const { wire, gatewayTools, routeFields } = route;
  if (!caller) throw new TypeError("A request was accepted that nobody has let in.");
  const context = { id: run, caller, limits, clock, gatewayTools, routeFields };
  const body: JsonObject = request.body;
  const accepted = await wire.accept(body, (name) => getHeader(request, name), context);
  return addHeaders(services, accepted, route, body);
}

/** Reports the request to observers and the recorder. */
function addHeaders(
  services: AppServices,
  { chat, choices = 1, answer }: Accepted,
  { wire, path }: ChatRoute,
  body: JsonObject,
): AcceptedChat {
  checkContentParts(services, chat, wire);
  const { observer } = services;
  const further = choices > 1 ? createChoiceRequests(chat, choices) : NO_FURTHER;
  observer.observe({ type: "request-received", run: chat.id, request: toRequestFields(chat, body, path) });
  for (const turn of further)
    observer.observe({ type: "request-received", run: turn.id, request: toRequestFields(turn, body, path) });
  return { chat, answer, further };
}

const NO_FURTHER: readonly ChatRequest[] = [];

/** No header of the gateway can be a list. */
function getHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const signal = headers[name];
  return typeof signal === "string" ? signal : undefined;
}

/** The received request of one turn; each of several choices is recorded as a request of its own. */
function toRequestFields(
  { pinnedToolMode: toolMode, onInvalid, parse, sampling }: ChatRequest,
  body: JsonObject,
  path: ReceivedRequest["path"],
): ReceivedRequest {
  if (typeof body.n !== "number" || body.n <= 1) return { path, toolMode, onInvalid, parse, body };
  const seed = sampling.seed !== undefined && { seed: sampling.seed };
  return { path, toolMode, onInvalid, parse, body: { ...body, n: 1, ...seed } };
}

/** Rejects content that text mode cannot send: audio or files would be lost, or exceed what the server reads. */
function checkContentParts({ directory, detector, agents }: AppServices, chat: ChatRequest, wire: FrontApi): void {
  const param = wire.unwritablePart(chat);
  if (param === undefined) return;
  const model = agents.find((agent) => agent.id === chat.model)?.model ?? chat.model;
  const [resolved] = directory.resolve(model);
  if (!resolved) return;
  const query = {
    model: resolved.model,
    key: resolved.key,
    ...(chat.pinnedToolMode && { pinned: chat.pinnedToolMode }),
  };
  if (detector.detect(query).tools !== "text") return;
  throw new PostelError(
    createFailure(
      "unsupported_parameter",
      `\`${param}\` is neither text nor a picture of the user's; \`${model}\` is asked in text mode, where nothing else has a place.`,
      { param },
    ),
  );
}

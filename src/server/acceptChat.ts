// An HTTP request for a chat or a run → the checked request and how it is answered. Knows no events and no wire.
import type { IncomingMessage } from "node:http";
import { failure, PostelError } from "../core/failures.ts";
import type { JsonObject } from "../core/messages.ts";
import type { AskedRequest } from "../core/ports.ts";
import type { ChatRequest } from "../core/requests.ts";
import type { AppServices } from "./AppServices.ts";
import { requestsOf } from "./choices.ts";
import type { Exchange } from "./Exchange.ts";
import type { AcceptContext, Accepted, Wire } from "./wires/Wire.ts";

/** What a route says of the requests that it takes. */
export interface ChatRoute extends Pick<AcceptContext, "gatewayTools" | "routeFields"> {
  readonly wire: Wire;
  /** How recordings name it. */
  readonly path: AskedRequest["path"];
}

/** @throws PostelError, a caller failure that names the field or header. */
export async function acceptChat(
  services: AppServices,
  { request, caller, run }: Pick<Exchange, "request" | "caller" | "run">,
  { wire, path, ...route }: ChatRoute,
): Promise<Accepted & { readonly turns: ReturnType<typeof requestsOf> }> {
  const { limits, clock } = services;
  if (!caller) throw new TypeError("A request was accepted that nobody has let in.");
  const context = { ...route, id: run, caller, limits, clock };
  const accepted = await wire.accept(request.body, (name) => headerOf(request, name), context);
  refuseUnwritableParts(services, accepted.chat, wire);
  const turns = requestsOf(accepted.chat, accepted.choices ?? 1);
  for (const turn of turns)
    services.observer.observe({
      type: "asked",
      run: turn.id,
      request: askedBy(turn, request.body as JsonObject, path),
    });
  return { ...accepted, turns };
}

/** Of the gateway's own headers none can be a list. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const said = headers[name];
  return typeof said === "string" ? said : undefined;
}

/** What was asked of one turn: of several answers each is recorded as a request of its own. */
function askedBy(
  { pinnedToolMode, onInvalid, parse, sampling }: ChatRequest,
  body: JsonObject,
  path: AskedRequest["path"],
): AskedRequest {
  return {
    path,
    ...(pinnedToolMode && { toolMode: pinnedToolMode }),
    ...(onInvalid && { onInvalid }),
    ...(parse && { parse }),
    body:
      typeof body.n === "number" && body.n > 1
        ? { ...body, n: 1, ...(sampling.seed !== undefined && { seed: sampling.seed }) }
        : body,
  };
}

/** A model that is asked in text is sent text and pictures: sound or a file among them would be lost, or be more than its server reads. */
function refuseUnwritableParts({ directory, detector, agents }: AppServices, chat: ChatRequest, wire: Wire): void {
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
    failure(
      "unsupported_parameter",
      `\`${param}\` is neither text nor a picture of the user's; \`${model}\` is asked in text mode, where nothing else has a place.`,
      { param },
    ),
  );
}

// GET /v1/models and /v1/models/{id}: the upstreams' own lists, and what Postel knows of each model. Knows no upstream.
import type { RequestHandler } from "express";
import { contextWindow, type Prices } from "../../core/capabilities.ts";
import { failure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import { GATEWAY_OWNER, type ModelEntry } from "../../models/ModelDirectory.ts";
import type { AppServices } from "../AppServices.ts";
import { clientSignal } from "../clientSignal.ts";
import { pacedOf } from "../PacedResponse.ts";

export function listModels(services: AppServices): RequestHandler {
  return async (_request, response) => {
    const entries = await services.directory.list(clientSignal(response));
    await pacedOf(response).json({ object: "list", data: entries.map((entry) => wireModel(services, entry)) });
  };
}

/** A model that a wildcard serves exists even where no list names it. */
export function showModel(services: AppServices): RequestHandler {
  return async (request, response) => {
    const id = modelId(request.params.id);
    const entries = await services.directory.list(clientSignal(response));
    const [resolved] = services.directory.resolve(id);
    const entry = entries.find((one) => one.id === id);
    if (!entry && !resolved) {
      throw new PostelError(
        failure("model_not_found", `No upstream serves the model \`${id.slice(0, 256)}\`.`, { param: "model" }),
      );
    }
    const { upstream = "", model = id } = resolved ?? {};
    // What has another name at its upstream has this one from the gateway.
    const unlisted: ModelEntry = { id, upstream, model, ownedBy: model === id ? upstream : GATEWAY_OWNER };
    const shown = entry ?? unlisted;
    await services.detector.recall(evidenceKey(shown));
    const contextTokens = shown.contextTokens ?? (await resolved?.window?.ask(clientSignal(response)));
    await pacedOf(response).json(wireModel(services, { ...shown, contextTokens }));
  };
}

/** Names hold slashes (`org/model`), which the router hands over as separate segments. */
function modelId(segments: string | readonly string[] | undefined): string {
  return typeof segments === "string" ? segments : (segments ?? []).join("/");
}

function evidenceKey({ upstream, id, model = id }: ModelEntry): string {
  return `${upstream}/${model}`;
}

function wireModel({ detector }: AppServices, entry: ModelEntry): JsonObject {
  const { id, model = id } = entry;
  const capabilities = detector.detect({ model, key: evidenceKey(entry) });
  const { row, tools, toolChoice, jsonSchema, systemRole, stream, quirks, formats, emulate, source } = capabilities;
  const window = contextWindow(capabilities, entry.contextTokens);
  const { prices } = capabilities;
  return {
    id,
    object: "model",
    created: entry.created ?? 0,
    owned_by: entry.ownedBy,
    ...(entry.description !== undefined && { description: entry.description }),
    postel: {
      upstream: entry.upstream,
      ...(model !== id && { model }),
      tool_mode: tools,
      model_row: row,
      formats,
      emulate,
      tool_choice: toolChoice,
      json_schema: jsonSchema,
      system_role: systemRole,
      stream,
      quirks,
      context_tokens: window.tokens,
      ...(prices && { prices: wirePrices(prices) }),
      source: { ...source, contextTokens: window.source },
    },
  };
}

function wirePrices({ input, output, cachedInput }: Prices): JsonObject {
  return { input, output, ...(cachedInput !== undefined && { cached_input: cachedInput }) };
}

// GET /v1/models and /v1/models/{id}: the models of all upstreams with their capabilities.
import type { RequestHandler } from "express";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import {
  type ContextWindow,
  type ModelCapabilities,
  type Prices,
  resolveContextWindow,
} from "../../core/models/capabilities.ts";
import { GATEWAY_OWNER } from "../../models/ModelDirectory.ts";
import type { ModelEntry } from "../../models/modelEntry.ts";
import type { AppServices } from "../AppServices.ts";
import { getRequestContext } from "../http/RequestContext.ts";

export function createListModelsRoute(services: AppServices): RequestHandler {
  return async (_request, response) => {
    const entries = await services.directory.list(getRequestContext(response).signal);
    await getRequestContext(response).paced.json({
      object: "list",
      data: entries.map((entry) => wireModel(services, entry)),
    });
  };
}

export function createShowModelRoute(services: AppServices): RequestHandler {
  return async (request, response) => {
    const id = modelId(request.params.id);
    const entry = await findModel(services, id, getRequestContext(response).signal);
    if (!entry) {
      throw new PostelError(
        createFailure("model_not_found", `No upstream serves the model \`${id.slice(0, 256)}\`.`, { param: "model" }),
      );
    }
    await getRequestContext(response).paced.json(wireModel(services, entry));
  };
}

export type ModelServices = Pick<AppServices, "directory" | "detector">;

/**
 * Finds a model with its observed capabilities and context window. A model that a wildcard serves exists even if no list
 * names it.
 */
export async function findModel(
  { directory, detector }: ModelServices,
  id: string,
  signal: AbortSignal,
): Promise<ModelEntry | undefined> {
  const entries = await directory.list(signal);
  const [resolved] = directory.resolve(id);
  const entry = entries.find((one) => one.id === id);
  if (!entry && !resolved) return undefined;
  const { upstream = "", model = id } = resolved ?? {};
  // A model with another name at its upstream is named by the gateway.
  const unlisted: ModelEntry = { id, upstream, model, ownedBy: model === id ? upstream : GATEWAY_OWNER };
  const entryToShow = entry ?? unlisted;
  await detector.recall(buildEvidenceKey(entryToShow));
  return { ...entryToShow, contextTokens: entryToShow.contextTokens ?? (await resolved?.window?.ask(signal)) };
}

/** The public JSON form of a model. */
export function wireModel({ detector }: Pick<ModelServices, "detector">, entry: ModelEntry): JsonObject {
  const { id, model = id } = entry;
  const { capabilities, window } = describeModel(detector, entry);
  const { row, tools, toolChoice, jsonSchema, systemRole, stream, quirks, formats, emulate, source } = capabilities;
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
      ...(prices && { prices: pricesJson(prices) }),
      source: { ...source, contextTokens: window.source },
    },
  };
}

/** Capabilities of a model, and its context window. */
export function describeModel(
  detector: ModelServices["detector"],
  entry: ModelEntry,
): { readonly capabilities: ModelCapabilities; readonly window: ContextWindow } {
  const capabilities = detector.detect({ model: entry.model ?? entry.id, key: buildEvidenceKey(entry) });
  return { capabilities, window: resolveContextWindow(capabilities, entry.contextTokens) };
}

/** Key under which observed capabilities of a model are stored. */
export function buildEvidenceKey({ upstream, id, model = id }: ModelEntry): string {
  return `${upstream}/${model}`;
}

/** Names contain slashes (`org/model`), which the router passes as separate segments. */
function modelId(segments: string | readonly string[] | undefined): string {
  return typeof segments === "string" ? segments : (segments ?? []).join("/");
}

function pricesJson({ input, output, cachedInput }: Prices): JsonObject {
  return { input, output, ...(cachedInput !== undefined && { cached_input: cachedInput }) };
}

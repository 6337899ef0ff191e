// Chooses the models to try in order if none was named. Lists the upstreams' models; calls none.

import type { Collected } from "../../core/events/Collector.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import { describeUpstream, sortShowcaseFirst } from "../models/upstreamStates.ts";

/**
 * The agent's own model, then the listed ones, five at most. @param agent its id; absent: the default agent. @throws
 * PostelError `model_not_found` if there is none, with the state of the upstreams.
 */
export async function listModelsToTry(
  { agents, directory }: Pick<GatewayServices, "agents" | "directory">,
  agent: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const wantedAgent = agents.find(({ id }) => id === (agent ?? "default")) ?? agents[0];
  const states = await directory.survey(signal);
  const names = sortShowcaseFirst(states.flatMap(({ models }) => models));
  const models = new Set([...(wantedAgent?.model === undefined ? [] : [wantedAgent.model]), ...names]);
  if (models.size > 0) return [...models].slice(0, MOST_TRIED);
  const reason = states.map(describeUpstream).join("\n");
  throw new PostelError(
    createFailure("model_not_found", `No upstream lists a model; name one with --model.\n${reason}`),
  );
}

const MOST_TRIED = 5;

/** Upstreams also list models that do not chat: an embedding model refuses, and a retired name is not found. */
export function isChatRefusal({ failure: cause, text }: Collected): boolean {
  return text === "" && cause !== undefined && REFUSALS.has(cause.code);
}

const REFUSALS = new Set(["model_not_found", "upstream_not_found", "upstream_refused"]);

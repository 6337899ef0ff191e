// Which tools of a turn's calls are, as their servers say them, agreed to by nobody of the run's owner. Asks nobody, and judges no call.

import { escapeInvisible } from "../../core/json/escapeInvisible.ts";
import { redactJson } from "../../core/json/redactJson.ts";
import type { JsonObject, ToolCall } from "../../core/messages.ts";
import type { Observation } from "../../core/ports.ts";
import type { RunState, WaitingCall } from "../../core/runs/RunState.ts";
import type { DefinitionStore } from "../../core/stores.ts";
import type { ShownDefinition, ToolDefinition } from "../../core/tools/toolDefinition.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import type { Applied } from "./applyDecision.ts";
import { diffDefinition } from "./diffDefinition.ts";

export interface AgreeingServices {
  readonly registry: Pick<RunTools, "get">;
  /** What owners have agreed to. */
  readonly definitions: Pick<DefinitionStore, "agreed" | "agree">;
}

/** By the names of the tools, each as a person is shown it. @throws PostelError `store_…`. */
export async function findToolsWithoutConsent(
  calls: readonly Pick<ToolCall, "name">[],
  { request }: Pick<RunState, "request">,
  { registry, definitions }: AgreeingServices,
): Promise<ReadonlyMap<string, ShownDefinition>> {
  const unagreed = new Map<string, ShownDefinition>();
  for (const name of new Set(calls.map((call) => call.name))) {
    const definition = registry.get(name)?.definition;
    if (!definition) continue;
    const before = await definitions.agreed(request.caller.name, definition);
    if (before?.hash !== definition.hash) unagreed.set(name, shownDefinition(definition, before));
  }
  return unagreed;
}

/** What servers say of the tools of these names, and which of that somebody of the owner has agreed to. */
export function listShownTools(
  names: readonly string[],
  { id: run, request }: Pick<RunState, "id" | "request">,
  { registry, definitions }: AgreeingServices,
): Extract<Observation, { type: "shown-tools" }> {
  const shown = names.flatMap((name) => registry.get(name)?.definition ?? []);
  const agreed = async () => {
    const before = await Promise.all(shown.map((one) => definitions.agreed(request.caller.name, one)));
    return new Set(shown.filter(({ hash }, at) => before[at]?.hash === hash));
  };
  return { type: "shown-tools", run, definitions: shown, agreed };
}

/** Who lets a call run that was shown with its tool's definition agrees to both. @throws PostelError `store_…`. */
export async function recordConsent(
  waiting: readonly WaitingCall[],
  decided: ReadonlyMap<string, Applied>,
  { state, registry, definitions }: AgreeingServices & { readonly state: Pick<RunState, "request"> },
): Promise<void> {
  for (const { call, interrupt } of waiting) {
    if (decided.get(call.id)?.type !== "run" || !interrupt.plan?.definition) continue;
    // The plan that was agreed to is of this definition, or it would not run.
    const definition = registry.get(call.name)?.definition;
    if (definition) await definitions.agree(state.request.caller.name, definition);
  }
}

function shownDefinition(
  { server, tool, listed }: ToolDefinition,
  before: ToolDefinition | undefined,
): ShownDefinition {
  return {
    server,
    tool: escapeInvisible(tool),
    // A value whose texts are written otherwise is still an object.
    listed: redactJson(listed, escapeInvisible) as JsonObject,
    ...(before && { changes: diffDefinition(before.listed, listed) }),
  };
}

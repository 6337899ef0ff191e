// Finds the tools whose definitions no user of the run's owner has agreed to, and records new consent.

import { escapeInvisible } from "../../core/json/escapeInvisible.ts";
import { redactJson } from "../../core/json/redactJson.ts";
import type { JsonObject, ToolCall } from "../../core/messages.ts";
import type { Observation } from "../../core/ports.ts";
import type { RunState, WaitingCall } from "../../core/runs/RunState.ts";
import type { DefinitionStore } from "../../core/stores/DefinitionStore.ts";
import type { ShownDefinition, ToolDefinition } from "../../core/tools/toolDefinition.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import type { Applied } from "./applyDecision.ts";
import { diffDefinition } from "./diffDefinition.ts";

export interface AgreeingServices {
  readonly registry: Pick<RunTools, "get">;
  /** Store of the definitions that owners have agreed to. */
  readonly definitions: Pick<DefinitionStore, "agreed" | "agree">;
}

/** Definitions without consent, by tool name, as an approver sees them. @throws PostelError `store_…`. */
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
    if (before?.hash !== definition.hash) unagreed.set(name, toShownDefinition(definition, before));
  }
  return unagreed;
}

/** The definitions of these tools, and which of them the owner has agreed to. */
export function listShownTools(
  names: readonly string[],
  { id: run, request }: Pick<RunState, "id" | "request">,
  { registry, definitions }: AgreeingServices,
): Extract<Observation, { type: "shown-tools" }> {
  const approvalView = names.flatMap((name) => registry.get(name)?.definition ?? []);
  const agreed = async () => {
    const before = await Promise.all(approvalView.map((one) => definitions.agreed(request.caller.name, one)));
    return new Set(approvalView.filter(({ hash }, at) => before[at]?.hash === hash));
  };
  return { type: "shown-tools", run, definitions: approvalView, agreed };
}

/** Records that an approved call also means consent to the definition shown with it. @throws PostelError `store_…`. */
export async function recordConsent(
  waiting: readonly WaitingCall[],
  decided: ReadonlyMap<string, Applied>,
  { state, registry, definitions }: AgreeingServices & { readonly state: Pick<RunState, "request"> },
): Promise<void> {
  for (const { call, interrupt } of waiting) {
    if (decided.get(call.id)?.type !== "run" || !interrupt.plan?.definition) continue;
    // The approved plan contains the hash of this definition, otherwise the call would not run.
    const definition = registry.get(call.name)?.definition;
    if (definition) await definitions.agree(state.request.caller.name, definition);
  }
}

function toShownDefinition(
  { server, tool, listed }: ToolDefinition,
  before: ToolDefinition | undefined,
): ShownDefinition {
  return {
    server,
    tool: escapeInvisible(tool),
    // Escaping the texts of an object returns an object.
    listed: redactJson(listed, escapeInvisible) as JsonObject,
    ...(before && { changes: diffDefinition(before.listed, listed) }),
  };
}

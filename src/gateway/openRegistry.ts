// Creates the registry of all tools: built-in ones, those of components, and those of agents.

import { findAgentsUsedAsTools } from "../core/config/agentToolNames.ts";
import type { Config } from "../core/config/configuration.ts";
import type { Clock, SearchMemories } from "../core/ports.ts";
import type { MemoryStore, Store } from "../core/stores.ts";
import { systemClock } from "../network/system.ts";
import { askUser } from "../tools/builtin/askUser.ts";
import { calculator } from "../tools/builtin/calculator.ts";
import { createClockTool } from "../tools/builtin/clock.ts";
import { createMemoryTools } from "../tools/builtin/memoryTools.ts";
import { ToolRegistry } from "../tools/ToolRegistry.ts";
import { createFixedSource, type ToolSource } from "../tools/ToolSource.ts";
import type { Carriers } from "./componentSources.ts";

interface ToolServices extends Carriers {
  readonly store: Pick<Store, "vectors" | "memories" | "definitions">;
  readonly findFacts: SearchMemories;
}

export async function openRegistry(config: Config, services: ToolServices, signal: AbortSignal): Promise<ToolRegistry> {
  const { findFacts, ...carriers } = services;
  const builtIn = builtInTools(carriers.clock, carriers.store.memories, findFacts);
  const sources = [
    createFixedSource(builtIn),
    ...(await componentTools(config, carriers)),
    ...(await agentTools(config, new Set(builtIn.map(({ spec }) => spec.name)))),
  ];
  const registry = new ToolRegistry(sources, config.danger);
  await registry.refresh(signal);
  return registry;
}

/** Loaded only if an agent is used as a tool, or if there is a workflow. */
async function agentTools(config: Config, builtIn: ReadonlySet<string>): Promise<readonly ToolSource[]> {
  const used = findAgentsUsedAsTools(config, builtIn);
  return used.size + config.workflows.length === 0
    ? []
    : [(await import("./agentToolSource.ts")).createAgentToolSource(config, used)];
}

/** Loaded only if there is a component. */
async function componentTools(config: Config, carriers: Carriers): Promise<readonly ToolSource[]> {
  if (config.components.length === 0) return [];
  const { createComponentSources } = await import("./componentSources.ts");
  return createComponentSources(config, carriers);
}

function builtInTools(clock: Clock, memories: Pick<MemoryStore, "put">, findFacts: SearchMemories) {
  return [calculator, createClockTool(clock), askUser, ...createMemoryTools(memories, findFacts)];
}

/** Names of the built-in tools. */
export function listBuiltInNames(): readonly string[] {
  return builtInTools(systemClock, { put: async () => {} }, async () => []).map(({ spec }) => spec.name);
}

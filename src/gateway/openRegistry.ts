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
import { createAgentToolSource } from "./agentToolSource.ts";
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
    ...(await createToolSources(config, carriers)),
    ...agentTools(config, new Set(builtIn.map(({ spec }) => spec.name))),
  ];
  const registry = new ToolRegistry(sources, config.danger);
  await registry.refresh(signal);
  return registry;
}

/** Loaded only if there is a component: the clients of all services take more than 10 ms to load. */
async function createToolSources(config: Config, carriers: Carriers): Promise<readonly ToolSource[]> {
  if (config.components.length === 0) return [];
  const { createComponentSources } = await import("./componentSources.ts");
  return createComponentSources(config, carriers);
}

function agentTools(config: Config, builtIn: ReadonlySet<string>): readonly ToolSource[] {
  const used = findAgentsUsedAsTools(config, builtIn);
  return used.size + config.workflows.length === 0 ? [] : [createAgentToolSource(config, used)];
}

function builtInTools(clock: Clock, memories: Pick<MemoryStore, "put">, findFacts: SearchMemories) {
  return [calculator, createClockTool(clock), askUser, ...createMemoryTools(memories, findFacts)];
}

/** Names of the built-in tools. */
export function listBuiltInNames(): readonly string[] {
  return builtInTools(systemClock, { put: async () => {} }, async () => []).map(({ spec }) => spec.name);
}

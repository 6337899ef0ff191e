// The registry of all tools of the house: its own, the components' and the agents'. Knows no agent that uses them.
import type { Carriers } from "./composeComponents.ts";
import { agentsUsedAsTools } from "./core/agentsAsTools.ts";
import type { Config } from "./core/configuration.ts";
import type { Clock, FindFacts } from "./core/ports.ts";
import type { MemoryStore, Store } from "./core/stores.ts";
import { systemClock } from "./network/system.ts";
import { askUser } from "./tools/askUser.ts";
import { calculator } from "./tools/calculator.ts";
import { clockTool } from "./tools/clock.ts";
import { memoryTools } from "./tools/memoryTools.ts";
import { ToolRegistry } from "./tools/ToolRegistry.ts";
import { fixedTools, type ToolSource } from "./tools/ToolSource.ts";

interface ToolServices extends Carriers {
  readonly store: Pick<Store, "vectors" | "memories" | "definitions">;
  readonly findFacts: FindFacts;
}

export async function openRegistry(config: Config, services: ToolServices, signal: AbortSignal): Promise<ToolRegistry> {
  const { findFacts, ...carriers } = services;
  const builtIn = builtInTools(carriers.clock, carriers.store.memories, findFacts);
  const sources = [
    fixedTools(builtIn),
    ...(await componentTools(config, carriers)),
    ...(await agentTools(config, new Set(builtIn.map(({ spec }) => spec.name)))),
  ];
  const registry = new ToolRegistry(sources, config.danger);
  await registry.refresh(signal);
  return registry;
}

/** Loaded only where an agent is another's tool, or there is a workflow. */
async function agentTools(config: Config, builtIn: ReadonlySet<string>): Promise<readonly ToolSource[]> {
  const used = agentsUsedAsTools(config, builtIn);
  return used.size + config.workflows.length === 0
    ? []
    : [(await import("./composeAgentTools.ts")).agentToolSource(config, used)];
}

/** Loaded only where there is a component. */
async function componentTools(config: Config, carriers: Carriers): Promise<readonly ToolSource[]> {
  if (config.components.length === 0) return [];
  const { componentSources } = await import("./composeComponents.ts");
  return componentSources(config, carriers);
}

function builtInTools(clock: Clock, memories: Pick<MemoryStore, "put">, findFacts: FindFacts) {
  return [calculator, clockTool(clock), askUser, ...memoryTools(memories, findFacts)];
}

/** What the tools of the house are called; nothing is kept by them. */
export function builtInNames(): readonly string[] {
  return builtInTools(systemClock, { put: async () => {} }, async () => []).map(({ spec }) => spec.name);
}

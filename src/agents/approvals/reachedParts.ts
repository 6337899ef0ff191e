// Lists the agents, workflows and components that an agent or a workflow can reach, for the plan of its call. Pure.
import { buildAgentToolName } from "../../core/config/agentToolNames.ts";
import type { AgentConfig, Config } from "../../core/config/configuration.ts";
import type { WorkflowConfig } from "../../core/config/workflows.ts";
import { isObject, type JsonObject } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";

type Parts = Pick<Config, "agents" | "workflows" | "components">;
type Part = Parts["agents" | "workflows" | "components"][number];

/** JSON texts of the parts, by id. @param redact removes secrets. */
export function reachedParts(config: Parts, start: string, redact: Redact): JsonObject {
  const reached = new Map<string, string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const part of partsNamed(config, name)) {
      if (reached.has(part.id)) continue;
      reached.set(part.id, redact(JSON.stringify(planned(part))));
      for (const one of listNames(part)) open.push(one);
    }
  }
  return Object.fromEntries([...reached].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** @param name an id, or the name of a tool. */
function partsNamed({ agents, workflows, components }: Parts, name: string): readonly Part[] {
  return [
    ...agents.filter(
      (one) => one.id === name || one.actions.some((action) => buildAgentToolName(one, action) === name),
    ),
    ...workflows.filter(({ id }) => id === name),
    ...components.filter(({ id }) => id === name || name.startsWith(`${id}.`)),
  ];
}

/** Ids of parts and names of tools that this part uses. */
function listNames(part: Part): readonly string[] {
  if ("steps" in part) return part.steps.flatMap(stepNames);
  if (!("tools" in part)) return [];
  const { tools, handoffs = [], actions } = part as AgentConfig;
  return [...[...tools, ...actions.flatMap((action) => action.tools)].map(({ tool }) => tool), ...handoffs];
}

function stepNames(step: WorkflowConfig["steps"][number]): readonly string[] {
  return step.type === "workflow" ? [step.workflow] : step.type === "agent" ? [step.agent, step.tool] : [step.tool];
}

/** Limits and machine-made fields: no part of the effect. */
const LEFT_OUT: ReadonlySet<string> = new Set(["limits", "timeoutMs", "program", "credentials"]);
/** Only the names enter the plan, because the values may be secrets. */
const NAMES_ONLY: ReadonlySet<string> = new Set(["headers", "env"]);

function planned(part: object): JsonObject {
  return Object.fromEntries(
    Object.entries(part).flatMap(([key, value]) => {
      if (LEFT_OUT.has(key)) return [];
      if (NAMES_ONLY.has(key) && isObject(value)) return [[key, Object.keys(value).toSorted()]];
      if (key === "actions" && Array.isArray(value)) return [[key, value.map(planned)]];
      return [[key, key === "connection" && isObject(value) ? planned(value) : value]];
    }),
  );
}

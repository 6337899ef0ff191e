// Refuses a non-interactive agent whose tools need an approver. Needs that only show in the arguments are checked at the call.
import type { AgentConfig, AgentTool } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { ASK_USER } from "../../core/runs/interrupts.ts";
import {
  AgentToolset,
  type GatewayTools,
  getShownName,
  type ResolvedTools,
  type RunTools,
} from "../planning/AgentToolset.ts";

/** @throws PostelError `invalid_configuration` for a non-interactive agent with tools that need an approver. */
export function refuseUnattended(agents: readonly AgentConfig[], registry: GatewayTools): void {
  const toolset = new AgentToolset(registry);
  for (const agent of agents) {
    for (const { id, course, tools } of [agent, ...agent.actions]) {
      if (!course?.nonInteractive) continue;
      const subjectName = id === agent.id ? `The agent ${id}` : `The action ${id} of the agent ${agent.id}`;
      const reason = findHumanRequirement(toolset.resolveTools(tools), agent);
      if (reason !== undefined)
        throw new PostelError(
          createFailure("invalid_configuration", `${subjectName} is \`non_interactive\`, ${reason}`),
        );
    }
  }
}

/** Reason why a run with these tools may wait for an approver, and the remedy; undefined if it never waits. */
export function findHumanRequirement(
  { entries, ...tools }: Pick<ResolvedTools, "entries" | "get">,
  { afterUntrusted }: Pick<AgentConfig, "afterUntrusted">,
): string | undefined {
  const asking = entries.filter((entry) => needsPerson(entry, tools)).map((entry) => `\`${getShownName(entry)}\``);
  if (asking.length > 0)
    return `and these of its tools need a person: ${asking.join(", ")}. Leave them out, or say \`approval: never\` of them.`;
  if (afterUntrusted === undefined) return undefined;
  return "and `after_untrusted: ask` has a person asked. Leave one of the two out.";
}

function needsPerson(entry: AgentTool, tools: Pick<RunTools, "get">): boolean {
  if (entry.tool === ASK_USER) return true;
  const tool = tools.get(getShownName(entry));
  return tool?.asks === true || (tool?.approval !== undefined && tool.approval.type !== "never");
}

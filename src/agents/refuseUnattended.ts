// Refuses a run without people whose tools need one. Decides no call: what only shows when it is made is refused there.
import type { AgentConfig, AgentTool } from "../core/configuration.ts";
import { failure, PostelError } from "../core/failures.ts";
import { ASK_USER } from "../core/interrupts.ts";
import { AgentTools, type HeldTools, type HouseTools, type RunTools, shownName } from "./AgentTools.ts";

/** @throws PostelError `invalid_configuration` for an agent that is never to wait for a person, and has tools that would have to. */
export function refuseUnattended(agents: readonly AgentConfig[], registry: HouseTools): void {
  const held = new AgentTools(registry);
  for (const agent of agents) {
    for (const { id, course, tools } of [agent, ...agent.actions]) {
      if (!course?.nonInteractive) continue;
      const of = id === agent.id ? `The agent ${id}` : `The action ${id} of the agent ${agent.id}`;
      const why = needOfPeople(held.of(tools), agent);
      if (why !== undefined)
        throw new PostelError(failure("invalid_configuration", `${of} is \`non_interactive\`, ${why}`));
    }
  }
}

/** Why a run with these tools may have to wait for a person, and what to do; undefined where it need not. */
export function needOfPeople(
  { entries, ...tools }: Pick<HeldTools, "entries" | "get">,
  { afterUntrusted }: Pick<AgentConfig, "afterUntrusted">,
): string | undefined {
  const asking = entries.filter((entry) => needsPerson(entry, tools)).map((entry) => `\`${shownName(entry)}\``);
  if (asking.length > 0)
    return `and these of its tools need a person: ${asking.join(", ")}. Leave them out, or say \`approval: never\` of them.`;
  if (afterUntrusted === undefined) return undefined;
  return "and `after_untrusted: ask` has a person asked. Leave one of the two out.";
}

function needsPerson(entry: AgentTool, tools: Pick<RunTools, "get">): boolean {
  if (entry.tool === ASK_USER) return true;
  const tool = tools.get(shownName(entry));
  return tool?.asks === true || (tool?.approval !== undefined && tool.approval.type !== "never");
}

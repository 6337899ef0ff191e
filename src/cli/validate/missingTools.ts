// Finds tools that agents name and their running server does not offer. Starts no server.
import type { Config } from "../../core/config/configuration.ts";
import type { ToolRegistry } from "../../tools/ToolRegistry.ts";

/** One line for each, with the agent that names it. Tools of an unreachable server are unknown. */
export function findUnofferedTools(
  { agents }: Pick<Config, "agents">,
  registry: Pick<ToolRegistry, "offeredBy">,
): readonly string[] {
  const lines = agents.flatMap(({ id, tools, actions }) =>
    [...tools, ...actions.flatMap((action) => action.tools)].flatMap(({ tool, server }) => {
      if (server === undefined || tool === server) return [];
      const { tools: offered, outage } = registry.offeredBy(server);
      const names = offered.map(({ spec }) => spec.name);
      if (outage !== undefined || names.includes(tool)) return [];
      return `tools of the agent ${id}: the server ${server} offers no \`${tool}\`; it offers ${names.join(", ") || "none"}`;
    }),
  );
  return [...new Set(lines)];
}

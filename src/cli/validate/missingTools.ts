// The tools that agents name though their server, which is up, does not offer them. Starts no server.
import type { Config } from "../../core/config/configuration.ts";
import type { ToolRegistry } from "../../tools/ToolRegistry.ts";

/** A line for each, with the agent that names it. What a server that is down offers is not known. */
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

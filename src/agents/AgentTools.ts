// The tools of an agent, as it has them: under its names, with its approvals. Knows no run; the tools themselves are the registry's.
import type { AgentTool } from "../core/configuration.ts";
import { failure, PostelError } from "../core/failures.ts";
import type { Tool } from "../tools/Tool.ts";
import type { ToolRegistry } from "../tools/ToolRegistry.ts";

/** The tools that one run may use, by the names under which its model calls them. */
export type RunTools = Pick<ToolRegistry, "get" | "select">;

export class AgentTools {
  readonly #registry: RunTools;
  /** What each entry made of a tool: the same spec every time, since much is kept by it. */
  readonly #made = new WeakMap<AgentTool, { readonly of: Tool; readonly tool: Tool }>();

  constructor(registry: RunTools) {
    this.#registry = registry;
  }

  /** @param entries the agent's own list, which is known again. */
  of(entries: readonly AgentTool[]): RunTools {
    const byName = new Map(entries.map((entry) => [shownName(entry), entry]));
    const get = (name: string): Tool | undefined => {
      const entry = byName.get(name);
      const tool = entry && this.#registry.get(entry.tool);
      return tool && this.#toolOf(entry, tool);
    };
    const select = (names: readonly string[]): readonly Tool[] =>
      names.map((name) => {
        const tool = get(name);
        if (tool) return tool;
        // What its agent has and nobody offers, the registry names.
        this.#registry.select([byName.get(name)?.tool ?? name]);
        const message = `The agent of this run has no tool \`${name}\` any more; it has: ${[...byName.keys()].join(", ") || "none"}.`;
        throw new PostelError(failure("invalid_configuration", message));
      });
    return { get, select };
  }

  #toolOf(entry: AgentTool, tool: Tool): Tool {
    const known = this.#made.get(entry);
    if (known?.of === tool) return known.tool;
    const { spec } = tool;
    const { name = spec.name, description = spec.description, approval, onReject, allowOther } = entry;
    const { async, context } = entry;
    const made: Tool = {
      ...(context ? { ...tool, execute: (args, given) => tool.execute(args, { ...given, context }) } : tool),
      spec: name === spec.name && description === spec.description ? spec : { ...spec, name, description },
      approval: approval ?? tool.approval,
      onReject: onReject ?? tool.onReject,
      allowOther: allowOther ?? tool.allowOther,
      async: async ?? tool.async,
    };
    this.#made.set(entry, { of: tool, tool: made });
    return made;
  }
}

/** The name under which a model sees the tool. */
export function shownName({ tool, name }: AgentTool): string {
  return name ?? tool;
}

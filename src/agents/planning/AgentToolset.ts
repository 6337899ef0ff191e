// Resolves the tool list of an agent: registry tools with the agent's own names, approvals and context.
import type { AgentTool } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Tool } from "../../tools/Tool.ts";
import type { ToolRegistry } from "../../tools/ToolRegistry.ts";

/** The tools that one run may use, by the names that its model sees. */
export type RunTools = Pick<ToolRegistry, "get" | "select">;

/** All tools of the gateway. */
export type GatewayTools = Pick<ToolRegistry, "get" | "select" | "offeredBy" | "danger">;

/** An agent's tool list, resolved at one moment. */
export interface ResolvedTools extends RunTools {
  /** One entry per tool: an entry for a whole server is replaced by the tools that it offers. */
  readonly entries: readonly AgentTool[];
}

export class AgentToolset {
  readonly #registry: GatewayTools;
  /** Tools by entry. The specs stay the same objects, because other caches use them as keys. */
  readonly #toolCache = new WeakMap<AgentTool, { readonly of: Tool; readonly tool: Tool }>();
  /** Entries of the single tools of a server, by tool name. */
  readonly #single = new WeakMap<AgentTool, Map<string, AgentTool>>();

  constructor(registry: GatewayTools) {
    this.#registry = registry;
  }

  /**
   * Resolves a list. Server tools are those of this moment, and a run keeps them even if the server changes its list.
   * @param written the agent's own list; results are cached by its entries.
   */
  resolveTools(written: readonly AgentTool[]): ResolvedTools {
    const entries = written.flatMap((entry) => this.#singled(entry));
    const byName = new Map(entries.map((entry) => [getShownName(entry), entry]));
    const offered = new Map(
      entries.flatMap(({ tool: name, server }) => {
        const tool = server === undefined ? undefined : this.#registry.get(name);
        return tool ? [[name, tool] as const] : [];
      }),
    );
    const get = (name: string): Tool | undefined => {
      const entry = byName.get(name);
      const tool = entry && (offered.get(entry.tool) ?? this.#registry.get(entry.tool));
      return tool && this.#adaptTool(entry, tool);
    };
    const select = (names: readonly string[]): readonly Tool[] =>
      names.flatMap((name) => {
        const tool = get(name);
        if (tool) return tool;
        // A server may no longer offer a tool that it offered when the run was planned.
        if (isOfServer(name, byName.get(name), written)) return [];
        // The registry names a tool of the agent that does not exist.
        this.#registry.select([byName.get(name)?.tool ?? name]);
        const message = `The agent of this run has no tool \`${name}\` any more; it has: ${[...byName.keys()].join(", ") || "none"}.`;
        throw new PostelError(createFailure("invalid_configuration", message));
      });
    return { entries, get, select };
  }

  /**
   * The names that a model sees for these entries.
   * @throws PostelError for a tool that does not exist, `upstream_unavailable` if its server is down.
   */
  listNames(written: readonly AgentTool[]): readonly string[] {
    const { entries, get, select } = this.resolveTools(written);
    const missing = entries.find((entry) => entry.server !== undefined && !get(getShownName(entry)));
    if (missing?.server !== undefined) throw unoffered(missing.tool, missing.server, this.#registry);
    return select(entries.map(getShownName)).map(({ spec }) => spec.name);
  }

  #singled(entry: AgentTool): readonly AgentTool[] {
    const { tool, server } = entry;
    if (server === undefined || tool !== server) return [entry];
    const known = this.#single.get(entry) ?? new Map<string, AgentTool>();
    this.#single.set(entry, known);
    return this.#registry.offeredBy(server).tools.map(({ spec: { name } }) => {
      const single = known.get(name) ?? { ...entry, tool: name };
      known.set(name, single);
      return single;
    });
  }

  #adaptTool(entry: AgentTool, tool: Tool): Tool {
    const known = this.#toolCache.get(entry);
    if (known?.of === tool) return known.tool;
    const { spec } = tool;
    const { name = spec.name, description = spec.description, approval, onReject, allowOther } = entry;
    const { async, context, danger } = entry;
    const adapted: Tool = {
      ...(context ? addContext(tool, context) : tool),
      spec: name === spec.name && description === spec.description ? spec : { ...spec, name, description },
      ...(name !== spec.name && { registeredAs: spec.name }),
      approval: approval ?? tool.approval,
      danger: danger ?? tool.danger ?? this.#registry.danger,
      onReject: onReject ?? tool.onReject,
      allowOther: allowOther ?? tool.allowOther,
      async: async ?? tool.async,
    };
    this.#toolCache.set(entry, { of: tool, tool: adapted });
    return adapted;
  }
}

function addContext(tool: Tool, context: JsonObject): Tool {
  const { effect } = tool;
  return {
    ...tool,
    execute: (args, toolContext) => tool.execute(args, { ...toolContext, context }),
    ...(effect && { effect: (args) => effect.call(tool, args, context) }),
  };
}

/** The tool name that a model sees. */
export function getShownName({ tool, name }: AgentTool): string {
  return name ?? tool;
}

function isOfServer(name: string, entry: AgentTool | undefined, entries: readonly AgentTool[]): boolean {
  if (entry) return entry.server !== undefined;
  return entries.some(({ tool, server }) => server !== undefined && tool === server && name.startsWith(`${server}.`));
}

function unoffered(tool: string, server: string, registry: GatewayTools): PostelError {
  const { tools, outage } = registry.offeredBy(server);
  if (outage !== undefined) {
    const message = `The tool \`${tool}\` is of the server \`${server}\`, which is down: ${outage} The gateway goes on trying; ask again later.`;
    return new PostelError(createFailure("upstream_unavailable", message, { server }));
  }
  const offers = tools.map(({ spec }) => spec.name).join(", ") || "no tools";
  const message = `The server \`${server}\` does not offer the tool \`${tool}\`; it offers ${offers}. Name one of these, or let it through in the component's \`tools\`.`;
  return new PostelError(createFailure("invalid_configuration", message, { server }));
}

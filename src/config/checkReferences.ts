// What one section of postel.yaml says about another: unique names, and tools that exist. Works on data that fits the schema.
import type { HttpClientComponent, UpstreamConfig } from "../core/configuration.ts";
import type { Alias } from "../core/namePatterns.ts";
import { chainedAliases } from "./aliases.ts";
import type { WrittenAgent } from "./gatewaySchema.ts";
import type { KnownNames } from "./KnownNames.ts";
import { suggestion } from "./nearestName.ts";
import type { ReferenceFault } from "./ReferenceFault.ts";

interface Sections {
  readonly upstreams: readonly UpstreamConfig[];
  readonly aliases: readonly Alias[];
  readonly components: readonly HttpClientComponent[];
  readonly agents: readonly WrittenAgent[];
}

export function checkReferences(sections: Sections, known: KnownNames): readonly ReferenceFault[] {
  const toolNames = new Set([
    ...known.tools,
    ...sections.components.flatMap((component) => [component.id, ...component.actions.map((action) => action.tool)]),
  ]);
  return [
    ...clashes("upstreams", sections.upstreams, new Set()),
    ...chainedAliases(sections.aliases),
    ...clashes("components", sections.components, known.tools),
    ...sections.components.flatMap((component, index) =>
      clashes(`components.${index}.actions`, component.actions, new Set()),
    ),
    ...clashes("agents", sections.agents, new Set()),
    ...sections.agents.flatMap((agent, index) =>
      agent.tools.flatMap((tool, position) =>
        toolNames.has(tool) ? [] : [unknownTool(tool, toolNames, ["agents", index, "tools", position])],
      ),
    ),
  ];
}

function clashes(section: string, items: readonly { id: string }[], taken: ReadonlySet<string>): ReferenceFault[] {
  const seen = new Set(taken);
  return items.flatMap(({ id }, index) => {
    const clash = seen.has(id);
    seen.add(id);
    const path = [...section.split("."), index, "id"];
    return clash ? [{ path, message: `expected an id that is not taken; \`${id}\` is` }] : [];
  });
}

function unknownTool(tool: string, known: ReadonlySet<string>, path: (string | number)[]): ReferenceFault {
  const near = suggestion(tool, known) || `; known are ${[...known].sort().join(", ")}`;
  return { path, message: `expected a built-in tool or a component's id${near}` };
}

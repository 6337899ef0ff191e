// What one section of postel.yaml says about another: unique names, tools that exist, and somebody who serves models. Works on data that fits the schema.
import { type Alias, aliasOf } from "../core/namePatterns.ts";
import { modesOf } from "./agentModes.ts";
import type { WrittenAgent } from "./agents.ts";
import { chainedAliases } from "./aliases.ts";
import type { Declared, Placed } from "./declaredModels.ts";
import type { KnownNames } from "./KnownNames.ts";
import { suggestion } from "./nearestName.ts";
import type { ReferenceFault } from "./ReferenceFault.ts";
import { circles, knownTools, toolFaults, toolLists } from "./toolReferences.ts";

export function checkReferences(
  { upstreams, tools, servers, agents, workflows, faults }: Declared,
  aliases: readonly Alias[],
  known: Pick<KnownNames, "tools">,
): readonly ReferenceFault[] {
  const toolsKnown = knownTools({ tools, servers, agents, workflows }, known.tools);
  const models = new Set(upstreams.filter(({ path }) => path[0] === "components").map(({ is }) => is.id));
  return [
    ...(upstreams.length === 0 && faults.length === 0 ? [NOBODY] : []),
    ...faults,
    ...clashes(upstreams, new Set()),
    ...chainedAliases(aliases),
    ...clashes([...tools, ...servers], new Set([...known.tools, ...models])),
    ...tools.flatMap(({ path, is }) =>
      clashes(
        is.actions.map((action, index) => ({ path: [...path, "actions", index], is: action })),
        new Set(),
      ),
    ),
    ...clashes(agents, new Set()),
    ...namesakes(agents, new Set([...tools, ...servers].map(({ is }) => is.id))),
    ...agents.flatMap(({ path, is }) => [
      ...toolLists({ path, is }).flatMap((list) => toolFaults(list, toolsKnown, models)),
      ...clashes(
        is.actions.map((action, index) => ({ path: [...path, "actions", index], is: action })),
        new Set(),
      ),
      ...unknownAgents(is, agents, [...path, "handoffs"]),
      ...takenModel(is.model, { aliases, models }, [...path, "model"]),
      ...modesOf(is).flatMap(([mode, { model }]) =>
        takenModel(model, { aliases, models }, [...path, "modes", mode, "model"]),
      ),
    ]),
    ...circles(agents, toolsKnown),
  ];
}

const NOBODY: ReferenceFault = {
  path: ["upstreams"],
  message: "expected at least one upstream, or a component that serves a model",
};

function clashes(items: readonly Placed<{ readonly id: string }>[], taken: ReadonlySet<string>): ReferenceFault[] {
  const seen = new Set(taken);
  return items.flatMap(({ path, is: { id } }) => {
    const clash = seen.has(id);
    seen.add(id);
    return clash ? [{ path: [...path, "id"], message: `expected an id that is not taken; \`${id}\` is` }] : [];
  });
}

/** An agent's tool of the name would be the component, and a step of a workflow the agent. */
function namesakes(agents: readonly Placed<WrittenAgent>[], components: ReadonlySet<string>): ReferenceFault[] {
  return agents.flatMap(({ path, is: { id } }) => {
    if (!components.has(id)) return [];
    const message = `expected an id that no component with tools has: one is called \`${id}\`; give the agent another, and write that where the agent is meant`;
    return [{ path: [...path, "id"], message }];
  });
}

function unknownAgents(
  { id, handoffs = [] }: WrittenAgent,
  agents: readonly Placed<WrittenAgent>[],
  path: ReferenceFault["path"],
): ReferenceFault[] {
  const others = agents.map(({ is }) => is.id).filter((other) => other !== id);
  return handoffs.flatMap((other, position) => {
    if (others.includes(other)) return [];
    const near = suggestion(other, others) || `; there are ${others.join(", ") || "none"}`;
    return [{ path: [...path, position], message: `expected the id of another agent${near}` }];
  });
}

/** An agent means the component that it names, and an alias would take it from it. */
function takenModel(
  model: string | undefined,
  { aliases, models }: { readonly aliases: readonly Alias[]; readonly models: ReadonlySet<string> },
  path: ReferenceFault["path"],
): ReferenceFault[] {
  if (model === undefined || !models.has(model)) return [];
  const alias = aliasOf(model, aliases);
  if (!alias || alias.model === model) return [];
  const message = `expected a name that no alias takes; \`${model}\` is a component, and the alias \`${alias.pattern}\` says \`${alias.model}\``;
  return [{ path, message }];
}

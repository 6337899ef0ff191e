// What one section of postel.yaml says about another: unique names, tools that exist, and somebody who serves models. Works on data that fits the schema.
import type { AgentTool } from "../core/configuration.ts";
import { type Alias, aliasOf } from "../core/namePatterns.ts";
import type { WrittenAgent } from "./agents.ts";
import { chainedAliases } from "./aliases.ts";
import type { Declared, Placed } from "./declaredModels.ts";
import type { KnownNames } from "./KnownNames.ts";
import { suggestion } from "./nearestName.ts";
import type { ReferenceFault } from "./ReferenceFault.ts";

export function checkReferences(
  { upstreams, tools, agents, faults }: Declared,
  aliases: readonly Alias[],
  known: Pick<KnownNames, "tools">,
): readonly ReferenceFault[] {
  const toolNames = new Set([
    ...known.tools,
    ...tools.flatMap(({ is }) => [is.id, ...is.actions.map((action) => action.tool)]),
  ]);
  const actionsOf = new Map(tools.map(({ is }) => [is.id, is.actions.length]));
  const models = new Set(upstreams.filter(({ path }) => path[0] === "components").map(({ is }) => is.id));
  return [
    ...(upstreams.length === 0 && faults.length === 0 ? [NOBODY] : []),
    ...faults,
    ...clashes(upstreams, new Set()),
    ...chainedAliases(aliases),
    ...clashes(tools, new Set([...known.tools, ...models])),
    ...tools.flatMap(({ path, is }) =>
      clashes(
        is.actions.map((action, index) => ({ path: [...path, "actions", index], is: action })),
        new Set(),
      ),
    ),
    ...clashes(agents, new Set()),
    ...agents.flatMap(({ path, is }) => [
      ...toolLists({ path, is }).flatMap(({ path: at, is: list }) => [
        ...list.flatMap(({ tool }, position) =>
          toolNames.has(tool) ? [] : [unknownTool(tool, { toolNames, models }, [...at, position])],
        ),
        ...sameNames(list, actionsOf, at),
      ]),
      ...clashes(
        is.actions.map((action, index) => ({ path: [...path, "actions", index], is: action })),
        new Set(),
      ),
      ...takenModel(is.model, { aliases, models }, [...path, "model"]),
    ]),
  ];
}

/** The agent's own tools, and those that its actions have instead. */
function toolLists({ path, is }: Placed<WrittenAgent>): readonly Placed<readonly AgentTool[]>[] {
  const ofActions = is.actions.flatMap(({ tools }, index) =>
    tools ? [{ path: [...path, "actions", index, "tools"], is: tools }] : [],
  );
  return [{ path: [...path, "tools"], is: is.tools }, ...ofActions];
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

function unknownTool(
  tool: string,
  { toolNames, models }: { readonly toolNames: ReadonlySet<string>; readonly models: ReadonlySet<string> },
  path: ReferenceFault["path"],
): ReferenceFault {
  const near = suggestion(tool, toolNames) || `; known are ${[...toolNames].sort().join(", ")}`;
  const why = models.has(tool) ? `; \`${tool}\` is a model` : near;
  return { path, message: `expected a built-in tool or a component's id${why}` };
}

/** A name is one tool's; what is there twice as it is, is there once. */
function sameNames(
  tools: readonly AgentTool[],
  actionsOf: ReadonlyMap<string, number>,
  path: ReferenceFault["path"],
): ReferenceFault[] {
  const seen = new Map<string, AgentTool>();
  return tools.flatMap((entry, position) => {
    const name = entry.name ?? entry.tool;
    const before = seen.get(name);
    seen.set(name, entry);
    const message =
      entry.name !== undefined && (actionsOf.get(entry.tool) ?? 1) > 1
        ? `expected one action, as in \`${entry.tool}.ACTION\`: the component has several, and one name is given`
        : before && JSON.stringify(before) !== JSON.stringify(entry)
          ? `expected each tool once; another entry of the agent is called \`${name}\` too`
          : undefined;
    return message === undefined ? [] : [{ path: [...path, position], message }];
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

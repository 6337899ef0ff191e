// Checks references between sections of postel.yaml: unique names, existing tools, and upstreams for models. Requires data
// that fits the schema.
import { type Alias, findAlias } from "../../core/models/namePatterns.ts";
import { parseModes } from "../agents/agentModes.ts";
import type { WrittenAgent } from "../agents/agents.ts";
import {
  collectKnownTools,
  collectToolLists,
  findAgentCycles,
  validateToolReferences,
} from "../agents/toolReferences.ts";
import { findChainedAliases } from "../sections/aliases.ts";
import type { ReferenceIssue } from "./ConfigIssue.ts";
import type { Declared, Located } from "./collectDeclared.ts";
import type { KnownNames } from "./KnownNames.ts";
import { suggestName } from "./suggestName.ts";

export function checkReferences(
  { upstreams, tools, servers, agents, workflows, faults }: Declared,
  aliases: readonly Alias[],
  known: Pick<KnownNames, "tools">,
): readonly ReferenceIssue[] {
  const toolsKnown = collectKnownTools({ tools, servers, agents, workflows }, known.tools);
  const models = new Set(upstreams.filter(({ path }) => path[0] === "components").map(({ is }) => is.id));
  return [
    ...(upstreams.length === 0 && faults.length === 0 ? [NOBODY] : []),
    ...faults,
    ...findDuplicates(upstreams, new Set()),
    ...findChainedAliases(aliases),
    ...findDuplicates([...tools, ...servers], new Set([...known.tools, ...models])),
    ...tools.flatMap(({ path, is }) =>
      findDuplicates(
        is.actions.map((action, index) => ({ path: [...path, "actions", index], is: action })),
        new Set(),
      ),
    ),
    ...findDuplicates(agents, new Set()),
    ...namesakes(agents, new Set([...tools, ...servers].map(({ is }) => is.id))),
    ...agents.flatMap(({ path, is }) => [
      ...collectToolLists({ path, is }).flatMap((list) => validateToolReferences(list, toolsKnown, models)),
      ...findDuplicates(
        is.actions.map((action, index) => ({ path: [...path, "actions", index], is: action })),
        new Set(),
      ),
      ...unknownAgents(is, agents, [...path, "handoffs"]),
      ...findModelConflict(is.model, { aliases, models }, [...path, "model"]),
      ...parseModes(is).flatMap(([mode, { model }]) =>
        findModelConflict(model, { aliases, models }, [...path, "modes", mode, "model"]),
      ),
    ]),
    ...findAgentCycles(agents, toolsKnown),
  ];
}

const NOBODY: ReferenceIssue = {
  path: ["upstreams"],
  message: "expected at least one upstream, or a component that serves a model",
};

function findDuplicates(
  items: readonly Located<{ readonly id: string }>[],
  usedNames: ReadonlySet<string>,
): ReferenceIssue[] {
  const seenIds = new Set(usedNames);
  return items.flatMap(({ path, is: { id } }) => {
    const isDuplicate = seenIds.has(id);
    seenIds.add(id);
    return isDuplicate ? [{ path: [...path, "id"], message: `expected an id that is not taken; \`${id}\` is` }] : [];
  });
}

/** An agent's tool of the name would be the component, and a step of a workflow the agent. */
function namesakes(agents: readonly Located<WrittenAgent>[], components: ReadonlySet<string>): ReferenceIssue[] {
  return agents.flatMap(({ path, is: { id } }) => {
    if (!components.has(id)) return [];
    const message = `expected an id that no component with tools has: one is called \`${id}\`; give the agent another, and write that where the agent is meant`;
    return [{ path: [...path, "id"], message }];
  });
}

function unknownAgents(
  { id, handoffs = [] }: WrittenAgent,
  agents: readonly Located<WrittenAgent>[],
  path: ReferenceIssue["path"],
): ReferenceIssue[] {
  const others = agents.map(({ is }) => is.id).filter((other) => other !== id);
  return handoffs.flatMap((other, position) => {
    if (others.includes(other)) return [];
    const suggestion = suggestName(other, others) || `; there are ${others.join(", ") || "none"}`;
    return [{ path: [...path, position], message: `expected the id of another agent${suggestion}` }];
  });
}

/** An agent that names a component means that component, so an alias must not have the same name. */
function findModelConflict(
  model: string | undefined,
  { aliases, models }: { readonly aliases: readonly Alias[]; readonly models: ReadonlySet<string> },
  path: ReferenceIssue["path"],
): ReferenceIssue[] {
  if (model === undefined || !models.has(model)) return [];
  const alias = findAlias(model, aliases);
  if (!alias || alias.model === model) return [];
  const message = `expected a name that no alias takes; \`${model}\` is a component, and the alias \`${alias.pattern}\` says \`${alias.model}\``;
  return [{ path, message }];
}

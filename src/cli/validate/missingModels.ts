// Finds models that a configuration names and no upstream serves. Does not ask upstreams, whose lists can change at run time.
import type { Config } from "../../core/config/configuration.ts";
import type { ModelDirectory } from "../../models/ModelDirectory.ts";

/** A line for each, with the field that names it. */
export function findUnservedModels(
  { aliases, agents, components }: Pick<Config, "aliases" | "agents" | "components">,
  directory: Pick<ModelDirectory, "resolve">,
): readonly string[] {
  const named = [
    ...aliases.map(({ pattern, model }) => ({ field: `aliases.${pattern}`, model })),
    ...agents.flatMap(({ id, model }) => (model === undefined ? [] : [{ field: `model of the agent ${id}`, model }])),
    ...components.flatMap((one) =>
      one.type === "vector-store" ? [{ field: `embeddings of the component ${one.id}`, model: one.model }] : [],
    ),
  ];
  return named
    .filter(({ model }) => directory.resolve(model).length === 0)
    .map(({ field, model }) => `${field}: no upstream and no component serves \`${model}\``);
}

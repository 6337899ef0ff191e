// Collections of vectors as tools, with who makes the vectors and what keeps them. Loaded only where there is such a component.
import type { Store } from "./core/stores.ts";
import type { VectorStoreComponent } from "./core/vectorStoreComponent.ts";
import type { ModelDirectory } from "./models/ModelDirectory.ts";
import { UpstreamEmbedder } from "./models/UpstreamEmbedder.ts";
import { fixedTools, type ToolSource } from "./tools/ToolSource.ts";
import { type VectorToolOptions, vectorTools } from "./tools/vectors/vectorTools.ts";

export interface VectorCarriers {
  readonly store: Pick<Store, "vectors">;
  readonly directory: Pick<ModelDirectory, "resolve">;
}

export function vectorSources(
  components: readonly VectorStoreComponent[],
  { store: { vectors }, directory }: VectorCarriers,
  told: Pick<VectorToolOptions, "redact" | "matches">,
): readonly ToolSource[] {
  const options = { vectors, embedder: new UpstreamEmbedder(directory), ...told };
  return components.map((component) => fixedTools(vectorTools(component, options)));
}

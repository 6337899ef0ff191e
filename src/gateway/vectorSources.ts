// Creates the tool sources of vector stores, with embedder and store. Loaded only if there are such components.

import type { VectorStoreComponent } from "../core/config/vectorStoreComponent.ts";
import type { Store } from "../core/stores/Store.ts";
import { UpstreamEmbedder } from "../models/clients/UpstreamEmbedder.ts";
import type { ModelDirectory } from "../models/ModelDirectory.ts";
import { createFixedSource, type ToolSource } from "../tools/ToolSource.ts";
import { createVectorTools, type VectorToolOptions } from "../tools/vectors/vectorTools.ts";

export interface VectorCarriers {
  readonly store: Pick<Store, "vectors">;
  readonly directory: Pick<ModelDirectory, "resolve">;
}

export function createVectorSources(
  components: readonly VectorStoreComponent[],
  { store: { vectors }, directory }: VectorCarriers,
  shared: Pick<VectorToolOptions, "redact" | "matches">,
): readonly ToolSource[] {
  const options = { vectors, embedder: new UpstreamEmbedder(directory), ...shared };
  return components.map((component) => createFixedSource(createVectorTools(component, options)));
}

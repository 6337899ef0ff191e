// The section `memory` of postel.yaml: how memories are searched.
import { z } from "zod";
import type { MemoryConfig } from "../../core/config/configuration.ts";
import { nonEmptyText } from "../fields.ts";
import type { ReferenceIssue } from "../load/ConfigIssue.ts";
import type { Declared } from "../load/collectDeclared.ts";

export function createMemorySchema() {
  return z
    .strictObject({ vector_store: nonEmptyText("the id of a vector store").optional() })
    .transform(({ vector_store }): MemoryConfig => ({ vectorStore: vector_store }));
}

/** Fault of a vector store name that names no vector store. */
export function validateMemory(
  { vectorStore }: MemoryConfig,
  { tools }: Pick<Declared, "tools">,
): readonly ReferenceIssue[] {
  const ids = tools.flatMap(({ is }) => (is.type === "vector-store" ? [is.id] : []));
  if (vectorStore === undefined || ids.includes(vectorStore)) return [];
  const message = `expected the id of a component of \`type: vector-store\`; there ${ids.length === 0 ? "is none" : `are ${ids.join(", ")}`}`;
  return [{ path: ["memory", "vector_store"], message }];
}

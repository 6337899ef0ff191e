// Stores the definitions of external tools that were agreed to.
import type { ToolDefinition } from "../tools/toolDefinition.ts";

/** Stores the definitions of external tools that were agreed to. */
export interface DefinitionStore {
  /** The definition that the owner has agreed to; if there is none, the one that applies to all owners. */
  agreed(owner: string, tool: Pick<ToolDefinition, "server" | "tool">): Promise<ToolDefinition | undefined>;
  /** Replaces the definition that the owner has agreed to. Resolves after it is synced to disk. */
  agree(owner: string, definition: ToolDefinition): Promise<void>;
  /** Trust on first use: a server's first list applies to all owners; does nothing if the server already has one. */
  agreeToFirst(server: string, definitions: readonly ToolDefinition[]): Promise<void>;
}

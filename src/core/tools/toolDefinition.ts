// Defines the definition of an MCP tool, as an approver may be shown it.
import type { JsonObject } from "../messages.ts";

export interface ToolDefinition {
  /** The id of the server's component. */
  readonly server: string;
  /** The server's own name for the tool. */
  readonly tool: string;
  /** The listing: title, description, schema of the arguments, annotations. */
  readonly listed: JsonObject;
  /** SHA-256, hex, of `listed`, independent of key order. */
  readonly hash: string;
}

/** A definition for an approver, with invisible characters escaped. */
export interface ShownDefinition {
  readonly server: string;
  readonly tool: string;
  readonly listed: JsonObject;
  /** Changes since the definition that was agreed to; absent: there is none. */
  readonly changes?: readonly DefinitionChange[] | undefined;
}

/** A change; values are JSON texts, truncated if long. Absent: the value did not exist, or no longer exists. */
export interface DefinitionChange {
  /** Keys from the outside in, joined by dots. */
  readonly at: string;
  readonly was?: string | undefined;
  readonly is?: string | undefined;
}

// What a server outside of the gateway says of one of its tools, as data that a person may be shown. Knows no server and no run.
import type { JsonObject } from "../messages.ts";

export interface ToolDefinition {
  /** The id of the component that the server is. */
  readonly server: string;
  /** The server's own name for the tool. */
  readonly tool: string;
  /** What it was listed with: title, description, schema of the arguments, annotations. */
  readonly listed: JsonObject;
  /** SHA-256, hex, of `listed`, in whatever order its keys stand. */
  readonly hash: string;
}

/** A definition as a person reads it before agreeing to it: every character that nobody sees is written out. */
export interface ShownDefinition {
  readonly server: string;
  readonly tool: string;
  readonly listed: JsonObject;
  /** What is otherwise than what was agreed to before; absent: nobody has agreed to any. */
  readonly changes?: readonly DefinitionChange[] | undefined;
}

/** Texts are JSON, cut where they are long; absent: it was not there, or is no more. */
export interface DefinitionChange {
  /** Keys from the outside in, joined by dots. */
  readonly at: string;
  readonly was?: string | undefined;
  readonly is?: string | undefined;
}

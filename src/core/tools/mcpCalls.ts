// Calls of tools that servers outside of the gateway offer, as they go to a server and come back. Knows no protocol's frames and no tool of ours.
import type { JsonObject } from "../messages.ts";

export interface McpCall {
  /** The id of the component. */
  readonly server: string;
  /** The server's own name. */
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The run that it is made for. */
  readonly run: string;
}

export type McpCallResult =
  /** As the server sent it. */
  | { readonly type: "result"; readonly result: JsonObject }
  /** No result came: why, in words for a model. */
  | { readonly type: "failed"; readonly message: string };

/** What stands around each such call: it gives what `send` gives, or an end of its own, and then nothing is sent. Rejects as `send` does. */
export type McpCallInterceptor = (call: McpCall, send: () => Promise<McpCallResult>) => Promise<McpCallResult>;

/** Servers of which nobody is asked: what a recorded run had of them. */
export interface ReplayServers {
  /** What the run was shown of a server's tools: none where the server was down. */
  toolsOf(server: string): readonly OfferedToolDefinition[];
  readonly around: McpCallInterceptor;
}

export interface OfferedToolDefinition {
  /** What the server said of it. */
  readonly listed: JsonObject;
  /** True where somebody of the run's owner had agreed to that. */
  readonly agreed: boolean;
}

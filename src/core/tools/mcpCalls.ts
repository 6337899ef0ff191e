// Defines calls of MCP tools and their results.
import type { JsonObject } from "../messages.ts";

export interface McpCall {
  /** The id of the component. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The run that makes the call. */
  readonly run: string;
}

export type McpCallResult =
  /** The result as the server sent it. */
  | { readonly type: "result"; readonly result: JsonObject }
  /** There is no result; `message` states the reason for the model. */
  | { readonly type: "failed"; readonly message: string };

/** Wraps each MCP call: returns the result of `send`, or another one without sending. Rejects as `send` does. */
export type McpCallInterceptor = (call: McpCall, send: () => Promise<McpCallResult>) => Promise<McpCallResult>;

/** Recorded servers of a replay; no real server is called. */
export interface ReplayServers {
  /** The tools that the run was shown: empty if the server was down. */
  listTools(server: string): readonly OfferedToolDefinition[];
  readonly around: McpCallInterceptor;
}

export interface OfferedToolDefinition {
  /** The tool's definition as the server listed it. */
  readonly listed: JsonObject;
  /** True if the run's owner had agreed to the definition. */
  readonly agreed: boolean;
}

// A call of a server's tool, rendered for its approver. Calls no server.
import type { McpComponent, McpConnection } from "../../core/config/mcpComponent.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";
import type { ToolDefinition } from "../../core/tools/toolDefinition.ts";
import { formatCommand } from "../shell/formatCommand.ts";
import type { CallEffect } from "../Tool.ts";

interface ServedCall {
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly definition: Pick<ToolDefinition, "hash">;
  readonly args: JsonObject;
}

export function describeMcpEffect(
  { id, connection }: Pick<McpComponent, "id" | "connection">,
  { tool, definition, args }: ServedCall,
  redact: Redact,
): CallEffect {
  const server = { id, ...describeConnection(connection, redact) };
  const where = "url" in server ? server.url : formatCommand(server.argv);
  return {
    question: `be called with these arguments?\nserver: ${id}, ${where}`,
    deed: { server, tool, definition: definition.hash, arguments: redact(JSON.stringify(args)) },
  };
}

/** Only the names of headers and variables are included, since their values may be credentials. */
function describeConnection(connection: McpConnection, redact: Redact) {
  if (connection.type === "http")
    return { url: redact(connection.url), headers: Object.keys(connection.headers).toSorted() };
  const { command, cwd, env } = connection;
  return { argv: command.map(redact), cwd, variables: Object.keys(env).toSorted() };
}

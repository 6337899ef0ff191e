// The conversation as the chat wire spells it. Knows roles and field names; refuses to change what was said.
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { JsonObject, JsonValue, Message, Role, ToolSpec } from "../core/messages.ts";

/** A message on the wire; thinking is passed back only to models that have a field for it. */
export function wireMessage(message: Message, capabilities: ModelCapabilities): JsonObject {
  const wire: Record<string, JsonValue> = {
    role: wireRole(message.role, capabilities.systemRole),
    content: message.content ?? (message.toolCalls?.length ? null : ""),
  };
  const { field } = capabilities.reasoning;
  if (field !== undefined && message.reasoning) wire[field] = message.reasoning;
  if (message.toolCalls?.length) {
    wire.tool_calls = message.toolCalls.map(({ id, name, arguments: text }) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    }));
  }
  if (message.toolCallId !== undefined) wire.tool_call_id = message.toolCallId;
  if (message.name !== undefined) wire.name = message.name;
  return wire;
}

export function wireTool(tool: ToolSpec): JsonObject {
  return {
    type: "function",
    function: {
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      // Several servers' templates read `parameters.properties` unasked, so a tool without arguments says so.
      parameters: tool.parameters ?? { type: "object", properties: {} },
      ...(tool.strict !== undefined && { strict: tool.strict }),
    },
  };
}

function wireRole(role: Role, systemRole: ModelCapabilities["systemRole"]): Role {
  return role === "system" || role === "developer" ? systemRole : role;
}

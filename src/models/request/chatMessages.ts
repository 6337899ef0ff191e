// Converts a conversation to messages of the chat wire, without a change of content.

import { memoize } from "../../core/async/memoize.ts";
import { withProviderFields } from "../../core/events/providerFields.ts";
import type { JsonObject, JsonValue, Message, Role, ToolSpec } from "../../core/messages.ts";
import type { ModelCapabilities } from "../../core/models/capabilities.ts";

/**
 * Converts a message to the wire, with the members that Postel does not model. Reasoning goes to the field of the model's profile, else to
 * the one that the client used.
 */
export function wireMessage(message: Message, capabilities: ModelCapabilities): JsonObject {
  const role = toWireRole(message.role, capabilities.systemRole);
  const content = message.content ?? (message.toolCalls?.length ? null : "");
  const wire: Record<string, JsonValue> = message.extra ? { ...message.extra, role, content } : { role, content };
  const field = capabilities.reasoning.field ?? message.reasoningField;
  if (field !== undefined && message.reasoning) wire[field] = message.reasoning;
  if (message.toolCalls?.length) {
    wire.tool_calls = message.toolCalls.map(({ id, name, arguments: text, extra }) =>
      withProviderFields(extra, {
        id,
        type: "function",
        function: { name, arguments: text },
      }),
    );
  }
  if (message.toolCallId !== undefined) wire.tool_call_id = message.toolCallId;
  if (message.name !== undefined) wire.name = message.name;
  return wire;
}

const wireTools = new WeakMap<ToolSpec, JsonObject>();
const wireLists = new WeakMap<readonly ToolSpec[], readonly JsonObject[]>();

/** The same list for the same list. */
export function wireToolList(tools: readonly ToolSpec[]): readonly JsonObject[] {
  return memoize(wireLists, tools, () => tools.map(toWireTool));
}

/** Returns the same object for the same tool, so that its serialised text can be cached. */
export function toWireTool(tool: ToolSpec): JsonObject {
  return memoize(wireTools, tool, writeTool);
}

function writeTool(tool: ToolSpec): JsonObject {
  return withProviderFields(tool.extra, {
    type: "function",
    function: {
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      // Several servers' templates read `parameters.properties` without a test, so a tool without arguments has empty ones.
      parameters: tool.parameters ?? { type: "object", properties: {} },
      ...(tool.strict !== undefined && { strict: tool.strict }),
    },
  });
}

function toWireRole(role: Role, systemRole: ModelCapabilities["systemRole"]): Role {
  return role === "system" || role === "developer" ? systemRole : role;
}

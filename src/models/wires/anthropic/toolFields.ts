// Converts the tools and `tool_choice` of a chat body to Anthropic's Messages.
import type { Tool, ToolChoice } from "@anthropic-ai/sdk/resources/messages";
import type { JsonObject } from "../../../core/messages.ts";
import { asObject, asObjects, asString } from "../../looseJson.ts";
import { withCacheControl } from "./contentBlocks.ts";

export interface ToolFields {
  readonly tools?: Tool[];
  readonly tool_choice?: ToolChoice;
}

/** Empty if there are no tools: the API refuses a choice without them. */
export function buildToolFields(body: JsonObject): ToolFields {
  const tools = asObjects(body.tools).flatMap(toTool);
  if (tools.length === 0) return {};
  const choice = toolChoice(body);
  return { tools, ...(choice && { tool_choice: choice }) };
}

/** Returns true if the model must call a tool. */
export function isCallForced({ tool_choice: choice }: ToolFields): boolean {
  return choice?.type === "any" || choice?.type === "tool";
}

/** `strict` is not sent: few models take it, with limits of their own, and every call is validated against its schema later. */
function toTool(tool: JsonObject): Tool[] {
  const described = asObject(tool.function);
  if (!described) return [];
  const description = asString(described.description);
  const result: Tool = {
    name: asString(described.name) ?? "",
    ...(description !== undefined && { description }),
    input_schema: { ...asObject(described.parameters), type: "object" },
  };
  return [withCacheControl(withCacheControl(result, described), tool)];
}

function toolChoice(body: JsonObject): ToolChoice | undefined {
  const { tool_choice: choice, parallel_tool_calls: parallel } = body;
  const single = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === "none") return { type: "none" };
  if (choice === "required") return { type: "any", ...single };
  const name = asString(asObject(asObject(choice)?.function)?.name);
  if (name !== undefined) return { type: "tool", name, ...single };
  return parallel === false ? { type: "auto", ...single } : undefined;
}

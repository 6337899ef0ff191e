// Converts run events to activities for the library's callback: thoughts, tools, errors. Pure.
import type { RunEvent } from "../../core/events/events.ts";
import type { ToolResult } from "../../core/runs/RunState.ts";

/** An activity of a run, as library callers get it. */
export type Activity =
  /** A part of the model's reasoning, its plan, or its reflection. */
  | { readonly type: "thought"; readonly text: string }
  | { readonly type: "tool_start"; readonly callId: string; readonly tool: string; readonly arguments: string }
  | { readonly type: "tool_end"; readonly callId: string; readonly tool: string; readonly content: string }
  /** `callId` is present if a tool failed; otherwise the run failed. */
  | { readonly type: "error"; readonly message: string; readonly callId?: string; readonly tool?: string };

/** Returns undefined for events that are no activity. */
export function toActivity(event: RunEvent): Activity | undefined {
  switch (event.type) {
    case "reasoning-delta":
    case "plan":
    case "reflection":
      return { type: "thought", text: event.text };
    case "tool-start": {
      const { id, name, arguments: args } = event.call;
      return { type: "tool_start", callId: id, tool: name, arguments: args };
    }
    case "tool-result":
      return toEndActivity(event.callId, event);
    case "task-end":
      return toEndActivity(event.task, event);
    case "turn-failed":
      return { type: "error", message: event.failure.message };
    default:
      return undefined;
  }
}

function toEndActivity(
  callId: string,
  { name, content, isError }: Pick<ToolResult, "name" | "content" | "isError">,
): Activity {
  return isError
    ? { type: "error", message: content, callId, tool: name }
    : { type: "tool_end", callId, tool: name, content };
}

// What a run does, in the few words that somebody who watches it wants: thoughts, tools, errors. Pure; knows no callback.
import type { RunEvent } from "../../core/events/events.ts";
import type { ToolResult } from "../../core/runs/RunState.ts";

/** What callers of the library are told of their runs, as it happens. */
export type Activity =
  /** A piece of what the model thinks, its plan, or its look at its own answer. */
  | { readonly type: "thought"; readonly text: string }
  | { readonly type: "tool_start"; readonly callId: string; readonly tool: string; readonly arguments: string }
  | { readonly type: "tool_end"; readonly callId: string; readonly tool: string; readonly content: string }
  /** A tool that failed has its `callId`; without one the run itself did. */
  | { readonly type: "error"; readonly message: string; readonly callId?: string; readonly tool?: string };

/** Undefined for what is no activity. */
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
      return ended(event.callId, event);
    case "task-end":
      return ended(event.task, event);
    case "turn-failed":
      return { type: "error", message: event.failure.message };
    default:
      return undefined;
  }
}

function ended(callId: string, { name, content, isError }: Pick<ToolResult, "name" | "content" | "isError">): Activity {
  return isError
    ? { type: "error", message: content, callId, tool: name }
    : { type: "tool_end", callId, tool: name, content };
}

// Maps between the tool names of the request and the names that the model was shown.
import type { RenamedTool } from "../../core/events/events.ts";
import type { ToolSpec } from "../../core/messages.ts";
import type { AttemptEvent } from "../Agent.ts";

/** The tools by the names that the model was shown, for reading its calls. */
export function aliasTools(tools: readonly ToolSpec[], renamed: readonly RenamedTool[]): readonly ToolSpec[] {
  const shownNames = new Map(renamed.map((tool) => [tool.name, tool.shown]));
  return tools.map((tool) => ({ ...tool, name: shownNames.get(tool.name) ?? tool.name }));
}

/** The event with the tool names of the request; the raw output stays unchanged. */
export function restoreToolNames(event: AttemptEvent, ownNames: ReadonlyMap<string, string>): AttemptEvent {
  switch (event.type) {
    case "call":
      return { ...event, call: { ...event.call, name: ownNames.get(event.call.name) ?? event.call.name } };
    case "issue":
      return { ...event, issue: restoreToolName(event.issue, ownNames) };
    case "refused": {
      const { refused } = event;
      const name = ownNames.get(refused.name) ?? refused.name;
      return { ...event, refused: { ...refused, name, issue: restoreToolName(refused.issue, ownNames) } };
    }
    default:
      return event;
  }
}

function restoreToolName<Issue extends { readonly tool?: string | undefined }>(
  issue: Issue,
  ownNames: ReadonlyMap<string, string>,
): Issue {
  return issue.tool === undefined ? issue : { ...issue, tool: ownNames.get(issue.tool) ?? issue.tool };
}

// Checks the calls of an answer against `tool_choice` and `parallel_tool_calls`. Pure.
import type { FormatIssue } from "../../core/events/issues.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { AttemptConversation } from "../Agent.ts";

type Demands = Pick<AttemptConversation, "tools" | "toolChoice" | "parallelToolCalls">;

/** Returns false if the answer must not contain a call. */
export function allowsToolCalls({ tools, toolChoice }: Pick<Demands, "tools" | "toolChoice">): boolean {
  return tools.length > 0 && toolChoice.type !== "none";
}

/** The issue of a call where none is allowed. */
export function createUnwantedCallIssue(name: string, raw: string): FormatIssue {
  const message = `The model called ${name} although no call was allowed; it was not passed on.`;
  return { code: "stray-mark", message, raw };
}

/** Reason why a call must not be emitted; undefined if it may be. `before` is the number of calls emitted so far. */
export function findToolChoiceViolation(call: ToolCall, demands: Demands, before: number): FormatIssue | undefined {
  const { toolChoice, parallelToolCalls } = demands;
  if (!allowsToolCalls(demands)) return createUnwantedCallIssue(call.name, call.raw);
  const at = { family: call.origin, raw: call.raw };
  if (toolChoice.type === "tool" && call.name !== toolChoice.name) {
    const message = `A call to ${toolChoice.name} is required; a call to ${call.name} is not accepted here.`;
    return { code: "missing-call", message, tool: toolChoice.name, ...at };
  }
  if (parallelToolCalls === false && before > 0) {
    const message = `Only one call is allowed in this answer; the further call to ${call.name} was left out.`;
    return { code: "ambiguous-call", message, tool: call.name, ...at };
  }
  return undefined;
}

/** The issue of an answer without the required call, if there is no other reason to ask again. */
export function findMissingCall(demands: Demands): FormatIssue | undefined {
  const { tools, toolChoice } = demands;
  if (tools.length === 0) return undefined;
  switch (toolChoice.type) {
    case "auto":
    case "none":
      return undefined;
    case "required":
      return { code: "missing-call", message: "This answer must call a tool." };
    case "tool":
      return { code: "missing-call", message: `This answer must call ${toolChoice.name}.`, tool: toolChoice.name };
    default:
      return toolChoice satisfies never;
  }
}

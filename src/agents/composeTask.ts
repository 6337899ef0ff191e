// An input for an agent's action → the user's message that its model reads: the task, the input and the context. Asks nobody.
import type { AgentActionConfig } from "../core/configuration.ts";
import { failure, PostelError } from "../core/failures.ts";
import { fillTemplate } from "../core/fillTemplate.ts";
import type { JsonObject, JsonValue, Message } from "../core/messages.ts";
import type { AgentRunRequest } from "./AgentRunner.ts";
import { actionFor, agentFor, type KnownAgents } from "./agentFor.ts";

/**
 * The request with what its input makes of its agent's action as the last of its messages; as it is where it is a conversation already.
 * @throws PostelError `agent_not_found`, and `invalid_request` for an action that is not there and an input that lacks something.
 */
export function composed(request: AgentRunRequest, known: KnownAgents): AgentRunRequest {
  const { input, task, ...rest } = request;
  const { chat, agent, action } = request;
  const isAsked = input !== undefined || task !== undefined || (action !== undefined && chat.messages.length === 0);
  if (!isAsked) return request;
  const chosen = actionFor(agentFor(known, chat.model, agent), action);
  const message = taskMessage(chosen, input ?? {}, task);
  return { ...rest, action: chosen.id, chat: { ...chat, messages: [...chat.messages, message] } };
}

/**
 * `Task: …`, `Input: {json}` and `Context: {json}`, parted by blank lines; what is absent is left out.
 * @param task in the place of the action's, and no template.
 */
function taskMessage(action: AgentActionConfig, input: JsonObject, task: string | undefined): Message {
  const filled = (template: JsonValue | undefined): JsonValue | undefined =>
    template === undefined ? undefined : fill(template, input);
  const asked = task ?? filled(action.task);
  const shown = filled(action.input) ?? input;
  const context = filled(action.context);
  const parts = [
    ...(asked === undefined ? [] : [`Task: ${typeof asked === "string" ? asked : JSON.stringify(asked)}`]),
    ...(isEmpty(shown) ? [] : [`Input: ${JSON.stringify(shown)}`]),
    ...(isEmpty(context) ? [] : [`Context: ${JSON.stringify(context)}`]),
  ];
  if (parts.length > 0) return { role: "user", content: parts.join("\n\n") };
  const message = "There is nothing to ask: the action has no `task`, and `input` is empty.";
  throw new PostelError(failure("invalid_request", message, { param: "input" }));
}

function fill(template: JsonValue, input: JsonObject): JsonValue {
  try {
    return fillTemplate(template, { input });
  } catch (error) {
    const message = `\`input\` lacks what the action needs: ${error instanceof Error ? error.message : error}`;
    throw new PostelError(failure("invalid_request", message, { param: "input" }));
  }
}

/** An object without a member says nothing. */
function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || (value !== null && typeof value === "object" && Object.keys(value).length === 0);
}

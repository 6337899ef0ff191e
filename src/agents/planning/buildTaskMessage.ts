// Builds the user message of an agent's action from the task, the input and the context.
import type { AgentActionConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { isObject, type JsonObject, type JsonValue, type Message } from "../../core/messages.ts";
import type { ChatRequest } from "../../core/requests.ts";
import { fillTemplate } from "../../core/template/fillTemplate.ts";
import { type KnownAgents, resolveAction, resolveAgent } from "./resolveAgent.ts";
import { validateInput } from "./validateInput.ts";

/** A request to an agent. */
export interface TaskRequest {
  /** `model` is a model's name or an agent's id; `tools` are the client's own. */
  readonly chat: ChatRequest;
  /** The id of the agent, if `chat.model` does not name it. */
  readonly agent?: string | undefined;
  /** The id of the action. Absent: the only action if there is an input, otherwise none. */
  readonly action?: string | undefined;
  /** Values for the action's templates. The resulting message follows the messages of `chat`. */
  readonly input?: JsonObject | undefined;
  /** The id of the workflow to run; `input` is then the workflow's, and the other fields are ignored. */
  readonly workflow?: string | undefined;
  /** Replaces the action's task. It is text and no template. */
  readonly task?: string | undefined;
  /** Added to the action's context. */
  readonly context?: JsonObject | undefined;
}

/**
 * Appends the message that the action builds from its input. Returns the request unchanged if it is already a
 * conversation.
 * @throws PostelError `agent_not_found`, and `invalid_request` for an unknown action or an input with missing fields.
 */
export function withTaskMessage<Request extends TaskRequest>(request: Request, known: KnownAgents): Request {
  const { chat, agent, action, input, task, context } = request;
  const isAsked = input !== undefined || task !== undefined || chat.messages.length === 0;
  if (!isAsked || request.workflow !== undefined) return request;
  const chosen = resolveAction(resolveAgent(known, chat.model, agent), action);
  const { inputs } = chosen.course ?? {};
  const checked = inputs ? validateInput(input ?? {}, inputs) : (input ?? {});
  const message = taskMessage(chosen, checked, { task, context });
  const messages = [...chat.messages, message];
  return {
    ...request,
    input: undefined,
    task: undefined,
    context: undefined,
    action: chosen.id,
    chat: { ...chat, messages },
  };
}

/**
 * `Task: …`, `Input: {json}` and `Context: {json}`, separated by blank lines; absent parts are left out.
 * @param given the text that replaces the action's task, and additional context.
 */
function taskMessage(
  action: AgentActionConfig,
  input: JsonObject,
  { task, context: further = {} }: Pick<TaskRequest, "task" | "context">,
): Message {
  const fillValues = (template: JsonValue | undefined): JsonValue | undefined =>
    template === undefined ? undefined : fillTemplateValues(template, input);
  const subject = task ?? fillValues(action.task);
  // A task includes what the model needs of the input; without a task the input itself is shown.
  const inputText =
    action.input === undefined && action.task !== undefined ? undefined : (fillValues(action.input) ?? input);
  const ownTools = fillValues(action.context);
  const context = isObject(ownTools) || ownTools === undefined ? { ...ownTools, ...further } : ownTools;
  const parts = [
    ...(subject === undefined ? [] : [`Task: ${typeof subject === "string" ? subject : JSON.stringify(subject)}`]),
    ...(isEmpty(inputText) ? [] : [`Input: ${JSON.stringify(inputText)}`]),
    ...(isEmpty(context) ? [] : [`Context: ${JSON.stringify(context)}`]),
  ];
  if (parts.length > 0) return { role: "user", content: parts.join("\n\n") };
  const message = "There is nothing to ask: no `messages` are given, the action has no `task`, and `input` is empty.";
  throw new PostelError(createFailure("invalid_request", message, { param: "input" }));
}

function fillTemplateValues(template: JsonValue, input: JsonObject): JsonValue {
  try {
    return fillTemplate(template, { input });
  } catch (error) {
    const message = `\`input\` lacks what the action needs: ${error instanceof Error ? error.message : error}`;
    throw new PostelError(createFailure("invalid_request", message, { param: "input" }));
  }
}

/** Returns true for undefined and for objects without members. */
function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || (value !== null && typeof value === "object" && Object.keys(value).length === 0);
}

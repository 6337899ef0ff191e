// An input for an agent's action → the user's message that its model reads: the task, the input and the context. Asks nobody.
import type { AgentActionConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { isObject, type JsonObject, type JsonValue, type Message } from "../../core/messages.ts";
import type { ChatRequest } from "../../core/requests.ts";
import { fillTemplate } from "../../core/template/fillTemplate.ts";
import { type KnownAgents, resolveAction, resolveAgent } from "./resolveAgent.ts";
import { validateInput } from "./validateInput.ts";

/** What is asked of which agent. */
export interface TaskRequest {
  /** `model` is a model's name or an agent's id; `tools` are the client's own. */
  readonly chat: ChatRequest;
  /** The id of the agent, where `chat.model` does not say it. */
  readonly agent?: string | undefined;
  /** The id of what the agent is asked to do; absent: its only action where there is an input, else nothing by name. */
  readonly action?: string | undefined;
  /** What the action's templates are filled with. The message that comes of it follows the messages of `chat`. */
  readonly input?: JsonObject | undefined;
  /** The id of the workflow that the run is to be: `input` is the workflow's then, and all else follows from that. */
  readonly workflow?: string | undefined;
  /** In the place of the action's task, and no template. */
  readonly task?: string | undefined;
  /** What joins the action's context. */
  readonly context?: JsonObject | undefined;
}

/**
 * The request with what its input makes of its agent's action as the last of its messages; as it is where it is a conversation already.
 * @throws PostelError `agent_not_found`, and `invalid_request` for an action that is not there and an input that lacks something.
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
 * `Task: …`, `Input: {json}` and `Context: {json}`, parted by blank lines; what is absent is left out.
 * @param given what stands in the place of the action's task, and what joins its context.
 */
function taskMessage(
  action: AgentActionConfig,
  input: JsonObject,
  { task, context: further = {} }: Pick<TaskRequest, "task" | "context">,
): Message {
  const filled = (template: JsonValue | undefined): JsonValue | undefined =>
    template === undefined ? undefined : fill(template, input);
  const asked = task ?? filled(action.task);
  // A task says of the input what is to be known of it; an action without one has nothing else to say.
  const shown = action.input === undefined && action.task !== undefined ? undefined : (filled(action.input) ?? input);
  const own = filled(action.context);
  const context = isObject(own) || own === undefined ? { ...own, ...further } : own;
  const parts = [
    ...(asked === undefined ? [] : [`Task: ${typeof asked === "string" ? asked : JSON.stringify(asked)}`]),
    ...(isEmpty(shown) ? [] : [`Input: ${JSON.stringify(shown)}`]),
    ...(isEmpty(context) ? [] : [`Context: ${JSON.stringify(context)}`]),
  ];
  if (parts.length > 0) return { role: "user", content: parts.join("\n\n") };
  const message = "There is nothing to ask: no `messages` are given, the action has no `task`, and `input` is empty.";
  throw new PostelError(createFailure("invalid_request", message, { param: "input" }));
}

function fill(template: JsonValue, input: JsonObject): JsonValue {
  try {
    return fillTemplate(template, { input });
  } catch (error) {
    const message = `\`input\` lacks what the action needs: ${error instanceof Error ? error.message : error}`;
    throw new PostelError(createFailure("invalid_request", message, { param: "input" }));
  }
}

/** An object without a member says nothing. */
function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || (value !== null && typeof value === "object" && Object.keys(value).length === 0);
}

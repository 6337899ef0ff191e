// Builds the request of a command line from its task and input, without a model.
import { text } from "node:stream/consumers";
import type { AgentRunRequest } from "../../agents/AgentRunRequest.ts";
import { withTaskMessage } from "../../agents/planning/buildTaskMessage.ts";
import { resolveAction, resolveAgent } from "../../agents/planning/resolveAgent.ts";
import { resolveWorkflow } from "../../core/config/workflows.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import { resolveActionInput, resolveWorkflowInput } from "../options/inputSchema.ts";
import { parseInput } from "../options/parseInput.ts";
import { createChatRequest } from "./createChatRequest.ts";

export interface TaskFlags {
  readonly agent?: string | undefined;
  readonly action?: string | undefined;
  /** Id of the workflow that runs instead of an agent. */
  readonly workflow?: string | undefined;
  readonly model?: string | undefined;
  /** See `parseInput`. */
  readonly input?: readonly string[] | undefined;
}

/** Builds the request for a given model. */
export type RunRequestFactory = (model: string) => AgentRunRequest;

/** The given task, or all of standard input for `-`. @throws PostelError if that is empty. */
export async function readTask(task: string | undefined): Promise<string | undefined> {
  if (task !== "-") return task;
  const input = (await text(process.stdin)).replace(/(?:\r?\n)+$/, "");
  if (input === "") throwUsageError("Standard input holds no task; `-` reads it from there.");
  return input;
}

/**
 * A task given with an action replaces the action's; by itself it is the user's message. @throws PostelError if there is
 * nothing to do, and for invalid input.
 */
export function createTaskRequest(
  gateway: Pick<GatewayServices, "agents" | "limits" | "ids">,
  task: string | undefined,
  flags: TaskFlags,
): RunRequestFactory {
  const { agent, action, input } = flags;
  const isTask = action !== undefined || input !== undefined;
  if (!isTask && task === undefined)
    throwUsageError("There is nothing to do: give a task, or `--action` or `--input` with it.");
  const taskRequest = isTask && { action, task, input: input === undefined ? {} : agentInput(gateway, input, flags) };
  const text = isTask ? "" : (task ?? "");
  return (model) => {
    const chat = createChatRequest(text, model, gateway.ids.requestId());
    return withTaskMessage({ chat, ...(agent && { agent }), ...taskRequest, interactive: true }, gateway);
  };
}

function agentInput(
  gateway: Pick<GatewayServices, "agents" | "limits">,
  input: readonly string[],
  { agent, action }: TaskFlags,
) {
  const agentConfig = resolveAgent(gateway, agent ?? "", agent);
  return parseInput(input, resolveActionInput(agentConfig, resolveAction(agentConfig, action)));
}

/** @throws PostelError `workflow_not_found`, and for flags that a workflow does not support. */
export function createWorkflowRequest(
  gateway: Pick<GatewayServices, "workflows" | "ids">,
  id: string,
  { task, model, agent, action, input = [] }: TaskFlags & { readonly task: string | undefined },
): AgentRunRequest {
  if ([task, model, agent, action].some((option) => option !== undefined))
    throwUsageError(
      "`--workflow` goes with `--input` alone: the workflow says which agent does what, and with which model.",
    );
  const workflow = resolveWorkflow(gateway.workflows, id);
  const chat = createChatRequest("", workflow.id, gateway.ids.requestId());
  return { chat, workflow: workflow.id, input: parseInput(input, resolveWorkflowInput(workflow)), interactive: true };
}

function throwUsageError(message: string): never {
  throw new PostelError(createFailure("invalid_request", message));
}

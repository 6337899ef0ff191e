// What the command line asks: a task and an input → the request without its model. Asks no model.
import { text } from "node:stream/consumers";
import type { AgentRunRequest } from "../../agents/AgentRunRequest.ts";
import { actionFor, agentFor } from "../../agents/agentFor.ts";
import { composed } from "../../agents/composeTask.ts";
import type { House } from "../../compose.ts";
import { failure, PostelError } from "../../core/failures.ts";
import { workflowFor } from "../../core/workflows.ts";
import { inputOf } from "../inputOf.ts";
import { question } from "../question.ts";
import { takenByAction, takenByWorkflow } from "../takenInput.ts";

export interface TaskFlags {
  readonly agent?: string | undefined;
  readonly action?: string | undefined;
  /** The id of what is run instead of an agent. */
  readonly workflow?: string | undefined;
  readonly model?: string | undefined;
  /** See `inputOf`. */
  readonly input?: readonly string[] | undefined;
}

/** What is asked, whoever answers it. */
export type Asking = (model: string) => AgentRunRequest;

/** The task as it was given, or all of standard input for `-`. @throws PostelError where that is empty. */
export async function givenTask(task: string | undefined): Promise<string | undefined> {
  if (task !== "-") return task;
  const read = (await text(process.stdin)).replace(/(?:\r?\n)+$/, "");
  if (read === "") refuse("Standard input holds no task; `-` reads it from there.");
  return read;
}

/**
 * A task beside an action goes in the place of the action's; by itself it is the user's word.
 * @throws PostelError where there is nothing to do, and for an input that is none.
 */
export function askedTask(
  house: Pick<House, "agents" | "limits" | "ids">,
  task: string | undefined,
  flags: TaskFlags,
): Asking {
  const { agent, action, input } = flags;
  const isTask = action !== undefined || input !== undefined;
  if (!isTask && task === undefined) refuse("There is nothing to do: give a task, or `--action` or `--input` with it.");
  const given = isTask && { action, task, input: input === undefined ? {} : agentInput(house, input, flags) };
  const words = isTask ? "" : (task ?? "");
  return (model) => {
    const chat = question(words, model, house.ids.requestId());
    return composed({ chat, ...(agent && { agent }), ...given, interactive: true }, house);
  };
}

function agentInput(house: Pick<House, "agents" | "limits">, input: readonly string[], { agent, action }: TaskFlags) {
  const asked = agentFor(house, agent ?? "", agent);
  return inputOf(input, takenByAction(asked, actionFor(asked, action)));
}

/** @throws PostelError `workflow_not_found`, and for flags that mean nothing beside a workflow. */
export function askedWorkflow(
  house: Pick<House, "workflows" | "ids">,
  id: string,
  { task, model, agent, action, input = [] }: TaskFlags & { readonly task: string | undefined },
): AgentRunRequest {
  if ([task, model, agent, action].some((given) => given !== undefined))
    refuse("`--workflow` goes with `--input` alone: the workflow says which agent does what, and with which model.");
  const workflow = workflowFor(house.workflows, id);
  const chat = question("", workflow.id, house.ids.requestId());
  return { chat, workflow: workflow.id, input: inputOf(input, takenByWorkflow(workflow)), interactive: true };
}

function refuse(message: string): never {
  throw new PostelError(failure("invalid_request", message));
}

// Provides the components of a workflow's steps as the tools of its run.

import type { WorkflowStep } from "../../core/config/workflows.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { isObject, type JsonObject } from "../../core/messages.ts";
import { ImageBudget } from "../../tools/execution/renderParts.ts";
import { CitedOutput, MultipartOutput, NotedOutput, type Tool, type ToolOutput } from "../../tools/Tool.ts";
import type { RunTools } from "../planning/AgentToolset.ts";

/** The tool names with which the steps call their components. */
export function listStepNames(steps: readonly WorkflowStep[]): readonly string[] {
  return [...new Set(steps.map(getStepName))];
}

export function getStepName(step: WorkflowStep): string {
  switch (step.type) {
    case "tool":
    case "agent":
      return step.tool;
    case "workflow":
      return step.workflow;
    default:
      return step satisfies never;
  }
}

/** Each tool runs for every step that calls it, returns its result as JSON text, and ends the run if it is rejected. */
export function createStepTools(steps: readonly WorkflowStep[], registry: RunTools): RunTools {
  const byName = new Map(steps.map((step) => [getStepName(step), step]));
  const get = (name: string): Tool | undefined => {
    const step = byName.get(name);
    const tool = step && registry.get(name);
    return tool && asStep(step.type === "agent" ? agentStep(tool, step) : tool);
  };
  const select = (names: readonly string[]): readonly Tool[] =>
    names.map((name) => {
      const tool = get(name);
      if (tool) return tool;
      const message = `A step of this workflow calls \`${name}\`, which is not there any more; look at the configuration.`;
      throw new PostelError(createFailure("invalid_configuration", message));
    });
  return { get, select };
}

/** Lets a step pass a task besides the input, which the tool's schema for models does not allow. */
function agentStep(tool: Tool, { agent, action }: Extract<WorkflowStep, { type: "agent" }>): Tool {
  return {
    ...tool,
    spec: { ...tool.spec, parameters: AGENT_PARAMETERS },
    execute: async ({ input = {}, task }, { runAgent }) => {
      if (!runAgent) throw new Error("there is no run in which an agent could be run.");
      const stepRequest = { agent, action, input: isObject(input) ? input : {} };
      return await runAgent({ ...stepRequest, ...(typeof task === "string" && { task }) });
    },
  };
}

const AGENT_PARAMETERS: JsonObject = {
  type: "object",
  properties: { input: { type: "object" }, task: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

function asStep(tool: Tool): Tool {
  return {
    ...tool,
    repeatable: true,
    onReject: "stop",
    async execute(args, context) {
      return stringifyStepOutput(await tool.execute(args, context));
    },
  };
}

function stringifyStepOutput(output: ToolOutput): string | CitedOutput | NotedOutput {
  if (output instanceof NotedOutput) return new NotedOutput(stringifyValueOutput(output.output), output.note, false);
  // Templates cannot contain images.
  if (output instanceof MultipartOutput) return JSON.stringify(new ImageBudget(0).show(output.parts).text);
  return stringifyValueOutput(output);
}

function stringifyValueOutput(output: Exclude<ToolOutput, NotedOutput | MultipartOutput>): string | CitedOutput {
  if (!(output instanceof CitedOutput)) return JSON.stringify(output ?? null);
  return new CitedOutput(JSON.stringify(output.output), output.sources);
}

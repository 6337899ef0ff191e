// Schema of the actions of an agent: named actions, or one action made of the agent's own keys.
import { z } from "zod";
import { type AgentActionConfig, type AgentBehaviourConfig, DEFAULT_ACTION } from "../../core/config/configuration.ts";
import type { Sampling } from "../../core/requests.ts";
import { flag, identifier, integerField, listField, nonEmptyText, textField } from "../fields.ts";
import { createJsonSchemaField } from "../jsonSchema.ts";
import { samplingFields, toSampling } from "../models/modelProfiles.ts";
import { createJsonTemplateField, createTextTemplateField } from "../templates.ts";
import { courseFields, toCourse } from "./agentBehaviour.ts";
import type { createAgentToolSchema, WrittenTool } from "./agentTools.ts";

/** Turns of one run. */
export function maxTurns() {
  return integerField("turns", 1, 100);
}

const INPUT = { roots: ["input"] };

/** The keys of a task, which an agent without `actions` may have itself. */
export const askedFields = {
  task: createTextTemplateField(INPUT).optional(),
  input: createJsonTemplateField(INPUT).optional(),
  context: createJsonTemplateField(INPUT).optional(),
  params: z
    .record(z.string(), createJsonSchemaField("a JSON Schema"), { error: "expected parameter names with JSON Schemas" })
    .optional(),
  streaming: flag().optional(),
};

/** An entry of an agent's `actions:`. */
export function createActionSchema(tool: ReturnType<typeof createAgentToolSchema>) {
  return z
    .strictObject({
      id: identifier(),
      description: nonEmptyText("a description").optional(),
      ...askedFields,
      system_prompt: textField().optional(),
      tools: listField(tool, "tool names").optional(),
      max_iterations: maxTurns().optional(),
      ...courseFields,
      ...samplingFields,
    })
    .transform((raw): WrittenAction => {
      const { id, description, task, input, context, params, streaming, system_prompt, tools, max_iterations } = raw;
      return {
        ...{ id, description, task, input, context, params, streaming },
        ...{ systemPrompt: system_prompt, tools, maxTurns: max_iterations },
        course: toCourse(raw),
        sampling: toSampling(raw),
      };
    });
}

/** An action as written; keys that it lacks come from its agent. */
export interface WrittenAction
  extends Pick<
    AgentActionConfig,
    "id" | "description" | "task" | "input" | "context" | "params" | "streaming" | "systemPrompt"
  > {
  readonly tools?: readonly WrittenTool[] | undefined;
  readonly maxTurns?: number | undefined;
  readonly course?: AgentBehaviourConfig | undefined;
  readonly sampling: Sampling;
}

/** With resolved tools. */
type ResolvedAction = Omit<WrittenAction, "tools"> & { readonly tools?: AgentActionConfig["tools"] | undefined };

type Whole = Pick<AgentActionConfig, "systemPrompt" | "tools" | "sampling" | "limits" | "course">;

/** The complete action: its own values override those of its agent, even an empty text or list. */
export function completeAction(raw: ResolvedAction, agent: Whole): AgentActionConfig {
  const { maxTurns, tools = agent.tools, systemPrompt = agent.systemPrompt, sampling, course, ...action } = raw;
  return {
    ...action,
    systemPrompt,
    tools,
    sampling: { ...agent.sampling, ...sampling },
    course: { ...agent.course, ...course },
    limits: { ...agent.limits, maxTurns: maxTurns ?? agent.limits.maxTurns },
  };
}

/** The one action of an agent that names none. */
export function toOwnAction(action: Omit<WrittenAction, "id" | "sampling">): WrittenAction {
  return { id: DEFAULT_ACTION, sampling: {}, ...action };
}

// What an agent can be asked to do, as the files write it: named actions, or the one that the agent's own keys are. Decides nothing about a run.
import { z } from "zod";
import { type AgentActionConfig, DEFAULT_ACTION } from "../core/configuration.ts";
import type { JsonValue } from "../core/messages.ts";
import type { Sampling } from "../core/requests.ts";
import { parseTemplate } from "../core/template.ts";
import type { agentToolSchema } from "./agentTools.ts";
import { flag, identifier, listOf, someText, text, whole } from "./fields.ts";
import { samplingFields, toSampling } from "./modelRows.ts";

/** Turns of one run. */
export function maxTurns() {
  return whole("turns", 1, 100);
}

/** The keys of what is asked, which an agent without `actions` may have itself. */
export const askedFields = {
  task: inputTemplate().optional(),
  input: inputShape().optional(),
  context: inputShape().optional(),
  streaming: flag().optional(),
};

/** An entry of an agent's `actions:`. */
export function actionSchema(tool: ReturnType<typeof agentToolSchema>) {
  return z
    .strictObject({
      id: identifier(),
      description: someText("a description").optional(),
      ...askedFields,
      system_prompt: text().optional(),
      tools: listOf(tool, "tool names").optional(),
      max_iterations: maxTurns().optional(),
      ...samplingFields,
    })
    .transform(
      ({
        id,
        description,
        task,
        input,
        context,
        streaming,
        system_prompt,
        tools,
        max_iterations,
        ...sampling
      }): WrittenAction => ({
        ...{ id, description, task, input, context, streaming },
        ...{ systemPrompt: system_prompt, tools, maxTurns: max_iterations },
        sampling: toSampling(sampling),
      }),
    );
}

/** An action as it is written: what it does not say is its agent's. */
export interface WrittenAction
  extends Pick<AgentActionConfig, "id" | "description" | "task" | "input" | "context" | "streaming" | "systemPrompt"> {
  readonly tools?: AgentActionConfig["tools"] | undefined;
  readonly maxTurns?: number | undefined;
  readonly sampling: Sampling;
}

type Whole = Pick<AgentActionConfig, "systemPrompt" | "tools" | "sampling" | "limits">;

/** The action whole: what it says itself goes before what its agent says, an empty text and an empty list too. */
export function completeAction(written: WrittenAction, agent: Whole): AgentActionConfig {
  const { maxTurns, tools = agent.tools, systemPrompt = agent.systemPrompt, sampling, ...asked } = written;
  return {
    ...asked,
    systemPrompt,
    tools,
    sampling: { ...agent.sampling, ...sampling },
    limits: { ...agent.limits, maxTurns: maxTurns ?? agent.limits.maxTurns },
  };
}

/** The one action of an agent that names none. */
export function ownAction(asked: Omit<WrittenAction, "id" | "sampling">): WrittenAction {
  return { id: DEFAULT_ACTION, sampling: {}, ...asked };
}

/** A text whose placeholders are those of an input. */
function inputTemplate() {
  return z.string({ error: "expected a text with `input` placeholders" }).superRefine((template, context) => {
    for (const message of inputFaults(template)) context.addIssue({ code: "custom", message });
  });
}

/** Data of any shape whose texts are such templates. */
function inputShape() {
  return z.json({ error: "expected data with `input` placeholders" }).superRefine((shape, context) => {
    for (const { path, message } of shapeFaults(shape, []))
      context.addIssue({ code: "custom", path: [...path], message });
  });
}

function inputFaults(template: string): readonly string[] {
  const parsed = parseTemplate(template);
  if (parsed.type === "malformed") return [parsed.reason];
  return parsed.parts.flatMap((part) =>
    part.type === "placeholder" && part.root !== "input"
      ? [`\`${part.source}\` has no meaning here; only \${env.…} and \${input.…} have`]
      : [],
  );
}

interface ShapeFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function shapeFaults(shape: JsonValue, path: ShapeFault["path"]): readonly ShapeFault[] {
  if (typeof shape === "string") return inputFaults(shape).map((message) => ({ path, message }));
  if (Array.isArray(shape)) return shape.flatMap((item, index) => shapeFaults(item, [...path, index]));
  if (shape === null || typeof shape !== "object") return [];
  return Object.entries(shape).flatMap(([key, item]) => shapeFaults(item, [...path, key]));
}

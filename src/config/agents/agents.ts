// Schema of agents, under `agents:` or as a component.
import { z } from "zod";
import type { AgentConfig } from "../../core/config/configuration.ts";
import type { RunLimits } from "../../core/requests.ts";
import { takeStricter } from "../../core/runs/budget.ts";
import { RECALL_MEMORY, SAVE_MEMORY } from "../../core/runs/memory.ts";
import { decimal, enumField, flag, identifier, integerField, listField, nonEmptyText, textField } from "../fields.ts";
import { samplingFields, toSampling } from "../models/modelProfiles.ts";
import { conversationFields, createBudgetSchema, parseConversation } from "../sections/runs.ts";
import { askedFields, createActionSchema, maxTurns, toOwnAction, type WrittenAction } from "./agentActions.ts";
import { courseFields, toCourse } from "./agentBehaviour.ts";
import { createModesSchema, type WrittenModes } from "./agentModes.ts";
import { createAgentToolSchema, type WrittenTool } from "./agentTools.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Milliseconds of one run. */
export function runTimeout() {
  return integerField("milliseconds", 1, 24 * HOUR_MS);
}

const agentFields = z.strictObject({
  id: identifier(),
  description: nonEmptyText("a description").optional(),
  model: nonEmptyText("a model name").optional(),
  system_prompt: textField().optional(),
  tools: listField(createAgentToolSchema(), "tool names").default([]),
  after_untrusted: enumField(["ask"]).optional(),
  memory: enumField(["off", "tool", "auto", "auto_everywhere"]).default("off"),
  enable_memory: flag().default(true),
  handoffs: listField(nonEmptyText("an agent's id"), "agents' ids").optional(),
  modes: createModesSchema().optional(),
  fallbacks: z.never({ error: "is not supported yet: no version asks another model; remove the key" }).optional(),
  max_iterations: maxTurns().optional(),
  timeout_ms: runTimeout().optional(),
  max_time_minutes: decimal(0.01, DAY_MINUTES).optional(),
  budget: createBudgetSchema().optional(),
  ...conversationFields,
  actions: listField(createActionSchema(createAgentToolSchema()), "actions")
    .min(1, { error: "expected at least one action" })
    .optional(),
  ...askedFields,
  ...courseFields,
  ...samplingFields,
});

/** An agent as written; missing limits come from `limits.run`. */
export type WrittenAgent = Omit<AgentConfig, "limits" | "actions" | "tools" | "modes"> & {
  readonly tools: readonly WrittenTool[];
  readonly modes?: WrittenModes | undefined;
  readonly limits: Partial<RunLimits>;
  readonly actions: readonly WrittenAction[];
};

/** An entry of `agents:`. */
export function createAgentSchema() {
  return agentFields.superRefine(refuseBothLimits).transform(toAgent);
}

/** A component of type `agent`, with the same keys as an entry of `agents:`. */
export function createAgentComponentSchema() {
  return agentFields
    .extend({ type: z.literal("agent") })
    .superRefine(refuseBothLimits)
    .transform(({ type, ...raw }) => ({ type, agent: toAgent(raw) }));
}

/** With both keys it would be unclear which one applies. */
function refuseBothLimits(raw: z.output<typeof agentFields>, context: z.RefinementCtx): void {
  if (raw.timeout_ms !== undefined && raw.max_time_minutes !== undefined) {
    const message = "expected no `max_time_minutes` beside `timeout_ms`: both say how long a run may take";
    context.addIssue({ code: "custom", path: ["max_time_minutes"], message });
  }
  if (!raw.actions) return;
  for (const key of Object.keys(askedFields)) {
    if (raw[key as keyof typeof askedFields] === undefined) continue;
    const message = `expected no \`${key}\` beside \`actions\`: write it in the action that it belongs to`;
    context.addIssue({ code: "custom", path: [key], message });
  }
}

function toAgent(raw: z.output<typeof agentFields>): WrittenAgent {
  const {
    id,
    description,
    model,
    system_prompt,
    tools,
    after_untrusted,
    memory,
    enable_memory,
    handoffs,
    modes,
    max_iterations,
    timeout_ms,
    max_time_minutes,
    budget,
    max_context_messages,
    summary,
    actions,
    task,
    input,
    context,
    params,
    streaming,
    ...sampling
  } = raw;
  return {
    id,
    description,
    model,
    systemPrompt: system_prompt,
    tools: memory === "tool" ? addMemoryTools(tools) : tools,
    afterUntrusted: after_untrusted,
    ...(memory !== "off" && memory !== "tool" && { memory }),
    ...(!enable_memory && { forgets: true }),
    ...(handoffs && { handoffs }),
    ...(modes && { modes }),
    sampling: toSampling(sampling),
    conversation: parseConversation({ max_context_messages, summary }),
    course: toCourse(raw),
    limits: takeStricter(
      {
        ...(max_iterations !== undefined && { maxTurns: max_iterations }),
        ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }),
        ...(max_time_minutes !== undefined && { timeoutMs: Math.ceil(max_time_minutes * MINUTE_MS) }),
      },
      budget,
    ),
    actions: actions ?? [toOwnAction({ description, task, input, context, params, streaming })],
  };
}

/** `memory: tool` names the tools that the list does not name itself. */
function addMemoryTools(tools: readonly WrittenTool[]): readonly WrittenTool[] {
  const named = new Set(tools.map(({ tool }) => tool));
  return [...tools, ...[SAVE_MEMORY, RECALL_MEMORY].filter((tool) => !named.has(tool)).map((tool) => ({ tool }))];
}

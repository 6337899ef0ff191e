// Agents as the files write them, under `agents:` or as a component. Decides nothing about a run.
import { z } from "zod";
import { lesser } from "../core/budget.ts";
import type { AgentConfig } from "../core/configuration.ts";
import { RECALL_MEMORY, SAVE_MEMORY } from "../core/memory.ts";
import type { RunLimits } from "../core/requests.ts";
import { actionSchema, askedFields, maxTurns, ownAction, type WrittenAction } from "./agentActions.ts";
import { courseFields, toCourse } from "./agentCourse.ts";
import { modesSchema, type WrittenModes } from "./agentModes.ts";
import { agentToolSchema, type WrittenTool } from "./agentTools.ts";
import { decimal, flag, identifier, listOf, oneOf, someText, text, whole } from "./fields.ts";
import { samplingFields, toSampling } from "./modelRows.ts";
import { budgetSchema, conversationFields, conversationOf } from "./runs.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Milliseconds of one run. */
export function runTimeout() {
  return whole("milliseconds", 1, 24 * HOUR_MS);
}

const agentFields = z.strictObject({
  id: identifier(),
  description: someText("a description").optional(),
  model: someText("a model name").optional(),
  system_prompt: text().optional(),
  tools: listOf(agentToolSchema(), "tool names").default([]),
  after_untrusted: oneOf(["ask"]).optional(),
  memory: oneOf(["off", "tool", "auto", "auto_everywhere"]).default("off"),
  enable_memory: flag().default(true),
  handoffs: listOf(someText("an agent's id"), "agents' ids").optional(),
  modes: modesSchema().optional(),
  fallbacks: listOf(someText("a model name"), "model names").optional(),
  max_iterations: maxTurns().optional(),
  timeout_ms: runTimeout().optional(),
  max_time_minutes: decimal(0.01, DAY_MINUTES).optional(),
  budget: budgetSchema().optional(),
  ...conversationFields,
  actions: listOf(actionSchema(agentToolSchema()), "actions")
    .min(1, { error: "expected at least one action" })
    .optional(),
  ...askedFields,
  ...courseFields,
  ...samplingFields,
});

/** An agent as it is written; limits that it does not name are filled in from `limits.run`. */
export type WrittenAgent = Omit<AgentConfig, "limits" | "actions" | "tools" | "modes"> & {
  readonly tools: readonly WrittenTool[];
  readonly modes?: WrittenModes | undefined;
  readonly limits: Partial<RunLimits>;
  readonly actions: readonly WrittenAction[];
};

/** An entry of `agents:`. */
export function agentSchema() {
  return agentFields.superRefine(refuseTwoWays).transform(agentOf);
}

/** A component of the type `agent`, which is the same. */
export function agentComponentSchema() {
  return agentFields
    .extend({ type: z.literal("agent") })
    .superRefine(refuseTwoWays)
    .transform(({ type, ...written }) => ({ type, agent: agentOf(written) }));
}

/** Whoever reads the file would not know which of the two is meant. */
function refuseTwoWays(written: z.output<typeof agentFields>, context: z.RefinementCtx): void {
  if (written.timeout_ms !== undefined && written.max_time_minutes !== undefined) {
    const message = "expected no `max_time_minutes` beside `timeout_ms`: both say how long a run may take";
    context.addIssue({ code: "custom", path: ["max_time_minutes"], message });
  }
  if (!written.actions) return;
  for (const key of Object.keys(askedFields)) {
    if (written[key as keyof typeof askedFields] === undefined) continue;
    const message = `expected no \`${key}\` beside \`actions\`: write it in the action that it belongs to`;
    context.addIssue({ code: "custom", path: [key], message });
  }
}

function agentOf(written: z.output<typeof agentFields>): WrittenAgent {
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
    fallbacks,
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
  } = written;
  return {
    id,
    description,
    model,
    systemPrompt: system_prompt,
    tools: memory === "tool" ? withMemory(tools) : tools,
    afterUntrusted: after_untrusted,
    ...(memory !== "off" && memory !== "tool" && { memory }),
    ...(!enable_memory && { forgets: true }),
    ...(handoffs && { handoffs }),
    ...(modes && { modes }),
    ...(fallbacks && { fallbacks }),
    sampling: toSampling(sampling),
    conversation: conversationOf({ max_context_messages, summary }),
    course: toCourse(written),
    limits: lesser(
      {
        ...(max_iterations !== undefined && { maxTurns: max_iterations }),
        ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }),
        ...(max_time_minutes !== undefined && { timeoutMs: Math.ceil(max_time_minutes * MINUTE_MS) }),
      },
      budget,
    ),
    actions: actions ?? [ownAction({ description, task, input, context, params, streaming })],
  };
}

/** `memory: tool` names the tools that the list does not name itself. */
function withMemory(tools: readonly WrittenTool[]): readonly WrittenTool[] {
  const named = new Set(tools.map(({ tool }) => tool));
  return [...tools, ...[SAVE_MEMORY, RECALL_MEMORY].filter((tool) => !named.has(tool)).map((tool) => ({ tool }))];
}

// Reads the fields that an agent run has in addition to a chat completion.
import { z } from "zod";
import type { AgentRunRequest } from "../../agents/AgentRunRequest.ts";
import type { LimitsConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError, refuseField } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { RunLimits } from "../../core/requests.ts";
import { SESSION_MODES } from "../../core/stores/SessionStore.ts";
import { anyObject, checkShape } from "./checkShape.ts";
import { checkSchema, createSchemaBudget } from "./checkToolSchema.ts";
import { SESSION_ID, SESSION_ID_WORDS } from "./pathParams.ts";

export const sessionId = z.string().regex(SESSION_ID, { error: SESSION_ID_WORDS });
export const sessionMode = z.enum(SESSION_MODES);

const BUDGET_KEYS: ReadonlySet<string> = new Set(["tokens", "calls", "money", "minutes"]);

/** Limits of the complete run; they can only lower those of its agent. */
const budgetShape = z
  .looseObject({
    tokens: z.int().min(1).nullish(),
    calls: z.int().min(1).nullish(),
    money: z.number().positive().nullish(),
    minutes: z.number().positive().max(60).nullish(),
  })
  .refine((budget) => Object.keys(budget).every((key) => BUDGET_KEYS.has(key)), {
    error: `expected ${[...BUDGET_KEYS].join(", ")}, and nothing else`,
  });

/** Fields of a run that this version knows. */
const runShape = z.looseObject({
  agent: z.string().min(1).max(256).nullish(),
  action: z.string().min(1).max(256).nullish(),
  input: anyObject.nullish(),
  max_turns: z.int().min(1).max(100).nullish(),
  timeout_ms: z.int().min(1).max(3_600_000).nullish(),
  budget: budgetShape.nullish(),
  session_id: sessionId.nullish(),
  mode: sessionMode.nullish(),
  background: z.boolean().nullish(),
  no_store: z.boolean().nullish(),
  output: anyObject.nullish(),
  non_interactive: z.boolean().nullish(),
});

/** Fields that `readRunFields` reads and the chat request does not. */
export const RUN_FIELDS = Object.keys(runShape.shape);

/** Fields that would change how a run ends: to ignore them would be to answer another question. */
const REFUSED_FIELDS = ["context"];

export interface RunFields
  extends Pick<AgentRunRequest, "agent" | "action" | "input" | "limits" | "mode" | "output" | "nonInteractive"> {
  readonly sessionId?: string | undefined;
  /** True if the client does not wait for the answer. */
  readonly background: boolean;
  /** True if nothing of the run is stored. */
  readonly noStore: boolean;
}

/** @throws PostelError `invalid_request` or `unsupported_parameter`, with the field in `details.param`. */
export function readRunFields(raw: unknown, { schemaSteps }: Pick<LimitsConfig, "schemaSteps">): RunFields {
  const body = checkShape(runShape, raw);
  const refusedField = REFUSED_FIELDS.find((field) => body[field] !== undefined && body[field] !== null);
  if (refusedField !== undefined) {
    const message = `This version of Postel does not support \`${refusedField}\` on /v1/agent.`;
    throw new PostelError(createFailure("unsupported_parameter", message, { param: refusedField }));
  }
  checkContradictions(body);
  return {
    ...(body.agent && { agent: body.agent }),
    ...(body.action && { action: body.action }),
    ...(body.input && { input: body.input }),
    ...(body.mode && { mode: body.mode }),
    ...(body.session_id && { sessionId: body.session_id }),
    ...(body.output && { output: readSchema(body.output, schemaSteps) }),
    ...(body.non_interactive && { nonInteractive: true }),
    background: body.background ?? false,
    noStore: body.no_store ?? false,
    limits: readLimits(body),
  };
}

function readLimits({ max_turns, timeout_ms, budget }: z.infer<typeof runShape>): Partial<RunLimits> {
  const { tokens, calls, money, minutes } = budget ?? {};
  const timeoutMs = Math.min(timeout_ms ?? Number.POSITIVE_INFINITY, (minutes ?? Number.POSITIVE_INFINITY) * MINUTE_MS);
  return {
    ...(max_turns && { maxTurns: max_turns }),
    ...(Number.isFinite(timeoutMs) && { timeoutMs: Math.ceil(timeoutMs) }),
    ...(tokens && { totalTokens: tokens }),
    ...(calls && { maxCalls: calls }),
    ...(money && { maxMoney: money }),
  };
}

const MINUTE_MS = 60_000;

function readSchema(schema: JsonObject, steps: number): JsonObject {
  const fault = checkSchema(schema, createSchemaBudget(steps));
  if (fault !== undefined) refuseField("output", `The JSON Schema of \`output\` is refused: ${fault}.`);
  return schema;
}

function checkContradictions(body: z.infer<typeof runShape>): void {
  const kept = (["session_id", "background"] as const).find((field) => body[field]);
  if (body.no_store && kept)
    refuseField("no_store", `\`no_store\` keeps nothing, and \`${kept}\` needs something to be kept.`);
  if (body.background && body.stream) {
    refuseField(
      "stream",
      "`background` answers with the run's id at once; its events are streamed at /v1/agent/runs/{id}/events.",
    );
  }
}

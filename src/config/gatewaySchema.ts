// Schema of postel.yaml: its sections with their limits and defaults.

import { resolve } from "node:path";
import { z } from "zod";
import type { LimitsConfig, RetriesConfig, TimeoutsConfig, UpstreamConfig } from "../core/config/configuration.ts";
import { maxTurns } from "./agents/agentActions.ts";
import { createAgentSchema, runTimeout } from "./agents/agents.ts";
import { createDangerSchema } from "./agents/agentTools.ts";
import { createComponentSchema } from "./components/components.ts";
import type { Machine } from "./components/programs.ts";
import { baseUrl, enumField, headers, identifier, integerField, key, listField, nonEmptyText } from "./fields.ts";
import type { KnownNames } from "./load/KnownNames.ts";
import { createModelProfilesSchema, namePatternField } from "./models/modelProfiles.ts";
import { createAliasesSchema } from "./sections/aliases.ts";
import { createEgressSchema } from "./sections/egress.ts";
import { createMemorySchema } from "./sections/memory.ts";
import { createOwnersSchema } from "./sections/owners.ts";
import { createRunsSchema } from "./sections/runs.ts";
import { createControllerSchema, createServerSchema } from "./sections/server.ts";
import { createAuditSchema, storeSchema } from "./sections/storeAndAudit.ts";
import { createWebhooksSchema } from "./sections/webhooks.ts";
import { createSingleWorkflowSchema, createWorkflowSchema } from "./workflows/workflows.ts";

const HOUR_MS = 3_600_000;

/** The schema of postel.yaml; relative folders are resolved from the machine's `folder`. */
export function createGatewaySchema(known: KnownNames, machine: Machine) {
  const { folder } = machine;
  const sections = z.strictObject({
    server: createServerSchema().optional(),
    controller: createControllerSchema().optional(),
    upstreams: listField(upstreamSchema(known, folder), "upstreams").default([]),
    aliases: createAliasesSchema().default([]),
    models: createModelProfilesSchema(known).default([]),
    components: listField(createComponentSchema(known, machine), "components").default([]),
    agents: listField(createAgentSchema(), "agents").default([]),
    workflow: createSingleWorkflowSchema().optional(),
    workflows: listField(createWorkflowSchema(), "workflows").default([]),
    egress: createEgressSchema(known).prefault({}),
    owners: createOwnersSchema().prefault({}),
    danger: createDangerSchema().default("on"),
    limits: limitsSchema().prefault({}),
    retries: retriesSchema().prefault({}),
    timeouts: timeoutsSchema().prefault({}),
    store: storeSchema(folder).prefault({}),
    audit: createAuditSchema(folder).prefault({}),
    memory: createMemorySchema().prefault({}),
    runs: createRunsSchema().prefault({}),
    webhooks: createWebhooksSchema().default([]),
  });
  return sections
    .superRefine(({ server, controller, audit, store }, context) => {
      if (audit.file !== undefined && store.file === undefined) {
        context.addIssue({ code: "custom", path: ["audit", "file"], message: FILE_WITHOUT_STORE });
      }
      if (server && controller) context.addIssue({ code: "custom", path: ["controller"], message: ONE_SERVER });
    })
    .transform(({ server, controller, ...rest }) => ({
      ...rest,
      server: controller ?? server ?? createServerSchema().parse({}),
    }));
}

const FILE_WITHOUT_STORE =
  "expected `store.file` beside it: the lines of one process would not follow those of the one before";
const ONE_SERVER = "expected one of `server:` and `controller:`, which say the same; write all in `server:`";

function upstreamSchema({ upstreamWires, addressFault }: KnownNames, folder: string) {
  const server = z
    .strictObject({
      id: identifier(),
      // `openai` is how it was written when there was one wire.
      type: z.literal(["server", "openai"]).optional(),
      wire: enumField([...upstreamWires]).default("openai"),
      base_url: baseUrl(),
      api_key: key().nullish(),
      headers: headers().default({}),
      deployment: nonEmptyText("the name of a deployment").optional(),
      api_version: apiVersion().optional(),
      models: listField(namePatternField(), "name patterns")
        .min(1, { error: "expected at least one name pattern" })
        .default(["*"]),
      parse: enumField(["on", "off"]).default("on"),
      max_in_flight: integerField("requests", 1, 100_000).optional(),
    })
    .superRefine(({ wire, base_url, deployment, api_version }, context) => {
      const fault = addressFault({ wire, baseUrl: base_url, deployment, apiVersion: api_version });
      if (fault) context.addIssue({ code: "custom", path: [fault.key], message: fault.message });
    })
    .transform(
      (raw): UpstreamConfig => ({
        type: "server",
        id: raw.id,
        wire: raw.wire,
        baseUrl: raw.base_url,
        ...(raw.api_key && { apiKey: raw.api_key }),
        headers: raw.headers,
        ...(raw.deployment !== undefined && { deployment: raw.deployment }),
        ...(raw.api_version !== undefined && { apiVersion: raw.api_version }),
        models: raw.models,
        parse: raw.parse,
        ...(raw.max_in_flight !== undefined && { maxInFlight: raw.max_in_flight }),
      }),
    );
  const recorded = z
    .strictObject({
      id: identifier(),
      type: z.literal("recorded"),
      transcripts: nonEmptyText("a folder of transcripts"),
    })
    .transform((raw): UpstreamConfig => ({ ...raw, transcripts: resolve(folder, raw.transcripts) }));
  return z.discriminatedUnion("type", [server, recorded], { error: "expected a `type:` of server or recorded" });
}

function apiVersion() {
  const error = "expected a version such as 2024-10-21 or 2025-04-01-preview";
  return nonEmptyText("a version").refine((value) => /^[a-z0-9][a-z0-9.-]{0,63}$/.test(value), { error });
}

function limitsSchema() {
  return z
    .strictObject({
      max_tools: integerField("tools", 1, 1_024).default(128),
      max_messages: integerField("messages", 1, 100_000).default(4_096),
      json_depth: integerField("levels", 4, 512).default(64),
      json_keys: integerField("keys", 100, 10_000_000).default(50_000),
      json_values: integerField("values", 100, 100_000_000).default(250_000),
      description_chars: integerField("characters", 100, 10_000_000).default(65_536),
      schema_steps: integerField("steps", 100, 10_000_000).default(100_000),
      answer_chars: integerField("characters", 1_024, 1_073_741_824).default(8_388_608),
      answer_events: integerField("events", 100, 100_000_000).default(500_000),
      call_chars: integerField("characters", 1_024, 16_777_216).default(1_048_576),
      calls_per_turn: integerField("calls", 1, 1_024).default(16),
      max_client_calls: integerField("calls", 1, 10_000).default(128),
      tool_output_chars: integerField("characters", 100, 10_000_000).default(10_000),
      parallel_tools: integerField("calls", 1, 64).default(4),
      capture_chars: integerField("characters", 1_024, 16_777_216).default(262_144),
      interrupt_ms: integerField("milliseconds", 1_000, 365 * 24 * HOUR_MS).default(7 * 24 * HOUR_MS),
      max_corrections: integerField("attempts", 0, 10).default(2),
      run: runLimitsSchema().prefault({}),
    })
    .transform(
      (limits): LimitsConfig => ({
        maxTools: limits.max_tools,
        maxMessages: limits.max_messages,
        jsonDepth: limits.json_depth,
        jsonKeys: limits.json_keys,
        jsonValues: limits.json_values,
        descriptionChars: limits.description_chars,
        schemaSteps: limits.schema_steps,
        answerChars: limits.answer_chars,
        answerEvents: limits.answer_events,
        callChars: limits.call_chars,
        callsPerTurn: limits.calls_per_turn,
        maxClientCalls: limits.max_client_calls,
        toolOutputChars: limits.tool_output_chars,
        parallelTools: limits.parallel_tools,
        captureChars: limits.capture_chars,
        interruptMs: limits.interrupt_ms,
        maxCorrections: limits.max_corrections,
        run: limits.run,
      }),
    );
}

function runLimitsSchema() {
  return z
    .strictObject({
      max_turns: maxTurns().default(10),
      timeout_ms: runTimeout().default(120_000),
      max_calls: integerField("calls", 1, 10_000).default(128),
      total_tokens: integerField("tokens", 1, 1_000_000_000).default(1_000_000),
    })
    .transform((run) => ({
      maxTurns: run.max_turns,
      timeoutMs: run.timeout_ms,
      maxCalls: run.max_calls,
      totalTokens: run.total_tokens,
    }));
}

function retriesSchema() {
  return z
    .strictObject({
      attempts: integerField("attempts", 1, 10).default(3),
      min_wait_ms: integerField("milliseconds", 1, 60_000).default(500),
      max_wait_ms: integerField("milliseconds", 1, 600_000).default(30_000),
    })
    .superRefine((retries, context) => {
      if (retries.min_wait_ms <= retries.max_wait_ms) return;
      context.addIssue({ code: "custom", path: ["max_wait_ms"], message: "expected at least `min_wait_ms`" });
    })
    .transform(
      (retries): RetriesConfig => ({
        attempts: retries.attempts,
        minWaitMs: retries.min_wait_ms,
        maxWaitMs: retries.max_wait_ms,
      }),
    );
}

function timeoutsSchema() {
  const time = (standard: number) => integerField("milliseconds", 1, HOUR_MS).default(standard);
  return z
    .strictObject({
      connect_ms: time(10_000),
      headers_ms: time(300_000),
      first_event_ms: time(300_000),
      idle_ms: time(60_000),
      answer_ms: time(600_000),
      client_stall_ms: time(30_000),
      tool_ms: time(30_000),
    })
    .transform(
      (timeouts): TimeoutsConfig => ({
        connectMs: timeouts.connect_ms,
        headersMs: timeouts.headers_ms,
        firstEventMs: timeouts.first_event_ms,
        idleMs: timeouts.idle_ms,
        answerMs: timeouts.answer_ms,
        clientStallMs: timeouts.client_stall_ms,
        toolMs: timeouts.tool_ms,
      }),
    );
}

// `postel agent explain`: shows an agent as its model sees it, in native and text mode, and the rules of its runs. Calls no
// model.

import { AgentToolset } from "../agents/planning/AgentToolset.ts";
import { resolveAction, resolveAgent } from "../agents/planning/resolveAgent.ts";
import { NO_JOURNAL } from "../agents/run/Journal.ts";
import type { AgentActionConfig, AgentConfig, AgentTool, Config } from "../core/config/configuration.ts";
import { createFailure, PostelError } from "../core/failures.ts";
import type { JsonObject, JsonValue, ToolMode } from "../core/messages.ts";
import { resolveContextWindow } from "../core/models/capabilities.ts";
import { LOCAL_CALLER } from "../core/requests.ts";
import { resolveActionInput } from "./options/inputSchema.ts";
import { loadWithUpstream, type UpstreamFlags } from "./options/loadFlags.ts";
import { parseInput } from "./options/parseInput.ts";
import { writeNote, writeText } from "./output/terminal.ts";
import { createDryRunGateway, type DryRunGateway, formatUnlistedNote } from "./run/dryRunGateway.ts";

export interface ExplainFlags extends UpstreamFlags {
  readonly action?: string | undefined;
  readonly model?: string | undefined;
  /** See `parseInput`; absent: each input gets its name as the value. */
  readonly input?: readonly string[] | undefined;
  readonly json: boolean;
}

/** Resolves with the exit status. @throws PostelError for an agent or an action that is not there. */
export async function explainAgent(id: string, flags: ExplainFlags): Promise<number> {
  const config = loadWithUpstream(flags);
  const dryRun = await createDryRunGateway(config);
  try {
    const agent = resolveAgent(dryRun.gateway, id, id);
    const subject = flags.action === undefined && agent.actions.length > 1 ? agent : resolveAction(agent, flags.action);
    const servedTools = listServedTools(config, agent, subject);
    const unlisted = servedTools.map(({ name, tool }) => name ?? tool);
    const explanation = await explain(dryRun, { agent, subject, unlisted }, flags);
    writeText(flags.json ? `${JSON.stringify(explanation, null, 2)}\n` : inWords(explanation));
    for (const server of new Set(servedTools.flatMap((entry) => entry.server ?? [])))
      writeNote(formatUnlistedNote(server));
    return 0;
  } finally {
    await dryRun.gateway.close();
  }
}

/** Entries of the agent's written tool list that only a server can resolve. */
function listServedTools(config: Config, agent: AgentConfig, subject: Asking["subject"]): readonly AgentTool[] {
  const configuredAgent = config.agents.find(({ id }) => id === agent.id);
  const { tools = [] } =
    (subject === agent ? configuredAgent : configuredAgent?.actions.find(({ id }) => id === subject.id)) ?? {};
  return tools.filter(({ server }) => server !== undefined);
}

interface Explaining extends Pick<Asking, "agent" | "subject"> {
  /** Tools that are not shown, because their server is not contacted. */
  readonly unlisted: readonly string[];
}

async function explain(
  { gateway, first }: DryRunGateway,
  { agent, subject, unlisted }: Explaining,
  flags: ExplainFlags,
): Promise<JsonObject> {
  const model = flags.model ?? agent.model;
  if (model === undefined)
    throw new PostelError(
      createFailure("invalid_request", `The agent ${agent.id} names no model; choose one with --model.`),
    );
  const [route] = gateway.directory.resolve(model);
  const known = route && gateway.detector.detect({ model: route.model, key: route.key });
  const would = (mode: ToolMode) => first(() => planRun(gateway, { agent, subject, model, input: flags.input, mode }));
  const { maxTurns, timeoutMs, maxCalls, totalTokens, maxMoney } = subject.limits;
  return {
    agent: agent.id,
    ...("id" in subject && subject !== agent && { action: subject.id }),
    model: route?.model ?? model,
    ...(known
      ? { model_row: known.row, tool_mode: known.tools, context: { ...resolveContextWindow(known, undefined) } }
      : { problem: `No upstream serves the model ${model}.` }),
    memory: { of_the_session: !agent.forgets, lasting: agent.memory ?? "off" },
    limits: {
      ...{ max_turns: maxTurns, timeout_ms: timeoutMs, max_calls: maxCalls, total_tokens: totalTokens },
      ...(maxMoney !== undefined && { money: maxMoney }),
    },
    tools: new AgentToolset(gateway.registry)
      .resolveTools(subject.tools)
      .entries.map((entry) => describeTool(entry, gateway.registry)),
    ...(unlisted.length > 0 && { unlisted }),
    ...(agent.handoffs && { handoffs: agent.handoffs }),
    first_request: { native: (await would("native")) ?? null, text: (await would("text")) ?? null },
  };
}

interface Asking {
  readonly agent: AgentConfig;
  readonly subject: AgentConfig | AgentActionConfig;
  readonly model: string;
  readonly input: readonly string[] | undefined;
  readonly mode: ToolMode;
}

async function planRun(
  gateway: DryRunGateway["gateway"],
  { agent, subject, model, input, mode }: Asking,
): Promise<void> {
  const action = subject as Partial<AgentActionConfig>;
  const inputSchema = resolveActionInput(agent, action);
  const isTask = input !== undefined || action.task !== undefined || Object.keys(inputSchema.properties).length > 0;
  const sampleInput = input === undefined ? sample(inputSchema.properties) : parseInput(input, inputSchema);
  const { signal } = new AbortController();
  const state = await gateway.runner.plan(
    {
      agent: agent.id,
      ...(isTask && { action: subject.id, input: sampleInput }),
      interactive: true,
      chat: {
        ...{ id: gateway.ids.requestId(), caller: LOCAL_CALLER, model, tools: [], sampling: {}, passthrough: {} },
        ...{ toolChoice: { type: "auto" }, output: { type: "text" }, pinnedToolMode: mode },
        messages: isTask ? [] : [{ role: "user", content: "<what the user says>" }],
      },
    },
    signal,
  );
  await gateway.runner.proceed(state, { journal: NO_JOURNAL }, signal, () => undefined);
}

/** Example values: the default, or the name of the type. */
function sample(properties: JsonObject): JsonObject {
  const fieldLines = Object.entries(properties).map(([name, schema]): [string, JsonValue] => {
    const { type, default: defaultValue } = schema as JsonObject;
    if (defaultValue !== undefined) return [name, defaultValue];
    return [name, type === "number" || type === "integer" ? 0 : type === "object" ? {} : `<${name}>`];
  });
  return Object.fromEntries(fieldLines);
}

function describeTool(entry: AgentTool, registry: DryRunGateway["gateway"]["registry"]): JsonObject {
  const tool = registry.get(entry.tool);
  const danger = entry.danger ?? tool?.danger ?? registry.danger;
  const approval = entry.approval ?? tool?.approval ?? { type: "never" };
  return {
    name: entry.name ?? entry.tool,
    ...(entry.name !== undefined && entry.name !== entry.tool && { tool: entry.tool }),
    approval: approval.type === "when" ? { when: approval.schema } : approval.type,
    ...(danger !== "on" && { danger }),
    ...(tool?.untrusted && { untrusted: true }),
    ...(tool?.nests && { agent: true }),
  };
}

function inWords({ first_request: first, tools, ...facts }: JsonObject): string {
  const line = ([key, value]: [string, JsonValue]): string =>
    `${key.replaceAll("_", " ")}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
  const { native, text } = first as JsonObject;
  const list = (tools as readonly JsonObject[]).map((tool) => {
    const { name, approval, ...more } = tool;
    const approvalNote =
      approval === "never"
        ? ""
        : `; a person agrees first: ${typeof approval === "string" ? approval : JSON.stringify(approval)}`;
    const rest = Object.keys(more).length > 0 ? ` ${JSON.stringify(more)}` : "";
    return `  ${name}${rest}${approvalNote}`;
  });
  return [
    ...Object.entries(facts).map(line),
    `tools:${list.length > 0 ? "" : " none"}`,
    ...list,
    "",
    "── the first request, asked by the upstream's own tools ──",
    native ?? "none",
    "",
    "── the first request, asked in text ──",
    text ?? "none",
    "",
  ].join("\n");
}

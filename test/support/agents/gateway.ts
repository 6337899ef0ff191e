// A runner over a scripted model, with the real detector and the real parser: what compose wires, without a network.
import { AgentRunner } from "../../../src/agents/AgentRunner.ts";
import type { AgentRunRequest } from "../../../src/agents/AgentRunRequest.ts";
import type { AuditRecorder } from "../../../src/agents/audit/AuditRecorder.ts";
import { type Journal, NO_JOURNAL, type RunContinuation } from "../../../src/agents/run/Journal.ts";
import type { AgentConfig, LimitsConfig } from "../../../src/core/config/configuration.ts";
import type { RunEvent, TurnEvent } from "../../../src/core/events/events.ts";
import type { Failure } from "../../../src/core/failures.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import type { Observer } from "../../../src/core/ports.ts";
import { type ChatRequest, LOCAL_CALLER } from "../../../src/core/requests.ts";
import type { RunState } from "../../../src/core/runs/RunState.ts";
import { ModelCapabilityDetector } from "../../../src/models/capabilities/ModelCapabilityDetector.ts";
import { ObservedCapabilityCache } from "../../../src/models/capabilities/ObservedCapabilityCache.ts";
import type { ModelClient } from "../../../src/models/ModelClient.ts";
import { InMemoryCapabilityStore } from "../../../src/stores/InMemoryCapabilityStore.ts";
import type { Tool, ToolContext, ToolOutput } from "../../../src/tools/Tool.ts";
import { ToolRegistry } from "../../../src/tools/ToolRegistry.ts";
import { createFixedSource, type ToolSource } from "../../../src/tools/ToolSource.ts";
import { LIMITS as DEFAULTS, FAST_PATHS } from "../defaults.ts";
import { pulled } from "../events.ts";
import { ManualClock } from "./ManualClock.ts";

export const LIMITS = { ...DEFAULTS.run, maxTurns: 6, timeoutMs: 60_000 };

export const AGENT: AgentConfig = {
  id: "default",
  tools: [{ tool: "search" }, { tool: "add" }],
  sampling: {},
  limits: LIMITS,
  actions: [],
};

export interface GatewayOptions {
  readonly tools?: readonly Tool[];
  /** Instead of `tools`. */
  readonly source?: ToolSource;
  readonly agents?: readonly AgentConfig[];
  readonly rows?: readonly ModelProfile[];
  readonly operatorRows?: readonly ModelProfile[];
  readonly maxCorrections?: number;
  readonly limits?: Partial<LimitsConfig>;
  readonly journal?: Journal;
  readonly auditRecorder?: AuditRecorder;
  /** Call ids that were drawn before. */
  readonly drawn?: number;
}

/** Serves every model name but `unknown`; a name that begins with `text` is asked in text mode. */
export function gateway(model: ModelClient, options: GatewayOptions = {}) {
  const clock = new ManualClock();
  const observed: RunEvent[] = [];
  const failures: Failure[] = [];
  let drawn = options.drawn ?? 0;
  const ids = {
    callId() {
      drawn += 1;
      return `drawn${String(drawn).padStart(4, "0")}`;
    },
    requestId: () => "request",
  };
  const shipped: ModelProfile = {
    match: ["text*"],
    tools: "text",
    sampling: { temperature: 0.2, topP: 0.9 },
    why: "test",
  };
  const observer: Observer = {
    observe(observation) {
      if (observation.type === "run-event") observed.push(observation.event);
      if (observation.type === "failure") failures.push(observation.failure);
    },
  };
  const runner = new AgentRunner({
    fastPaths: FAST_PATHS,
    directory: {
      resolve: (name) =>
        (["native", "text"] as const).flatMap((mode) =>
          name === "unknown"
            ? []
            : [{ upstream: "test", key: `test/${name}`, model: name, mode, client: model, parse: "on" }],
        ),
    },
    detector: new ModelCapabilityDetector({
      operator: options.operatorRows ?? [],
      shipped: options.rows ?? [shipped],
      evidence: new ObservedCapabilityCache(new InMemoryCapabilityStore(clock), clock),
    }),
    registry: new ToolRegistry([
      options.source ??
        createFixedSource(options.tools ?? [tool("search", () => "Paris is in France."), tool("add", () => 4)]),
    ]),
    findFacts: async () => [],
    definitions: { agreed: async () => undefined, agree: async () => {} },
    agents: options.agents ?? [AGENT],
    limits: {
      ...DEFAULTS,
      parallelTools: 2,
      maxCorrections: options.maxCorrections ?? 2,
      run: LIMITS,
      ...options.limits,
    },
    toolMs: 30_000,
    answerMs: 600_000,
    clock,
    ids,
    observer,
    auditRecorder: options.auditRecorder,
  });
  return { runner: pulledRunner(runner, options.journal ?? NO_JOURNAL), clock, observed, failures, drawn: () => drawn };
}

/** `interactive` unless it says otherwise. */
export type RunWish = Omit<AgentRunRequest, "interactive"> & Partial<Pick<AgentRunRequest, "interactive">>;

/** The runner with its events to be read one by one. */
function pulledRunner(runner: AgentRunner, journal: Journal) {
  return {
    complete: (request: ChatRequest, signal: AbortSignal) =>
      pulled<TurnEvent>((take) => runner.complete(request, signal, take)),
    /** As `AgentRunner.run`, with this gateway's journal and a person who could decide. */
    run: (request: RunWish, signal: AbortSignal) =>
      pulled<RunEvent>(async (take) => {
        const asked = { interactive: true, ...request };
        const state = await runner.plan(asked, signal).catch(() => undefined);
        // What cannot be planned is told by the runner itself.
        await (state ? runner.proceed(state, { journal }, signal, take) : runner.run(asked, signal, take));
      }),
    proceed: (state: RunState, going: Omit<RunContinuation, "journal">, signal: AbortSignal) =>
      pulled<RunEvent>((take) => runner.proceed(state, { journal, ...going }, signal, take)),
  };
}

export function tool(
  name: string,
  execute: (args: JsonObject, context: ToolContext) => ToolOutput | Promise<ToolOutput>,
): Tool {
  const parameters = { type: "object", properties: { q: { type: "string" }, n: { type: "integer" } } };
  return {
    spec: { name, description: `The tool ${name}.`, parameters },
    execute: async (args, context) => execute(args, context),
  };
}

export function chat(more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    id: "req1",
    caller: LOCAL_CALLER,
    model: "m",
    messages: [{ role: "user", content: "Where is Paris?" }],
    tools: [],
    toolChoice: { type: "auto" },
    sampling: {},
    output: { type: "text" },
    passthrough: {},
    ...more,
  };
}

export const never: AbortSignal = new AbortController().signal;

export async function listOf<T>(events: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const event of events) list.push(event);
  return list;
}

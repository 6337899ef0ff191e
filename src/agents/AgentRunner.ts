// The door to the agents: a chat completion or an agent run, as one stream of events. Has it planned and goes on with it from agent to agent; knows no HTTP.
import type { AgentConfig, LimitsConfig } from "../core/config/configuration.ts";
import type { EventSink } from "../core/events/EventSink.ts";
import type { RunEvent, TurnEvent } from "../core/events/events.ts";
import type { Failure } from "../core/failures.ts";
import { toFailure } from "../core/failures.ts";
import type { AlarmClock, Ids, Observer, SearchMemories } from "../core/ports.ts";
import type { ChatRequest, RunLimits } from "../core/requests.ts";
import type { Decision, Interrupt } from "../core/runs/interrupts.ts";
import type { RunState } from "../core/runs/RunState.ts";
import type { DefinitionStore } from "../core/stores.ts";
import type { ModelCapabilityDetector } from "../models/capabilities/ModelCapabilityDetector.ts";
import type { ModelDirectory } from "../models/ModelDirectory.ts";
import type { ToolRegistry } from "../tools/ToolRegistry.ts";
import { AgentFactory } from "./AgentFactory.ts";
import type { AgentRunRequest } from "./AgentRunRequest.ts";
import { renewInterrupt } from "./approvals/renewInterrupt.ts";
import { validateDecision } from "./approvals/validateDecision.ts";
import type { AuditRecorder } from "./audit/AuditRecorder.ts";
import { ChatCompletionRun, canUseFastPath } from "./completion/ChatCompletionRun.ts";
import type { FastCompletionResult, tryFastCompletion } from "./completion/fastCompletion.ts";
import { CallMetadataCache } from "./history/CallMetadataCache.ts";
import type { NestedCall } from "./nested/NestedRuns.ts";
import { createNestedRequest, findAskingRun, joinCallId } from "./nested/nestedRequests.ts";
import { AgentResources } from "./planning/AgentResources.ts";
import { resolveAgent } from "./planning/resolveAgent.ts";
import { NO_JOURNAL, type RunContinuation } from "./run/Journal.ts";
import type { RunServices } from "./run/RunServices.ts";
import { type Activity, toActivity } from "./run/toActivity.ts";
import { RetryStrategy } from "./turn/RetryStrategy.ts";
import type { WorkflowPlanner } from "./workflows/WorkflowPlanner.ts";

export interface AgentServices {
  readonly directory: Pick<ModelDirectory, "resolve">;
  readonly detector: Pick<ModelCapabilityDetector, "detect" | "known" | "isPinned" | "recall">;
  readonly registry: Pick<ToolRegistry, "get" | "select" | "offeredBy" | "danger" | "refresh">;
  readonly findFacts: SearchMemories;
  readonly definitions: Pick<DefinitionStore, "agreed" | "agree">;
  readonly agents: readonly AgentConfig[];
  /** Absent where none is configured. */
  readonly workflows?: WorkflowPlanner | undefined;
  readonly limits: LimitsConfig;
  /** Milliseconds for a tool that names no timeout of its own. */
  readonly toolMs: number;
  /** Milliseconds for the answer of one turn, with all that is tried for it. */
  readonly answerMs: number;
  readonly clock: AlarmClock;
  readonly ids: Ids;
  readonly observer: Observer;
  /** Absent where nothing is recorded. */
  readonly auditRecorder?: AuditRecorder | undefined;
  readonly onActivity?: ((run: string, activity: Activity) => void) | undefined;
}

export class AgentRunner {
  readonly #services: AgentServices;
  readonly #run: RunServices;
  readonly #kits: AgentResources;
  /** Loaded with the first completion that is told by it: a start does without. */
  #plainAnswer: typeof tryFastCompletion | undefined;

  constructor(services: AgentServices) {
    const { directory, detector, registry, definitions, ids, limits, clock, toolMs, answerMs, observer } = services;
    this.#services = services;
    this.#kits = new AgentResources(services.agents, registry);
    this.#run = {
      factory: new AgentFactory({ directory, detector, ids, captureChars: limits.captureChars, clock, observer }),
      strategy: new RetryStrategy(limits.maxCorrections),
      registry,
      definitions,
      memory: new CallMetadataCache(clock),
      clock,
      observer,
      auditRecorder: services.auditRecorder,
      ids,
      wary: false,
      interruptMs: limits.interruptMs,
      parallelTools: limits.parallelTools,
      callsPerTurn: limits.callsPerTurn,
      maxClientCalls: limits.maxClientCalls,
      toolOutputChars: limits.toolOutputChars,
      toolMs,
      answerMs,
      nesting: {
        planWithin: (...asked) => this.#planWithin(...asked),
        proceedWithin: (...asked) => this.#loop(...asked),
      },
    };
  }

  /** One turn whose calls are the client's. The last event is its one `turn-end` or `turn-failed`. Throws only what `take` throws. */
  async complete(request: ChatRequest, signal: AbortSignal, take: EventSink<TurnEvent>): Promise<void> {
    const observe = (event: RunEvent): void => this.#tell(request.id, event);
    let asked: FastCompletionResult | undefined;
    if (canUseFastPath(request)) {
      try {
        this.#plainAnswer ??= (await import("./completion/fastCompletion.ts")).tryFastCompletion;
        asked = await this.#plainAnswer(request, this.#run, signal);
      } catch {
        // Whatever goes wrong before the model is asked the run meets again, and tells.
      }
    }
    if (asked && "events" in asked) {
      for (const event of asked.events) observe(event);
      await take(asked.events.filter(isTurnEvent));
      return;
    }
    const services = asked ? { ...this.#run, ...asked.begun } : this.#run;
    await new ChatCompletionRun(request, services, signal, { observe, take }).events();
  }

  /**
   * An agent's run, or a workflow's, before its first step: whose it is, what it may use and how long it may take. Asks no model.
   * @throws PostelError for an unknown agent or action, an input that lacks something, a tool name that is taken, and an agent whose
   * tools do not exist.
   */
  async plan(request: AgentRunRequest, signal: AbortSignal): Promise<RunState> {
    const planAgent = async (of: AgentRunRequest): Promise<RunState> => {
      // With the first run: a chat completion has no task, no memory and no agent.
      const { withTaskMessage } = await import("./planning/buildTaskMessage.ts");
      const { planRun } = await import("./planning/planRun.ts");
      const asked = withTaskMessage(of, this.#services);
      await this.#refresh(asked.chat.id, signal);
      const facts = await this.#recall(asked);
      return planRun(asked, facts, { ...this.#services, kits: this.#kits });
    };
    const { workflows } = this.#services;
    return await (workflows && request.workflow !== undefined
      ? workflows.plan(request, planAgent)
      : planAgent(request));
  }

  /**
   * Takes a run, whose own tools the gateway runs, from any state of it that was planned or saved to its end, or to where it waits for
   * a person. See `runLoop` for how it ends. Throws only what `take` throws.
   */
  async proceed(
    state: RunState,
    going: RunContinuation,
    signal: AbortSignal,
    take: EventSink<RunEvent>,
  ): Promise<void> {
    // A run that was planned here has just asked for them.
    if (state.turn > 0) await this.#refresh(state.id, signal);
    await this.#events(state, going, signal, take);
  }

  /** `plan` and `proceed` of a run that is kept nowhere; why it could not be planned is its one event. Throws only what `take` throws. */
  async run(request: AgentRunRequest, signal: AbortSignal, take: EventSink<RunEvent>): Promise<void> {
    let state: RunState;
    try {
      state = await this.plan(request, signal);
      await this.#services.auditRecorder?.asked(state);
    } catch (error) {
      await this.#telling(request.chat.id, take)([{ type: "turn-failed", failure: toFailure(error) }]);
      return;
    }
    await this.proceed(state, NOTHING_BEFORE, signal, this.#services.auditRecorder?.turnCollector(state, take) ?? take);
  }

  /** What is wrong with a person's decision about what the run of this state asks; undefined where it may count. See `decisionFault`. */
  decisionFault(state: RunState, interrupt: Interrupt, decision: Decision): Failure | undefined {
    const asking = findAskingRun(state, interrupt.id) ?? state;
    const tool = this.#agentServices(asking)?.registry.get(interrupt.call.name);
    return validateDecision(asking, interrupt, decision, tool);
  }

  /**
   * The interrupt with the plan that would run now; undefined where it has no plan, or its tool is gone.
   * @throws PostelError `store_…`.
   */
  async renewedInterrupt(state: RunState, interrupt: Interrupt): Promise<Interrupt | undefined> {
    const asking = findAskingRun(state, interrupt.id) ?? state;
    const registry = this.#agentServices(asking)?.registry;
    const { plan, call } = interrupt;
    const tool = registry?.get(call.name);
    if (!plan || !registry || !tool) return undefined;
    const { findToolsWithoutConsent } = await import("./approvals/toolConsent.ts");
    const { definitions } = this.#services;
    const unagreed = await findToolsWithoutConsent([call], asking, { registry, definitions });
    return renewInterrupt(asking, { ...interrupt, plan }, { tool, definition: unagreed.get(call.name) });
  }

  /** Where a source of tools cannot tell them now, the run has those that it told before. */
  async #refresh(run: string, signal: AbortSignal): Promise<void> {
    const { registry, observer } = this.#services;
    await registry.refresh(signal).catch((error: unknown) => {
      observer.observe({ type: "failure", run, failure: toFailure(error) });
    });
  }

  /** What the model is told of earlier conversations; a run goes on without what cannot be read. */
  async #recall({ chat, agent, interactive }: AgentRunRequest): Promise<string> {
    const { findFacts, observer } = this.#services;
    if (!interactive || resolveAgent(this.#services, chat.model, agent).memory === undefined) return "";
    const { recallMemories } = await import("./planning/recallMemories.ts");
    return await recallMemories(findFacts, chat).catch((error: unknown) => {
      observer.observe({ type: "failure", run: chat.id, failure: toFailure(error) });
      return "";
    });
  }

  #telling(run: string, take: EventSink<RunEvent>): EventSink<RunEvent> {
    return (events) => {
      for (const event of events) this.#tell(run, event);
      return take(events);
    };
  }

  /** Tells whoever observes. */
  #tell(run: string, event: RunEvent): void {
    const { observer, onActivity } = this.#services;
    if (!isWords(event)) observer.observe({ type: "run-event", run, event });
    const activity = onActivity && toActivity(event);
    if (activity) onActivity(run, activity);
  }

  async #events(
    state: RunState,
    going: RunContinuation,
    signal: AbortSignal,
    take: EventSink<RunEvent>,
  ): Promise<void> {
    await this.#loop(state, going, signal, this.#telling(state.id, take));
  }

  /** @param going `wary`: true where the run around this one is. */
  async #loop(
    state: RunState,
    { wary = false, ...going }: RunContinuation & { readonly wary?: boolean },
    signal: AbortSignal,
    take: EventSink<RunEvent>,
  ): Promise<RunState> {
    const services = { ...this.#run, ...this.#agentServices(state), ...going };
    const told = this.#services.workflows?.responding(state, services.steps, take) ?? take;
    await this.#tellShown(state, services.registry);
    const context = services.steps ? undefined : await this.#contextOf(state, services.registry);
    // With the first run: a chat completion has one turn, and no loop.
    const { runLoop } = await import("./run/runLoop.ts");
    const after = await runLoop(state, { ...services, wary: wary || services.wary, context }, signal, told);
    if (after.agent === state.agent) return after;
    // Another agent goes on with it, by its own tools and rules.
    return await this.#loop(after, { journal: going.journal, wary: wary || services.wary }, signal, take);
  }

  /** Tells what servers outside say of the tools that the run is shown, where it has any of theirs. */
  async #tellShown(state: RunState, registry: RunServices["registry"]): Promise<void> {
    const served = state.gatewayTools.filter((name) => registry.get(name)?.definition);
    if (served.length === 0) return;
    const { listShownTools } = await import("./approvals/toolConsent.ts");
    const { observer, definitions } = this.#services;
    observer.observe(listShownTools(served, state, { registry, definitions }));
  }

  /** A run of the agent of this task, within the run of `outer`. */
  async #planWithin(
    outer: RunState,
    { call, task }: NestedCall,
    limits: Partial<RunLimits>,
    signal: AbortSignal,
  ): Promise<RunState> {
    const agent = this.#services.agents.find(({ id }) => id === task.agent);
    const state = await this.plan({ ...createNestedRequest(outer, task, agent), limits }, signal);
    const { untrusted, rejections, depth = 0 } = outer;
    const inherited = { ...(untrusted && { untrusted }), ...(rejections && { rejections }) };
    return { ...state, depth: depth + 1, within: joinCallId(outer.within, call.id), ...inherited };
  }

  /** Loaded with the first run: the conversation of a chat completion is its client's. */
  async #contextOf({ agent: id }: RunState, registry: RunServices["registry"]): Promise<RunServices["context"]> {
    if (id === "") return undefined;
    const { ContextManager } = await import("./context/ContextManager.ts");
    const { agents, directory, detector } = this.#services;
    const { conversation } = agents.find((agent) => agent.id === id) ?? {};
    return new ContextManager({ ...this.#run, directory, detector, registry }, conversation);
  }

  /** What a run has of its agent. A chat completion has none. */
  #agentServices(state: RunState): (Partial<RunServices> & Pick<RunServices, "registry">) | undefined {
    return this.#services.workflows?.stepServices(state) ?? this.#kits.of(state);
  }
}

/** Of a run whose first step this is, and which is kept nowhere. */
const NOTHING_BEFORE: RunContinuation = { journal: NO_JOURNAL };

/** Most events are; no observer keeps what is said. */
function isWords({ type }: RunEvent): boolean {
  return type === "text-delta" || type === "reasoning-delta";
}

function isTurnEvent(event: RunEvent): event is TurnEvent {
  switch (event.type) {
    case "run-start":
    case "run-resumed":
    case "tool-start":
    case "tool-result":
    case "task-start":
    case "task-end":
    case "plan":
    case "reflection":
    case "extraction":
    case "context-warning":
    case "context-trimmed":
    case "summary":
    case "interrupt":
    case "nested":
    case "handoff":
    case "run-end":
      return false;
    default:
      return true;
  }
}

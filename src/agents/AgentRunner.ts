// Entry point to the agents: runs a chat completion or an agent run as one stream of events, from agent to agent.
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
import { ChatCompletionRun } from "./completion/ChatCompletionRun.ts";
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
  readonly detector: Pick<ModelCapabilityDetector, "detect" | "getCapabilities" | "isPinned" | "recall">;
  readonly registry: Pick<ToolRegistry, "get" | "select" | "offeredBy" | "danger" | "refresh">;
  readonly findFacts: SearchMemories;
  readonly definitions: Pick<DefinitionStore, "agreed" | "agree">;
  readonly agents: readonly AgentConfig[];
  /** Absent if no workflow is configured. */
  readonly workflows?: WorkflowPlanner | undefined;
  readonly limits: LimitsConfig;
  /** Timeout in milliseconds of a tool that has none of its own. */
  readonly toolMs: number;
  /** Milliseconds for the answer of one turn, with all its attempts. */
  readonly answerMs: number;
  readonly clock: AlarmClock;
  readonly ids: Ids;
  readonly observer: Observer;
  /** Absent if there is no audit log. */
  readonly auditRecorder?: AuditRecorder | undefined;
  readonly onActivity?: ((run: string, activity: Activity) => void) | undefined;
}

export class AgentRunner {
  readonly #services: AgentServices;
  readonly #run: RunServices;
  readonly #kits: AgentResources;

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
        planNested: (...args) => this.#planNested(...args),
        proceedNested: (...args) => this.#loop(...args),
      },
    };
  }

  /** Runs one turn whose calls go to the client. The last event is its one `turn-end` or `turn-failed`. Throws only what `take` throws. */
  async complete(request: ChatRequest, signal: AbortSignal, onEvents: EventSink<TurnEvent>): Promise<void> {
    const observe = (event: RunEvent): void => this.#observeEvent(request.id, event);
    await new ChatCompletionRun(request, this.#run, signal, { observe, onEvents }).events();
  }

  /**
   * Plans an agent run or a workflow run before its first step: owner, tools and limits. Asks no model.
   * @throws PostelError for an unknown agent or action, an invalid input, a tool name that is taken, and an agent whose
   * tools do not exist.
   */
  async plan(request: AgentRunRequest, signal: AbortSignal): Promise<RunState> {
    const planAgent = async (request: AgentRunRequest): Promise<RunState> => {
      // Loaded with the first run: a chat completion has no task, no memory and no agent.
      const { withTaskMessage } = await import("./planning/buildTaskMessage.ts");
      const { planRun } = await import("./planning/planRun.ts");
      const fastResult = withTaskMessage(request, this.#services);
      await this.#refresh(fastResult.chat.id, signal);
      const facts = await this.#recall(fastResult);
      return planRun(fastResult, facts, { ...this.#services, kits: this.#kits });
    };
    const { workflows } = this.#services;
    return await (workflows && request.workflow !== undefined
      ? workflows.plan(request, planAgent)
      : planAgent(request));
  }

  /**
   * Takes a run whose tools the gateway executes from any planned or saved state to its end, or to the point where it
   * waits for an approver. See `runLoop` for the possible ends. Throws only what `take` throws.
   */
  async proceed(
    state: RunState,
    continuation: RunContinuation,
    signal: AbortSignal,
    onEvents: EventSink<RunEvent>,
  ): Promise<void> {
    // `plan` has just refreshed the tools of a new run.
    if (state.turn > 0) await this.#refresh(state.id, signal);
    await this.#events(state, continuation, signal, onEvents);
  }

  /** Plans and runs a run that is not stored. If planning fails, the failure is its only event. Throws only what `take` throws. */
  async run(request: AgentRunRequest, signal: AbortSignal, onEvents: EventSink<RunEvent>): Promise<void> {
    let state: RunState;
    try {
      state = await this.plan(request, signal);
      await this.#services.auditRecorder?.recordRequest(state);
    } catch (error) {
      await this.#observeEvents(request.chat.id, onEvents)([{ type: "turn-failed", failure: toFailure(error) }]);
      return;
    }
    await this.proceed(
      state,
      NOTHING_BEFORE,
      signal,
      this.#services.auditRecorder?.turnCollector(state, onEvents) ?? onEvents,
    );
  }

  /** Validates an approver's decision about an interrupt of the run. Undefined if it is valid. See `validateDecision`. */
  decisionFault(state: RunState, interrupt: Interrupt, decision: Decision): Failure | undefined {
    const asking = findAskingRun(state, interrupt.id) ?? state;
    const tool = this.#agentServices(asking)?.registry.get(interrupt.call.name);
    return validateDecision(asking, interrupt, decision, tool);
  }

  /**
   * Returns the interrupt with the plan that would run now. Undefined if it has no plan, or its tool no longer exists.
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

  /** Refreshes the tool lists. If a tool source cannot list its tools now, the run uses its previous list. */
  async #refresh(run: string, signal: AbortSignal): Promise<void> {
    const { registry, observer } = this.#services;
    await registry.refresh(signal).catch((error: unknown) => {
      observer.observe({ type: "failure", run, failure: toFailure(error) });
    });
  }

  /** The memories that the model is shown. A run continues without memories that cannot be read. */
  async #recall({ chat, agent, interactive }: AgentRunRequest): Promise<string> {
    const { findFacts, observer } = this.#services;
    if (!interactive || resolveAgent(this.#services, chat.model, agent).memory === undefined) return "";
    const { recallMemories } = await import("./planning/recallMemories.ts");
    return await recallMemories(findFacts, chat).catch((error: unknown) => {
      observer.observe({ type: "failure", run: chat.id, failure: toFailure(error) });
      return "";
    });
  }

  #observeEvents(run: string, onEvents: EventSink<RunEvent>): EventSink<RunEvent> {
    return (events) => {
      for (const event of events) this.#observeEvent(run, event);
      return onEvents(events);
    };
  }

  /** Informs the observer and the activity callback. */
  #observeEvent(run: string, event: RunEvent): void {
    const { observer, onActivity } = this.#services;
    if (!isWords(event)) observer.observe({ type: "run-event", run, event });
    const activity = onActivity && toActivity(event);
    if (activity) onActivity(run, activity);
  }

  async #events(
    state: RunState,
    continuation: RunContinuation,
    signal: AbortSignal,
    onEvents: EventSink<RunEvent>,
  ): Promise<void> {
    await this.#loop(state, continuation, signal, this.#observeEvents(state.id, onEvents));
  }

  /** @param going `wary`: true if the enclosing run is wary. */
  async #loop(
    state: RunState,
    { wary = false, ...continuation }: RunContinuation & { readonly wary?: boolean },
    signal: AbortSignal,
    onEvents: EventSink<RunEvent>,
  ): Promise<RunState> {
    const services = { ...this.#run, ...this.#agentServices(state), ...continuation };
    const withResponse = this.#services.workflows?.responding(state, services.steps, onEvents) ?? onEvents;
    await this.#observeDefinitions(state, services.registry);
    const context = services.steps ? undefined : await this.#createContext(state, services.registry);
    // Loaded with the first run: a chat completion has one turn, and no loop.
    const { runLoop } = await import("./run/runLoop.ts");
    const after = await runLoop(state, { ...services, wary: wary || services.wary, context }, signal, withResponse);
    if (after.agent === state.agent) return after;
    // After a hand-off another agent continues, with its own tools and rules.
    return await this.#loop(after, { journal: continuation.journal, wary: wary || services.wary }, signal, onEvents);
  }

  /** Reports the definitions of external tools that the run is shown, if it has any. */
  async #observeDefinitions(state: RunState, registry: RunServices["registry"]): Promise<void> {
    const mcpTools = state.gatewayTools.filter((name) => registry.get(name)?.definition);
    if (mcpTools.length === 0) return;
    const { listShownTools } = await import("./approvals/toolConsent.ts");
    const { observer, definitions } = this.#services;
    observer.observe(listShownTools(mcpTools, state, { registry, definitions }));
  }

  /** Plans a run of the agent of this task, nested in the run `outer`. */
  async #planNested(
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

  /** Loaded with the first run: the client manages the conversation of a chat completion. */
  async #createContext({ agent: id }: RunState, registry: RunServices["registry"]): Promise<RunServices["context"]> {
    if (id === "") return undefined;
    const { ContextManager } = await import("./context/ContextManager.ts");
    const { agents, directory, detector } = this.#services;
    const { conversation } = agents.find((agent) => agent.id === id) ?? {};
    return new ContextManager({ ...this.#run, directory, detector, registry }, conversation);
  }

  /** The services that a run gets from its agent. A chat completion has none. */
  #agentServices(state: RunState): (Partial<RunServices> & Pick<RunServices, "registry">) | undefined {
    return this.#services.workflows?.stepServices(state) ?? this.#kits.resolveTools(state);
  }
}

/** For a run that starts here and is not stored. */
const NOTHING_BEFORE: RunContinuation = { journal: NO_JOURNAL };

/** True for text and reasoning deltas: most events are deltas, and no observer stores text. */
function isWords({ type }: RunEvent): boolean {
  return type === "text-delta" || type === "reasoning-delta";
}

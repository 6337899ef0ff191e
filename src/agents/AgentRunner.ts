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
import type { DefinitionStore } from "../core/stores/DefinitionStore.ts";
import type { ModelCapabilityDetector } from "../models/capabilities/ModelCapabilityDetector.ts";
import type { ModelDirectory } from "../models/ModelDirectory.ts";
import type { ToolRegistry } from "../tools/ToolRegistry.ts";
import { AgentFactory } from "./AgentFactory.ts";
import type { AgentRunRequest } from "./AgentRunRequest.ts";
import { renewInterrupt } from "./approvals/renewInterrupt.ts";
import { findToolsWithoutConsent, listShownTools } from "./approvals/toolConsent.ts";
import { validateDecision } from "./approvals/validateDecision.ts";
import type { AuditRecorder } from "./audit/AuditRecorder.ts";
import { ChatCompletionRun } from "./completion/ChatCompletionRun.ts";
import { ContextManager } from "./context/ContextManager.ts";
import { CallMetadataCache } from "./history/CallMetadataCache.ts";
import type { NestedCall } from "./nested/NestedRuns.ts";
import { createNestedRequest, findAskingRun, joinCallId } from "./nested/nestedRequests.ts";
import { AgentResources } from "./planning/AgentResources.ts";
import { withTaskMessage } from "./planning/buildTaskMessage.ts";
import { planRun } from "./planning/planRun.ts";
import { recallMemories } from "./planning/recallMemories.ts";
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
  /** False if every answer takes the normal way (`POSTEL_FAST_PATHS=off`). */
  readonly fastPaths: boolean;
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
      fastPaths: services.fastPaths,
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
        planNested: (...asked) => this.#planWithin(...asked),
        proceedNested: (...asked) => this.#loop(...asked),
      },
    };
  }

  /** Runs one turn whose calls go to the client. The last event is its one `turn-end` or `turn-failed`. Throws only what `take` throws. */
  async complete(request: ChatRequest, signal: AbortSignal, take: EventSink<TurnEvent>): Promise<void> {
    const observe = (event: RunEvent): void => this.#tell(request.id, event);
    await new ChatCompletionRun(request, this.#run, signal, { observe, take }).events();
  }

  /**
   * Plans an agent run or a workflow run before its first step: owner, tools and limits. Asks no model.
   * @throws PostelError for an unknown agent or action, an invalid input, a tool name that is taken, and an agent whose
   * tools do not exist.
   */
  async plan(request: AgentRunRequest, signal: AbortSignal): Promise<RunState> {
    const planAgent = async (of: AgentRunRequest): Promise<RunState> => {
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
   * Takes a run whose tools the gateway executes from any planned or saved state to its end, or to the point where it
   * waits for an approver. See `runLoop` for the possible ends. Throws only what `take` throws.
   */
  async proceed(
    state: RunState,
    going: RunContinuation,
    signal: AbortSignal,
    take: EventSink<RunEvent>,
  ): Promise<void> {
    // `plan` has just refreshed the tools of a new run.
    if (state.turn > 0) await this.#refresh(state.id, signal);
    await this.#events(state, going, signal, take);
  }

  /** Plans and runs a run that is not stored. If planning fails, the failure is its only event. Throws only what `take` throws. */
  async run(request: AgentRunRequest, signal: AbortSignal, take: EventSink<RunEvent>): Promise<void> {
    let state: RunState;
    try {
      state = await this.plan(request, signal);
      await this.#services.auditRecorder?.recordRequest(state);
    } catch (error) {
      await this.#telling(request.chat.id, take)([{ type: "turn-failed", failure: toFailure(error) }]);
      return;
    }
    await this.proceed(state, NOTHING_BEFORE, signal, this.#services.auditRecorder?.turnCollector(state, take) ?? take);
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

  /** Informs the observer and the activity callback. */
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

  /** @param going `wary`: true if the enclosing run is wary. */
  async #loop(
    state: RunState,
    { wary = false, ...going }: RunContinuation & { readonly wary?: boolean },
    signal: AbortSignal,
    take: EventSink<RunEvent>,
  ): Promise<RunState> {
    const services = { ...this.#run, ...this.#agentServices(state), ...going };
    const responding = this.#services.workflows?.responding(state, services.steps, take) ?? take;
    this.#tellShown(state, services.registry);
    const context = services.steps ? undefined : this.#contextOf(state, services.registry);
    // Loaded with the first run: the loop and the execution of tools take 30 ms, and a chat completion needs neither.
    const { runLoop } = await import("./run/runLoop.ts");
    const after = await runLoop(state, { ...services, wary: wary || services.wary, context }, signal, responding);
    if (after.agent === state.agent) return after;
    // After a hand-off another agent continues, with its own tools and rules.
    return await this.#loop(after, { journal: going.journal, wary: wary || services.wary }, signal, take);
  }

  /** Reports the definitions of external tools that the run is shown, if it has any. */
  #tellShown(state: RunState, registry: RunServices["registry"]): void {
    const served = state.gatewayTools.filter((name) => registry.get(name)?.definition);
    if (served.length === 0) return;
    const { observer, definitions } = this.#services;
    observer.observe(listShownTools(served, state, { registry, definitions }));
  }

  /** Plans a run of the agent of this task, nested in the run `outer`. */
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

  /** Returns undefined for a chat completion, whose conversation the client manages. */
  #contextOf({ agent: id }: RunState, registry: RunServices["registry"]): RunServices["context"] {
    if (id === "") return undefined;
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

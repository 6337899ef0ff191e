// The door to the agents: a chat completion or an agent run, as one stream of events. Has it planned and goes on with it from agent to agent; knows no HTTP.
import type { AgentConfig, LimitsConfig } from "../core/configuration.ts";
import type { RunEvent, TurnEvent } from "../core/events.ts";
import type { Failure } from "../core/failures.ts";
import type { Decision, Interrupt } from "../core/interrupts.ts";
import type { AlarmClock, FindFacts, Ids, Observer } from "../core/ports.ts";
import type { ChatRequest, RunLimits } from "../core/requests.ts";
import type { RunState } from "../core/run.ts";
import type { DefinitionStore } from "../core/stores.ts";
import type { Take } from "../core/take.ts";
import type { ModelCapabilityDetector } from "../models/ModelCapabilityDetector.ts";
import type { ModelDirectory } from "../models/ModelDirectory.ts";
import type { ToolRegistry } from "../tools/ToolRegistry.ts";
import { AgentFactory } from "./AgentFactory.ts";
import { AgentKits } from "./AgentKits.ts";
import type { AgentRunRequest } from "./AgentRunRequest.ts";
import { type Activity, activityOf } from "./activityOf.ts";
import { agentFor } from "./agentFor.ts";
import { CallMemory } from "./CallMemory.ts";
import { Completion, mayBePlain } from "./Completion.ts";
import { decisionFault } from "./decisionFault.ts";
import { failureOf } from "./failureOf.ts";
import { type Going, NO_JOURNAL } from "./Journal.ts";
import type { AskedWithin } from "./NestedRuns.ts";
import { askingRun, idWithin, requestWithin } from "./nestedRequests.ts";
import type { Asked, plainAnswer } from "./plainAnswer.ts";
import { RetryStrategy } from "./RetryStrategy.ts";
import type { RunServices } from "./RunServices.ts";
import { renewInterrupt } from "./renewInterrupt.ts";
import type { Witness } from "./Witness.ts";
import type { Workflows } from "./Workflows.ts";

export interface AgentServices {
  readonly directory: Pick<ModelDirectory, "resolve">;
  readonly detector: Pick<ModelCapabilityDetector, "detect" | "known" | "isPinned" | "recall">;
  readonly registry: Pick<ToolRegistry, "get" | "select" | "offeredBy" | "danger" | "refresh">;
  readonly findFacts: FindFacts;
  readonly definitions: Pick<DefinitionStore, "agreed" | "agree">;
  readonly agents: readonly AgentConfig[];
  /** Absent where none is configured. */
  readonly workflows?: Workflows | undefined;
  readonly limits: LimitsConfig;
  /** Milliseconds for a tool that names no timeout of its own. */
  readonly toolMs: number;
  /** Milliseconds for the answer of one turn, with all that is tried for it. */
  readonly answerMs: number;
  readonly clock: AlarmClock;
  readonly ids: Ids;
  readonly observer: Observer;
  /** Absent where nothing is recorded. */
  readonly witness?: Witness | undefined;
  readonly onActivity?: ((run: string, activity: Activity) => void) | undefined;
}

export class AgentRunner {
  readonly #services: AgentServices;
  readonly #run: RunServices;
  readonly #kits: AgentKits;
  /** Loaded with the first completion that is told by it: a start does without. */
  #plainAnswer: typeof plainAnswer | undefined;

  constructor(services: AgentServices) {
    const { directory, detector, registry, definitions, ids, limits, clock, toolMs, answerMs, observer } = services;
    this.#services = services;
    this.#kits = new AgentKits(services.agents, registry);
    this.#run = {
      factory: new AgentFactory({ directory, detector, ids, captureChars: limits.captureChars, clock, observer }),
      strategy: new RetryStrategy(limits.reasks),
      registry,
      definitions,
      memory: new CallMemory(clock),
      clock,
      observer,
      witness: services.witness,
      ids,
      wary: false,
      interruptMs: limits.interruptMs,
      parallelTools: limits.parallelTools,
      callsPerTurn: limits.callsPerTurn,
      callsHandedOver: limits.callsHandedOver,
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
  async complete(request: ChatRequest, signal: AbortSignal, take: Take<TurnEvent>): Promise<void> {
    const observe = (event: RunEvent): void => this.#tell(request.id, event);
    let asked: Asked | undefined;
    if (mayBePlain(request)) {
      try {
        this.#plainAnswer ??= (await import("./plainAnswer.ts")).plainAnswer;
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
    await new Completion(request, services, signal, { observe, take }).events();
  }

  /**
   * An agent's run, or a workflow's, before its first step: whose it is, what it may use and how long it may take. Asks no model.
   * @throws PostelError for an unknown agent or action, an input that lacks something, a tool name that is taken, and an agent whose
   * tools do not exist.
   */
  async plan(request: AgentRunRequest, signal: AbortSignal): Promise<RunState> {
    const planAgent = async (of: AgentRunRequest): Promise<RunState> => {
      // With the first run: a chat completion has no task, no memory and no agent.
      const { composed } = await import("./composeTask.ts");
      const { planRun } = await import("./planRun.ts");
      const asked = composed(of, this.#services);
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
  async proceed(state: RunState, going: Going, signal: AbortSignal, take: Take<RunEvent>): Promise<void> {
    // A run that was planned here has just asked for them.
    if (state.turn > 0) await this.#refresh(state.id, signal);
    await this.#events(state, going, signal, take);
  }

  /** `plan` and `proceed` of a run that is kept nowhere; why it could not be planned is its one event. Throws only what `take` throws. */
  async run(request: AgentRunRequest, signal: AbortSignal, take: Take<RunEvent>): Promise<void> {
    let state: RunState;
    try {
      state = await this.plan(request, signal);
      await this.#services.witness?.asked(state);
    } catch (error) {
      await this.#telling(request.chat.id, take)([{ type: "turn-failed", failure: failureOf(error) }]);
      return;
    }
    await this.proceed(state, NOTHING_BEFORE, signal, this.#services.witness?.hearing(state, take) ?? take);
  }

  /** What is wrong with a person's decision about what the run of this state asks; undefined where it may count. See `decisionFault`. */
  decisionFault(state: RunState, interrupt: Interrupt, decision: Decision): Failure | undefined {
    const asking = askingRun(state, interrupt.id) ?? state;
    const tool = this.#agentServices(asking)?.registry.get(interrupt.call.name);
    return decisionFault(asking, interrupt, decision, tool);
  }

  /**
   * The interrupt with the plan that would run now; undefined where it has no plan, or its tool is gone.
   * @throws PostelError `store_…`.
   */
  async renewedInterrupt(state: RunState, interrupt: Interrupt): Promise<Interrupt | undefined> {
    const asking = askingRun(state, interrupt.id) ?? state;
    const registry = this.#agentServices(asking)?.registry;
    const { plan, call } = interrupt;
    const tool = registry?.get(call.name);
    if (!plan || !registry || !tool) return undefined;
    const { unagreedTools } = await import("./unagreedTools.ts");
    const { definitions } = this.#services;
    const unagreed = await unagreedTools([call], asking, { registry, definitions });
    return renewInterrupt(asking, { ...interrupt, plan }, { tool, definition: unagreed.get(call.name) });
  }

  /** Where a source of tools cannot tell them now, the run has those that it told before. */
  async #refresh(run: string, signal: AbortSignal): Promise<void> {
    const { registry, observer } = this.#services;
    await registry.refresh(signal).catch((error: unknown) => {
      observer.observe({ type: "failure", run, failure: failureOf(error) });
    });
  }

  /** What the model is told of earlier conversations; a run goes on without what cannot be read. */
  async #recall({ chat, agent, interactive }: AgentRunRequest): Promise<string> {
    const { findFacts, observer } = this.#services;
    if (!interactive || agentFor(this.#services, chat.model, agent).memory === undefined) return "";
    const { recallFacts } = await import("./recallFacts.ts");
    return await recallFacts(findFacts, chat).catch((error: unknown) => {
      observer.observe({ type: "failure", run: chat.id, failure: failureOf(error) });
      return "";
    });
  }

  #telling(run: string, take: Take<RunEvent>): Take<RunEvent> {
    return (events) => {
      for (const event of events) this.#tell(run, event);
      return take(events);
    };
  }

  /** Tells whoever observes. */
  #tell(run: string, event: RunEvent): void {
    const { observer, onActivity } = this.#services;
    if (!isWords(event)) observer.observe({ type: "run-event", run, event });
    const activity = onActivity && activityOf(event);
    if (activity) onActivity(run, activity);
  }

  async #events(state: RunState, going: Going, signal: AbortSignal, take: Take<RunEvent>): Promise<void> {
    await this.#loop(state, going, signal, this.#telling(state.id, take));
  }

  /** @param going `wary`: true where the run around this one is. */
  async #loop(
    state: RunState,
    { wary = false, ...going }: Going & { readonly wary?: boolean },
    signal: AbortSignal,
    take: Take<RunEvent>,
  ): Promise<RunState> {
    const services = { ...this.#run, ...this.#agentServices(state), ...going };
    const told = this.#services.workflows?.responding(state, services.steps, take) ?? take;
    await this.#tellShown(state, services.registry);
    const context = services.steps ? undefined : await this.#contextOf(state, services.registry);
    // With the first run: a chat completion has one turn, and no loop.
    const { runLoop } = await import("./runLoop.ts");
    const after = await runLoop(state, { ...services, wary: wary || services.wary, context }, signal, told);
    if (after.agent === state.agent) return after;
    // Another agent goes on with it, by its own tools and rules.
    return await this.#loop(after, { journal: going.journal, wary: wary || services.wary }, signal, take);
  }

  /** Tells what servers outside say of the tools that the run is shown, where it has any of theirs. */
  async #tellShown(state: RunState, registry: RunServices["registry"]): Promise<void> {
    const served = state.gatewayTools.filter((name) => registry.get(name)?.definition);
    if (served.length === 0) return;
    const { shownTools } = await import("./unagreedTools.ts");
    const { observer, definitions } = this.#services;
    observer.observe(shownTools(served, state, { registry, definitions }));
  }

  /** A run of the agent of this task, within the run of `outer`. */
  async #planWithin(
    outer: RunState,
    { call, task }: AskedWithin,
    limits: Partial<RunLimits>,
    signal: AbortSignal,
  ): Promise<RunState> {
    const agent = this.#services.agents.find(({ id }) => id === task.agent);
    const state = await this.plan({ ...requestWithin(outer, task, agent), limits }, signal);
    const { untrusted, rejections, depth = 0 } = outer;
    const inherited = { ...(untrusted && { untrusted }), ...(rejections && { rejections }) };
    return { ...state, depth: depth + 1, within: idWithin(outer.within, call.id), ...inherited };
  }

  /** Loaded with the first run: the conversation of a chat completion is its client's. */
  async #contextOf({ agent: id }: RunState, registry: RunServices["registry"]): Promise<RunServices["context"]> {
    if (id === "") return undefined;
    const { ContextKeeper } = await import("./context/ContextKeeper.ts");
    const { agents, directory, detector } = this.#services;
    const { conversation } = agents.find((agent) => agent.id === id) ?? {};
    return new ContextKeeper({ ...this.#run, directory, detector, registry }, conversation);
  }

  /** What a run has of its agent. A chat completion has none. */
  #agentServices(state: RunState): (Partial<RunServices> & Pick<RunServices, "registry">) | undefined {
    return this.#services.workflows?.stepServices(state) ?? this.#kits.of(state);
  }
}

/** Of a run whose first step this is, and which is kept nowhere. */
const NOTHING_BEFORE: Going = { journal: NO_JOURNAL };

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

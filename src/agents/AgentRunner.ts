// The door to the agents: a chat completion or an agent run, as one stream of events. Plans the run; knows no HTTP.
import type { AgentConfig, AgentTool, CourseConfig, LimitsConfig } from "../core/configuration.ts";
import type { RunEvent, TurnEvent } from "../core/events.ts";
import { type Failure, failure, PostelError } from "../core/failures.ts";
import type { Decision, Interrupt } from "../core/interrupts.ts";
import { APPROVE_TOOL_CALL, ASK_USER } from "../core/interrupts.ts";
import { READ_RESULT } from "../core/keptResults.ts";
import { mergeSampling } from "../core/mergeSampling.ts";
import type { JsonObject, ToolChoice } from "../core/messages.ts";
import type { Clock, Ids, Observer } from "../core/ports.ts";
import type { ChatRequest, RunLimits } from "../core/requests.ts";
import type { RunState, SettledCall } from "../core/run.ts";
import type { MemoryStore, SessionMode } from "../core/stores.ts";
import type { Take } from "../core/take.ts";
import type { ModelCapabilityDetector } from "../models/ModelCapabilityDetector.ts";
import type { ModelDirectory } from "../models/ModelDirectory.ts";
import { ASK_USER_PROMPT } from "../tools/askUser.ts";
import type { AgentTask } from "../tools/Tool.ts";
import type { ToolRegistry } from "../tools/ToolRegistry.ts";
import { AgentFactory } from "./AgentFactory.ts";
import { AgentTools, shownName } from "./AgentTools.ts";
import { type Activity, activityOf } from "./activityOf.ts";
import { actionFor, agentFor, inMode, toolsIn } from "./agentFor.ts";
import { CallMemory } from "./CallMemory.ts";
import type { TaskRequest } from "./composeTask.ts";
import { decisionFault } from "./decisionFault.ts";
import { failureOf } from "./failureOf.ts";
import { type HandedOff, HandOffs, handedTo } from "./HandOffs.ts";
import { instruct } from "./instructOutput.ts";
import { type Going, NO_JOURNAL } from "./Journal.ts";
import { askingRun, requestWithin } from "./nestedRequests.ts";
import { planBudget } from "./planBudget.ts";
import { RetryStrategy } from "./RetryStrategy.ts";
import type { RunServices } from "./RunServices.ts";
import { needOfPeople } from "./refuseUnattended.ts";
import { runLoop } from "./runLoop.ts";
import { planCourse } from "./runPhases.ts";
import type { Workflows } from "./Workflows.ts";

export interface AgentRunRequest extends TaskRequest {
  /** What is given can only lower the agent's own limits. */
  readonly limits?: Partial<RunLimits> | undefined;
  /** JSON Schema of what is read out of the work once it has ended by itself. */
  readonly output?: JsonObject | undefined;
  /** True where the run must not wait for a person, whatever its agent says. */
  readonly nonInteractive?: boolean | undefined;
  /** `normal`: without the tools of the agent. Absent: `agent`. */
  readonly mode?: SessionMode | undefined;
  /** The session that the run is a turn of. */
  readonly sessionId?: string | undefined;
  /** False where whoever could decide is not there: what needs a person is then refused, and the model is told so. */
  readonly interactive: boolean;
}

export interface AgentServices {
  readonly directory: Pick<ModelDirectory, "resolve">;
  readonly detector: Pick<ModelCapabilityDetector, "detect" | "isPinned" | "recall">;
  readonly registry: Pick<ToolRegistry, "get" | "select" | "refresh">;
  readonly memories: Pick<MemoryStore, "search">;
  readonly agents: readonly AgentConfig[];
  /** Absent where none is configured. */
  readonly workflows?: Workflows | undefined;
  readonly limits: LimitsConfig;
  /** Milliseconds for a tool that names no timeout of its own. */
  readonly toolMs: number;
  /** Milliseconds for the answer of one turn, with all that is tried for it. */
  readonly answerMs: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly observer: Observer;
  readonly onActivity?: ((run: string, activity: Activity) => void) | undefined;
}

export class AgentRunner {
  readonly #services: AgentServices;
  readonly #run: RunServices;
  readonly #tools: AgentTools;
  readonly #handOffs: HandOffs;

  constructor(services: AgentServices) {
    const { directory, detector, registry, ids, limits, clock, toolMs, answerMs, observer } = services;
    this.#services = services;
    this.#tools = new AgentTools(registry);
    this.#handOffs = new HandOffs(services.agents);
    this.#run = {
      factory: new AgentFactory({ directory, detector, ids, captureChars: limits.captureChars, clock, observer }),
      strategy: new RetryStrategy(limits.reasks),
      registry,
      memory: new CallMemory(clock),
      clock,
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
    const state: RunState = { ...planOf(request, "", request.messages), maxTurns: 1 };
    await this.#events(state, NOTHING_BEFORE, signal, (events) => {
      const own = events.every(isTurnEvent) ? events : events.filter(isTurnEvent);
      return own.length > 0 ? take(own) : undefined;
    });
  }

  /**
   * An agent's run, or a workflow's, before its first step: whose it is, what it may use and how long it may take. Asks no model.
   * @throws PostelError for an unknown agent or action, an input that lacks something, a tool name that is taken, and an agent whose
   * tools do not exist.
   */
  async plan(request: AgentRunRequest, signal: AbortSignal): Promise<RunState> {
    const planAgent = async (of: AgentRunRequest): Promise<RunState> => {
      // With the first run: a chat completion has no task and no memory.
      const { composed } = await import("./composeTask.ts");
      const asked = composed(of, this.#services);
      await this.#refresh(asked.chat.id, signal);
      return this.#planRun(asked, await this.#recall(asked));
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
    } catch (error) {
      await this.#telling(request.chat.id, take)([{ type: "turn-failed", failure: failureOf(error) }]);
      return;
    }
    await this.proceed(state, NOTHING_BEFORE, signal, take);
  }

  /** What is wrong with a person's decision about what the run of this state asks; undefined where it may count. See `decisionFault`. */
  decisionFault(state: RunState, interrupt: Interrupt, decision: Decision): Failure | undefined {
    const asking = askingRun(state, interrupt.id) ?? state;
    const tool = this.#agentServices(asking)?.registry.get(interrupt.call.name);
    return decisionFault(asking, interrupt, decision, tool);
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
    const { memories, observer } = this.#services;
    if (!interactive || agentFor(this.#services, chat.model, agent).memory === undefined) return "";
    const { recallFacts } = await import("./recallFacts.ts");
    return await recallFacts(memories, chat).catch((error: unknown) => {
      observer.observe({ type: "failure", run: chat.id, failure: failureOf(error) });
      return "";
    });
  }

  #telling(run: string, take: Take<RunEvent>): Take<RunEvent> {
    const { observer, onActivity } = this.#services;
    return (events) => {
      for (const event of events) {
        if (!isWords(event)) observer.observe({ type: "run-event", run, event });
        const activity = onActivity && activityOf(event);
        if (activity) onActivity(run, activity);
      }
      return take(events);
    };
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
    const context = services.steps ? undefined : await this.#contextOf(state, services.registry);
    const after = await runLoop(state, { ...services, wary: wary || services.wary, context }, signal, told);
    if (after.agent === state.agent) return after;
    // Another agent goes on with it, by its own tools and rules.
    return await this.#loop(after, { journal: going.journal, wary: wary || services.wary }, signal, take);
  }

  /** A run of the agent of this task, within the run of `outer`. */
  async #planWithin(
    outer: RunState,
    task: AgentTask,
    limits: Partial<RunLimits>,
    signal: AbortSignal,
  ): Promise<RunState> {
    const agent = this.#services.agents.find(({ id }) => id === task.agent);
    const state = await this.plan({ ...requestWithin(outer, task, agent), limits }, signal);
    const { untrusted, depth = 0 } = outer;
    return { ...state, depth: depth + 1, ...(untrusted && { untrusted }) };
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
    const steps = this.#services.workflows?.stepServices(state);
    if (steps) return steps;
    const { agent: id, action } = state;
    const agent = this.#services.agents.find((known) => known.id === id);
    const asked = agent?.actions.find((one) => one.id === action) ?? agent;
    if (!agent || !asked) return undefined;
    return {
      registry: this.#handOffs.among(this.#tools.of(toolsIn(agent, asked, state.mode)), agent.id),
      wary: agent.afterUntrusted === "ask",
      handOff: (now, settled) => this.#handOff(now, settled),
    };
  }

  /** The run in the hands of the agent that one of these calls gives it to. */
  #handOff(state: RunState, settled: readonly SettledCall[]): HandedOff | undefined {
    const target = this.#handOffs.target(state.agent, settled);
    const { agents } = this.#services;
    const agent = agents.find(({ id }) => id === target?.to);
    if (!target || !agent) return undefined;
    const entries = state.interactive ? agent.tools : agent.tools.filter(({ tool }) => tool !== ASK_USER);
    const to = {
      agent,
      gatewayTools: [...this.#selected(entries), ...this.#handOffs.namesOf(agent.id)],
      systemText: systemTextOf(agent, entries),
    };
    return handedTo(state, target.by, { from: agents.find(({ id }) => id === state.agent), to });
  }

  /** @throws PostelError for a tool that nobody offers. */
  #selected(entries: readonly AgentTool[]): readonly string[] {
    const tools = this.#tools.of(entries).select(entries.map(shownName));
    return tools.map(({ spec }) => spec.name);
  }

  /** @throws PostelError for an unknown agent or action, a tool name that is taken, and an agent whose tools do not exist. */
  #planRun({ chat, action, limits, output, mode, sessionId, ...wished }: AgentRunRequest, facts: string): RunState {
    const agent = inMode(agentFor(this.#services, chat.model, wished.agent), mode);
    const asked = action === undefined ? agent : actionFor(agent, action);
    const own = toolsIn(agent, asked, mode);
    const course = mode === "normal" ? undefined : asked.course;
    const alone = wished.nonInteractive || asked.course?.nonInteractive;
    if (alone) refuseWaiting(needOfPeople(own, this.#tools.of(own), agent));
    const interactive = wished.interactive && !alone;
    const entries = interactive ? own : own.filter(({ tool }) => tool !== ASK_USER);
    const handOffs = mode === "normal" ? [] : this.#handOffs.namesOf(agent.id);
    const gatewayTools = [...this.#selected(entries), ...handOffs];
    const asksPeople = interactive && gatewayTools.length > 0;
    refuseTakenNames(
      chat,
      new Set([
        ...gatewayTools,
        ...(gatewayTools.length > 0 ? [READ_RESULT] : []),
        ...(asksPeople ? [APPROVE_TOOL_CALL, ASK_USER] : []),
      ]),
      agent.id,
    );
    const request: ChatRequest = {
      ...chat,
      model: modelOf(agent, chat.model, this.#services.agents),
      sampling: mergeSampling(asked.sampling, chat.sampling),
      toolChoice: firstChoice(chat, course, gatewayTools),
      // A run goes on unattended.
      watched: true,
    };
    const system = systemTextOf(asked, entries);
    const told = system === "" ? chat.messages : instruct(chat.messages, system, "first");
    const messages = facts === "" ? told : instruct(told, facts, "last");
    const summarist = agent.conversation?.summary?.model;
    const budget = { agent: asked, given: limits, model: request.model, summarist, now: this.#services.clock.now() };
    const limitsOfRun = planBudget(budget, this.#services);
    return {
      ...planOf(request, agent.id, messages),
      ...(action !== undefined && { action }),
      ...(sessionId !== undefined && { sessionId }),
      ...(mode === "normal" && { mode }),
      interactive,
      gatewayTools,
      ...limitsOfRun,
      ...planCourse(course, { output, messages, maxTurns: limitsOfRun.maxTurns }),
    };
  }
}

/** @throws PostelError where the caller wants no waiting, and something would have to. */
function refuseWaiting(why: string | undefined): void {
  if (why === undefined) return;
  const message = `The run is to be \`non_interactive\`, ${why}`;
  throw new PostelError(failure("invalid_request", message, { param: "non_interactive" }));
}

/** What the caller says of calls goes before what the agent says of its first turn. */
function firstChoice(
  { toolChoice, tools }: ChatRequest,
  course: CourseConfig = {},
  own: readonly string[],
): ToolChoice {
  const demands = course.firstTool === "required" && toolChoice.type === "auto" && own.length + tools.length > 0;
  return demands ? { type: "required" } : toolChoice;
}

/** The model that a run of the agent asks, where its caller names this one: an agent's id stands for the agent's own. */
export function modelOf(
  agent: Pick<AgentConfig, "model">,
  named: string,
  agents: readonly Pick<AgentConfig, "id">[],
): string {
  return agents.some(({ id }) => id === named) ? (agent.model ?? named) : named;
}

/** Of a run whose first step this is, and which is kept nowhere. */
const NOTHING_BEFORE: Going = { journal: NO_JOURNAL };

/** What the agent is told beside its conversation. */
function systemTextOf({ systemPrompt = "" }: Pick<AgentConfig, "systemPrompt">, tools: readonly AgentTool[]): string {
  const asking = tools.find(({ tool }) => tool === ASK_USER);
  return [systemPrompt, asking ? (asking.prompt ?? ASK_USER_PROMPT) : ""].filter((text) => text !== "").join("\n\n");
}

function planOf(request: ChatRequest, agent: string, messages: ChatRequest["messages"]): Omit<RunState, "maxTurns"> {
  return {
    id: request.id,
    agent,
    interactive: false,
    request,
    gatewayTools: [],
    messages,
    turn: 0,
    tokens: 0,
    executed: [],
    sentText: false,
  };
}

function refuseTakenNames(chat: ChatRequest, taken: ReadonlySet<string>, agent: string): void {
  const position = chat.tools.findIndex(({ name }) => taken.has(name));
  const clash = chat.tools[position];
  if (!clash) return;
  const param = `tools[${position}].function.name`;
  const message = `The name ${clash.name} is taken in runs of the agent ${agent}, by a tool of its own or by what asks people. Rename the one in ${param}.`;
  throw new PostelError(failure("invalid_request", message, { param }));
}

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

// Plans a run before its first step: agent, tools, system text, limits and deadline. Asks no model.
import type {
  AgentActionConfig,
  AgentBehaviourConfig,
  AgentConfig,
  AgentTool,
} from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Message, ToolChoice } from "../../core/messages.ts";
import { mergeSampling } from "../../core/models/mergeSampling.ts";
import type { Clock } from "../../core/ports.ts";
import type { ChatRequest } from "../../core/requests.ts";
import { APPROVE_TOOL_CALL, ASK_USER } from "../../core/runs/interrupts.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import { READ_RESULT } from "../../core/runs/resultLimits.ts";
import type { AgentRunRequest } from "../AgentRunRequest.ts";
import { findHumanRequirement } from "../approvals/checkNonInteractive.ts";
import { insertInstruction } from "../prompting/outputInstructions.ts";
import { planCourse } from "../run/runPhases.ts";
import { type AgentResources, buildSystemText, selectToolEntries } from "./AgentResources.ts";
import { createRunState } from "./createRunState.ts";
import {
  applyMode,
  type KnownAgents,
  resolveAction,
  resolveAgent,
  resolveAgentModel,
  resolveModeTools,
} from "./resolveAgent.ts";
import { type BudgetServices, planBudget } from "./resolveBudget.ts";

interface PlanServices extends KnownAgents, BudgetServices {
  readonly kits: Pick<AgentResources, "tools" | "listNames" | "handOffNames">;
  readonly clock: Pick<Clock, "now">;
}

/** The agent of the run, and its action. */
interface Doing {
  readonly agent: AgentConfig;
  /** The requested action, or the agent itself. */
  readonly subject: AgentConfig | AgentActionConfig;
}

/** The tools and the behaviour that a run gets from its agent. */
interface Equipment {
  readonly interactive: boolean;
  readonly entries: readonly AgentTool[];
  readonly gatewayTools: readonly string[];
  readonly course: AgentBehaviourConfig | undefined;
}

/**
 * @param facts text about earlier conversations for the model.
 * @throws PostelError for an unknown agent or action, a tool name that is taken, and an agent whose tools do not exist.
 */
export function planRun(wished: AgentRunRequest, facts: string, services: PlanServices): RunState {
  const { chat, action, limits, output, mode, sessionId, untrusted } = wished;
  const agent = applyMode(resolveAgent(services, chat.model, wished.agent), mode);
  const subject = action === undefined ? agent : resolveAction(agent, action);
  const { interactive, entries, gatewayTools, course } = equip(wished, { agent, subject }, services.kits);
  const request: ChatRequest = {
    ...chat,
    model: resolveAgentModel(agent, chat.model, services.agents),
    sampling: mergeSampling(subject.sampling, chat.sampling),
    toolChoice: firstChoice(chat, course, gatewayTools),
    // No user watches a run while it goes on.
    watched: true,
  };
  const messages = addSystemMessage(chat.messages, buildSystemText(subject, entries), facts);
  const summarist = agent.conversation?.summary?.model;
  const budget = {
    agent: subject,
    requestedLimits: limits,
    model: request.model,
    summarist,
    now: services.clock.now(),
  };
  const limitsOfRun = planBudget(budget, services);
  return {
    ...createRunState(request, agent.id, messages),
    ...(action !== undefined && { action }),
    ...(sessionId !== undefined && { sessionId }),
    ...(mode === "normal" && { mode }),
    ...(untrusted && { untrusted }),
    interactive,
    gatewayTools,
    ...limitsOfRun,
    ...planCourse(course, { output, messages, maxTurns: limitsOfRun.maxTurns }),
  };
}

function equip(wished: AgentRunRequest, { agent, subject: asked }: Doing, kits: PlanServices["kits"]): Equipment {
  const isNormal = wished.mode === "normal";
  const ownTools = resolveModeTools(agent, asked, wished.mode);
  const alone = wished.nonInteractive || asked.course?.nonInteractive;
  if (alone) refuseWaiting(findHumanRequirement(kits.tools(ownTools), agent));
  const interactive = wished.interactive && !alone;
  const entries = selectToolEntries(ownTools, interactive);
  const handOffs = isNormal ? [] : kits.handOffNames(agent.id);
  const gatewayTools = [...kits.listNames(entries), ...handOffs];
  const [hasTools, asksPeople] = [gatewayTools.length > 0, interactive && gatewayTools.length > 0];
  const usedNames = [
    ...gatewayTools,
    ...(hasTools ? [READ_RESULT] : []),
    ...(asksPeople ? [APPROVE_TOOL_CALL, ASK_USER] : []),
  ];
  checkToolNames(wished.chat, new Set(usedNames), agent.id);
  return { interactive, entries, gatewayTools, course: isNormal ? undefined : asked.course };
}

/** Adds the system text and the memories to the conversation. */
function addSystemMessage(messages: readonly Message[], system: string, facts: string): readonly Message[] {
  const instructed = system === "" ? messages : insertInstruction(messages, system, "first");
  return facts === "" ? instructed : insertInstruction(instructed, facts, "last");
}

/** @throws PostelError if the caller forbids waiting and a tool would have to wait. */
function refuseWaiting(reason: string | undefined): void {
  if (reason === undefined) return;
  const message = `The run is to be \`non_interactive\`, ${reason}`;
  throw new PostelError(createFailure("invalid_request", message, { param: "non_interactive" }));
}

/** The caller's `tool_choice` goes before the agent's demand for the first turn. */
function firstChoice(
  { toolChoice, tools }: ChatRequest,
  course: AgentBehaviourConfig = {},
  ownNames: readonly string[],
): ToolChoice {
  const demands = course.firstTool === "required" && toolChoice.type === "auto" && ownNames.length + tools.length > 0;
  return demands ? { type: "required" } : toolChoice;
}

function checkToolNames(chat: ChatRequest, usedNames: ReadonlySet<string>, agent: string): void {
  const position = chat.tools.findIndex(({ name }) => usedNames.has(name));
  const conflictingTool = chat.tools[position];
  if (!conflictingTool) return;
  const param = `tools[${position}].function.name`;
  const message = `The name ${conflictingTool.name} is taken in runs of the agent ${agent}, by a tool of its own or by what asks people. Rename the one in ${param}.`;
  throw new PostelError(createFailure("invalid_request", message, { param }));
}

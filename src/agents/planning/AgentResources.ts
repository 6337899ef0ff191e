// Provides the resources of an agent for its runs: tools, system text, and hand-off targets.
import type { AgentConfig, AgentTool } from "../../core/config/configuration.ts";
import { ASK_USER } from "../../core/runs/interrupts.ts";
import type { RunState, SettledCall } from "../../core/runs/RunState.ts";
import { ASK_USER_PROMPT } from "../../tools/builtin/askUser.ts";
import { type HandoffResult, Handoffs, handOffTo } from "../nested/Handoffs.ts";
import type { RunServices } from "../run/RunServices.ts";
import { AgentToolset, type GatewayTools, type ResolvedTools } from "./AgentToolset.ts";
import { resolveModeTools } from "./resolveAgent.ts";

export class AgentResources {
  readonly #agents: readonly AgentConfig[];
  readonly #tools: AgentToolset;
  readonly #handOffs: Handoffs;

  constructor(agents: readonly AgentConfig[], registry: GatewayTools) {
    this.#agents = agents;
    this.#tools = new AgentToolset(registry);
    this.#handOffs = new Handoffs(agents);
  }

  /** The services that a run gets from its agent. A chat completion has none. */
  resolveTools({ agent: id, action, mode }: RunState): Pick<RunServices, "registry" | "wary" | "handOff"> | undefined {
    const agent = this.#agents.find((known) => known.id === id);
    const subject = agent?.actions.find((one) => one.id === action) ?? agent;
    if (!agent || !subject) return undefined;
    return {
      registry: this.#handOffs.select(this.#tools.resolveTools(resolveModeTools(agent, subject, mode)), agent.id),
      wary: agent.afterUntrusted === "ask",
      handOff: (now, settled) => this.#resolveHandoff(now, settled),
    };
  }

  /** @param entries the agent's own list of tools. */
  tools(entries: readonly AgentTool[]): ResolvedTools {
    return this.#tools.resolveTools(entries);
  }

  /** See `AgentToolset.names`. */
  listNames(entries: readonly AgentTool[]): readonly string[] {
    return this.#tools.listNames(entries);
  }

  /** Names of the hand-off tools of this agent. */
  handOffNames(agent: string): readonly string[] {
    return this.#handOffs.listNames(agent);
  }

  /** The run after the hand-off that one of these calls starts; undefined if there is none. */
  #resolveHandoff(state: RunState, settled: readonly SettledCall[]): HandoffResult | undefined {
    const target = this.#handOffs.target(state.agent, settled);
    const agent = this.#agents.find(({ id }) => id === target?.to);
    if (!target || !agent) return undefined;
    const entries = selectToolEntries(agent.tools, state.interactive);
    const gatewayTools = [...this.listNames(entries), ...this.handOffNames(agent.id)];
    const to = { agent, gatewayTools, systemText: buildSystemText(agent, entries) };
    return handOffTo(state, target.by, { from: this.#agents.find(({ id }) => id === state.agent), to });
  }
}

/** The tools that a run gets: without an available user, the tool that asks the user is left out. */
export function selectToolEntries(tools: readonly AgentTool[], interactive: boolean): readonly AgentTool[] {
  return interactive ? tools : tools.filter(({ tool }) => tool !== ASK_USER);
}

/** The system text of the agent: its prompt, and the instructions for asking the user. */
export function buildSystemText(
  { systemPrompt = "" }: Pick<AgentConfig, "systemPrompt">,
  tools: readonly AgentTool[],
): string {
  const asking = tools.find(({ tool }) => tool === ASK_USER);
  return [systemPrompt, asking ? (asking.prompt ?? ASK_USER_PROMPT) : ""].filter((text) => text !== "").join("\n\n");
}

// What an agent brings to a run of it: its tools, what its model is told, and to whom it may give the conversation. Plans no run and asks nobody.
import type { AgentConfig, AgentTool } from "../core/configuration.ts";
import { ASK_USER } from "../core/interrupts.ts";
import type { RunState, SettledCall } from "../core/run.ts";
import { ASK_USER_PROMPT } from "../tools/askUser.ts";
import { AgentTools, type HeldTools, type HouseTools } from "./AgentTools.ts";
import { toolsIn } from "./agentFor.ts";
import { type HandedOff, HandOffs, handedTo } from "./HandOffs.ts";
import type { RunServices } from "./RunServices.ts";

export class AgentKits {
  readonly #agents: readonly AgentConfig[];
  readonly #tools: AgentTools;
  readonly #handOffs: HandOffs;

  constructor(agents: readonly AgentConfig[], registry: HouseTools) {
    this.#agents = agents;
    this.#tools = new AgentTools(registry);
    this.#handOffs = new HandOffs(agents);
  }

  /** What a run has of its agent. A chat completion has none. */
  of({ agent: id, action, mode }: RunState): Pick<RunServices, "registry" | "wary" | "handOff"> | undefined {
    const agent = this.#agents.find((known) => known.id === id);
    const asked = agent?.actions.find((one) => one.id === action) ?? agent;
    if (!agent || !asked) return undefined;
    return {
      registry: this.#handOffs.among(this.#tools.of(toolsIn(agent, asked, mode)), agent.id),
      wary: agent.afterUntrusted === "ask",
      handOff: (now, settled) => this.#handOff(now, settled),
    };
  }

  /** @param entries an agent's own list. */
  tools(entries: readonly AgentTool[]): HeldTools {
    return this.#tools.of(entries);
  }

  /** See `AgentTools.names`. */
  names(entries: readonly AgentTool[]): readonly string[] {
    return this.#tools.names(entries);
  }

  /** Those by which this agent gives the conversation away. */
  handOffNames(agent: string): readonly string[] {
    return this.#handOffs.namesOf(agent);
  }

  /** The run in the hands of the agent that one of these calls gives it to. */
  #handOff(state: RunState, settled: readonly SettledCall[]): HandedOff | undefined {
    const target = this.#handOffs.target(state.agent, settled);
    const agent = this.#agents.find(({ id }) => id === target?.to);
    if (!target || !agent) return undefined;
    const entries = entriesIn(agent.tools, state.interactive);
    const gatewayTools = [...this.names(entries), ...this.handOffNames(agent.id)];
    const to = { agent, gatewayTools, systemText: systemTextOf(agent, entries) };
    return handedTo(state, target.by, { from: this.#agents.find(({ id }) => id === state.agent), to });
  }
}

/** Those of an agent's tools that a run has: where nobody is there, none that asks. */
export function entriesIn(tools: readonly AgentTool[], interactive: boolean): readonly AgentTool[] {
  return interactive ? tools : tools.filter(({ tool }) => tool !== ASK_USER);
}

/** What the agent is told beside its conversation. */
export function systemTextOf(
  { systemPrompt = "" }: Pick<AgentConfig, "systemPrompt">,
  tools: readonly AgentTool[],
): string {
  const asking = tools.find(({ tool }) => tool === ASK_USER);
  return [systemPrompt, asking ? (asking.prompt ?? ASK_USER_PROMPT) : ""].filter((text) => text !== "").join("\n\n");
}

// Hand-offs between agents: the tools that start them, and the state of the run after them. Pure.
import { HAND_OFF_PREFIX } from "../../core/config/agentToolNames.ts";
import type { AgentConfig } from "../../core/config/configuration.ts";
import { parseObject } from "../../core/json/jsonObjectText.ts";
import { isInstruction, type JsonObject } from "../../core/messages.ts";
import { mergeSampling } from "../../core/models/mergeSampling.ts";
import type { Sampling } from "../../core/requests.ts";
import type { RunState, SettledCall } from "../../core/runs/RunState.ts";
import type { Tool } from "../../tools/Tool.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import { insertInstruction } from "../prompting/outputInstructions.ts";

/** Agent, tools and system text of the agent that takes over a run. */
export interface HandoffTarget {
  readonly agent: AgentConfig;
  readonly gatewayTools: readonly string[];
  readonly systemText: string;
}

/** The run after the hand-off, and the reason that the model gave. */
export interface HandoffResult {
  readonly state: RunState;
  readonly reason?: string | undefined;
}

export class Handoffs {
  /** Hand-off tools by agent. The specs stay the same objects, because other caches use them as keys. */
  readonly #tools: ReadonlyMap<string, ReadonlyMap<string, Tool>>;

  constructor(agents: readonly AgentConfig[]) {
    this.#tools = new Map(
      agents.flatMap(({ id, handoffs = [] }) => {
        const tools = agents.filter((other) => handoffs.includes(other.id)).map(handOffTool);
        return tools.length === 0 ? [] : [[id, new Map(tools.map((tool) => [tool.spec.name, tool]))] as const];
      }),
    );
  }

  /** Names of the hand-off tools of this agent. */
  listNames(agent: string): readonly string[] {
    return [...(this.#tools.get(agent)?.keys() ?? [])];
  }

  /** Adds the hand-off tools to the agent's own tools. */
  select(ownTools: RunTools, agent: string): RunTools {
    const tools = this.#tools.get(agent);
    if (!tools) return ownTools;
    return {
      get: (name) => tools.get(name) ?? ownTools.get(name),
      select: (names) => names.flatMap((name) => tools.get(name) ?? ownTools.select([name])),
    };
  }

  /** Target of the first successful hand-off among these calls; undefined if there is none. */
  target(
    agent: string,
    settled: readonly SettledCall[],
  ): { readonly to: string; readonly by: SettledCall } | undefined {
    for (const settledCall of settled) {
      const to =
        settledCall.ran && !settledCall.result.isError
          ? this.#tools.get(agent)?.get(settledCall.call.name)?.handsOffTo
          : undefined;
      if (to !== undefined) return { to, by: settledCall };
    }
    return undefined;
  }
}

function handOffTool({ id, description }: AgentConfig): Tool {
  const who = description === undefined ? "" : ` (${description})`;
  return {
    spec: {
      name: `${HAND_OFF_PREFIX}${id}`,
      description: `Gives this conversation to the agent ${id}${who}, which goes on with it in your place.`,
      parameters: REASON,
    },
    idempotent: true,
    repeatable: true,
    handsOffTo: id,
    effect: (args) => ({
      question: `be called with these arguments?\nagent: ${id}`,
      deed: { agent: id, arguments: JSON.stringify(args) },
    }),
    execute: async () => "The conversation is handed over.",
  };
}

const REASON: JsonObject = {
  type: "object",
  properties: { reason: { type: "string", description: "Why, in a sentence." } },
  required: [],
  additionalProperties: false,
};

/** Hands a run to another agent. Limits, deadline and usage stay; model, sampling and tools are those of the new agent. */
export function handOffTo(
  state: RunState,
  settledCall: SettledCall,
  {
    from,
    to: { agent, gatewayTools, systemText },
  }: { readonly from: AgentConfig | undefined; readonly to: HandoffTarget },
): HandoffResult {
  const { action: _, toolMode: __, ...rest } = state;
  const { request } = state;
  const reason = parseObject(settledCall.call.arguments)?.reason;
  const instructions = request.messages.filter(isInstruction).slice(0, 1);
  const conversation = state.messages.filter((message, at) => at > 0 || !isInstruction(message));
  const messages = [...instructions, ...conversation];
  return {
    state: {
      ...rest,
      agent: agent.id,
      // A client tool wins over a gateway tool of the same name.
      gatewayTools: gatewayTools.filter((name) => request.tools.every((tool) => tool.name !== name)),
      request: {
        ...request,
        model: agent.model ?? request.model,
        sampling: mergeSampling(agent.sampling, callersOwn(request.sampling, from?.sampling)),
        toolChoice: { type: "auto" },
      },
      messages: systemText === "" ? messages : insertInstruction(messages, systemText, "first"),
    },
    ...(typeof reason === "string" && reason.trim() !== "" && { reason }),
  };
}

/** Sampling values that do not come from the previous agent. */
function callersOwn(sampling: Sampling, agents: Sampling = {}): Sampling {
  const ownSampling = Object.entries(sampling).filter(([key, value]) => agents[key as keyof Sampling] !== value);
  return Object.fromEntries(ownSampling);
}

// How an agent gives its conversation to another: the tools for that, and the run as it is in the other's hands. Pure; asks nobody.
import { HAND_OFF_PREFIX } from "../../core/config/agentToolNames.ts";
import type { AgentConfig } from "../../core/config/configuration.ts";
import { parseObject } from "../../core/json/jsonObjectText.ts";
import type { JsonObject, Message } from "../../core/messages.ts";
import { mergeSampling } from "../../core/models/mergeSampling.ts";
import type { Sampling } from "../../core/requests.ts";
import type { RunState, SettledCall } from "../../core/runs/RunState.ts";
import type { Tool } from "../../tools/Tool.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import { insertInstruction } from "../prompting/outputInstructions.ts";

/** What another agent has of a run that it takes on. */
export interface HandoffTarget {
  readonly agent: AgentConfig;
  readonly gatewayTools: readonly string[];
  readonly systemText: string;
}

/** The run in the hands of another agent, and what its model said of why. */
export interface HandoffResult {
  readonly state: RunState;
  readonly reason?: string | undefined;
}

export class Handoffs {
  /** By the agents that have them: the same spec every time, since much is kept by it. */
  readonly #tools: ReadonlyMap<string, ReadonlyMap<string, Tool>>;

  constructor(agents: readonly AgentConfig[]) {
    this.#tools = new Map(
      agents.flatMap(({ id, handoffs = [] }) => {
        const tools = agents.filter((other) => handoffs.includes(other.id)).map(handOffTool);
        return tools.length === 0 ? [] : [[id, new Map(tools.map((tool) => [tool.spec.name, tool]))] as const];
      }),
    );
  }

  /** Names of the tools by which this agent gives the conversation away. */
  namesOf(agent: string): readonly string[] {
    return [...(this.#tools.get(agent)?.keys() ?? [])];
  }

  /** An agent's own tools with these. */
  among(own: RunTools, agent: string): RunTools {
    const tools = this.#tools.get(agent);
    if (!tools) return own;
    return {
      get: (name) => tools.get(name) ?? own.get(name),
      select: (names) => names.flatMap((name) => tools.get(name) ?? own.select([name])),
    };
  }

  /** To whom the first of these calls that ran gives the conversation; undefined where none does. */
  target(
    agent: string,
    settled: readonly SettledCall[],
  ): { readonly to: string; readonly by: SettledCall } | undefined {
    for (const by of settled) {
      const to = by.ran && !by.result.isError ? this.#tools.get(agent)?.get(by.call.name)?.handsOffTo : undefined;
      if (to !== undefined) return { to, by };
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

/** Its limits, its time and what it has used stay; who asks, and how, is the other agent's. */
export function handOffTo(
  state: RunState,
  by: SettledCall,
  {
    from,
    to: { agent, gatewayTools, systemText },
  }: { readonly from: AgentConfig | undefined; readonly to: HandoffTarget },
): HandoffResult {
  const { action: _, toolMode: __, ...rest } = state;
  const { request } = state;
  const reason = parseObject(by.call.arguments)?.reason;
  const instructions = request.messages.filter(isInstruction).slice(0, 1);
  const talk = state.messages.filter((message, at) => at > 0 || !isInstruction(message));
  const messages = [...instructions, ...talk];
  return {
    state: {
      ...rest,
      agent: agent.id,
      // What the client calls so is the client's.
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

function isInstruction({ role }: Message): boolean {
  return role === "system" || role === "developer";
}

/** What of the sampling is not what the agent before said. */
function callersOwn(sampling: Sampling, agents: Sampling = {}): Sampling {
  const own = Object.entries(sampling).filter(([key, value]) => agents[key as keyof Sampling] !== value);
  return Object.fromEntries(own);
}

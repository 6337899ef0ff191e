// Offers the actions of an agent as tools to the models of other agents.
import { buildAgentToolName } from "../../core/config/agentToolNames.ts";
import type { AgentActionConfig, AgentConfig } from "../../core/config/configuration.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";
import { inferParameters } from "../../core/template/inferParameters.ts";
import type { CallEffect, Tool } from "../../tools/Tool.ts";

/** Milliseconds that a nested run has beyond its own limit to report its end. */
const GRACE_MS = 5_000;

/** One tool per action, named after the agent, or `agent.action` if the agent has several. */
export function createAgentTools(
  agent: AgentConfig,
  redact: Redact,
  reached: () => JsonObject = () => ({}),
): readonly Tool[] {
  return agent.actions.map((action) => agentTool(agent, action, { redact, reached }));
}

interface AgentToolOptions {
  readonly redact: Redact;
  /** The agent and everything that it can reach under this configuration, for the plan of the call. */
  readonly reached: () => JsonObject;
}

function agentTool(agent: AgentConfig, action: AgentActionConfig, { redact, reached }: AgentToolOptions): Tool {
  const usedNames = inferParameters([action.task ?? null, action.input ?? null, action.context ?? null], action.params);
  // An agent without a task template and parameters gets its task as plain text.
  const asksInWords = action.task === undefined && Object.keys(usedNames.properties as JsonObject).length === 0;
  return {
    spec: {
      name: buildAgentToolName(agent, action),
      description:
        action.description ?? agent.description ?? `Has the agent ${agent.id} do a task and gives its answer.`,
      parameters: asksInWords ? IN_WORDS : usedNames,
    },
    timeoutMs: action.limits.timeoutMs + GRACE_MS,
    // The state of a nested run is stored in the outer run, so it continues instead of starting again.
    idempotent: true,
    nests: true,
    redact,
    effect: (args, context) => taskEffect(agent.id, action, { args, context, redact, reached }),
    execute: async (args, { runAgent, context }) => {
      if (!runAgent) throw new Error("there is no run in which an agent could be run.");
      const { task, ...input } = args;
      const subject = { agent: agent.id, action: action.id, context };
      return asksInWords && typeof task === "string"
        ? await runAgent({ ...subject, input, task })
        : await runAgent({ ...subject, input: args });
    },
  };
}

interface AskedTask {
  readonly args: JsonObject;
  readonly context: JsonObject | undefined;
  readonly redact: Redact;
  readonly reached: AgentToolOptions["reached"];
}

/** The effect of a task for the plan: the templates of the action and the arguments that fill them. */
function taskEffect(
  agent: string,
  { id, task, input, context }: Pick<AgentActionConfig, "id" | "task" | "input" | "context">,
  { args, context: further = {}, redact, reached }: AskedTask,
): CallEffect {
  const action = redact(JSON.stringify({ id, task, input, context, further }));
  return {
    question: `be called with these arguments?\nagent: ${agent}, action: ${id}`,
    deed: { agent, action, reached: reached(), arguments: redact(JSON.stringify(args)) },
  };
}

const IN_WORDS: JsonObject = {
  type: "object",
  properties: { task: { type: "string", description: "What the agent is to do, with all that it must know." } },
  required: ["task"],
  additionalProperties: false,
};

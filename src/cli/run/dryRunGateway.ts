// Creates a gateway that captures the first model request instead of sending it.

import {
  type AgentConfig,
  type AgentTool,
  type Config,
  RECORDED_BASE_URL,
  type UpstreamConfig,
} from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Egress, ProcessPort } from "../../core/ports.ts";
import type { ReplayServers } from "../../core/tools/mcpCalls.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import { openServices } from "../../gateway/openServices.ts";
import { systemClock } from "../../network/system.ts";

export interface DryRunGateway {
  readonly gateway: GatewayServices;
  /** The first model request of `work`: method, address and body; undefined if there was none. */
  first(work: () => Promise<void>): Promise<string | undefined>;
}

const DRY_RUN = new PostelError(createFailure("cancelled", "Nothing is asked here."));

/** Sends nothing: no model, service or model list is contacted. Its agents have none of the tools that servers list. */
export async function createDryRunGateway(config: Config): Promise<DryRunGateway> {
  let storeFile: string | undefined;
  const egress: Egress = {
    async send({ method, url, body = "", purpose }) {
      if (purpose.kind === "model") storeFile ??= `${method} ${url}\n${indented(body)}`;
      throw DRY_RUN;
    },
  };
  const processes: ProcessPort = { run: () => Promise.reject(DRY_RUN) };
  const servers: ReplayServers = { listTools: () => [], around: () => Promise.reject(DRY_RUN) };
  const upstreams = config.upstreams.map(disableRecording);
  const gateway = await openServices(
    { ...config, upstreams, agents: config.agents.map(removeServedTools) },
    {
      observers: [],
      replay: { egress, processes, servers, clock: systemClock, random: () => 0.5 },
    },
  );
  return {
    gateway,
    async first(work) {
      storeFile = undefined;
      await work();
      return storeFile && gateway.redact(storeFile);
    },
  };
}

/** Note for a server that lists its tools itself and is not contacted. */
export function formatUnlistedNote(id: string): string {
  return `${id} (mcp) lists its tools only when it is asked: postel tools --connect`;
}

function removeServedTools(agent: AgentConfig): AgentConfig {
  const { actions, modes } = agent;
  return {
    ...agent,
    tools: agent.tools.filter(isKnown),
    actions: actions.map((action) => ({ ...action, tools: action.tools.filter(isKnown) })),
    ...(modes && {
      modes: Object.fromEntries(
        Object.entries(modes).map(([mode, its]) => [mode, { ...its, tools: its.tools?.filter(isKnown) }]),
      ),
    }),
  };
}

function isKnown({ server }: AgentTool): boolean {
  return server === undefined;
}

/** A recorded model would replay its recording instead. */
function disableRecording(upstream: UpstreamConfig): UpstreamConfig {
  if (upstream.type === "server") return upstream;
  const { id } = upstream;
  return {
    type: "server",
    wire: "openai",
    id,
    baseUrl: RECORDED_BASE_URL,
    headers: {},
    models: ["*"],
    parse: "on",
  };
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

// `postel validate`: reports if the configuration is usable, or all of its faults.

import type { Config } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { openServices } from "../../gateway/openServices.ts";
import type { ServerOffer, ToolRegistry } from "../../tools/ToolRegistry.ts";
import { type ConfigFlags, loadFlags, resolveConfigFile } from "../options/loadFlags.ts";
import { pluralize } from "../output/format.ts";
import { writeText } from "../output/terminal.ts";
import { findUnservedModels } from "./missingModels.ts";
import { findUnofferedTools } from "./missingTools.ts";

/** Resolves with the exit status. Faults are thrown as one error, which the command line prints. */
export async function validateConfig(flags: ConfigFlags): Promise<number> {
  const config = loadFlags(flags);
  const file = resolveConfigFile(flags);
  // Uses no store file: a file created by this user could be unusable for the user that runs the gateway.
  const gateway = await openServices({ ...config, store: { ...config.store, file: undefined } }, { observers: [] });
  const unserved = [...findUnservedModels(config, gateway.directory), ...findUnofferedTools(config, gateway.registry)];
  const unguarded = unguardedTools(config, gateway.registry);
  const servers = gateway.registry.servers().map(describeServerOffer);
  await gateway.close();
  if (unserved.length > 0) {
    const message = `Nobody serves what the configuration names:\n${unserved.map((line) => `${file} ${line}`).join("\n")}`;
    throw new PostelError(createFailure("invalid_configuration", message));
  }
  const { upstreams, models, agents } = config;
  const counts = [
    pluralize(upstreams.length, "upstream"),
    pluralize(models.length, "model row"),
    pluralize(agents.length, "agent"),
  ];
  writeText([`ok: ${file} (${counts.join(", ")})`, ...servers, ...unguarded, ""].join("\n"));
  return 0;
}

/** One line for each tool whose risky calls need no approval. */
function unguardedTools({ agents }: Config, registry: ToolRegistry): readonly string[] {
  const line = (whose: string): string =>
    `  ${whose}: \`danger: off\`, so that nobody is asked about its dangerous calls`;
  const allToolsLine = registry.danger === "off" ? [line("all tools")] : [];
  const toolsWithoutChecks = registry.all().filter(({ danger }) => danger === "off");
  const entries = agents.flatMap((agent) =>
    [agent, ...agent.actions, ...Object.values(agent.modes ?? {})]
      .flatMap(({ tools = [] }) => tools)
      .filter(({ danger }) => danger === "off")
      .map(({ tool, name = tool }) => line(`${name} of ${agent.id}`)),
  );
  // The keys of an agent are those of its actions too.
  return [...new Set([...allToolsLine, ...toolsWithoutChecks.map(({ spec }) => line(spec.name)), ...entries])];
}

/** A server that is down now may be up when the gateway starts, or later. */
function describeServerOffer({ server, tools, outage }: ServerOffer & { readonly server: string }): string {
  if (outage === undefined) return `  ${server}: ${pluralize(tools.length, "tool")}`;
  return `  ${server}: down, and the gateway starts without it: ${outage}`;
}

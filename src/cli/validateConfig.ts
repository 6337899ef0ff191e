// `postel validate`: says whether the configuration can be used, or everything that is wrong with it.
import { compose } from "../compose.ts";
import type { Config } from "../core/configuration.ts";
import { failure, PostelError } from "../core/failures.ts";
import type { ServerOffer, ToolRegistry } from "../tools/ToolRegistry.ts";
import { type ConfigFlags, configFile, loadFlags } from "./configuration.ts";
import { countOf } from "./spelling.ts";
import { writeText } from "./terminal.ts";
import { unofferedTools } from "./unofferedTools.ts";
import { unservedModels } from "./unservedModels.ts";

/** Resolves with the exit status; the faults themselves are the error's message, which the command line writes. */
export async function validateConfig(flags: ConfigFlags): Promise<number> {
  const config = loadFlags(flags);
  const file = configFile(flags);
  // A store that whoever checks makes as a file of their own would be nobody's whom the gateway runs as.
  const house = await compose({ ...config, store: { ...config.store, file: undefined } }, { observers: [] });
  const unserved = [...unservedModels(config, house.directory), ...unofferedTools(config, house.registry)];
  const unguarded = unguardedTools(config, house.registry);
  const servers = house.registry.servers().map(wordsOf);
  await house.close();
  if (unserved.length > 0) {
    const message = `Nobody serves what the configuration names:\n${unserved.map((line) => `${file} ${line}`).join("\n")}`;
    throw new PostelError(failure("invalid_configuration", message));
  }
  const { upstreams, models, agents } = config;
  const counts = [
    countOf(upstreams.length, "upstream"),
    countOf(models.length, "model row"),
    countOf(agents.length, "agent"),
  ];
  writeText([`ok: ${file} (${counts.join(", ")})`, ...servers, ...unguarded, ""].join("\n"));
  return 0;
}

/** A line for each tool of which nobody is asked though a call is dangerous. */
function unguardedTools({ agents }: Config, registry: ToolRegistry): readonly string[] {
  const line = (whose: string): string =>
    `  ${whose}: \`danger: off\`, so that nobody is asked about its dangerous calls`;
  const whole = registry.danger === "off" ? [line("all tools")] : [];
  const own = registry.all().filter(({ danger }) => danger === "off");
  const entries = agents.flatMap((agent) =>
    [agent, ...agent.actions, ...Object.values(agent.modes ?? {})]
      .flatMap(({ tools = [] }) => tools)
      .filter(({ danger }) => danger === "off")
      .map(({ tool, name = tool }) => line(`${name} of ${agent.id}`)),
  );
  // The keys of an agent are those of its actions too.
  return [...new Set([...whole, ...own.map(({ spec }) => line(spec.name)), ...entries])];
}

/** A server that is down now may be up when the gateway starts, or later. */
function wordsOf({ server, tools, outage }: ServerOffer & { readonly server: string }): string {
  if (outage === undefined) return `  ${server}: ${countOf(tools.length, "tool")}`;
  return `  ${server}: down, and the gateway starts without it: ${outage}`;
}

// `postel validate`: says whether the configuration can be used, or everything that is wrong with it.
import { type ConfigFlags, configFile, loadFlags } from "./configuration.ts";
import { writeText } from "./terminal.ts";

/** Resolves with the exit status; the faults themselves are the error's message, which the command line writes. */
export function validateConfig(flags: ConfigFlags): number {
  const { upstreams, models, agents } = loadFlags(flags);
  const counts = `${upstreams.length} upstreams, ${models.length} model rows, ${agents.length} agents`;
  writeText(`ok: ${configFile(flags)} (${counts})\n`);
  return 0;
}

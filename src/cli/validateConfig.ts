// `postel validate`: says whether the configuration can be used, or everything that is wrong with it.
import { compose } from "../compose.ts";
import { failure, PostelError } from "../core/failures.ts";
import { type ConfigFlags, configFile, loadFlags } from "./configuration.ts";
import { writeText } from "./terminal.ts";
import { unservedModels } from "./unservedModels.ts";

/** Resolves with the exit status; the faults themselves are the error's message, which the command line writes. */
export async function validateConfig(flags: ConfigFlags): Promise<number> {
  const config = loadFlags(flags);
  const file = configFile(flags);
  // A store that whoever checks makes as a file of their own would be nobody's whom the gateway runs as.
  const house = await compose({ ...config, store: { ...config.store, file: undefined } }, { observers: [] });
  const unserved = unservedModels(config, house.directory);
  await house.close();
  if (unserved.length > 0) {
    const message = `Nobody serves what the configuration names:\n${unserved.map((line) => `${file} ${line}`).join("\n")}`;
    throw new PostelError(failure("invalid_configuration", message));
  }
  const { upstreams, models, agents } = config;
  const counts = `${upstreams.length} upstreams, ${models.length} model rows, ${agents.length} agents`;
  writeText(`ok: ${file} (${counts})\n`);
  return 0;
}

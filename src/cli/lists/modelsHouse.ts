// A house in which models are looked up: upstreams are asked for their lists, evidence is read where it is kept. Begins no run and starts no tool.
import { existsSync } from "node:fs";
import { compose, type House } from "../../compose.ts";
import type { Config } from "../../core/configuration.ts";
import { loadWithUpstream, type StoreFlags, type UpstreamFlags } from "../configuration.ts";
import { keptFile } from "../terminalStore.ts";

export interface ModelsFlags extends StoreFlags, UpstreamFlags {
  readonly json: boolean;
}

/**
 * Resolves with what `work` does.
 * @param work is given the configuration as the house has it: with a `store.file` only where that is there.
 */
export async function withModels(
  flags: ModelsFlags,
  work: (house: House, config: Config) => Promise<number>,
): Promise<number> {
  const config = loadWithUpstream(flags);
  const kept = keptFile(config, flags);
  const file = existsSync(kept) ? kept : undefined;
  const withoutTools = { ...config, agents: [], workflows: [], components: [], store: { ...config.store, file } };
  const house = await compose(withoutTools, { observers: [] });
  try {
    return await work(house, withoutTools);
  } finally {
    await house.close();
  }
}

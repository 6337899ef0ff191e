// Creates a gateway for model look-ups: lists the models of upstreams and reads stored observations. Starts no run and no
// tool.
import { existsSync } from "node:fs";
import type { Config } from "../../core/config/configuration.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import { openServices } from "../../gateway/openServices.ts";
import { resolveStoreFile } from "../options/defaultStore.ts";
import { loadWithUpstream, type StoreFlags, type UpstreamFlags } from "../options/loadFlags.ts";

export interface ModelsFlags extends StoreFlags, UpstreamFlags {
  readonly json: boolean;
}

/**
 * Resolves with the result of `work`. @param work receives the gateway's configuration, with a `store.file` only if that file
 * exists.
 */
export async function withModels(
  flags: ModelsFlags,
  work: (gateway: GatewayServices, config: Config) => Promise<number>,
): Promise<number> {
  const config = loadWithUpstream(flags);
  const storeFile = resolveStoreFile(config, flags);
  const file = existsSync(storeFile) ? storeFile : undefined;
  const withoutTools = { ...config, agents: [], workflows: [], components: [], store: { ...config.store, file } };
  const gateway = await openServices(withoutTools, { observers: [] });
  try {
    return await work(gateway, withoutTools);
  } finally {
    await gateway.close();
  }
}

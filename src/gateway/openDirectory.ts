// Opens the directory of models with the upstreams of the configuration.
import type { Config, UpstreamConfig } from "../core/config/configuration.ts";
import type { Egress } from "../core/ports.ts";
import { ModelDirectory, type ModelDirectoryOptions } from "../models/ModelDirectory.ts";

export function openDirectory(
  config: Config,
  services: Pick<ModelDirectoryOptions, "clock" | "redact" | "learning" | "fastPaths"> & {
    egressOf(upstream: UpstreamConfig): Egress;
  },
  signal: AbortSignal,
): Promise<ModelDirectory> {
  const { egressOf, ...rest } = services;
  const { aliases, timeouts, limits, server } = config;
  const upstreams = config.upstreams.map((upstream) => ({ config: upstream, egress: egressOf(upstream) }));
  const queue = { permits: placesOfOne(config), maxWaiting: server.maxQueued, waitMs: server.queueMs };
  return ModelDirectory.open({ upstreams, aliases, timeouts, limits, queue, ...rest }, signal);
}

/** Permits of an upstream without `max_in_flight`: all of them if it is the only one, otherwise half. */
function placesOfOne({ upstreams, server }: Config): number {
  const servers = upstreams.filter(({ type }) => type === "server");
  return servers.length > 1 ? Math.ceil(server.maxInFlight / 2) : server.maxInFlight;
}

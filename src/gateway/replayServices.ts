// Replaces the network, programs and MCP servers by recordings.
import type { Config, UpstreamConfig } from "../core/config/configuration.ts";
import type { Egress, Redact } from "../core/ports.ts";
import { redactSent } from "../transcripts/redaction/redactExchange.ts";
import { RecordedModels } from "../transcripts/replay/RecordedModels.ts";
import { redactStarted } from "../transcripts/replay/ReplayProcesses.ts";
import { redactServed } from "../transcripts/replay/ReplayServers.ts";
import type { GatewayServicesOptions } from "./GatewayServices.ts";

/** The replacements of a replay, with secrets removed; undefined if there is no replay. */
export function createReplacements({ replay }: GatewayServicesOptions, redact: Redact) {
  if (!replay) return undefined;
  return {
    egress: redactSent(replay.egress, redact),
    processes: redactStarted(replay.processes, redact),
    servers: redactServed(replay.servers, redact),
  };
}

/**
 * Egresses of the upstreams that are folders of recordings. @throws PostelError `invalid_configuration` if a recording cannot be
 * read.
 */
export function openRecordedUpstreams(
  { upstreams }: Config,
  wayOut: (innermost: Egress) => Egress,
): ReadonlyMap<UpstreamConfig, Egress> {
  const folders = upstreams.flatMap((upstream) => (upstream.type === "recorded" ? [upstream] : []));
  return new Map(folders.map((upstream) => [upstream, wayOut(new RecordedModels(upstream.transcripts))]));
}

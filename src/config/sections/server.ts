// The section `server` of postel.yaml, and its synonym `controller`.
import { z } from "zod";
import type { ServerConfig } from "../../core/config/configuration.ts";
import { flag, integerField, listField, nonEmptyText } from "../fields.ts";
import { createApiKeysSchema } from "./apiKeys.ts";

const HOUR_MS = 3_600_000;

export function createServerSchema() {
  return serverFields().transform(toServerConfig);
}

/** The form used in component files. */
export function createControllerSchema() {
  const type = z.literal("http-server", { error: "expected http-server" });
  return serverFields()
    .extend({ type })
    .transform(({ type: _, ...server }) => toServerConfig(server));
}

function serverFields() {
  return z.strictObject({
    host: nonEmptyText("a host name or address").default("127.0.0.1"),
    port: integerField("", 0, 65_535).default(7678),
    max_body_bytes: integerField("bytes", 1_024, 1_073_741_824).default(10_485_760),
    max_buffered_bytes: integerField("bytes", 1_024, 1_099_511_627_776).default(134_217_728),
    max_connections: integerField("connections", 1, 1_000_000).default(4_096),
    max_in_flight: integerField("requests", 1, 100_000).default(512),
    max_queued: integerField("requests", 0, 100_000).default(1_024),
    queue_ms: integerField("milliseconds", 1, HOUR_MS).default(30_000),
    cors_origins: listField(nonEmptyText("an origin or *"), "origins").default([]),
    api_keys: createApiKeysSchema().default([]),
    allow_unauthenticated: flag().default(false),
  });
}

function toServerConfig(server: z.output<ReturnType<typeof serverFields>>): ServerConfig {
  return {
    host: server.host,
    port: server.port,
    maxBodyBytes: server.max_body_bytes,
    maxBufferedBytes: server.max_buffered_bytes,
    maxConnections: server.max_connections,
    maxInFlight: server.max_in_flight,
    maxQueued: server.max_queued,
    queueMs: server.queue_ms,
    corsOrigins: server.cors_origins,
    apiKeys: server.api_keys,
    allowUnauthenticated: server.allow_unauthenticated,
  };
}

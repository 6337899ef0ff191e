// The documented defaults of the configuration, for tests that build a part of the gateway by hand.

import type { LimitsConfig, ServerConfig, StoreConfig, TimeoutsConfig } from "../../src/core/config/configuration.ts";
import { readFastPaths } from "../../src/gateway/fastPaths.ts";

/** Switch of the fast paths, as `npm run test:plain-paths` sets it. */
export const FAST_PATHS = readFastPaths(process.env);

export const SERVER: ServerConfig = {
  host: "127.0.0.1",
  port: 7678,
  maxBodyBytes: 10_485_760,
  maxBufferedBytes: 134_217_728,
  maxConnections: 4_096,
  maxInFlight: 512,
  maxQueued: 1_024,
  queueMs: 30_000,
  corsOrigins: [],
  apiKeys: [],
  allowUnauthenticated: false,
};

export const LIMITS: LimitsConfig = {
  maxTools: 128,
  maxMessages: 4_096,
  jsonDepth: 64,
  jsonKeys: 50_000,
  jsonValues: 250_000,
  descriptionChars: 65_536,
  schemaSteps: 100_000,
  answerChars: 8_388_608,
  answerEvents: 500_000,
  callChars: 1_048_576,
  callsPerTurn: 16,
  interruptMs: 604_800_000,
  maxClientCalls: 128,
  toolOutputChars: 10_000,
  parallelTools: 4,
  captureChars: 262_144,
  maxCorrections: 2,
  run: { maxTurns: 10, timeoutMs: 120_000, maxCalls: 128, totalTokens: 1_000_000 },
};

export const TIMEOUTS: TimeoutsConfig = {
  connectMs: 10_000,
  headersMs: 300_000,
  firstEventMs: 300_000,
  idleMs: 60_000,
  answerMs: 600_000,
  clientStallMs: 30_000,
  toolMs: 30_000,
};

const DAY_MS = 86_400_000;

export const STORE: StoreConfig = {
  maxBytes: 1_073_741_824,
  retentionMax: { sessions: 10_000, messages: 10_000, runs: 10_000, events: 100_000, memories: 10_000 },
  keepMs: { sessions: 90 * DAY_MS, runs: 30 * DAY_MS, events: 7 * DAY_MS, memories: 3_650 * DAY_MS },
};

// Opens all services of a gateway. No other module wires services together.

import { refuseUnattended } from "../agents/approvals/checkNonInteractive.ts";
import { AuditRecorder } from "../agents/audit/AuditRecorder.ts";
import { collectSecrets } from "../config/load/collectSecrets.ts";
import type { Config, UpstreamConfig } from "../core/config/configuration.ts";
import type { AlarmClock, ReceivedRequest } from "../core/ports.ts";
import type { Store } from "../core/stores/Store.ts";
import { systemClock, systemIds, systemRandom } from "../network/system.ts";
import { RunService } from "../runs/RunService.ts";
import { MemoryExtractor } from "../sessions/MemoryExtractor.ts";
import { SessionService } from "../sessions/SessionService.ts";
import { createObserver } from "../telemetry/createObserver.ts";
import { createFanOut } from "../telemetry/fanOut.ts";
import { createRedact } from "../telemetry/redaction/createRedact.ts";
import type { UnrecordedExchanges } from "../transcripts/record/TranscriptFolder.ts";
import { createEgress } from "./createEgress.ts";
import type { createRecorder } from "./createRecorder.ts";
import { createRunner } from "./createRunner.ts";
import { readFastPaths } from "./fastPaths.ts";
import type { GatewayServices, GatewayServicesOptions } from "./GatewayServices.ts";
import { openDirectory } from "./openDirectory.ts";
import { openRegistry } from "./openRegistry.ts";
import { openMemorySearch, openStore, openTrail } from "./openStore.ts";
import { createDetector } from "./parserServices.ts";
import { readRecordedProfile, resolveRequestModel } from "./recordedProfile.ts";
import { createReplacements, openRecordedUpstreams } from "./replayServices.ts";

/** @throws PostelError `invalid_configuration` for unreadable recordings and for tools whose names clash. */
export async function openServices(config: Config, options: GatewayServicesOptions = {}): Promise<GatewayServices> {
  const fastPaths = readFastPaths(process.env);
  const waits = options.replay?.clock ?? systemClock;
  // Deadlines use the real clock even in a replay, because the replay's waits end at once.
  const clock: AlarmClock = { ...systemClock, now: () => waits.now() };
  const redact = createRedact(collectSecrets(config));
  const base = createFanOut(options.observers ?? [createObserver(process.stderr, { redact, now: clock.now })]);
  const lasts = options.replay === undefined;
  const { store, health, evidence, counter } = await openStore(config, clock, { base, lasts });
  const { trail, heads } = await openTrail(config, { store, health, lasts, base });
  const detector = createDetector(config, evidence);
  const onLost = (lost: UnrecordedExchanges): void => base.observe({ type: "recording-failed", ...lost });
  const resolveProfile = (model: string) => readRecordedProfile(model, { detector, directory, redact });
  // Called with the first exchange, when the directory exists.
  const resolveModel = (request: ReceivedRequest) => redact(resolveRequestModel(request, config, directory));
  const recording = await openRecorder(options.recordTo, { resolveModel, resolveProfile, onLost, redact, clock });
  const observer = createFanOut([base, recording?.observer, counter].filter((one) => one !== undefined));

  const random = options.replay?.random ?? systemRandom;
  const onTheWay = { ...recording, clock, waits, random, observer };
  const outside = createReplacements(options, redact);
  const { egress, wayOut, network } = createEgress(config, onTheWay, outside?.egress);
  const recorded = openRecordedUpstreams(config, wayOut);
  const egressOf = (upstream: UpstreamConfig) => recorded.get(upstream) ?? egress;

  const starting = new AbortController().signal;
  const learning = options.replay ? undefined : { evidence, observer };
  const directory = await openDirectory(config, { egressOf, clock, redact, learning, fastPaths }, starting);
  const findFacts = await openMemorySearch(config, { store, directory, observer }, options);
  const carriers = { ...onTheWay, egress, replayed: outside, directory, store, findFacts };
  const registry = await openRegistry(config, carriers, starting);
  const { agents, workflows, limits, server, timeouts } = config;
  refuseUnattended(agents, registry);
  const auditRecorder = trail && new AuditRecorder({ trail, textPolicy: config.audit, redact, observer });
  const shared = { directory, detector, agents, workflows, limits, clock, ids: systemIds, fastPaths };
  const services = { ...shared, observer, redact, auditRecorder };
  const runner = createRunner(
    { ...services, registry, findFacts, definitions: store.definitions, onActivity: options.onActivity },
    timeouts,
  );
  const runs = new RunService({ ...services, runner, store, egress, webhooks: config.webhooks, ...config.runs });
  const savesMemories = agents.some(({ memory }) => memory !== undefined);
  const memoryExtractor = savesMemories ? new MemoryExtractor({ ...services, runner, store }) : undefined;
  const going = memoryExtractor ? [runs, memoryExtractor] : [runs];
  return {
    ...services,
    ...{ registry, store, trail, health, runner, runs, server, timeouts },
    sessions: new SessionService({ ...services, store, runs, memoryExtractor, maxMessages: limits.maxMessages }),
    start() {
      if (config.store.file !== undefined) runs.startBackgroundRuns();
      heads?.start();
    },
    close: () =>
      closeServices({ sink: recording?.sink, evidence, counter, trail, heads }, going, [registry, store, network]),
  };
}

/** Loaded only if a recording is made: it takes 10 ms. */
async function openRecorder(folder: string | undefined, options: Parameters<typeof createRecorder>[1]) {
  return folder === undefined ? undefined : (await import("./createRecorder.ts")).createRecorder(folder, options);
}

type Stopped = Pick<RunService, "stop">;
type Closed = Pick<Store, "close">;

/** Stops active work before the stores that it writes to are closed. */
async function closeServices(
  unwritten: Readonly<Record<string, { flush(): Promise<void> } | undefined>>,
  going: readonly Stopped[],
  closed: readonly Closed[],
): Promise<void> {
  await Promise.all(going.map((part) => part.stop()));
  for (const part of Object.values(unwritten)) await part?.flush();
  for (const part of closed) await part.close();
}

// Composes all services of the gateway. No other module wires services together.

import { AgentRunner } from "../agents/AgentRunner.ts";
import { refuseUnattended } from "../agents/approvals/checkNonInteractive.ts";
import type { AuditRecorder, AuditRecorderOptions } from "../agents/audit/AuditRecorder.ts";
import { type RunnerApi, redactFailures } from "../agents/redactFailures.ts";
import type { Activity } from "../agents/run/toActivity.ts";
import type { WorkflowPlanner, WorkflowPlannerOptions } from "../agents/workflows/WorkflowPlanner.ts";
import { collectSecrets } from "../config/load/collectSecrets.ts";
import type { KnownNames } from "../config/load/KnownNames.ts";
import { type ConfigSources, loadConfig } from "../config/load/loadConfig.ts";
import { readModelRow, writeModelRow } from "../config/models/modelProfiles.ts";
import type { Config, UpstreamConfig } from "../core/config/configuration.ts";
import { redactJson } from "../core/json/redactJson.ts";
import type { JsonObject } from "../core/messages.ts";
import type { ModelProfile } from "../core/models/capabilities.ts";
import type {
  AlarmClock,
  Clock,
  Egress,
  Ids,
  Observer,
  ProcessPort,
  Random,
  ReceivedRequest,
  Redact,
} from "../core/ports.ts";
import type { Store } from "../core/stores.ts";
import type { ReplayServers } from "../core/tools/mcpCalls.ts";
import type { WriteHealth } from "../core/WriteHealth.ts";
import { CHAT_TEMPLATES, FORMAT_IDS, REASONING } from "../formats/specs/lookupTables.ts";
import { ModelCapabilityDetector } from "../models/capabilities/ModelCapabilityDetector.ts";
import { ObservedCapabilityCache } from "../models/capabilities/ObservedCapabilityCache.ts";
import { ModelDirectory, type ModelDirectoryOptions } from "../models/ModelDirectory.ts";
import { QUIRKS } from "../models/request/quirks.ts";
import { validateAddress, WIRE_IDS, wireOfUrl } from "../models/wires/registry.ts";
import { createHostPolicy, isAllowEntry, saysPublic } from "../network/policy/hostPolicy.ts";
import { systemClock, systemIds, systemRandom } from "../network/system.ts";
import { RunService } from "../runs/RunService.ts";
import type { MemoryExtractor, MemoryExtractorServices } from "../sessions/MemoryExtractor.ts";
import { SessionService } from "../sessions/SessionService.ts";
import type { AuditHeadReporter } from "../stores/audit/AuditHeadReporter.ts";
import type { StoredAuditLog } from "../stores/audit/StoredAuditLog.ts";
import { InMemoryCapabilityStore } from "../stores/InMemoryCapabilityStore.ts";
import { createObserver } from "../telemetry/createObserver.ts";
import { createFanOut } from "../telemetry/fanOut.ts";
import { createRedact } from "../telemetry/redaction/createRedact.ts";
import { validateCommand } from "../tools/shell/validateCommand.ts";
import type { ToolRegistry } from "../tools/ToolRegistry.ts";
import type { UnrecordedExchanges } from "../transcripts/record/TranscriptFolder.ts";
import { createEgress } from "./createEgress.ts";
import type { createRecorder } from "./createRecorder.ts";
import { listBuiltInNames, openRegistry } from "./openRegistry.ts";
import { openMemorySearch, openStore, openTrail } from "./openStore.ts";

/** The services that the commands and the HTTP server use. */
export interface Gateway {
  readonly runner: Pick<AgentRunner, RunnerApi>;
  readonly directory: ModelDirectory;
  readonly detector: ModelCapabilityDetector;
  readonly registry: ToolRegistry;
  readonly store: Store;
  /** The audit log; absent if none is written. */
  readonly trail?: StoredAuditLog | undefined;
  readonly health: WriteHealth;
  /** Reports the head of the audit log once it is started; absent if none is written. */
  readonly heads?: AuditHeadReporter | undefined;
  readonly runs: RunService;
  readonly sessions: SessionService;
  readonly agents: Config["agents"];
  readonly workflows: Config["workflows"];
  readonly server: Config["server"];
  readonly limits: Config["limits"];
  readonly timeouts: Config["timeouts"];
  readonly ids: Ids;
  readonly clock: AlarmClock;
  readonly observer: Observer;
  readonly redact: Redact;
  /** Waits for running exchanges, writes pending data and closes idle connections. */
  close(): Promise<void>;
}

interface Replay {
  readonly egress: Egress;
  readonly processes: ProcessPort;
  readonly servers: ReplayServers;
  readonly clock: Clock;
  readonly random: Random;
}

export interface ComposeOptions {
  /** Folder into which every exchange is recorded. */
  readonly recordTo?: string | undefined;
  /** Replaces the network, programs and MCP servers in a replay. `clock` is the recorded time; its waits between attempts end at once. */
  readonly replay?: Replay | undefined;
  /** Receivers of observations. Absent: a log on standard error, formatted for users if that is a terminal. */
  readonly observers?: readonly Observer[] | undefined;
  /** Called with the activities of each run, by its id; an error that it throws fails the run. */
  readonly onActivity?: ((run: string, activity: Activity) => void) | undefined;
}

/** @throws PostelError `invalid_configuration` for unreadable recordings and for tools whose names clash. */
export async function createGateway(config: Config, options: ComposeOptions = {}): Promise<Gateway> {
  const waits = options.replay?.clock ?? systemClock;
  // Deadlines use the real clock even in a replay, because the replay's waits end at once.
  const clock: AlarmClock = { ...systemClock, now: () => waits.now() };
  const redact = createRedact(collectSecrets(config));
  const told = createFanOut(options.observers ?? [createObserver(process.stderr, { redact, now: clock.now })]);
  const lasts = options.replay === undefined;
  const { store, health, evidence, counter } = await openStore(config, clock, { told, lasts });
  const { trail, heads } = await openTrail(config, { store, health, lasts, told });
  const detector = createDetector(config, evidence);
  const tell = (lost: UnrecordedExchanges): void => told.observe({ type: "recording-failed", ...lost });
  const rowOf = (model: string) => rowOfRecorded(model, { detector, directory, redact });
  // Called with the first exchange, when the directory exists.
  const modelOf = (request: ReceivedRequest) => redact(resolveRequestModel(request, config, directory));
  const recording = await recordingTo(options.recordTo, { resolveModel: modelOf, resolveProfile: rowOf, onLost: tell, redact, clock });
  const observer = createFanOut([told, recording?.observer, counter].filter((one) => one !== undefined));

  const random = options.replay?.random ?? systemRandom;
  const onTheWay = { ...recording, clock, waits, random, observer };
  const outside = await replayed(options, redact);
  const { egress, wayOut, network } = await createEgress(config, onTheWay, outside?.egress);
  const recorded = await recordedUpstreams(config, wayOut);
  const egressOf = (upstream: UpstreamConfig) => recorded.get(upstream) ?? egress;

  const starting = new AbortController().signal;
  const learning = options.replay ? undefined : { evidence, observer };
  const directory = await openDirectory(config, { egressOf, clock, redact, learning }, starting);
  const findFacts = await openMemorySearch(config, { store, directory, observer }, options);
  const carriers = { ...onTheWay, egress, replayed: outside, directory, store, findFacts };
  const registry = await openRegistry(config, carriers, starting);
  const { agents, workflows, limits, server, timeouts } = config;
  refuseUnattended(agents, registry);
  const auditRecorder = await createAuditRecorder(trail, { words: config.audit, redact, observer });
  const shared = { directory, detector, agents, workflows, limits, clock, ids: systemIds };
  const services = { ...shared, observer, redact, auditRecorder };
  const planner = await createWorkflowPlanner({ workflows, registry, limits: limits.run, clock, ids: systemIds });
  const runner = redactFailures(
    new AgentRunner({
      ...services,
      registry,
      workflows: planner,
      ...{ findFacts, definitions: store.definitions },
      ...{ toolMs: timeouts.toolMs, answerMs: timeouts.answerMs },
      onActivity: options.onActivity,
    }),
    redact,
  );
  const runs = new RunService({ ...services, runner, store, egress, webhooks: config.webhooks, ...config.runs });
  const memoryExtractor = await createMemoryExtractor({ ...services, runner, store });
  const going = memoryExtractor ? [runs, memoryExtractor] : [runs];
  return {
    ...services,
    ...{ registry, store, trail, health, heads, runner, runs, server, timeouts },
    sessions: new SessionService({ ...services, store, runs, memoryExtractor, maxMessages: limits.maxMessages }),
    close: () =>
      closeGateway({ sink: recording?.sink, evidence, counter, trail, heads }, going, [registry, store, network]),
  };
}

/** Loads the recorder only if an audit log is written. */
async function createAuditRecorder(
  trail: StoredAuditLog | undefined,
  options: Omit<AuditRecorderOptions, "trail">,
): Promise<AuditRecorder | undefined> {
  if (!trail) return undefined;
  const { AuditRecorder: Recorder } = await import("../agents/audit/AuditRecorder.ts");
  return new Recorder({ trail, ...options });
}

/** Loads the planner only if a workflow is configured. */
async function createWorkflowPlanner(options: WorkflowPlannerOptions): Promise<WorkflowPlanner | undefined> {
  if (options.workflows.length === 0) return undefined;
  const { WorkflowPlanner: Planner } = await import("../agents/workflows/WorkflowPlanner.ts");
  return new Planner(options);
}

/** Loaded only if a recording is made. */
async function recordingTo(folder: string | undefined, options: Parameters<typeof createRecorder>[1]) {
  if (folder === undefined) return undefined;
  const { createRecorder: open } = await import("./createRecorder.ts");
  return open(folder, options);
}

/** The replacements of a replay, with secrets removed. Loaded only for a replay. */
async function replayed({ replay }: ComposeOptions, redact: Redact) {
  if (!replay) return undefined;
  const { redactSent } = await import("../transcripts/redaction/redactExchange.ts");
  const { redactStarted } = await import("../transcripts/replay/ReplayProcesses.ts");
  const { redactServed } = await import("../transcripts/replay/ReplayServers.ts");
  return {
    egress: redactSent(replay.egress, redact),
    processes: redactStarted(replay.processes, redact),
    servers: redactServed(replay.servers, redact),
  };
}

/** Loaded only if an upstream is a folder of recordings. */
async function recordedUpstreams(
  { upstreams }: Config,
  wayOut: (innermost: Egress) => Egress,
): Promise<ReadonlyMap<UpstreamConfig, Egress>> {
  const folders = upstreams.flatMap((upstream) => (upstream.type === "recorded" ? [upstream] : []));
  if (folders.length === 0) return new Map();
  const { RecordedModels } = await import("../transcripts/replay/RecordedModels.ts");
  return new Map(folders.map((upstream) => [upstream, wayOut(new RecordedModels(upstream.transcripts))]));
}

/** Loaded only if an agent saves memories automatically. */
async function createMemoryExtractor(services: MemoryExtractorServices): Promise<MemoryExtractor | undefined> {
  const isWanted = services.agents.some(({ memory }) => memory !== undefined);
  if (!isWanted) return undefined;
  const { MemoryExtractor: Extractor } = await import("../sessions/MemoryExtractor.ts");
  return new Extractor(services);
}

type Stopped = Pick<RunService, "stop">;
type Closed = Pick<Store, "close">;

/** Stops active work before the stores that it writes to are closed. */
async function closeGateway(
  unwritten: Readonly<Record<string, { flush(): Promise<void> } | undefined>>,
  going: readonly Stopped[],
  closed: readonly Closed[],
): Promise<void> {
  await Promise.all(going.map((part) => part.stop()));
  for (const part of Object.values(unwritten)) await part?.flush();
  for (const part of closed) await part.close();
}

/** Loads the configuration with the names that the modules define. @throws PostelError as `loadConfig` does. */
export function readConfig(sources: Omit<ConfigSources, "known">): Config {
  return loadConfig({ ...sources, known: knownNames() });
}

/** Parses a profile from a recording. @throws PostelError `invalid_configuration`. */
export function parseModelProfile(written: unknown): ModelProfile {
  return readModelRow(written, knownNames());
}

/** The services for parsing a model's text, without network and tools. */
export function createParserServices(config: Config): Pick<Gateway, "detector" | "ids" | "limits"> {
  return {
    detector: createDetector(
      config,
      new ObservedCapabilityCache(new InMemoryCapabilityStore(systemClock), systemClock),
    ),
    ids: systemIds,
    limits: config.limits,
  };
}

function knownNames(): KnownNames {
  return {
    families: FORMAT_IDS,
    reasoningMarks: new Set(REASONING.map(({ id }) => id)),
    wires: new Set(CHAT_TEMPLATES.map(({ id }) => id)),
    upstreamWires: WIRE_IDS,
    addressFault: validateAddress,
    hostFault: (url, allow) => createHostPolicy(allow).writtenFault(new URL(url).hostname),
    saysPublic: (url) => saysPublic(new URL(url).hostname),
    isAllowEntry,
    quirks: new Set(QUIRKS.keys()),
    parseServerUrl: wireOfUrl,
    commandFaults: validateCommand,
    tools: new Set(listBuiltInNames()),
  };
}

/** The operator's profile of a model as configured, with the context size that its server reported, for a recording. */
function rowOfRecorded(
  model: string,
  { detector, directory, redact }: Pick<Gateway, "detector" | "directory" | "redact">,
): JsonObject | undefined {
  const own = detector.operatorRow(model);
  const contextTokens = directory.resolve(model)[0]?.window?.said();
  const said =
    contextTokens === undefined
      ? undefined
      : { match: [model.toLowerCase().replaceAll(/\s+/g, "*")], contextTokens, why: SERVER_SAID };
  const row = said ? { ...said, ...own } : own;
  // Redacting an object returns an object.
  return row && (redactJson(writeModelRow(row), redact) as JsonObject);
}

const SERVER_SAID = "the server's own word when this was recorded";

/** The model name that is sent upstream for a request, after agents, aliases and components are resolved. */
function resolveRequestModel({ path, body }: ReceivedRequest, { agents }: Config, directory: ModelDirectory): string {
  const sent = String(body.model ?? body.agent);
  const agent = path === "/v1/agent" ? agents.find(({ id }) => id === (body.agent ?? sent)) : undefined;
  const name = agents.some(({ id }) => id === sent) ? (agent?.model ?? sent) : sent;
  return directory.resolve(name)[0]?.model ?? name;
}

function createDetector(config: Config, evidence: ObservedCapabilityCache): ModelCapabilityDetector {
  return new ModelCapabilityDetector({ operator: config.operatorModels, shipped: config.models, evidence });
}

function openDirectory(
  config: Config,
  services: Pick<ModelDirectoryOptions, "clock" | "redact" | "learning"> & {
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

// The only place that wires services together: the system on one page. Knows no command and no route.
import { AgentRunner } from "./agents/AgentRunner.ts";
import type { Activity } from "./agents/activityOf.ts";
import { type RunnerDoor, redactFailures } from "./agents/redactFailures.ts";
import { refuseUnattended } from "./agents/refuseUnattended.ts";
import { composeEgress } from "./composeEgress.ts";
import type { composeRecording } from "./composeRecording.ts";
import { factFinder, openStore, openTrail } from "./composeStore.ts";
import { builtInNames, openRegistry } from "./composeTools.ts";
import type { KnownNames } from "./config/KnownNames.ts";
import { type ConfigSources, loadConfig } from "./config/loadConfig.ts";
import { readModelRow, writeModelRow } from "./config/modelRows.ts";
import { secretsOf } from "./config/secretsOf.ts";
import type { CapabilityRow } from "./core/capabilities.ts";
import type { Config, UpstreamConfig } from "./core/configuration.ts";
import type { JsonObject } from "./core/messages.ts";
import type {
  AlarmClock,
  AskedRequest,
  Clock,
  Egress,
  Ids,
  Observer,
  ProcessPort,
  Random,
  Redact,
} from "./core/ports.ts";
import { redactJson } from "./core/redactJson.ts";
import type { PlayedServers } from "./core/servedCalls.ts";
import type { Store } from "./core/stores.ts";
import type { WriteHealth } from "./core/WriteHealth.ts";
import { FAMILY_IDS, REASONING, WIRES } from "./formats/families/tables.ts";
import { EvidenceCache } from "./models/EvidenceCache.ts";
import { ModelCapabilityDetector } from "./models/ModelCapabilityDetector.ts";
import { ModelDirectory, type ModelDirectoryOptions } from "./models/ModelDirectory.ts";
import { QUIRKS } from "./models/quirks.ts";
import { addressFault, WIRE_IDS, wireOfUrl } from "./models/wires/wires.ts";
import { hostPolicy, isAllowEntry, saysPublic } from "./network/hostPolicy.ts";
import { systemClock, systemIds, systemRandom } from "./network/system.ts";
import { RunDesk } from "./runs/RunDesk.ts";
import type { KeeperServices, MemoryKeeper } from "./sessions/MemoryKeeper.ts";
import { SessionDesk } from "./sessions/SessionDesk.ts";
import type { HeadTeller } from "./stores/audit/HeadTeller.ts";
import type { StoredTrail } from "./stores/audit/StoredTrail.ts";
import { MemoryEvidenceStore } from "./stores/MemoryEvidenceStore.ts";
import { createObserver } from "./telemetry/createObserver.ts";
import { createRedact } from "./telemetry/createRedact.ts";
import { fanOut } from "./telemetry/fanOut.ts";
import { commandFaults } from "./tools/shell/commandFaults.ts";
import type { ToolRegistry } from "./tools/ToolRegistry.ts";
import type { LostExchanges } from "./transcripts/TranscriptFolder.ts";

/** Everything that the commands and the HTTP side work with. */
export interface House {
  readonly runner: Pick<AgentRunner, RunnerDoor>;
  readonly directory: ModelDirectory;
  readonly detector: ModelCapabilityDetector;
  readonly registry: ToolRegistry;
  readonly store: Store;
  /** Writes down what happens; absent where nothing is written down. */
  readonly trail?: StoredTrail | undefined;
  readonly health: WriteHealth;
  /** Tells the audit's head once it is started; absent where nothing is written down. */
  readonly heads?: HeadTeller | undefined;
  readonly runs: RunDesk;
  readonly sessions: SessionDesk;
  readonly agents: Config["agents"];
  readonly workflows: Config["workflows"];
  readonly server: Config["server"];
  readonly limits: Config["limits"];
  readonly timeouts: Config["timeouts"];
  readonly ids: Ids;
  readonly clock: AlarmClock;
  readonly observer: Observer;
  readonly redact: Redact;
  /** Writes what is still unwritten and ends idle connections; running exchanges finish first. */
  close(): Promise<void>;
}

interface Replay {
  readonly egress: Egress;
  readonly processes: ProcessPort;
  readonly servers: PlayedServers;
  readonly clock: Clock;
  readonly random: Random;
}

export interface ComposeOptions {
  /** Folder that every exchange is recorded into. */
  readonly recordTo?: string | undefined;
  /** Takes the place of the network, of programs and of servers of tools: what a replay is. `clock` says when it was, and its waits between attempts are over at once. */
  readonly replay?: Replay | undefined;
  /** Who is told what happens. Absent: a log on standard error, in lines for people where that is a terminal. */
  readonly observers?: readonly Observer[] | undefined;
  /** Told what each run does, by its id, as it happens; what it throws is the run's failure. */
  readonly onActivity?: ((run: string, activity: Activity) => void) | undefined;
}

/** @throws PostelError `invalid_configuration` for recordings that cannot be read and tools whose names clash. */
export async function compose(config: Config, options: ComposeOptions = {}): Promise<House> {
  const waits = options.replay?.clock ?? systemClock;
  // Timers that guard an exchange or a run are real ones even then: one that is over at once would end what it guards.
  const clock: AlarmClock = { ...systemClock, now: () => waits.now() };
  const redact = createRedact(secretsOf(config));
  const told = fanOut(options.observers ?? [createObserver(process.stderr, { redact, now: clock.now })]);
  const lasts = options.replay === undefined;
  const { store, health, evidence, counter } = await openStore(config, clock, { told, lasts });
  const { trail, heads } = await openTrail(config, { store, health, lasts, told });
  const detector = createDetector(config, evidence);
  const tell = (lost: LostExchanges): void => told.observe({ type: "unrecorded", ...lost });
  const rowOf = (model: string) => rowOfRecorded(model, { detector, directory, redact });
  // Asked with the first exchange, when there is a directory.
  const modelOf = (request: AskedRequest) => redact(modelBehind(request, config, directory));
  const recording = await recordingTo(options.recordTo, { modelOf, rowOf, tell, redact, clock });
  const observer = fanOut([told, recording?.observer, counter].filter((one) => one !== undefined));

  const random = options.replay?.random ?? systemRandom;
  const onTheWay = { ...recording, clock, waits, random, observer };
  const outside = await replayed(options, redact);
  const { egress, wayOut, network } = await composeEgress(config, onTheWay, outside?.egress);
  const recorded = await recordedUpstreams(config, wayOut);
  const egressOf = (upstream: UpstreamConfig) => recorded.get(upstream) ?? egress;

  const starting = new AbortController().signal;
  const learning = options.replay ? undefined : { evidence, observer };
  const directory = await openDirectory(config, { egressOf, clock, redact, learning }, starting);
  const findFacts = await factFinder(config, { store, directory, observer }, options);
  const carriers = { ...onTheWay, egress, replayed: outside, directory, store, findFacts };
  const registry = await openRegistry(config, carriers, starting);
  const { agents, workflows, limits, server, timeouts } = config;
  refuseUnattended(agents, registry);
  // Loaded only where something is written down.
  const witness =
    trail && new (await import("./agents/Witness.ts")).Witness({ trail, words: config.audit, redact, observer });
  const services = { directory, detector, agents, workflows, limits, clock, ids: systemIds, observer, redact, witness };
  const steps = { workflows, registry, limits: limits.run, clock, ids: systemIds };
  const runner = redactFailures(
    new AgentRunner({
      ...services,
      registry,
      // Loaded only where there is one.
      workflows: workflows.length > 0 ? new (await import("./agents/Workflows.ts")).Workflows(steps) : undefined,
      ...{ findFacts, definitions: store.definitions },
      ...{ toolMs: timeouts.toolMs, answerMs: timeouts.answerMs },
      onActivity: options.onActivity,
    }),
    redact,
  );
  const runs = new RunDesk({ ...services, runner, store, egress, webhooks: config.webhooks, ...config.runs });
  const keeper = await keeperFor({ ...services, runner, store });
  const going = keeper ? [runs, keeper] : [runs];
  return {
    ...services,
    ...{ registry, store, trail, health, heads, runner, runs, server, timeouts },
    sessions: new SessionDesk({ ...services, store, runs, keeper, maxMessages: limits.maxMessages }),
    close: () =>
      closeHouse({ sink: recording?.sink, evidence, counter, trail, heads }, going, [registry, store, network]),
  };
}

/** Loaded only where something is recorded. */
async function recordingTo(folder: string | undefined, options: Parameters<typeof composeRecording>[1]) {
  if (folder === undefined) return undefined;
  const { composeRecording: open } = await import("./composeRecording.ts");
  return open(folder, options);
}

/** What stands outside in a replay, told without secrets. Loaded only for one. */
async function replayed({ replay }: ComposeOptions, redact: Redact) {
  if (!replay) return undefined;
  const { redactSent } = await import("./transcripts/redactExchange.ts");
  const { redactStarted } = await import("./transcripts/ReplayProcesses.ts");
  const { redactServed } = await import("./transcripts/ReplayServers.ts");
  return {
    egress: redactSent(replay.egress, redact),
    processes: redactStarted(replay.processes, redact),
    servers: redactServed(replay.servers, redact),
  };
}

/** Loaded only where an upstream is a folder of recordings. */
async function recordedUpstreams(
  { upstreams }: Config,
  wayOut: (innermost: Egress) => Egress,
): Promise<ReadonlyMap<UpstreamConfig, Egress>> {
  const folders = upstreams.flatMap((upstream) => (upstream.type === "recorded" ? [upstream] : []));
  if (folders.length === 0) return new Map();
  const { RecordedModels } = await import("./transcripts/RecordedModels.ts");
  return new Map(folders.map((upstream) => [upstream, wayOut(new RecordedModels(upstream.transcripts))]));
}

/** Loaded only where an agent remembers by itself. */
async function keeperFor(services: KeeperServices): Promise<MemoryKeeper | undefined> {
  const isWanted = services.agents.some(({ memory }) => memory !== undefined);
  if (!isWanted) return undefined;
  const { MemoryKeeper: Keeper } = await import("./sessions/MemoryKeeper.ts");
  return new Keeper(services);
}

type Stopped = Pick<RunDesk, "stop">;
type Closed = Pick<Store, "close">;

/** What still goes on is given back or ended before what it is written to. */
async function closeHouse(
  unwritten: Readonly<Record<string, { flush(): Promise<void> } | undefined>>,
  going: readonly Stopped[],
  closed: readonly Closed[],
): Promise<void> {
  await Promise.all(going.map((part) => part.stop()));
  for (const part of Object.values(unwritten)) await part?.flush();
  for (const part of closed) await part.close();
}

/** Loads the configuration with the names that the rooms know. @throws PostelError as `loadConfig` does. */
export function readConfig(sources: Omit<ConfigSources, "known">): Config {
  return loadConfig({ ...sources, known: knownNames() });
}

/** A capability row as a recording has it. @throws PostelError `invalid_configuration`. */
export function readRow(written: unknown): CapabilityRow {
  return readModelRow(written, knownNames());
}

/** What reading a model's text needs: no network, no tool that runs. */
export function composeParser(config: Config): Pick<House, "detector" | "ids" | "limits"> {
  return {
    detector: createDetector(config, new EvidenceCache(new MemoryEvidenceStore(systemClock), systemClock)),
    ids: systemIds,
    limits: config.limits,
  };
}

function knownNames(): KnownNames {
  return {
    families: FAMILY_IDS,
    reasoningMarks: new Set(REASONING.map(({ id }) => id)),
    wires: new Set(WIRES.map(({ id }) => id)),
    upstreamWires: WIRE_IDS,
    addressFault,
    hostFault: (url, allow) => hostPolicy(allow).writtenFault(new URL(url).hostname),
    saysPublic: (url) => saysPublic(new URL(url).hostname),
    isAllowEntry,
    quirks: new Set(QUIRKS.keys()),
    wireOfUrl,
    commandFaults,
    tools: new Set(builtInNames()),
  };
}

/**
 * What the operator's configuration says of a model, as it is written there, and what its server says of its context: a recording that was
 * made with it says so.
 */
function rowOfRecorded(
  model: string,
  { detector, directory, redact }: Pick<House, "detector" | "directory" | "redact">,
): JsonObject | undefined {
  const own = detector.operatorRow(model);
  const contextTokens = directory.resolve(model)[0]?.window?.said();
  const said =
    contextTokens === undefined
      ? undefined
      : { match: [model.toLowerCase().replaceAll(/\s+/g, "*")], contextTokens, why: SERVER_SAID };
  const row = said ? { ...said, ...own } : own;
  // A redacted object is an object.
  return row && (redactJson(writeModelRow(row), redact) as JsonObject);
}

const SERVER_SAID = "the server's own word when this was recorded";

/** The name by which the house asks for the model of a request: behind an agent, an alias, a component. */
function modelBehind({ path, body }: AskedRequest, { agents }: Config, directory: ModelDirectory): string {
  const sent = String(body.model ?? body.agent);
  const agent = path === "/v1/agent" ? agents.find(({ id }) => id === (body.agent ?? sent)) : undefined;
  const name = agents.some(({ id }) => id === sent) ? (agent?.model ?? sent) : sent;
  return directory.resolve(name)[0]?.model ?? name;
}

function createDetector(config: Config, evidence: EvidenceCache): ModelCapabilityDetector {
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
  const queue = { most: placesOfOne(config), mostWaiting: server.maxQueued, waitMs: server.queueMs };
  return ModelDirectory.open({ upstreams, aliases, timeouts, limits, queue, ...rest }, signal);
}

/** Places at an upstream that does not say how many it has: an only one may have all, others leave half to the rest. */
function placesOfOne({ upstreams, server }: Config): number {
  const servers = upstreams.filter(({ type }) => type === "server");
  return servers.length > 1 ? Math.ceil(server.maxInFlight / 2) : server.maxInFlight;
}

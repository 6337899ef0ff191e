// One upstream: its client, its last model list, and the routes to its models.
import { Semaphore, type SemaphoreOptions } from "../core/async/Semaphore.ts";
import { RECORDED_BASE_URL, type TimeoutsConfig, type UpstreamConfig } from "../core/config/configuration.ts";
import { type Failure, PostelError } from "../core/failures.ts";
import type { ToolMode } from "../core/messages.ts";
import { matchesPattern } from "../core/models/namePatterns.ts";
import type { Clock, Egress, Observer, Redact } from "../core/ports.ts";
import { AdaptingClient } from "./adaptation/AdaptingClient.ts";
import { RefusalProbe } from "./adaptation/RefusalProbe.ts";
import type { ObservedCapabilityCache } from "./capabilities/ObservedCapabilityCache.ts";
import { ObservedCapabilityWriter } from "./capabilities/ObservedCapabilityWriter.ts";
import { ConcurrencyLimitedClient } from "./clients/ConcurrencyLimitedClient.ts";
import { PassThroughClient } from "./clients/PassThroughClient.ts";
import { UpstreamClient } from "./clients/UpstreamClient.ts";
import { withDefaults } from "./clients/withDefaults.ts";
import { ServerInfo } from "./discovery/ServerInfo.ts";
import type { ModelClient } from "./ModelClient.ts";
import { type ModelEntry, toModelEntry } from "./modelEntry.ts";
import type { Route } from "./Route.ts";
import type { AnswerLimits } from "./response/ResponseLimits.ts";
import { resolveWire } from "./wires/registry.ts";
import type { WireServer } from "./wires/UpstreamWire.ts";

/** Result of an upstream's model list. */
export interface UpstreamState {
  readonly id: string;
  /** Its base URL without a query, or the folder of its recordings. */
  readonly place: string;
  /** The listed names, then the complete names in the configuration. */
  readonly models: readonly string[];
  /** Number of listed models; absent if the request failed. */
  readonly listed?: number | undefined;
  readonly failure?: Failure | undefined;
  /** Base URL under which the upstream lists models, if the configured one only lacks a `/v1`. */
  readonly meant?: string | undefined;
}

/** Options that all upstreams share. */
export interface UpstreamServices {
  readonly timeouts: TimeoutsConfig;
  /** Limits of one answer. */
  readonly limits: AnswerLimits;
  /** False if every answer takes the normal way (`POSTEL_FAST_PATHS=off`). */
  readonly fastPaths: boolean;
  readonly clock: Clock;
  readonly redact: Redact;
  /** Concurrent requests of an upstream whose configuration sets no limit, and the queue for further ones. */
  readonly queue: Pick<SemaphoreOptions, "permits" | "maxWaiting" | "waitMs">;
  /** Stores the results of the gateway's own probes. Absent: the gateway sends no probes, as in a replay. */
  readonly learning?:
    | { readonly evidence: Pick<ObservedCapabilityCache, "put">; readonly observer: Observer }
    | undefined;
}

interface UpstreamOptions extends UpstreamServices {
  readonly config: UpstreamConfig;
  readonly egress: Egress;
  /** Called whenever the upstream has listed its models. */
  readonly onListed: () => void;
}

/** A model that can be called natively is asked so; in text it can always be asked. */
const MODES: readonly ToolMode[] = ["native", "text"];

/** Time for which a model list is cached. Milliseconds. */
const LIST_LIFETIME_MS = 10_000;

/** Failures of a server without a model list: a 404, a page, or a refusal of its own. */
const NO_LIST_THERE = new Set(["upstream_not_found", "upstream_protocol_error", "upstream_refused"]);

function describeUpstream(config: UpstreamConfig): string {
  if (config.type === "recorded") return config.transcripts;
  const { origin, pathname } = new URL(config.baseUrl);
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

/** Recordings are played on the chat wire. */
function recordedServer(id: string): WireServer {
  return { id, wire: "openai", baseUrl: RECORDED_BASE_URL, headers: {} };
}

/** Absent for recordings, which are read from memory and wait for nothing. */
function createSemaphore(config: UpstreamConfig, queue: UpstreamServices["queue"]): Semaphore | undefined {
  if (config.type !== "server") return undefined;
  const keys = "`upstreams[].max_in_flight`, `server.max_queued`, `server.queue_ms`";
  return new Semaphore({ ...queue, permits: config.maxInFlight ?? queue.permits, keys });
}

export class Upstream {
  readonly config: UpstreamConfig;
  readonly client: ModelClient;
  readonly evidence: ObservedCapabilityWriter | undefined;
  readonly facts: ServerInfo | undefined;
  readonly passThrough: PassThroughClient | undefined;
  readonly #lists: UpstreamClient;
  readonly #services: Omit<UpstreamOptions, "config" | "learning" | "onListed">;
  readonly #onListed: () => void;
  #listed: { readonly entries: readonly ModelEntry[]; readonly at: number } | undefined;

  constructor(options: UpstreamOptions) {
    const { config, learning, onListed, ...services } = options;
    this.config = config;
    this.#onListed = onListed;
    this.#services = services;
    const upstream = config.type === "server" ? config : recordedServer(config.id);
    this.#lists = new UpstreamClient({ ...services, upstream });
    const { clock, queue } = options;
    const semaphore = createSemaphore(config, queue);
    const client = semaphore ? new ConcurrencyLimitedClient(this.#lists, semaphore) : this.#lists;
    this.passThrough =
      semaphore && config.type === "server"
        ? PassThroughClient.create({ ...services, upstream: config, semaphore })
        : undefined;
    this.evidence = learning && new ObservedCapabilityWriter({ ...learning, upstream: config.id, clock });
    this.facts =
      this.evidence && config.type === "server"
        ? new ServerInfo({
            ...services,
            upstream: config,
            evidence: this.evidence,
            listed: (model) => this.#listedWindow(model),
          })
        : undefined;
    const probe = this.evidence && new RefusalProbe({ evidence: this.evidence, client, clock });
    this.client = withDefaults(
      new AdaptingClient(client, probe),
      config.type === "server" ? config.defaults : undefined,
    );
  }

  serves(model: string): boolean {
    const name = model.toLowerCase();
    if (this.config.type === "server") {
      return this.config.models.some((pattern) => matchesPattern(pattern.toLowerCase(), name));
    }
    return this.#listed?.entries.some(({ id }) => id.toLowerCase() === name) ?? false;
  }

  /** True if all requests go to one model, whatever else the server has. */
  get #asksOne(): boolean {
    return this.config.type === "server" && this.config.model !== undefined;
  }

  /** The ways to ask a model that the upstream serves. */
  routes(name: string): readonly Route[] {
    const { config, client, evidence, facts, passThrough } = this;
    const toolSupport = facts?.toolSupport;
    const model = (config.type === "server" ? config.model : undefined) ?? name;
    const place: Omit<Route, "mode"> = {
      upstream: config.id,
      key: `${config.id}/${model}`,
      model,
      client,
      parse: config.type === "server" ? config.parse : "on",
      quirks: config.type === "server" ? resolveWire(config.wire).quirks : undefined,
      recorded: config.type === "recorded",
      remember: evidence && ((seen) => evidence.write(model, seen)),
      toolSupport: toolSupport && ((signal) => toolSupport(model, signal)),
      window: facts?.window(model),
      passThrough,
    };
    return MODES.map((mode) => ({ ...place, mode }));
  }

  /** Returns the models that the upstream lists. @throws PostelError if the list cannot be loaded. */
  async entries(signal: AbortSignal): Promise<readonly ModelEntry[]> {
    const now = this.#services.clock.monotonic();
    if (this.#listed && now - this.#listed.at < LIST_LIFETIME_MS) return this.#listed.entries;
    const listed = await this.#lists.list(signal);
    const entries = listed.flatMap((entry) => toModelEntry(entry, this.config.id) ?? []);
    this.#listed = { entries, at: now };
    this.#onListed();
    return entries;
  }

  async state(signal: AbortSignal): Promise<UpstreamState> {
    const { id } = this.config;
    const place = describeUpstream(this.config);
    const named = this.namedEntries().map((entry) => entry.id);
    try {
      const listed = (await this.entries(signal)).map((entry) => entry.id);
      const models = this.#asksOne ? named : [...new Set([...listed, ...named])];
      return { id, place, models, listed: listed.length };
    } catch (error) {
      if (!(error instanceof PostelError)) throw error;
      return { id, place, models: named, failure: error.failure, meant: await this.#meant(error.failure, signal) };
    }
  }

  async #meant({ code }: Failure, signal: AbortSignal): Promise<string | undefined> {
    if (
      this.config.type !== "server" ||
      this.config.wire !== "openai" ||
      this.config.baseUrl.endsWith("/v1") ||
      !NO_LIST_THERE.has(code)
    )
      return undefined;
    const baseUrl = `${this.config.baseUrl}/v1`;
    const client = new UpstreamClient({ ...this.#services, upstream: { ...this.config, baseUrl } });
    return client.list(signal).then(
      () => `${describeUpstream(this.config)}/v1`,
      () => undefined,
    );
  }

  /** Returns the complete names in the configuration, whatever the upstream lists. */
  namedEntries(): readonly ModelEntry[] {
    if (this.config.type !== "server") return [];
    const { id, models, model } = this.config;
    return models
      .filter((name) => !name.includes("*"))
      .map((name) => ({ id: name, upstream: id, ...(model !== undefined && { model }), ownedBy: id }));
  }

  async #listedWindow(model: string): Promise<number | undefined> {
    const entries = await this.entries(new AbortController().signal);
    return entries.find(({ id }) => id === model)?.contextTokens;
  }
}

// Resolves model names to upstreams and lists the models of all upstreams.

import { type PlacesOptions, Semaphore } from "../core/async/Semaphore.ts";
import { setBounded } from "../core/async/setBounded.ts";
import { RECORDED_BASE_URL, type TimeoutsConfig, type UpstreamConfig } from "../core/config/configuration.ts";
import { type Failure, PostelError } from "../core/failures.ts";
import type { JsonObject, ToolMode } from "../core/messages.ts";
import { type Alias, DEFAULT_ALIAS, findAlias, matchesPattern } from "../core/models/namePatterns.ts";
import type { Clock, Egress, Observer, Redact } from "../core/ports.ts";
import { AdaptingClient } from "./adaptation/AdaptingClient.ts";
import { RefusalProbe } from "./adaptation/RefusalProbe.ts";
import { MAX_NAME_CHARS } from "./capabilities/modelNames.ts";
import type { ObservedCapabilityCache } from "./capabilities/ObservedCapabilityCache.ts";
import { ObservedCapabilityWriter, type Seen } from "./capabilities/ObservedCapabilityWriter.ts";
import { ConcurrencyLimitedClient } from "./clients/ConcurrencyLimitedClient.ts";
import { PassThroughClient } from "./clients/PassThroughClient.ts";
import { UpstreamClient } from "./clients/UpstreamClient.ts";
import { withDefaults } from "./clients/withDefaults.ts";
import type { ModelWindow } from "./discovery/ContextWindows.ts";
import { ServerInfo } from "./discovery/ServerInfo.ts";
import { asString, asTokenCount } from "./looseJson.ts";
import type { ModelClient } from "./ModelClient.ts";
import type { AnswerLimits } from "./response/ResponseLimits.ts";
import { resolveWire } from "./wires/registry.ts";
import type { WireServer } from "./wires/UpstreamWire.ts";

export interface ModelEntry {
  readonly id: string;
  /** The id of the upstream that serves it. */
  readonly upstream: string;
  /** Name of the model at its upstream, if it differs. */
  readonly model?: string | undefined;
  /** Owner as the upstream states it, else the id of the upstream; `postel` for an alias. */
  readonly ownedBy: string;
  /** Epoch seconds. */
  readonly created?: number | undefined;
  readonly description?: string | undefined;
  /** Tokens of prompt and answer together, if the upstream states them. */
  readonly contextTokens?: number | undefined;
}

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

/** One way to ask a model: at an upstream, in a mode. */
export interface Route {
  readonly upstream: string;
  /** `upstream/model`: key of evidence and breakers. */
  readonly key: string;
  /** The name that the upstream is asked for; of an alias its model's. */
  readonly model: string;
  readonly mode: ToolMode;
  readonly client: ModelClient;
  /** `off`: the output of the upstream's models is passed on unchanged. */
  readonly parse: "on" | "off";
  /** Quirks of the upstream's wire that apply to every model. */
  readonly quirks?: readonly string[] | undefined;
  /** True if the upstream replays answers that were recorded for another prompt. */
  readonly recorded?: boolean | undefined;
  /** Stores what the gateway observed of the model, also for other requests; absent in a replay. */
  readonly remember?: ((seen: Seen) => void) | undefined;
  /**
   * Asks a capable server if the model supports tools. Resolves when that is known, or after a short time. Undefined if there is no need
   * to wait. Absent in a replay.
   */
  readonly toolSupport?: ((signal: AbortSignal) => Promise<void> | undefined) | undefined;
  /** Returns the context window that the upstream states for the model. Absent in a replay. */
  readonly window?: ModelWindow | undefined;
  /** For requests other than conversations; absent if the upstream serves only conversations. */
  readonly passThrough?: Pick<PassThroughClient, "pass"> | undefined;
}

export interface ModelDirectoryOptions {
  /** Upstreams in the order in which they are asked, each with its egress. */
  readonly upstreams: readonly { readonly config: UpstreamConfig; readonly egress: Egress }[];
  readonly aliases: readonly Alias[];
  readonly timeouts: TimeoutsConfig;
  /** Limits of one answer. */
  readonly limits: AnswerLimits;
  /** False if every answer takes the normal way (`POSTEL_FAST_PATHS=off`). */
  readonly fastPaths: boolean;
  readonly clock: Clock;
  readonly redact: Redact;
  /** Concurrent requests of an upstream whose configuration sets no limit, and the queue for further ones. */
  readonly queue: Pick<PlacesOptions, "permits" | "maxWaiting" | "waitMs">;
  /** Stores the results of the gateway's own probes. Absent: the gateway sends no probes, as in a replay. */
  readonly learning?:
    | { readonly evidence: Pick<ObservedCapabilityCache, "put">; readonly observer: Observer }
    | undefined;
}

/** A model that can be called natively is asked so; in text it can always be asked. */
const MODES: readonly ToolMode[] = ["native", "text"];

/** Time for which a model list is cached. Milliseconds. */
const LIST_LIFETIME_MS = 10_000;

/** Maximum number of models with cached routes: callers choose the names. */
const MAX_MODELS = 1_000;

/** A recorded upstream serves exactly the names it lists, so its names must be learnt (`open`, or any `list`) before it serves. */
export class ModelDirectory {
  readonly #upstreams: readonly Upstream[];
  readonly #aliases: readonly Alias[];
  /** Routes by model name, in the order of first use. Cleared when an upstream lists its models again. */
  readonly #routes = new Map<string, readonly Route[]>();

  constructor(options: ModelDirectoryOptions) {
    const onListed = () => this.#routes.clear();
    this.#aliases = options.aliases;
    this.#upstreams = options.upstreams.map(
      ({ config, egress }) => new Upstream({ config, egress, onListed, ...shared(options) }),
    );
  }

  /**
   * Creates a directory that knows the names of its recorded upstreams.
   * @throws PostelError if a recorded upstream cannot list them.
   */
  static async open(options: ModelDirectoryOptions, signal: AbortSignal): Promise<ModelDirectory> {
    const directory = new ModelDirectory(options);
    const recorded = directory.#upstreams.filter((upstream) => upstream.config.type === "recorded");
    await Promise.all(recorded.map((upstream) => upstream.entries(signal)));
    return directory;
  }

  /**
   * Returns the routes to a model in order of preference; none if no upstream serves it. They are those of the first upstream whose patterns
   * (or, for a recorded one, names) match the name, or the name of an alias's model. Case does not matter.
   */
  resolve(model: string): readonly Route[] {
    const known = this.#routes.get(model);
    if (known) return known;
    const name = this.#meant(model);
    const routes = this.#upstreamFor(name)?.routes(name) ?? [];
    if (model.length <= MAX_NAME_CHARS) setBounded(this.#routes, { key: model, value: routes, maxSize: MAX_MODELS });
    return routes;
  }

  /** Resolves an alias. A specific alias has precedence over upstream names; the default alias applies after them. */
  #meant(name: string): string {
    const alias = findAlias(name, this.#aliases);
    if (alias) return alias.model;
    const forOthers = this.#aliases.find(({ pattern }) => pattern === DEFAULT_ALIAS);
    return forOthers && !this.#upstreamFor(name) ? forOthers.model : name;
  }

  #upstreamFor(model: string): Upstream | undefined {
    return this.#upstreams.find((candidate) => candidate.serves(model));
  }

  /** Lists all names that can be requested, each once, with the upstream that serves it. A failing upstream is left out. */
  async list(signal: AbortSignal): Promise<readonly ModelEntry[]> {
    const lists = await Promise.all(
      this.#upstreams.map((upstream) => upstream.entries(signal).catch((): readonly ModelEntry[] => [])),
    );
    const named = this.#upstreams.flatMap((upstream) => upstream.namedEntries());
    const entries = new Map<string, ModelEntry>();
    for (const entry of [...lists.flat(), ...named]) {
      if (!entries.has(entry.id) && this.#upstreamFor(entry.id)?.config.id === entry.upstream)
        entries.set(entry.id, entry);
    }
    const aliases = this.#aliases.flatMap(({ pattern }) => (pattern.includes("*") ? [] : pattern));
    return [...new Set([...entries.keys(), ...aliases])].flatMap((id) => this.#shown(id, entries) ?? []);
  }

  /** Returns the list entry of a name: for an alias, with the facts of its model; undefined if no upstream serves that. */
  #shown(id: string, entries: ReadonlyMap<string, ModelEntry>): ModelEntry | undefined {
    const meant = this.#meant(id);
    if (meant === id) return entries.get(id);
    const [route] = this.resolve(id);
    return route && { ...entries.get(meant), id, upstream: route.upstream, model: route.model, ownedBy: GATEWAY_OWNER };
  }

  /** Returns the state of each upstream, in the order of the configuration. */
  survey(signal: AbortSignal): Promise<readonly UpstreamState[]> {
    return Promise.all(this.#upstreams.map((upstream) => upstream.state(signal)));
  }
}

/** Owner of an alias in model lists. */
export const GATEWAY_OWNER = "postel";

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

function shared({ upstreams: _, ...services }: ModelDirectoryOptions): Omit<ModelDirectoryOptions, "upstreams"> {
  return services;
}

/** Absent for recordings, which are read from memory and wait for nothing. */
function createSemaphore(config: UpstreamConfig, queue: ModelDirectoryOptions["queue"]): Semaphore | undefined {
  if (config.type !== "server") return undefined;
  const keys = "`upstreams[].max_in_flight`, `server.max_queued`, `server.queue_ms`";
  return new Semaphore({ ...queue, permits: config.maxInFlight ?? queue.permits, keys });
}

/** One upstream with its client and its last model list. */
class Upstream {
  readonly config: UpstreamConfig;
  readonly client: ModelClient;
  readonly evidence: ObservedCapabilityWriter | undefined;
  readonly facts: ServerInfo | undefined;
  readonly passThrough: PassThroughClient | undefined;
  readonly #lists: UpstreamClient;
  readonly #services: Omit<ModelDirectoryOptions, "upstreams" | "learning"> & { readonly egress: Egress };
  readonly #onListed: () => void;
  #listed: { readonly entries: readonly ModelEntry[]; readonly at: number } | undefined;

  /** @param options `onListed` is called whenever the upstream has listed its models. */
  constructor(
    options: Omit<ModelDirectoryOptions, "upstreams"> & {
      config: UpstreamConfig;
      egress: Egress;
      onListed: () => void;
    },
  ) {
    const { config, learning, onListed, ...services } = options;
    this.config = config;
    this.#onListed = onListed;
    this.#services = services;
    const upstream = config.type === "server" ? config : recordedServer(config.id);
    this.#lists = new UpstreamClient({ ...services, upstream });
    const { clock, queue } = options;
    const places = createSemaphore(config, queue);
    const client = places ? new ConcurrencyLimitedClient(this.#lists, places) : this.#lists;
    this.passThrough =
      places && config.type === "server"
        ? PassThroughClient.create({ ...services, upstream: config, semaphore: places })
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
    const entries = listed.flatMap((entry) => this.#entryOf(entry) ?? []);
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

  #entryOf(entry: JsonObject): ModelEntry | undefined {
    const id = asString(entry.id);
    if (id === undefined) return undefined;
    const { created } = entry;
    const contextTokens = listedWindow(entry);
    return {
      id,
      upstream: this.config.id,
      ownedBy: asString(entry.owned_by) ?? this.config.id,
      ...(typeof created === "number" && { created }),
      description: asString(entry.description),
      ...(contextTokens !== undefined && { contextTokens }),
    };
  }
}

/**
 * Field names for the context window in model lists: vLLM and SGLang; LM Studio (loaded model); OpenRouter, Together and Cerebras; Groq;
 * Mistral and LM Studio; Anthropic; Google.
 */
const LISTED_AS = [
  "max_model_len",
  "loaded_context_length",
  "context_length",
  "context_window",
  "max_context_length",
  "max_input_tokens",
  "inputTokenLimit",
];

/** Returns the context window in an entry of a server's list. */
function listedWindow(entry: JsonObject): number | undefined {
  return LISTED_AS.map((name) => asTokenCount(entry[name])).find((tokens) => tokens !== undefined);
}

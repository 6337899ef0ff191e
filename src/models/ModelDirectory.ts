// Resolves model names to upstreams and lists the models of all upstreams.

import { setBounded } from "../core/async/setBounded.ts";
import type { UpstreamConfig } from "../core/config/configuration.ts";
import { type Alias, DEFAULT_ALIAS, findAlias } from "../core/models/namePatterns.ts";
import type { Egress } from "../core/ports.ts";
import { MAX_NAME_CHARS } from "./capabilities/modelNames.ts";
import type { ModelEntry } from "./modelEntry.ts";
import type { Route } from "./Route.ts";
import { Upstream, type UpstreamServices, type UpstreamState } from "./Upstream.ts";

export interface ModelDirectoryOptions extends UpstreamServices {
  /** Upstreams in the order in which they are asked, each with its egress. */
  readonly upstreams: readonly { readonly config: UpstreamConfig; readonly egress: Egress }[];
  readonly aliases: readonly Alias[];
}

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
    const { upstreams, aliases, ...services } = options;
    this.#aliases = aliases;
    this.#upstreams = upstreams.map((upstream) => new Upstream({ ...services, ...upstream, onListed }));
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

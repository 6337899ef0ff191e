// Chooses the agent that asks a model: the directory lists the routes, the detector states which of them the model supports.

import { setBounded } from "../core/async/setBounded.ts";
import type { CapabilitySource, ModelCapabilities } from "../core/models/capabilities.ts";
import type { Clock, Ids, Observer } from "../core/ports.ts";
import type { ChatRequest } from "../core/requests.ts";
import type { CapabilityQuery, ModelCapabilityDetector } from "../models/capabilities/ModelCapabilityDetector.ts";
import { MAX_NAME_CHARS } from "../models/capabilities/modelNames.ts";
import type { ModelDirectory } from "../models/ModelDirectory.ts";
import type { Route } from "../models/Route.ts";
import type { Agent } from "./Agent.ts";
import type { AgentOptions } from "./ModelAgent.ts";
import { TextReActAgent } from "./TextReActAgent.ts";
import { ToolCallingAgent } from "./ToolCallingAgent.ts";

export interface AgentFactoryOptions {
  readonly directory: Pick<ModelDirectory, "resolve">;
  readonly detector: Pick<ModelCapabilityDetector, "getCapabilities" | "isPinned" | "recall">;
  readonly ids: Pick<Ids, "callId">;
  readonly captureChars: number;
  readonly clock: Pick<Clock, "monotonic">;
  readonly observer: Observer;
}

interface AgentWishes extends Pick<ChatRequest, "pinnedToolMode" | "parse"> {
  /** True if the model is offered tools that it may call. */
  readonly toolsOffered: boolean;
}

const LEARNT: ReadonlySet<string | undefined> = new Set<CapabilitySource>(["evidence", "probe"]);

export interface ChosenAgent {
  /** The agent that asks now: after `nextRoute`, the agent that it returned. */
  readonly agent: Agent;
  /** True if the first attempt was made before the turn. It must be read, because it may hold a permit of its upstream. */
  readonly isBegun?: boolean | undefined;
  /**
   * Switches to the next route and returns its agent: text mode after the upstream has refused or dropped tools. Absent on
   * the last route, if the request or the operator pinned the mode, and if nothing would parse the model's text.
   */
  readonly nextRoute?: (() => Agent) | undefined;
  /** Records for other requests that the upstream did not show the tools to the model. Absent if another server counted the prompt tokens. */
  readonly onToolsDropped?: ((reason: string) => void) | undefined;
}

type AgentClass = new (options: AgentOptions) => Agent;

/** One way to ask a model, with the capabilities that apply to it. */
interface Way {
  readonly route: Route;
  readonly AgentClass: AgentClass;
  readonly capabilities: ModelCapabilities;
}

/** Cached result for a model: valid while the directory and the detector return the same objects. */
interface Ways extends Pick<AgentWishes, "pinnedToolMode" | "parse">, Pick<ChosenAgent, "onToolsDropped"> {
  readonly routes: readonly Route[];
  readonly known: ModelCapabilities;
  /** In the order in which they are tried; each further one only after the previous one has failed. */
  readonly order: readonly [Way, ...Way[]];
  /** Asks the server whether tools would reach the model; absent if the answer changes nothing. */
  readonly toolSupport: Route["toolSupport"];
}

/** Upper bound of cached models, because clients choose the names. */
const MAX_MODELS = 1_000;

export class AgentFactory {
  readonly #options: AgentFactoryOptions;
  /** Keyed by model name, in the order of first use. */
  readonly #ways = new Map<string, Ways>();

  constructor(options: AgentFactoryOptions) {
    this.#options = options;
  }

  /**
   * Chooses the agent for a model. Undefined if no upstream serves it. If a server can tell whether tools would reach the
   * model, asks it (limit: one second).
   */
  async choose(model: string, wishes: AgentWishes, signal: AbortSignal): Promise<ChosenAgent | undefined> {
    const { directory, detector } = this.#options;
    const routes = directory.resolve(model);
    const [first] = routes;
    if (!first) return undefined;
    await detector.recall(first.key);
    const asked = { model, wishes, first, routes };
    if (wishes.toolsOffered) await this.#waysOf(asked).toolSupport?.(signal);
    return new Choice(this.#waysOf(asked), this.#options);
  }

  #waysOf({ model, wishes, first, routes }: Asked): Ways {
    const { pinnedToolMode: pinned, parse } = wishes;
    const query = pinned === undefined ? first : { model: first.model, key: first.key, pinned };
    const known = this.#options.detector.getCapabilities(query);
    const before = this.#ways.get(model);
    const isSame = before?.routes === routes && before.known === known;
    if (isSame && before.pinnedToolMode === pinned && before.parse === parse) return before;
    const found: Ways = {
      routes,
      known,
      pinnedToolMode: pinned,
      parse,
      ...this.#found(query, { first, routes, known, parse }),
    };
    if (model.length <= MAX_NAME_CHARS) setBounded(this.#ways, { key: model, value: found, maxSize: MAX_MODELS });
    return found;
  }

  #found(
    query: CapabilityQuery,
    { first, routes, known, parse }: Pick<Ways, "routes" | "known" | "parse"> & Pick<Asked, "first">,
  ): Pick<Ways, "order" | "toolSupport" | "onToolsDropped"> {
    const isPinned = this.#options.detector.isPinned(query);
    const untouched = parse === "off" || first.parse === "off" || known.parse === "off";
    // A refusal of tools has switched the model to text mode. Without a parser the refusal itself is the better answer.
    const tools = untouched && LEARNT.has(known.source.tools) ? "native" : known.tools;
    const capabilities: ModelCapabilities = untouched ? { ...known, tools, parse: "off" } : known;
    const [route = first, ...rest] = routes.slice(routes.findIndex(({ mode }) => mode === tools));
    // In text mode the model would write its calls as text, which nothing would parse.
    const others = isPinned || untouched ? [] : rest;
    return {
      order: [this.#way(route, capabilities), ...others.map((other) => this.#way(other, capabilities))],
      toolSupport: known.tools === "native" && !untouched && !isPinned ? first.toolSupport : undefined,
      onToolsDropped: first.recorded ? undefined : (reason) => first.remember?.({ refused: "tools", reason }),
    };
  }

  #way(route: Route, known: ModelCapabilities): Way {
    const AgentClass: AgentClass = route.mode === "text" ? TextReActAgent : ToolCallingAgent;
    const quirks = route.quirks ? [...new Set([...known.quirks, ...route.quirks])] : known.quirks;
    return { route, AgentClass, capabilities: { ...known, tools: route.mode, quirks } };
  }
}

/** The request, and the routes that the directory lists for it. */
interface Asked {
  readonly model: string;
  readonly wishes: AgentWishes;
  readonly first: Route;
  readonly routes: readonly Route[];
}

class Choice implements ChosenAgent {
  agent: Agent;
  readonly onToolsDropped: ChosenAgent["onToolsDropped"];
  readonly #order: Ways["order"];
  readonly #options: AgentFactoryOptions;
  /** Shared by all agents of a run, so that each sees what refusals have shown. */
  readonly #source: ModelCapabilities["source"];
  /** Number of routes tried so far. */
  #gone = 1;

  constructor({ known, order, onToolsDropped }: Ways, options: AgentFactoryOptions) {
    this.#order = order;
    this.#options = options;
    this.#source = { ...known.source };
    this.onToolsDropped = onToolsDropped;
    this.agent = this.#by(order[0]);
  }

  get nextRoute(): ChosenAgent["nextRoute"] {
    return this.#gone < this.#order.length ? () => this.#next() : undefined;
  }

  #next(): Agent {
    const way = this.#order[this.#gone];
    this.#gone += 1;
    if (way) this.agent = this.#by(way);
    return this.agent;
  }

  #by({ route, AgentClass, capabilities: known }: Way): Agent {
    const { ids, captureChars, clock, observer } = this.#options;
    const capabilities = { ...known, source: this.#source };
    return new AgentClass({ route, capabilities, ids, captureChars, clock, observer });
  }
}

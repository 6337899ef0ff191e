// Which agent asks which model: the directory says by which ways, the detector which of them it can take. Knows no conversation.
import type { CapabilitySource, ModelCapabilities } from "../core/capabilities.ts";
import type { Clock, Ids, Observer } from "../core/ports.ts";
import type { ChatRequest } from "../core/requests.ts";
import type { ModelCapabilityDetector } from "../models/ModelCapabilityDetector.ts";
import type { ModelDirectory, Route } from "../models/ModelDirectory.ts";
import type { Agent } from "./Agent.ts";
import { ModelAgent } from "./ModelAgent.ts";
import { nativePrompting } from "./nativePrompting.ts";
import type { Prompting } from "./Prompting.ts";

export interface AgentFactoryOptions {
  readonly directory: Pick<ModelDirectory, "resolve">;
  readonly detector: Pick<ModelCapabilityDetector, "detect" | "isPinned" | "recall">;
  readonly ids: Pick<Ids, "callId">;
  readonly captureChars: number;
  readonly clock: Pick<Clock, "monotonic">;
  readonly observer: Observer;
}

interface AgentWishes extends Pick<ChatRequest, "pinnedToolMode" | "parse"> {
  /** Whether the model is to be shown tools that it may call. */
  readonly toolsOffered: boolean;
}

const LEARNT: ReadonlySet<string | undefined> = new Set<CapabilitySource>(["evidence", "probe"]);

export interface ChosenAgent {
  /** Who asks now: after `nextRoute` the agent that it gave. */
  readonly agent: Agent;
  /** True where its first attempt was made before the turn. */
  readonly begun?: boolean | undefined;
  /**
   * Goes on by the next way to ask, with the agent that is given: in text after the upstream has refused tools or dropped them.
   * Absent where there is none: by the last, where the mode is pinned by the request or the operator, and where nobody would read
   * what the model writes.
   */
  readonly nextRoute?: (() => Agent) | undefined;
  /** Remembers for others that the upstream's model was not shown the tools. Absent where its count of the prompt is of another's. */
  readonly onToolsDropped?: ((reason: string) => void) | undefined;
}

export class AgentFactory {
  readonly #options: AgentFactoryOptions;
  /** Loaded with the first model that may be asked in text. */
  #inText: Prompting | undefined;

  constructor(options: AgentFactoryOptions) {
    this.#options = options;
  }

  /** Undefined where no upstream serves the model. Asks a server that can tell, within a second, whether tools would reach the model. */
  async choose(model: string, wishes: AgentWishes, signal: AbortSignal): Promise<ChosenAgent | undefined> {
    const { pinnedToolMode: pinned, parse, toolsOffered } = wishes;
    const { directory, detector } = this.#options;
    const routes = directory.resolve(model);
    const [first] = routes;
    if (!first) return undefined;
    if (!this.#inText && routes.some(({ mode }) => mode === "text"))
      this.#inText = (await import("./textPrompting.ts")).textPrompting;
    const query = { model: first.model, key: first.key, ...(pinned !== undefined && { pinned }) };
    const recalling = detector.recall(first.key);
    if (recalling) await recalling;
    let known = detector.detect(query);
    const untouched = parse === "off" || first.parse === "off" || known.parse === "off";
    const open = known.tools === "native" && !untouched && !detector.isPinned(query);
    const asking = open && toolsOffered ? first.toolSupport?.(signal) : undefined;
    if (asking) {
      await asking;
      known = detector.detect(query);
    }
    // A refusal of tools has taught to ask in text: without a reader the refusal itself is the better answer.
    const tools = untouched && LEARNT.has(known.source.tools) ? "native" : known.tools;
    const capabilities: ModelCapabilities = untouched ? { ...known, tools, parse: "off" } : known;
    const onToolsDropped = first.recorded
      ? undefined
      : (reason: string) => first.remember?.({ refused: "tools", reason });
    const [route = first, ...rest] = routes.slice(routes.findIndex(({ mode }) => mode === tools));
    // In text mode the model would write its calls as text, which nobody would read.
    const others = detector.isPinned(query) || untouched ? [] : rest;
    let agent = this.#create(route, capabilities);
    const next = (): Agent => {
      const following = others.shift();
      if (following) agent = this.#create(following, capabilities);
      return agent;
    };
    return {
      get agent() {
        return agent;
      },
      get nextRoute() {
        return others.length > 0 ? next : undefined;
      },
      onToolsDropped,
    };
  }

  #create(route: Route, known: ModelCapabilities): Agent {
    const { ids, captureChars, clock, observer } = this.#options;
    const prompting = (route.mode === "text" && this.#inText) || nativePrompting;
    const quirks = route.quirks ? [...new Set([...known.quirks, ...route.quirks])] : known.quirks;
    const capabilities = { ...known, tools: route.mode, quirks };
    return new ModelAgent(prompting, { route, capabilities, ids, captureChars, clock, observer });
  }
}

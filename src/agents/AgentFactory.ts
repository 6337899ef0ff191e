// Which agent asks which model: the directory says where the model is, the detector how it is asked. Knows no conversation.
import type { CapabilitySource, ModelCapabilities } from "../core/capabilities.ts";
import type { Clock, Ids, Observer } from "../core/ports.ts";
import type { ChatRequest } from "../core/requests.ts";
import type { ModelCapabilityDetector } from "../models/ModelCapabilityDetector.ts";
import type { ModelDirectory, ResolvedModel } from "../models/ModelDirectory.ts";
import type { Agent } from "./Agent.ts";
import { ModelAgent } from "./ModelAgent.ts";
import { nativePrompting } from "./nativePrompting.ts";
import { textPrompting } from "./textPrompting.ts";

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
  /** Who asks now: after `inTextInstead` the agent that it gave. */
  readonly agent: Agent;
  /**
   * The agent that goes on in text mode after the upstream has refused tools or dropped them. Absent where the mode is
   * pinned by the request or the operator, or is text already, and where nobody would read what the model writes.
   */
  readonly inTextInstead?: (() => Agent) | undefined;
  /** Remembers for others that the upstream's model was not shown the tools. Absent where its count of the prompt is of another's. */
  readonly onToolsDropped?: ((reason: string) => void) | undefined;
}

export class AgentFactory {
  readonly #options: AgentFactoryOptions;

  constructor(options: AgentFactoryOptions) {
    this.#options = options;
  }

  /** Undefined where no upstream serves the model. Asks a server that can tell, within a second, whether tools would reach the model. */
  async choose(model: string, wishes: AgentWishes, signal: AbortSignal): Promise<ChosenAgent | undefined> {
    const { pinnedToolMode: pinned, parse, toolsOffered } = wishes;
    const { directory, detector } = this.#options;
    const resolved = directory.resolve(model);
    if (!resolved) return undefined;
    const query = { model: resolved.model, key: resolved.key, ...(pinned !== undefined && { pinned }) };
    const recalling = detector.recall(resolved.key);
    if (recalling) await recalling;
    let known = detector.detect(query);
    const untouched = parse === "off" || resolved.parse === "off" || known.parse === "off";
    const open = known.tools === "native" && !untouched && !detector.isPinned(query);
    if (open && toolsOffered && resolved.toolSupport) {
      await resolved.toolSupport(signal);
      known = detector.detect(query);
    }
    // A refusal of tools has taught to ask in text: without a reader the refusal itself is the better answer.
    const tools = untouched && LEARNT.has(known.source.tools) ? "native" : known.tools;
    const capabilities: ModelCapabilities = untouched ? { ...known, tools, parse: "off" } : known;
    let agent = this.#create(resolved, capabilities);
    const onToolsDropped = resolved.recorded
      ? undefined
      : (reason: string) => resolved.remember?.({ refused: "tools", reason });
    // In text mode the model would write its calls as text, which nobody would read.
    if (capabilities.tools === "text" || detector.isPinned(query) || untouched) return { agent, onToolsDropped };
    return {
      get agent() {
        return agent;
      },
      onToolsDropped,
      inTextInstead: () => {
        agent = this.#create(resolved, { ...capabilities, tools: "text" });
        return agent;
      },
    };
  }

  #create(resolved: ResolvedModel, capabilities: ModelCapabilities): Agent {
    const { ids, captureChars, clock, observer } = this.#options;
    const prompting = capabilities.tools === "text" ? textPrompting : nativePrompting;
    return new ModelAgent(prompting, { resolved, capabilities, ids, captureChars, clock, observer });
  }
}

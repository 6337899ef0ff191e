// Probes an upstream with the gateway's own request after a refusal, and stores only a confirmed one. Sends no text of the caller.

import { setBounded } from "../../core/async/setBounded.ts";
import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import type { Failure } from "../../core/failures.ts";
import type { Clock } from "../../core/ports.ts";
import type { ObservedCapabilityWriter } from "../capabilities/ObservedCapabilityWriter.ts";
import type { ModelClient, ModelRequest } from "../ModelClient.ts";
import { ADAPTATIONS, mendRequest } from "./adaptations.ts";

export interface RefusalProbeOptions {
  readonly client: ModelClient;
  readonly evidence: Pick<ObservedCapabilityWriter, "write">;
  readonly clock: Pick<Clock, "now">;
}

/** The same question about the same model is not asked more often. */
const PAUSE_MS = 3_600_000;
const PROBE_TIMEOUT_MS = 60_000;
/** Limits the keys, since callers choose model names. */
const MAX_ASKED = 1_000;
/** Other parts that the upstream refuses on the way to the answer. */
const MAX_DETOURS = 2;

export class RefusalProbe {
  readonly #options: RefusalProbeOptions;
  readonly #probedAt = new Map<string, number>();

  constructor(options: RefusalProbeOptions) {
    this.#options = options;
  }

  /** Asks in the background, at most once an hour for a model and a part. An error may only quote its caller; the probe has nothing to quote. */
  confirm(request: ModelRequest, refusedFeature: string): void {
    const probe = createProbe(request, refusedFeature);
    if (probe && this.#mayAsk(`${request.model} ${refusedFeature}`)) void this.#probe(probe, refusedFeature);
  }

  async #probe(first: ModelRequest, refusedFeature: string): Promise<void> {
    let probe: ModelRequest | undefined = first;
    // The answer that the caller waits for leaves before, or the request that asks for it another way.
    await yieldToEventLoop();
    for (let detour = 0; probe && detour <= MAX_DETOURS; detour += 1) {
      const failure = await this.#sendProbe(probe);
      const answer = failure?.details?.refused;
      if (!failure || answer === undefined) return;
      if (answer === refusedFeature) {
        this.#options.evidence.write(probe.model, { refused: refusedFeature, reason: failure.message });
        return;
      }
      probe = mendRequest(probe, String(answer));
    }
  }

  async #sendProbe(probe: ModelRequest): Promise<Failure | undefined> {
    let found: Failure | undefined;
    await this.#options.client.stream(probe, AbortSignal.timeout(PROBE_TIMEOUT_MS), ([first]) => {
      found = first?.type === "failed" ? first.failure : undefined;
      // The first event suffices. The rest is not paid for.
      return "enough";
    });
    return found;
  }

  #mayAsk(question: string): boolean {
    const now = this.#options.clock.now();
    const last = this.#probedAt.get(question);
    if (last !== undefined && now - last < PAUSE_MS) return false;
    setBounded(this.#probedAt, { key: question, value: now, maxSize: MAX_ASKED });
    return true;
  }
}

/** Returns the smallest request with the refused part; undefined for an unknown part. */
export function createProbe(request: ModelRequest, refusedFeature: string): ModelRequest | undefined {
  const mend = ADAPTATIONS.get(refusedFeature);
  if (!mend) return undefined;
  const { sampling, ...ownFields } = mend.probe;
  return {
    run: "probe",
    model: request.model,
    messages: [{ role: "user", content: "Hi" }],
    tools: [],
    // Some parts are sent only if no tool may be called, such as the tools for the calls of a history.
    toolChoice: {
      type: request.toolChoice.type === "none" || request.tools.length === 0 ? "none" : "auto",
    },
    output: { type: "text" },
    passthrough: {},
    stream: true,
    ...ownFields,
    sampling: { ...oneToken(request), ...sampling },
    capabilities: request.capabilities,
    probe: true,
  };
}

/** Uses the caller's spelling of the limit. An upstream that knows only the other has refused it before. */
function oneToken({ sampling }: ModelRequest): ModelRequest["sampling"] {
  return sampling.maxCompletionTokens === undefined ? { maxTokens: 1 } : { maxCompletionTokens: 1 };
}

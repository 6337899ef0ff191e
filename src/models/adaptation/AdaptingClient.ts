// A model client that adapts a refused request, sends it again, and repairs the loss in the answer.

import type { EventSink, SinkSignal } from "../../core/events/EventSink.ts";
import type { ModelEvent, ModelOpened } from "../../core/events/events.ts";
import type { Failure } from "../../core/failures.ts";
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import type { ModelClient, ModelRequest } from "../ModelClient.ts";
import { IgnoredFields } from "../response/IgnoredFields.ts";
import { UsageEstimate } from "../response/UsageEstimate.ts";
import type { Learnable } from "./Adaptation.ts";
import { ADAPTATIONS, mendRequest } from "./adaptations.ts";
import { listAdaptedFields } from "./adaptedFields.ts";
import type { RefusalProbe } from "./RefusalProbe.ts";

export class AdaptingClient implements ModelClient {
  readonly #inner: ModelClient;
  readonly #probe: Pick<RefusalProbe, "confirm"> | undefined;
  /**
   * Capabilities that a run learned from refusals. The key is the `source` object of its capabilities: all turns of a run share it,
   * in both modes, and no other caller does.
   */
  readonly #learnt = new WeakMap<ModelCapabilities["source"], Partial<Learnable>>();

  /** @param probe absent: the refusal of one request does not affect others. */
  constructor(inner: ModelClient, probe?: Pick<RefusalProbe, "confirm">) {
    this.#inner = inner;
    this.#probe = probe;
  }

  async stream(given: ModelRequest, signal: AbortSignal, onEvents: EventSink<ModelEvent>): Promise<void> {
    let adaptedRequest = this.#applyLearned(given);
    const { source } = adaptedRequest.capabilities;
    const refusals = new Map<string, ModelRequest>();
    try {
      for (;;) {
        const answer = new MendedAnswer(adaptedRequest, refusals.size, onEvents);
        await this.#inner.stream(adaptedRequest, signal, (events) => answer.take(events));
        const { refusal } = answer;
        if (!refusal) return;
        const refusedFeature = String(refusal.details?.refused);
        const next = refusals.has(refusedFeature) ? undefined : mendRequest(adaptedRequest, refusedFeature);
        if (!refusals.has(refusedFeature)) refusals.set(refusedFeature, adaptedRequest);
        if (!next) {
          await onEvents([{ type: "failed", failure: toTextRefusal(refusal, refusedFeature) }]);
          return;
        }
        adaptedRequest = next;
        this.#learnt.set(source, pickLearnable(adaptedRequest.capabilities));
      }
    } finally {
      // Starts after the answer, since small servers serve one request at a time.
      for (const [refusedFeature, reducedBody] of refusals) this.#probe?.confirm(reducedBody, refusedFeature);
    }
  }

  #applyLearned(request: ModelRequest): ModelRequest {
    const { capabilities } = request;
    const learnt = this.#learnt.get(capabilities.source);
    return learnt ? { ...request, capabilities: { ...capabilities, ...learnt } } : request;
  }
}

/** One answer in progress. Restores the data that adaptations lose. */
class MendedAnswer {
  /** The failure of a request that was refused for a part of it, before anything was answered. */
  refusal: Failure | undefined;
  readonly #request: ModelRequest;
  readonly #mends: number;
  readonly #onEvents: EventSink<ModelEvent>;
  readonly #estimate: UsageEstimate;
  readonly #unheeded: IgnoredFields;
  #opened = false;

  constructor(request: ModelRequest, mends: number, onEvents: EventSink<ModelEvent>) {
    this.#request = request;
    this.#mends = mends;
    this.#onEvents = onEvents;
    this.#estimate = new UsageEstimate(request);
    this.#unheeded = new IgnoredFields(request);
  }

  take(events: readonly ModelEvent[]): SinkSignal | Promise<SinkSignal> {
    let good = events;
    if (!this.#opened) {
      this.refusal = findRefusal(events);
      if (this.refusal) return "enough";
      good = events.map((event) => this.#open(event));
    }
    const withUsage = this.#estimate.push(this.#unheeded.push(good));
    return withUsage instanceof Promise ? withUsage.then((later) => this.#onEvents(later)) : this.#onEvents(withUsage);
  }

  #open(event: ModelEvent): ModelEvent {
    this.#opened ||= event.type === "opened";
    return event.type === "opened" ? addAdaptations(event, this.#request, this.#mends) : event;
  }
}

function findRefusal(events: readonly ModelEvent[]): Failure | undefined {
  for (const event of events) {
    if (event.type === "opened") return undefined;
    if (event.type === "failed" && event.failure.details?.refused !== undefined) return event.failure;
  }
  return undefined;
}

/** Creates the failure of a refusal that no adaptation resolved. The agents may still use text mode if it concerns tools. */
function toTextRefusal(failure: Failure, refusedFeature: string): Failure {
  if (!ADAPTATIONS.get(refusedFeature)?.elseInText) return failure;
  return { ...failure, details: { ...failure.details, toolsRefused: true } };
}

/** Without the tool mode, which agents settle. */
function pickLearnable({ toolChoice, jsonSchema, systemRole, stream, quirks }: ModelCapabilities): Partial<Learnable> {
  return { toolChoice, jsonSchema, systemRole, stream, quirks };
}

function addAdaptations(opened: ModelOpened, request: ModelRequest, mends: number): ModelOpened {
  const fields = listAdaptedFields(request);
  const { lost = NONE } = request;
  if (mends === 0 && fields.length === 0 && lost.length === 0) return opened;
  const mended = [...new Set([...(opened.mended ?? NONE), ...fields, ...lost])].sort();
  return { ...opened, retries: opened.retries + mends, ...(mended.length > 0 && { mended }) };
}

const NONE: readonly string[] = [];

// A model client that adapts a refused request, sends it again, and repairs the loss in the answer.

import type { EventSink, SinkSignal } from "../../core/events/EventSink.ts";
import type { ModelEvent, ModelOpened } from "../../core/events/events.ts";
import type { Failure } from "../../core/failures.ts";
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import {
  completeCall,
  type EventStream,
  type ModelClient,
  type ModelRequest,
  type TextAnswer,
  toEventStream,
} from "../ModelClient.ts";
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

  async stream(request: ModelRequest, signal: AbortSignal, take: EventSink<ModelEvent>): Promise<void> {
    const asked = this.#taught(request);
    await this.#adapt(asked, (onModelEvents) => this.#inner.stream(asked, signal, onModelEvents), signal, take);
  }

  async complete(request: ModelRequest, signal: AbortSignal): Promise<TextAnswer | EventStream> {
    const asked = this.#taught(request);
    const answer = await completeCall(this.#inner, asked, signal);
    // An answer without usage needs an estimate.
    if (typeof answer === "function" || !answer.end.usage)
      return (take) => this.#adapt(asked, toEventStream(answer), signal, take);
    const { opened, said, end } = answer;
    return { opened: withMends(opened, asked, 0), said, end: new IgnoredFields(asked).end(end, said) };
  }

  /** @param first emits the answer to the request as it is. */
  async #adapt(
    request: ModelRequest,
    first: EventStream,
    signal: AbortSignal,
    take: EventSink<ModelEvent>,
  ): Promise<void> {
    let asked = request;
    const { source } = asked.capabilities;
    const refusals = new Map<string, ModelRequest>();
    try {
      for (let ask = first; ; ask = (onModelEvents) => this.#inner.stream(asked, signal, onModelEvents)) {
        const answer = new MendedAnswer(asked, refusals.size, take);
        await ask((events) => answer.take(events));
        const { refusal } = answer;
        if (!refusal) return;
        const refused = String(refusal.details?.refused);
        const next = refusals.has(refused) ? undefined : mendRequest(asked, refused);
        if (!refusals.has(refused)) refusals.set(refused, asked);
        if (!next) {
          await take([{ type: "failed", failure: toTextRefusal(refusal, refused) }]);
          return;
        }
        asked = next;
        this.#learnt.set(source, pickLearnable(asked.capabilities));
      }
    } finally {
      // Starts after the answer, since small servers serve one request at a time.
      for (const [refused, sent] of refusals) this.#probe?.confirm(sent, refused);
    }
  }

  #taught(request: ModelRequest): ModelRequest {
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
  readonly #take: EventSink<ModelEvent>;
  readonly #estimate: UsageEstimate;
  readonly #unheeded: IgnoredFields;
  #opened = false;

  constructor(request: ModelRequest, mends: number, take: EventSink<ModelEvent>) {
    this.#request = request;
    this.#mends = mends;
    this.#take = take;
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
    const counted = this.#estimate.push(this.#unheeded.push(good));
    return counted instanceof Promise ? counted.then((later) => this.#take(later)) : this.#take(counted);
  }

  #open(event: ModelEvent): ModelEvent {
    this.#opened ||= event.type === "opened";
    return event.type === "opened" ? withMends(event, this.#request, this.#mends) : event;
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
function toTextRefusal(refusal: Failure, refused: string): Failure {
  if (!ADAPTATIONS.get(refused)?.elseInText) return refusal;
  return { ...refusal, details: { ...refusal.details, toolsRefused: true } };
}

/** Without the tool mode, which agents settle. */
function pickLearnable({ toolChoice, jsonSchema, systemRole, stream, quirks }: ModelCapabilities): Partial<Learnable> {
  return { toolChoice, jsonSchema, systemRole, stream, quirks };
}

function withMends(opened: ModelOpened, request: ModelRequest, mends: number): ModelOpened {
  const fields = listAdaptedFields(request);
  const { lost = NONE } = request;
  if (mends === 0 && fields.length === 0 && lost.length === 0) return opened;
  const mended = [...new Set([...(opened.mended ?? NONE), ...fields, ...lost])].sort();
  return { ...opened, retries: opened.retries + mends, ...(mended.length > 0 && { mended }) };
}

const NONE: readonly string[] = [];

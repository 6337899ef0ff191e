// A model client that asks again without what its upstream refuses, and makes good what is lost by it. Knows neither wire nor words of a refusal.
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { ModelEvent } from "../core/events.ts";
import type { Failure } from "../core/failures.ts";
import { chatRequestBody } from "./chatRequestBody.ts";
import { cutAtStop } from "./cutAtStop.ts";
import { estimateUsage } from "./estimateUsage.ts";
import type { ModelClient, ModelRequest } from "./ModelClient.ts";
import { mendedFields } from "./mendedFields.ts";
import { mendRequest } from "./mendRequest.ts";
import type { Learnable } from "./mends.ts";
import type { RefusalProbe } from "./RefusalProbe.ts";

export class MendingClient implements ModelClient {
  readonly #inner: ModelClient;
  readonly #probe: Pick<RefusalProbe, "confirm"> | undefined;
  /**
   * What a run's refusals have taught it. The key is the object in its capabilities that says where they came from: one for all
   * turns of a run, in both modes, and no other caller's.
   */
  readonly #learnt = new WeakMap<ModelCapabilities["source"], Partial<Learnable>>();

  /** @param probe absent: what one request is refused teaches no other. */
  constructor(inner: ModelClient, probe?: Pick<RefusalProbe, "confirm">) {
    this.#inner = inner;
    this.#probe = probe;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const { source } = request.capabilities;
    const refusals = new Map<string, ModelRequest>();
    let asked: ModelRequest = { ...request, capabilities: { ...request.capabilities, ...this.#learnt.get(source) } };
    try {
      for (;;) {
        const failure = yield* this.#attempt(asked, refusals.size, signal);
        if (!failure) return;
        const refused = String(failure.details?.refused);
        const next = refusals.has(refused) ? undefined : mendRequest(asked, refused);
        if (!refusals.has(refused)) refusals.set(refused, asked);
        if (!next) {
          yield { type: "failed", failure };
          return;
        }
        asked = next;
        this.#learnt.set(source, learnableOf(asked.capabilities));
      }
    } finally {
      // Behind the answer, since small servers serve one request at a time.
      for (const [refused, sent] of refusals) this.#probe?.confirm(sent, refused);
    }
  }

  /** Returns the failure of a request that was refused for a part of it, before anything was answered. */
  async *#attempt(
    request: ModelRequest,
    mends: number,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, Failure | undefined, undefined> {
    let opened = false;
    for await (const event of madeGood(this.#inner.stream(request, signal), request)) {
      if (event.type === "failed" && !opened && event.failure.details?.refused !== undefined) return event.failure;
      opened ||= event.type === "opened";
      yield event.type === "opened" ? withMends(event, mends, mendedFields(request)) : event;
    }
    return undefined;
  }
}

/** Without the tool mode, which agents settle. */
function learnableOf({ toolChoice, jsonSchema, systemRole, stream, quirks }: ModelCapabilities): Partial<Learnable> {
  return { toolChoice, jsonSchema, systemRole, stream, quirks };
}

function madeGood(events: AsyncIterable<ModelEvent>, request: ModelRequest): AsyncIterable<ModelEvent> {
  const { stop } = request.sampling;
  const kept = stop && chatRequestBody(request).stop === undefined ? cutAtStop(events, stop) : events;
  return estimateUsage(kept, request);
}

function withMends(
  opened: Extract<ModelEvent, { type: "opened" }>,
  mends: number,
  fields: readonly string[],
): ModelEvent {
  return { ...opened, retries: opened.retries + mends, ...(fields.length > 0 && { mended: fields }) };
}

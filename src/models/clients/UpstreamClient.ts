// One upstream as a ModelClient, for every wire. Runs the steps of an exchange; other modules read bytes, chunks and errors.

import type { TimeoutsConfig } from "../../core/config/configuration.ts";
import type { EventSink } from "../../core/events/EventSink.ts";
import type { ModelEvent, ModelOpened, RenamedTool } from "../../core/events/events.ts";
import { createFailure, FAILURE_CODES, type Failure, PostelError } from "../../core/failures.ts";
import { retryAfterMs } from "../../core/http/retryAfter.ts";
import { withRetriesSpent } from "../../core/http/retryPolicy.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Clock, Egress, EgressRequest, EgressResponse, Redact, RequestPurpose } from "../../core/ports.ts";
import { ReasoningFieldCache } from "../capabilities/ReasoningFieldCache.ts";
import { asObject, parseJson } from "../looseJson.ts";
import type { ModelClient, ModelRequest } from "../ModelClient.ts";
import { wireToolList } from "../request/chatMessages.ts";
import { buildChatRequestBody, shouldStream } from "../request/chatRequestBody.ts";
import { type RequestHead, RequestHeadCache } from "../request/RequestHeadCache.ts";
import { serializeBody } from "../request/serializeBody.ts";
import { listRenamedTools } from "../request/toolNames.ts";
import { ChatStreamState } from "../response/ChatStreamState.ts";
import { EventTimeout } from "../response/EventTimeout.ts";
import { type AnswerLimits, ResponseLimits } from "../response/ResponseLimits.ts";
import { FIRST, readChatBody } from "../response/readChatBody.ts";
import { readWholeBody } from "../response/readWholeBody.ts";
import { SlicedSink } from "../response/SlicedSink.ts";
import { createUpstreamFailure, extractErrorMessage, type Refusal } from "../response/upstreamFailure.ts";
import { resolveWire } from "../wires/registry.ts";
import type { Translation, UpstreamWire, WireRequest, WireServer } from "../wires/UpstreamWire.ts";

export interface UpstreamClientOptions {
  readonly upstream: WireServer;
  readonly egress: Egress;
  /** Without `answerMs`, a non-streaming answer has the time of a first event. */
  readonly timeouts: Pick<TimeoutsConfig, "headersMs" | "firstEventMs" | "idleMs"> &
    Partial<Pick<TimeoutsConfig, "answerMs">>;
  /** Limits of one answer. */
  readonly limits: AnswerLimits;
  readonly clock: Clock;
  readonly redact: Redact;
}

const LIST_TIMEOUT_MS = 5_000;
const LIST_CHARS = 8_388_608;
const REFUSAL_CHARS = 65_536;

/** A request as it is sent upstream. */
interface Sending {
  readonly request: ModelRequest;
  readonly sent: JsonObject;
  readonly dropped: readonly string[];
  readonly outgoing: EgressRequest;
  /** Number of retries. */
  retries: number;
}

/** Parts of a request other than its head and its text. */
type Made = Pick<Sending, "request" | "sent" | "dropped"> & {
  /** Called before each wait for another attempt. */
  readonly onRetry: () => void;
};

/** A request and its response, whose body is still to be read. */
interface Exchange {
  readonly sending: Sending;
  readonly response: EgressResponse;
}

export class UpstreamClient implements ModelClient {
  readonly #options: UpstreamClientOptions;
  readonly #reasoningFields = new ReasoningFieldCache();
  readonly #heads: RequestHeadCache;
  readonly #wire: UpstreamWire;
  #translation: Translation | undefined;
  /** The model of the last request, and its breaker key. */
  #lastRequest: { readonly model: string; readonly key: string } | undefined;

  constructor(options: UpstreamClientOptions) {
    this.#options = options;
    this.#heads = new RequestHeadCache(options.upstream);
    this.#wire = resolveWire(options.upstream.wire);
    const { translation } = this.#wire;
    if (typeof translation === "object") this.#translation = translation;
  }

  async stream(request: ModelRequest, signal: AbortSignal, onEvents: EventSink<ModelEvent>): Promise<void> {
    const deadline = new EventTimeout(signal);
    const startTimeout = (): void => deadline.start(this.#firstWordMs(request), FIRST);
    try {
      startTimeout();
      let exchange: Exchange;
      try {
        const sending = await this.#prepare(request, deadline.signal, startTimeout);
        exchange = { sending, response: await this.#options.egress.send(sending.outgoing, deadline.signal) };
      } catch (error) {
        await onEvents([{ type: "failed", failure: toFailure(deadline.reason ?? error) }]);
        return;
      }
      await this.#forwardAnswer(exchange, deadline, onEvents);
    } finally {
      deadline.dispose();
    }
  }

  /**
   * Returns the entries of the upstream's own list of models, unchanged.
   * @throws PostelError if it cannot be loaded within five seconds.
   */
  async list(signal: AbortSignal): Promise<readonly JsonObject[]> {
    const deadline = new EventTimeout(signal);
    try {
      deadline.start(LIST_TIMEOUT_MS, "list of models");
      const { upstream, egress, timeouts } = this.#options;
      const key = `${upstream.id}/models`;
      const timers = { headersMs: Math.min(timeouts.headersMs, LIST_TIMEOUT_MS) };
      const purpose: RequestPurpose = { kind: "model-list", key, run: key, repeatable: true, timers };
      const { list } = this.#wire;
      const head = await this.#heads.getHead("get", list.path);
      const response = await egress.send({ ...head, purpose }, deadline.signal);
      const body = await readWholeBody(response, deadline, LIST_CHARS);
      if (!isSuccess(response))
        throw new PostelError(this.#toUpstreamFailure({ status: response.status, body, model: "(list)", sent: {} }));
      const document = asObject(parseJson(body));
      return (document && list.entries(document)) ?? noList(upstream.id);
    } catch (error) {
      throw deadline.reason ?? new PostelError(toFailure(error), { cause: error });
    } finally {
      deadline.dispose();
    }
  }

  async #forwardAnswer(sent: Exchange, deadline: EventTimeout, onEvents: EventSink<ModelEvent>): Promise<void> {
    const { sending, response } = sent;
    const { request } = sending;
    if (!isSuccess(response)) {
      await onEvents(await this.#readRefusal(sent, deadline));
      return;
    }
    const meter = new ResponseLimits(this.#options.limits);
    const exchange = this.#open(sent, meter);
    const { idleMs } = this.#options.timeouts;
    // If the operator configured a longer time to the first text, the model may take it.
    const unaskedMs = shouldStream(request) ? undefined : Math.max(idleMs, request.capabilities.firstEventMs ?? 0);
    const timers = { firstEventMs: this.#firstWordMs(request), idleMs, unaskedMs };
    const lane = request.ahead && { ahead: request.ahead, exchange, meter };
    const reading = { deadline, meter, exchange, timers, lane };
    const slicedSink = new SlicedSink(onEvents);
    let last: readonly ModelEvent[];
    try {
      if ((await readChatBody(response, reading, slicedSink.onEvents)) === "enough") return;
      last = exchange.end();
    } catch (error) {
      // An error thrown by the consumer of the events is not a failure of the upstream.
      if (slicedSink.threw(error)) throw error;
      const found = toFailure(deadline.reason ?? error);
      // A failure of one request says nothing about the upstream. The breaker decides which of the others count.
      if (found.fault === "upstream" && FAILURE_CODES[found.code].status >= 500) response.reportFailure?.(found);
      // The answer was complete before its connection failed.
      const isWhole = exchange.finished && found.fault === "upstream";
      last = isWhole ? exchange.end() : [{ type: "failed", failure: found }];
    } finally {
      this.#reasoningFields.recordField(request.model, exchange.reasoningField);
    }
    await onEvents(last);
  }

  #open(exchange: Exchange, meter: ResponseLimits): ChatStreamState {
    const { request, sent } = exchange.sending;
    const { model } = request;
    return new ChatStreamState({
      meter,
      wire: this.#translation?.answer?.(),
      opened: createOpened(exchange),
      createRefusal: (status, body) => this.#toUpstreamFailure({ status, body, model, sent }),
    });
  }

  async #load(): Promise<Translation> {
    const { translation } = this.#wire;
    this.#translation = typeof translation === "function" ? await translation() : translation;
    return this.#translation;
  }

  /** If the wire cannot enforce a form, it is requested by an instruction, as for an upstream without enforcement. */
  #translate(request: ModelRequest, { ask }: Translation): { readonly sent: JsonObject; readonly asked: WireRequest } {
    const { upstream } = this.#options;
    const chatBody = buildChatRequestBody(request);
    const wireRequest = ask(chatBody, upstream);
    if (!request.inWords || !wireRequest.dropped.includes("response_format"))
      return { sent: chatBody, asked: wireRequest };
    const inWords = buildChatRequestBody({ ...request, capabilities: { ...request.capabilities, jsonSchema: "none" } });
    return { sent: inWords, asked: { ...ask(inWords, upstream), dropped: wireRequest.dropped } };
  }

  /** @param onRetry called before each wait for another attempt. */
  async #prepare(originalRequest: ModelRequest, signal: AbortSignal, onRetry: () => void): Promise<Sending> {
    const translation = this.#translation ?? (await this.#load());
    const request = this.#reasoningFields.spell(originalRequest);
    const { sent, asked } = this.#translate(request, translation);
    const { body, path, dropped } = asked;
    const head = await this.#heads.getHead("post", path);
    const text = await serializeBody(body, signal);
    return this.#createSending({ request, sent, dropped, onRetry }, head, text);
  }

  #createSending({ request, sent, dropped, onRetry }: Made, head: RequestHead, body: string): Sending {
    const onRetrying = (): void => {
      sending.retries += 1;
      onRetry();
    };
    const isRefusal = (status: number, text: string): boolean =>
      this.#toUpstreamFailure({ status, body: text, model: request.model, sent }).details?.refused !== undefined;
    const purpose = this.#createPurpose(request, onRetrying, isRefusal);
    const sending = { request, sent, dropped, outgoing: { ...head, body, purpose }, retries: 0 };
    return sending;
  }

  #createPurpose(request: ModelRequest, onRetry: () => void, isRefusal: RequestPurpose["isRefusal"]): RequestPurpose {
    const { headersMs } = this.#options.timeouts;
    // A non-streaming answer has no headers before it is complete.
    const longestMs = shouldStream(request) ? (request.capabilities.firstEventMs ?? 0) : this.#firstWordMs(request);
    const { run, probe = false } = request;
    return {
      kind: probe ? "model-probe" : "model",
      key: this.#getBreakerKey(request.model),
      run,
      repeatable: !probe,
      timers: {
        headersMs: Math.max(headersMs, longestMs),
        loadMs: probe ? undefined : this.#firstEventMs(request),
      },
      onRetry,
      isRefusal,
    };
  }

  /** Put together once for as long as the same model is asked. */
  #getBreakerKey(model: string): string {
    if (this.#lastRequest?.model !== model) this.#lastRequest = { model, key: `${this.#options.upstream.id}/${model}` };
    return this.#lastRequest.key;
  }

  /** The first text of a non-streaming answer is also the last, so it may take the time of a complete answer. */
  #firstWordMs(request: ModelRequest): number {
    const firstEventMs = this.#firstEventMs(request);
    const { answerMs = 0 } = this.#options.timeouts;
    return shouldStream(request) ? firstEventMs : Math.max(firstEventMs, answerMs);
  }

  #firstEventMs({ capabilities }: ModelRequest): number {
    return capabilities.firstEventMs ?? this.#options.timeouts.firstEventMs;
  }

  async #readRefusal(exchange: Exchange, deadline: EventTimeout): Promise<readonly ModelEvent[]> {
    try {
      return this.#createRefusedFailure(exchange, await readWholeBody(exchange.response, deadline, REFUSAL_CHARS));
    } catch (error) {
      return [{ type: "failed", failure: toFailure(deadline.reason ?? error) }];
    }
  }

  #createRefusedFailure({ sending, response }: Exchange, body: string): readonly ModelEvent[] {
    const { status, headers, note: originalRequest } = response;
    const { request, sent, retries } = sending;
    const { model } = request;
    const answer = extractErrorMessage(body);
    if (answer === undefined) {
      const startTimeout = retryAfterMs(headers, this.#options.clock.now());
      const failure = this.#toUpstreamFailure({ status, body, model, sent, retryAfterMs: startTimeout });
      return [{ type: "failed", failure: response.retriesSpent ? withRetriesSpent(failure) : failure }];
    }
    const note = `The upstream answered ${status}; the model's text was taken out of its error message.`;
    return [
      opened(originalRequest ? `${originalRequest} ${note}` : note, retries),
      { type: "text", text: answer },
      { type: "end", finishReason: "stop" },
    ];
  }

  #toUpstreamFailure(refusal: Omit<Refusal, "upstream" | "redact">): Failure {
    const { upstream, redact } = this.#options;
    return createUpstreamFailure({ ...refusal, upstream: upstream.id, redact });
  }
}

function renaming({ tools }: ModelRequest, exchange: JsonObject): readonly RenamedTool[] {
  // The list as it is written if no quirk concerns tools.
  if (tools.length === 0 || exchange.tools === wireToolList(tools)) return NONE;
  return listRenamedTools(tools, exchange);
}

const NONE: readonly never[] = [];

function createOpened({ sending, response }: Exchange): ModelOpened {
  const { request, sent, dropped, retries } = sending;
  return opened(response.note, retries, { dropped, renamed: renaming(request, sent) });
}

interface Beside {
  readonly dropped?: readonly string[];
  readonly renamed?: readonly RenamedTool[];
}

function opened(
  note: string | undefined,
  retries: number,
  { dropped = NONE, renamed = NONE }: Beside = {},
): ModelOpened {
  if (note === undefined && dropped.length === 0 && renamed.length === 0) return { type: "opened", retries };
  return {
    type: "opened",
    ...(note !== undefined && { note }),
    retries,
    ...(dropped.length > 0 && { mended: dropped }),
    ...(renamed.length > 0 && { renamed }),
  };
}

function isSuccess(response: EgressResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

function toFailure(error: unknown): Failure {
  if (error instanceof PostelError) return error.failure;
  const errorText = error instanceof Error ? error.name : typeof error;
  return createFailure(
    "internal_error",
    `A model call failed inside the gateway (${errorText}). This is a fault of Postel.`,
  );
}

function noList(upstream: string): never {
  const message = `The upstream \`${upstream}\` answered GET /models with something that is no list of models.`;
  throw new PostelError(createFailure("upstream_protocol_error", message));
}

// One upstream as a ModelClient, for every wire. Runs the steps of an exchange; other modules read bytes, chunks and errors.

import type { TimeoutsConfig } from "../../core/config/configuration.ts";
import type { EventSink } from "../../core/events/EventSink.ts";
import type { ModelEvent, ModelOpened, RenamedTool } from "../../core/events/events.ts";
import { createFailure, FAILURE_CODES, type Failure, PostelError } from "../../core/failures.ts";
import { retryAfterMs } from "../../core/http/retryAfter.ts";
import { withRetriesSpent } from "../../core/http/retryPolicy.ts";
import { parseJson } from "../../core/json/parseJson.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Clock, Egress, EgressRequest, EgressResponse, Redact, RequestPurpose } from "../../core/ports.ts";
import { ReasoningFieldCache } from "../capabilities/ReasoningFieldCache.ts";
import { asObject } from "../looseJson.ts";
import type { EventStream, ModelClient, ModelRequest, TextAnswer } from "../ModelClient.ts";
import { wireToolList } from "../request/chatMessages.ts";
import { buildChatRequestBody, shouldStream } from "../request/chatRequestBody.ts";
import { type RequestHead, RequestHeadCache } from "../request/RequestHeadCache.ts";
import { serializeBody } from "../request/serializeBody.ts";
import { listRenamedTools } from "../request/toolNames.ts";
import { ChatStreamState } from "../response/ChatStreamState.ts";
import { EventTimeout, toAbortReason } from "../response/EventTimeout.ts";
import { type AnswerLimits, ResponseLimits } from "../response/ResponseLimits.ts";
import { FIRST, readChatBody } from "../response/readChatBody.ts";
import { readTextAnswer } from "../response/readTextAnswer.ts";
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
  /** True if a chunk like the last one need not be parsed. */
  readonly fastPaths: boolean;
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
  #asked: { readonly model: string; readonly key: string } | undefined;

  constructor(options: UpstreamClientOptions) {
    this.#options = options;
    this.#heads = new RequestHeadCache(options.upstream);
    this.#wire = resolveWire(options.upstream.wire);
    const { translation } = this.#wire;
    if (typeof translation === "object") this.#translation = translation;
  }

  async stream(request: ModelRequest, signal: AbortSignal, take: EventSink<ModelEvent>): Promise<void> {
    const deadline = new EventTimeout(signal);
    const wait = (): void => deadline.start(this.#firstWordMs(request), FIRST);
    try {
      wait();
      let exchange: Exchange;
      try {
        const sending = await this.#prepare(request, deadline.signal, wait);
        exchange = { sending, response: await this.#options.egress.send(sending.outgoing, deadline.signal) };
      } catch (error) {
        await take([{ type: "failed", failure: toFailure(deadline.reason ?? error) }]);
        return;
      }
      await this.#answer(exchange, deadline, take);
    } finally {
      deadline.dispose();
    }
  }

  async complete(request: ModelRequest, signal: AbortSignal): Promise<TextAnswer | EventStream> {
    if (shouldStream(request)) return (take) => this.stream(request, signal, take);
    try {
      const sending = await this.#prepare(request, signal, () => {});
      return await this.#readText(
        { sending, response: await this.#options.egress.send(sending.outgoing, signal) },
        signal,
      );
    } catch (error) {
      const failed = toFailure(signal.aborted ? toAbortReason(signal) : error);
      return async (take) => {
        await take([{ type: "failed", failure: failed }]);
      };
    }
  }

  /** Returns a text-only answer that arrived in one read. For any other answer, returns a stream over the same bytes. */
  async #readText({ sending, response }: Exchange, signal: AbortSignal): Promise<TextAnswer | EventStream> {
    if (!isSuccess(response) || this.#translation?.answer)
      return (take) => this.#answerLater({ sending, response }, signal, take);
    const bytes = response.body[Symbol.asyncIterator]();
    const first = await bytes.next();
    const reads = [first];
    const type = response.headers["content-type"];
    const words = first.done ? undefined : readTextAnswer(first.value, type, this.#options.limits.answerChars);
    if (words) {
      const last = await bytes.next();
      if (last.done) return { opened: openedBy({ sending, response }), said: words.said, end: words.end };
      reads.push(last);
    }
    const unread = { ...response, body: resumeReading(reads, bytes), setEarlyReader: undefined };
    return (take) => this.#answerLater({ sending, response: unread }, signal, take);
  }

  /** Reads an answer that was not read in one step. */
  async #answerLater(exchange: Exchange, signal: AbortSignal, take: EventSink<ModelEvent>): Promise<void> {
    const deadline = new EventTimeout(signal);
    try {
      deadline.start(this.#firstWordMs(exchange.sending.request), FIRST);
      await this.#answer(exchange, deadline, take);
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
        throw new PostelError(this.#refusal({ status: response.status, body, model: "(list)", sent: {} }));
      const document = asObject(parseJson(body));
      return (document && list.entries(document)) ?? noList(upstream.id);
    } catch (error) {
      throw deadline.reason ?? new PostelError(toFailure(error), { cause: error });
    } finally {
      deadline.dispose();
    }
  }

  async #answer(sent: Exchange, deadline: EventTimeout, take: EventSink<ModelEvent>): Promise<void> {
    const { sending, response } = sent;
    const { request } = sending;
    if (!isSuccess(response)) {
      await take(await this.#refused(sent, deadline));
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
    const taker = new SlicedSink(take);
    let last: readonly ModelEvent[];
    try {
      if ((await readChatBody(response, reading, taker.onEvents)) === "enough") return;
      last = exchange.end();
    } catch (error) {
      // An error thrown by the consumer of the events is not a failure of the upstream.
      if (taker.threw(error)) throw error;
      const found = toFailure(deadline.reason ?? error);
      // A failure of one request says nothing about the upstream. The breaker decides which of the others count.
      if (found.fault === "upstream" && FAILURE_CODES[found.code].status >= 500) response.reportFailure?.(found);
      // The answer was complete before its connection failed.
      const isWhole = exchange.finished && found.fault === "upstream";
      last = isWhole ? exchange.end() : [{ type: "failed", failure: found }];
    } finally {
      this.#reasoningFields.recordField(request.model, exchange.reasoningField);
    }
    await take(last);
  }

  #open(exchange: Exchange, meter: ResponseLimits): ChatStreamState {
    const { request, sent } = exchange.sending;
    const { model } = request;
    return new ChatStreamState({
      meter,
      wire: this.#translation?.answer?.(),
      opened: openedBy(exchange),
      usesTemplates: this.#options.fastPaths,
      refuse: (status, body) => this.#refusal({ status, body, model, sent }),
    });
  }

  async #load(): Promise<Translation> {
    const { translation } = this.#wire;
    this.#translation = typeof translation === "function" ? await translation() : translation;
    return this.#translation;
  }

  /** If the wire cannot enforce a form, it is requested by an instruction, as for an upstream without enforcement. */
  #ask(request: ModelRequest, { ask }: Translation): { readonly sent: JsonObject; readonly asked: WireRequest } {
    const { upstream } = this.#options;
    const sent = buildChatRequestBody(request);
    const asked = ask(sent, upstream);
    if (!request.inWords || !asked.dropped.includes("response_format")) return { sent, asked };
    const inWords = buildChatRequestBody({ ...request, capabilities: { ...request.capabilities, jsonSchema: "none" } });
    return { sent: inWords, asked: { ...ask(inWords, upstream), dropped: asked.dropped } };
  }

  /** @param onRetry called before each wait for another attempt. */
  async #prepare(given: ModelRequest, signal: AbortSignal, onRetry: () => void): Promise<Sending> {
    const translation = this.#translation ?? (await this.#load());
    const request = this.#reasoningFields.spell(given);
    const { sent, asked } = this.#ask(request, translation);
    const { body, path, dropped } = asked;
    const head = await this.#heads.getHead("post", path);
    const text = await serializeBody(body, signal);
    return this.#sending({ request, sent, dropped, onRetry }, head, text);
  }

  #sending({ request, sent, dropped, onRetry }: Made, head: RequestHead, body: string): Sending {
    const onRetrying = (): void => {
      sending.retries += 1;
      onRetry();
    };
    const isRefusal = (status: number, text: string): boolean =>
      this.#refusal({ status, body: text, model: request.model, sent }).details?.refused !== undefined;
    const purpose = this.#purposeOf(request, onRetrying, isRefusal);
    const sending = { request, sent, dropped, outgoing: { ...head, body, purpose }, retries: 0 };
    return sending;
  }

  #purposeOf(request: ModelRequest, onRetry: () => void, isRefusal: RequestPurpose["isRefusal"]): RequestPurpose {
    const { headersMs } = this.#options.timeouts;
    // A non-streaming answer has no headers before it is complete.
    const longestMs = shouldStream(request) ? (request.capabilities.firstEventMs ?? 0) : this.#firstWordMs(request);
    const { run, probe = false } = request;
    return {
      kind: probe ? "model-probe" : "model",
      key: this.#keyOf(request.model),
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
  #keyOf(model: string): string {
    if (this.#asked?.model !== model) this.#asked = { model, key: `${this.#options.upstream.id}/${model}` };
    return this.#asked.key;
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

  async #refused(exchange: Exchange, deadline: EventTimeout): Promise<readonly ModelEvent[]> {
    try {
      return this.#refusedWith(exchange, await readWholeBody(exchange.response, deadline, REFUSAL_CHARS));
    } catch (error) {
      return [{ type: "failed", failure: toFailure(deadline.reason ?? error) }];
    }
  }

  #refusedWith({ sending, response }: Exchange, body: string): readonly ModelEvent[] {
    const { status, headers, note: given } = response;
    const { request, sent, retries } = sending;
    const { model } = request;
    const answer = extractErrorMessage(body);
    if (answer === undefined) {
      const wait = retryAfterMs(headers, this.#options.clock.now());
      const refusal = this.#refusal({ status, body, model, sent, retryAfterMs: wait });
      return [{ type: "failed", failure: response.retriesSpent ? withRetriesSpent(refusal) : refusal }];
    }
    const note = `The upstream answered ${status}; the model's text was taken out of its error message.`;
    return [
      opened(given ? `${given} ${note}` : note, retries),
      { type: "text", text: answer },
      { type: "end", finishReason: "stop" },
    ];
  }

  #refusal(refusal: Omit<Refusal, "upstream" | "redact">): Failure {
    const { upstream, redact } = this.#options;
    return createUpstreamFailure({ ...refusal, upstream: upstream.id, redact });
  }
}

function renaming({ tools }: ModelRequest, sent: JsonObject): readonly RenamedTool[] {
  // The list as it is written if no quirk concerns tools.
  if (tools.length === 0 || sent.tools === wireToolList(tools)) return NONE;
  return listRenamedTools(tools, sent);
}

const NONE: readonly never[] = [];

function openedBy({ sending, response }: Exchange): ModelOpened {
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

type Read = IteratorResult<Uint8Array>;

/** The body from its beginning: the given reads, then the rest. */
function resumeReading(reads: Read[], rest: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  const next = async (): Promise<Read> => reads.shift() ?? (await rest.next());
  const close = async (): Promise<Read> => (await rest.return?.()) ?? { done: true, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: close }) };
}

function isSuccess(response: EgressResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

function toFailure(error: unknown): Failure {
  if (error instanceof PostelError) return error.failure;
  const what = error instanceof Error ? error.name : typeof error;
  return createFailure(
    "internal_error",
    `A model call failed inside the gateway (${what}). This is a fault of Postel.`,
  );
}

function noList(upstream: string): never {
  const message = `The upstream \`${upstream}\` answered GET /models with something that is no list of models.`;
  throw new PostelError(createFailure("upstream_protocol_error", message));
}

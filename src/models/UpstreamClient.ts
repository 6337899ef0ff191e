// One upstream, whatever its wire, as a ModelClient. Knows the order of an exchange; what the bytes, chunks and errors mean is its neighbours' work.
import type { TimeoutsConfig } from "../core/configuration.ts";
import type { ModelEvent, ModelOpened } from "../core/events.ts";
import { FAILURE_CODES, type Failure, failure, PostelError } from "../core/failures.ts";
import type { JsonObject } from "../core/messages.ts";
import type { Clock, Egress, EgressResponse, ExchangePurpose, Redact } from "../core/ports.ts";
import { retryAfterMs } from "../core/retryAfter.ts";
import { withRetriesSpent } from "../core/retryPolicy.ts";
import type { Take } from "../core/take.ts";
import { type AnswerLimits, AnswerMeter } from "./AnswerMeter.ts";
import { bodyText } from "./bodyText.ts";
import { ChatExchange } from "./ChatExchange.ts";
import { asksForStream, chatRequestBody } from "./chatRequestBody.ts";
import { EventDeadline } from "./EventDeadline.ts";
import type { ModelClient, ModelRequest } from "./ModelClient.ts";
import { ReasoningFields } from "./ReasoningFields.ts";
import { RequestHeads } from "./RequestHeads.ts";
import { readChatBody } from "./readChatBody.ts";
import { readWholeBody } from "./readWholeBody.ts";
import { SlicedTaker } from "./SlicedTaker.ts";
import { renamedTools } from "./toolNames.ts";
import { answerIn, type Refusal, upstreamFailure } from "./upstreamFailure.ts";
import { jsonIn, objectIn } from "./wireJson.ts";
import type { Translation, UpstreamWire, WireRequest, WireServer } from "./wires/UpstreamWire.ts";
import { wireOf } from "./wires/wires.ts";

export interface UpstreamClientOptions {
  readonly upstream: WireServer;
  readonly egress: Egress;
  /** Without `answerMs` an answer that comes whole has the time of a first event. */
  readonly timeouts: Pick<TimeoutsConfig, "headersMs" | "firstEventMs" | "idleMs"> &
    Partial<Pick<TimeoutsConfig, "answerMs">>;
  /** What one answer may come to. */
  readonly limits: AnswerLimits;
  readonly clock: Clock;
  readonly redact: Redact;
}

const LIST_TIMEOUT_MS = 5_000;
const LIST_CHARS = 8_388_608;
const REFUSAL_CHARS = 65_536;

/** An answer of status 200 whose body is still to be read. */
interface OpenAnswer {
  readonly response: EgressResponse;
  readonly meter: AnswerMeter;
  readonly exchange: ChatExchange;
}

export class UpstreamClient implements ModelClient {
  readonly #options: UpstreamClientOptions;
  readonly #reasoningFields = new ReasoningFields();
  readonly #heads: RequestHeads;
  readonly #wire: UpstreamWire;
  #translation: Translation | undefined;

  constructor(options: UpstreamClientOptions) {
    this.#options = options;
    this.#heads = new RequestHeads(options.upstream);
    this.#wire = wireOf(options.upstream.wire);
    const { translation } = this.#wire;
    if (typeof translation === "object") this.#translation = translation;
  }

  async stream(request: ModelRequest, signal: AbortSignal, take: Take<ModelEvent>): Promise<void> {
    const deadline = new EventDeadline(signal);
    try {
      await this.#answer(request, deadline, take);
    } finally {
      deadline.dispose();
    }
  }

  /**
   * The upstream's own list of models, as its entries came.
   * @throws PostelError where it cannot be had within five seconds.
   */
  async list(signal: AbortSignal): Promise<readonly JsonObject[]> {
    const deadline = new EventDeadline(signal);
    try {
      deadline.start(LIST_TIMEOUT_MS, "list of models");
      const { upstream, egress, timeouts } = this.#options;
      const key = `${upstream.id}/models`;
      const timers = { headersMs: Math.min(timeouts.headersMs, LIST_TIMEOUT_MS) };
      const purpose: ExchangePurpose = { kind: "model-list", key, run: key, repeatable: true, timers };
      const { list } = this.#wire;
      const head = await this.#heads.of("get", list.path);
      const response = await egress.send({ ...head, purpose }, deadline.signal);
      const body = await readWholeBody(response, deadline, LIST_CHARS);
      if (!isSuccess(response))
        throw new PostelError(this.#refusal({ status: response.status, body, model: "(list)", sent: {} }));
      const document = objectIn(jsonIn(body));
      return (document && list.entries(document)) ?? noList(upstream.id);
    } catch (error) {
      throw deadline.reason ?? new PostelError(failureOf(error), { cause: error });
    } finally {
      deadline.dispose();
    }
  }

  async #answer(request: ModelRequest, deadline: EventDeadline, take: Take<ModelEvent>): Promise<void> {
    const open = await this.#open(request, deadline).catch((error): readonly ModelEvent[] => [
      { type: "failed", failure: failureOf(deadline.reason ?? error) },
    ]);
    if (!("exchange" in open)) {
      await take(open);
      return;
    }
    const { response, meter, exchange } = open;
    const { idleMs } = this.#options.timeouts;
    const timers = { firstEventMs: this.#firstWordMs(request), idleMs };
    const lane = request.ahead && { ahead: request.ahead, exchange, meter };
    const reading = { deadline, meter, exchange, timers, lane };
    const taker = new SlicedTaker(take);
    let last: readonly ModelEvent[];
    try {
      if ((await readChatBody(response, reading, taker.take)) === "enough") return;
      last = exchange.end();
    } catch (error) {
      // What whoever takes the events throws is not the upstream's fault.
      if (taker.threw(error)) throw error;
      const found = failureOf(deadline.reason ?? error);
      // What is wrong with one request says nothing about the upstream; of the rest the breaker decides what counts.
      if (found.fault === "upstream" && FAILURE_CODES[found.code].status >= 500) response.reportFailure?.(found);
      // The answer was complete before its connection failed.
      const isWhole = exchange.finished && found.fault === "upstream";
      last = isWhole ? exchange.end() : [{ type: "failed", failure: found }];
    } finally {
      this.#reasoningFields.heard(request.model, exchange.reasoningField);
    }
    await take(last);
  }

  /** The answer of status 200 that can be read, or the events of any other. */
  async #open(request: ModelRequest, deadline: EventDeadline): Promise<OpenAnswer | readonly ModelEvent[]> {
    let retries = 0;
    const waitForFirstEvent = () => deadline.start(this.#firstWordMs(request), "word of its answer");
    waitForFirstEvent();
    const translation = this.#translation ?? (await this.#load());
    const { sent, asked } = this.#ask(this.#reasoningFields.spell(request), translation);
    const response = await this.#send({ request, asked }, deadline, () => {
      retries += 1;
      waitForFirstEvent();
    });
    const { model } = request;
    if (!isSuccess(response)) return await this.#refused(response, { model, sent, deadline, retries });
    const meter = new AnswerMeter(this.#options.limits);
    const exchange = new ChatExchange({
      meter,
      wire: translation.answer?.(),
      opened: { ...opened(response.note, retries, asked.dropped), ...renaming(request, sent) },
      refuse: (status, body) => this.#refusal({ status, body, model, sent }),
    });
    return { response, meter, exchange };
  }

  async #load(): Promise<Translation> {
    const { translation } = this.#wire;
    this.#translation = typeof translation === "function" ? await translation() : translation;
    return this.#translation;
  }

  /** A form that the wire cannot hold an answer to is asked for in words, as of an upstream that enforces none. */
  #ask(request: ModelRequest, { ask }: Translation): { readonly sent: JsonObject; readonly asked: WireRequest } {
    const { upstream } = this.#options;
    const sent = chatRequestBody(request);
    const asked = ask(sent, upstream);
    if (!request.inWords || !asked.dropped.includes("response_format")) return { sent, asked };
    const inWords = chatRequestBody({ ...request, capabilities: { ...request.capabilities, jsonSchema: "none" } });
    return { sent: inWords, asked: { ...ask(inWords, upstream), dropped: asked.dropped } };
  }

  async #send(
    { request, asked }: { readonly request: ModelRequest; readonly asked: WireRequest },
    deadline: EventDeadline,
    onRetry: () => void,
  ): Promise<EgressResponse> {
    const { upstream, egress, timeouts } = this.#options;
    const { headersMs } = timeouts;
    const firstEventMs = this.#firstEventMs(request);
    const purpose: ExchangePurpose = {
      kind: request.probe ? "model-probe" : "model",
      key: `${upstream.id}/${request.model}`,
      run: request.run,
      repeatable: !request.probe,
      timers: {
        // An answer that is not streamed has no headers before it is whole.
        headersMs: asksForStream(request)
          ? Math.max(headersMs, request.capabilities.firstEventMs ?? 0)
          : Math.max(headersMs, this.#firstWordMs(request)),
        ...(!request.probe && { loadMs: firstEventMs }),
      },
      onRetry,
    };
    const head = await this.#heads.of("post", asked.path);
    const body = await bodyText(asked.body, deadline.signal);
    return egress.send({ ...head, body, purpose }, deadline.signal);
  }

  /** Of an answer that comes whole the first word is the last: it may take as long as an answer may, for a slow model says nothing before. */
  #firstWordMs(request: ModelRequest): number {
    const firstEventMs = this.#firstEventMs(request);
    const { answerMs = 0 } = this.#options.timeouts;
    return asksForStream(request) ? firstEventMs : Math.max(firstEventMs, answerMs);
  }

  #firstEventMs({ capabilities }: ModelRequest): number {
    return capabilities.firstEventMs ?? this.#options.timeouts.firstEventMs;
  }

  async #refused(
    response: EgressResponse,
    at: {
      readonly model: string;
      readonly sent: JsonObject;
      readonly deadline: EventDeadline;
      readonly retries: number;
    },
  ): Promise<readonly ModelEvent[]> {
    const { status, headers, note: given } = response;
    const { model, sent } = at;
    const body = await readWholeBody(response, at.deadline, REFUSAL_CHARS);
    const answer = answerIn(body);
    if (answer === undefined) {
      const wait = retryAfterMs(headers, this.#options.clock.now());
      const refusal = this.#refusal({ status, body, model, sent, retryAfterMs: wait });
      return [{ type: "failed", failure: response.retriesSpent ? withRetriesSpent(refusal) : refusal }];
    }
    const note = `The upstream answered ${status}; the model's text was taken out of its error message.`;
    return [
      opened(given ? `${given} ${note}` : note, at.retries),
      { type: "text", text: answer },
      { type: "end", finishReason: "stop" },
    ];
  }

  #refusal(refusal: Omit<Refusal, "upstream" | "redact">): Failure {
    const { upstream, redact } = this.#options;
    return upstreamFailure({ ...refusal, upstream: upstream.id, redact });
  }
}

function renaming({ tools }: ModelRequest, sent: JsonObject): Pick<ModelOpened, "renamed"> {
  const renamed = renamedTools(tools, sent);
  return renamed.length > 0 ? { renamed } : {};
}

function opened(note: string | undefined, retries: number, dropped: readonly string[] = []): ModelOpened {
  return {
    type: "opened",
    ...(note !== undefined && { note }),
    retries,
    ...(dropped.length > 0 && { mended: dropped }),
  };
}

function isSuccess(response: EgressResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

function failureOf(error: unknown): Failure {
  if (error instanceof PostelError) return error.failure;
  const what = error instanceof Error ? error.name : typeof error;
  return failure("internal_error", `A model call failed inside the gateway (${what}). This is a fault of Postel.`);
}

function noList(upstream: string): never {
  const message = `The upstream \`${upstream}\` answered GET /models with something that is no list of models.`;
  throw new PostelError(failure("upstream_protocol_error", message));
}

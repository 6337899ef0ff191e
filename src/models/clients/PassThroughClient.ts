// Sends a request as the caller wrote it, except for the model name, and forwards the bytes of the response as they arrive.

import type { Semaphore } from "../../core/async/Semaphore.ts";
import { stringifyCooperatively } from "../../core/async/stringifyCooperatively.ts";
import type { TimeoutsConfig } from "../../core/config/configuration.ts";
import { createFailure, FAILURE_CODES, type Failure, PostelError } from "../../core/failures.ts";
import { retryAfterMs } from "../../core/http/retryAfter.ts";
import { withRetriesSpent } from "../../core/http/retryPolicy.ts";
import { parseJson } from "../../core/json/parseJson.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Clock, Egress, EgressResponse, Redact, RequestPurpose } from "../../core/ports.ts";
import { asObject } from "../looseJson.ts";
import { RequestHeadCache } from "../request/RequestHeadCache.ts";
import { EventTimeout } from "../response/EventTimeout.ts";
import { readWholeBody } from "../response/readWholeBody.ts";
import { createUpstreamFailure, extractChunkError, type Refusal } from "../response/upstreamFailure.ts";
import { resolveWire } from "../wires/registry.ts";
import type { PassedPath, UpstreamWire, WireServer } from "../wires/UpstreamWire.ts";

export interface PassThroughOptions {
  readonly upstream: WireServer;
  readonly egress: Egress;
  readonly timeouts: Pick<TimeoutsConfig, "headersMs" | "firstEventMs" | "idleMs" | "answerMs">;
  readonly clock: Pick<Clock, "now">;
  readonly redact: Redact;
  /** Permits for concurrent requests of the upstream, shared with its conversations. */
  readonly semaphore: Pick<Semaphore, "acquire">;
}

export interface PassedRequest {
  /** The id of the request that asks. */
  readonly run: string;
  readonly path: PassedPath;
  readonly model: string;
  /** The caller's; its `model` is replaced. */
  readonly body: JsonObject;
  /** Reason of a request by the gateway itself; absent: the request of a caller. */
  readonly kind?: "tool" | "memory" | undefined;
}

/** Takes an answer that was not refused, as it comes. */
export interface AnswerTaker {
  /** Called once, with the arrival of the first bytes. */
  begin(contentType: string): void;
  /** Returns a promise to pause: reading continues when it resolves. An error that it throws is the consumer's own. */
  write(bytes: Uint8Array): Promise<void> | undefined;
}

/** 2,048 texts, OpenAI's maximum, of 3,072 numbers of some 22 characters are half of it. Nothing of it is buffered. */
const ANSWER_BYTES = 268_435_456;
const REFUSAL_CHARS = 65_536;

type Read = IteratorResult<Uint8Array>;

export class PassThroughClient {
  readonly #options: PassThroughOptions;
  readonly #heads: RequestHeadCache;
  readonly #buildUrl: NonNullable<UpstreamWire["passes"]>;

  private constructor(options: PassThroughOptions, buildUrl: NonNullable<UpstreamWire["passes"]>) {
    this.#options = options;
    this.#heads = new RequestHeadCache(options.upstream);
    this.#buildUrl = buildUrl;
  }

  /** Returns undefined if the upstream's wire has no such requests. */
  static create(options: PassThroughOptions): PassThroughClient | undefined {
    const { passes } = resolveWire(options.upstream.wire);
    return passes && new PassThroughClient(options, passes);
  }

  /**
   * Sends the request and emits the bytes of its response; resolves at their end. A retry is possible until the first byte arrives.
   * @throws PostelError: the upstream's refusal, a timeout, a broken connection, the signal's reason; and errors of the consumer.
   */
  async pass(request: PassedRequest, signal: AbortSignal, to: AnswerTaker): Promise<void> {
    const leave = await this.#options.semaphore.acquire(signal);
    const deadline = new EventTimeout(signal);
    try {
      const response = await this.#send(request, deadline);
      await this.#forwardBody(response, { request, deadline }, to);
    } catch (error) {
      throw deadline.reason ?? error;
    } finally {
      deadline.dispose();
      leave();
    }
  }

  async #send(request: PassedRequest, deadline: EventTimeout): Promise<EgressResponse> {
    const { run, path, model, body, kind = "pass-through" } = request;
    const { upstream, egress, timeouts } = this.#options;
    // A non-streaming response sends no byte before it is complete.
    const firstByteMs =
      body.stream === true ? timeouts.firstEventMs : Math.max(timeouts.firstEventMs, timeouts.answerMs);
    const startTimeout = () => deadline.start(firstByteMs, "byte of its answer");
    startTimeout();
    const purpose: RequestPurpose = {
      kind,
      key: `${upstream.id}/${model}`,
      run,
      repeatable: true,
      timers: { headersMs: Math.max(timeouts.headersMs, firstByteMs), loadMs: timeouts.firstEventMs },
      onRetry: startTimeout,
    };
    const address = this.#buildUrl(path, model, upstream);
    const head = await this.#heads.getHead("post", address.path);
    const text = await stringifyCooperatively({ ...body, model: address.model }, deadline.signal);
    const response = await egress.send({ ...head, body: text, purpose }, deadline.signal);
    if (response.status < 200 || response.status >= 300)
      throw await this.#toUpstreamFailure(response, { request, deadline });
    return response;
  }

  async #toUpstreamFailure(
    response: EgressResponse,
    { request, deadline }: { readonly request: PassedRequest; readonly deadline: EventTimeout },
  ): Promise<PostelError> {
    const { status, headers } = response;
    const body = await readWholeBody(response, deadline, REFUSAL_CHARS);
    const retryAfter = retryAfterMs(headers, this.#options.clock.now());
    const failure = this.#charCount({ status, body, retryAfterMs: retryAfter }, request);
    return new PostelError(response.retriesSpent ? withRetriesSpent(failure) : failure);
  }

  #charCount(
    refusal: Pick<Refusal, "status" | "body" | "retryAfterMs">,
    { model, body: exchange }: PassedRequest,
  ): Failure {
    const { upstream, redact } = this.#options;
    return createUpstreamFailure({ ...refusal, upstream: upstream.id, model, sent: exchange, redact });
  }

  async #forwardBody(
    response: EgressResponse,
    { request, deadline }: { readonly request: PassedRequest; readonly deadline: EventTimeout },
    to: AnswerTaker,
  ): Promise<void> {
    const { id } = this.#options.upstream;
    const bytes = response.body[Symbol.asyncIterator]();
    const next = () => this.#next(response, bytes, deadline);
    let remainingBytes = ANSWER_BYTES;
    const give = (piece: Uint8Array): Promise<void> | undefined => {
      remainingBytes -= piece.length;
      if (remainingBytes < 0) throw tooLarge(id);
      return to.write(piece);
    };
    try {
      const contentType = requireContentType(response, id);
      const beginning = await this.#beginning(next, request);
      to.begin(contentType);
      for (const piece of beginning) await give(piece);
      for (let chunk = await next(); !chunk.done; chunk = await next()) await give(chunk.value);
    } finally {
      // Not awaited: a connection that hangs must not delay the answer.
      void Promise.resolve(bytes.return?.()).catch(() => {});
    }
  }

  /**
   * Reads the first bytes before any are forwarded, or the complete document if it begins as an error does. LM Studio answers 200 with
   * `{"error": "Unexpected endpoint …"}`, OpenRouter with errors of its hosts.
   * @throws PostelError for such an error, and for an empty response.
   */
  async #beginning(next: () => Promise<Read>, request: PassedRequest): Promise<readonly Uint8Array[]> {
    const decoder = new TextDecoder();
    const chunks: Uint8Array[] = [];
    let text = "";
    for (let chunk = await next(); !chunk.done; chunk = await next()) {
      chunks.push(chunk.value);
      text += decoder.decode(chunk.value, { stream: true });
      if (!beginsAsError(text) || text.length > REFUSAL_CHARS) return chunks;
    }
    if (chunks.length === 0) throw protocolError(this.#options.upstream.id, "answered 200 with an empty body");
    const error = extractChunkError(asObject(parseJson(text)) ?? {});
    if (error) throw new PostelError(this.#charCount(error, request));
    return chunks;
  }

  /** Only reading is timed: a client that takes its time is not the upstream's silence. */
  async #next(response: EgressResponse, bytes: AsyncIterator<Uint8Array>, deadline: EventTimeout): Promise<Read> {
    deadline.start(this.#options.timeouts.idleMs, "further byte of its answer");
    try {
      return await deadline.next(bytes);
    } catch (error) {
      const found = deadline.reason ?? error;
      if (found instanceof PostelError && FAILURE_CODES[found.failure.code].status >= 500)
        response.reportFailure?.(found.failure);
      throw found;
    } finally {
      deadline.stop();
    }
  }
}

const ERROR = '{"error":';
/** Number of characters that are examined: white space may stand between those of `ERROR`. */
const LOOKED_AT = 64;

/** Returns true if the text begins as an error, or still may. */
function beginsAsError(text: string): boolean {
  const start = text.slice(0, LOOKED_AT).replace(/\s+/g, "").slice(0, ERROR.length);
  return ERROR.startsWith(start);
}

/** Returns the content type; JSON if the upstream sent none. @throws PostelError for a type that no client expects: a proxy's page. */
function requireContentType({ headers }: EgressResponse, upstream: string): string {
  const type = headers["content-type"] ?? "application/json";
  if (/^(application\/json|text\/event-stream)\b/i.test(type)) return type;
  throw protocolError(
    upstream,
    `answered 200 with \`${type.slice(0, 100)}\`, which is neither JSON nor an event stream`,
  );
}

function protocolError(upstream: string, problem: string): PostelError {
  return new PostelError(createFailure("upstream_protocol_error", `The upstream \`${upstream}\` ${problem}.`));
}

function tooLarge(upstream: string): PostelError {
  const message = `The upstream \`${upstream}\` sent more than ${ANSWER_BYTES} bytes in one answer, so its connection was closed.`;
  return new PostelError(createFailure("upstream_answer_too_large", message));
}

// A request that an upstream answers by itself: sent as the caller wrote it, but for the model's name, and its answer's bytes handed on as they come. Knows no field.
import type { TimeoutsConfig } from "../core/configuration.ts";
import { FAILURE_CODES, failure, PostelError } from "../core/failures.ts";
import { jsonInTurns } from "../core/jsonInTurns.ts";
import type { JsonObject } from "../core/messages.ts";
import type { Places } from "../core/Places.ts";
import type { Clock, Egress, EgressResponse, ExchangePurpose, Redact } from "../core/ports.ts";
import { retryAfterMs } from "../core/retryAfter.ts";
import { withRetriesSpent } from "../core/retryPolicy.ts";
import { EventDeadline } from "./EventDeadline.ts";
import { RequestHeads } from "./RequestHeads.ts";
import { readWholeBody } from "./readWholeBody.ts";
import { upstreamFailure } from "./upstreamFailure.ts";
import type { PassedPath, UpstreamWire, WireServer } from "./wires/UpstreamWire.ts";
import { wireOf } from "./wires/wires.ts";

export interface PassThroughOptions {
  readonly upstream: WireServer;
  readonly egress: Egress;
  readonly timeouts: Pick<TimeoutsConfig, "headersMs" | "firstEventMs" | "idleMs" | "answerMs">;
  readonly clock: Pick<Clock, "now">;
  readonly redact: Redact;
  /** What the upstream is asked at once, conversations included. */
  readonly places: Pick<Places, "take">;
}

export interface PassedRequest {
  /** The id of the request that asks. */
  readonly run: string;
  readonly path: PassedPath;
  readonly model: string;
  /** The caller's; its `model` is replaced. */
  readonly body: JsonObject;
}

/** Takes an answer that was not refused, as it comes. */
export interface AnswerTaker {
  /** Told once, when the first bytes have come. */
  begin(contentType: string): void;
  /** A promise: no more is read until it is kept. What it throws is the taker's own fault. */
  take(bytes: Uint8Array): Promise<void> | undefined;
}

/** 2,048 texts, as many as OpenAI takes at once, of 3,072 numbers of some 22 characters are half of it. Nothing of it is held. */
const ANSWER_BYTES = 268_435_456;
const REFUSAL_CHARS = 65_536;

export class PassThrough {
  readonly #options: PassThroughOptions;
  readonly #heads: RequestHeads;
  readonly #addressOf: NonNullable<UpstreamWire["passes"]>;

  private constructor(options: PassThroughOptions, addressOf: NonNullable<UpstreamWire["passes"]>) {
    this.#options = options;
    this.#heads = new RequestHeads(options.upstream);
    this.#addressOf = addressOf;
  }

  /** Undefined where the upstream's wire has no such requests. */
  static of(options: PassThroughOptions): PassThrough | undefined {
    const { passes } = wireOf(options.upstream.wire);
    return passes && new PassThrough(options, passes);
  }

  /**
   * Sends the request and gives the bytes of its answer; resolves at their end. It may be sent again until its first byte has come.
   * @throws PostelError: the upstream's refusal, a silence, a broken connection, the signal's reason; and what the taker throws.
   */
  async pass(request: PassedRequest, signal: AbortSignal, to: AnswerTaker): Promise<void> {
    const leave = await this.#options.places.take(signal);
    const deadline = new EventDeadline(signal);
    try {
      const response = await this.#send(request, deadline);
      await this.#handOn(response, deadline, to);
    } catch (error) {
      throw deadline.reason ?? error;
    } finally {
      deadline.dispose();
      leave();
    }
  }

  async #send({ run, path, model, body }: PassedRequest, deadline: EventDeadline): Promise<EgressResponse> {
    const { upstream, egress, timeouts } = this.#options;
    // What is not streamed says nothing before it is whole.
    const firstByteMs =
      body.stream === true ? timeouts.firstEventMs : Math.max(timeouts.firstEventMs, timeouts.answerMs);
    const wait = () => deadline.start(firstByteMs, "byte of its answer");
    wait();
    const purpose: ExchangePurpose = {
      kind: "pass-through",
      key: `${upstream.id}/${model}`,
      run,
      repeatable: true,
      timers: { headersMs: Math.max(timeouts.headersMs, firstByteMs), loadMs: timeouts.firstEventMs },
      onRetry: wait,
    };
    const address = this.#addressOf(path, model, upstream);
    const head = await this.#heads.of("post", address.path);
    const text = await jsonInTurns({ ...body, model: address.model }, deadline.signal);
    const response = await egress.send({ ...head, body: text, purpose }, deadline.signal);
    if (response.status < 200 || response.status >= 300) throw await this.#refusal(response, { model, body, deadline });
    return response;
  }

  async #refusal(
    response: EgressResponse,
    { model, body: sent, deadline }: { model: string; body: JsonObject; deadline: EventDeadline },
  ): Promise<PostelError> {
    const { upstream, redact, clock } = this.#options;
    const { status, headers } = response;
    const body = await readWholeBody(response, deadline, REFUSAL_CHARS);
    const wait = retryAfterMs(headers, clock.now());
    const said = upstreamFailure({ upstream: upstream.id, model, status, body, retryAfterMs: wait, sent, redact });
    return new PostelError(response.retriesSpent ? withRetriesSpent(said) : said);
  }

  async #handOn(response: EgressResponse, deadline: EventDeadline, to: AnswerTaker): Promise<void> {
    const { id } = this.#options.upstream;
    const bytes = response.body[Symbol.asyncIterator]();
    try {
      const contentType = contentTypeOf(response, id);
      let read = await this.#next(response, bytes, deadline);
      if (read.done) throw protocolError(id, "answered 200 with an empty body");
      to.begin(contentType);
      for (let left = ANSWER_BYTES; !read.done; read = await this.#next(response, bytes, deadline)) {
        left -= read.value.length;
        if (left < 0) throw tooLarge(id);
        await to.take(read.value);
      }
    } finally {
      // Not awaited: a connection that hangs must not hold the answer.
      void Promise.resolve(bytes.return?.()).catch(() => {});
    }
  }

  /** Only reading is timed: a client that takes its time is not the upstream's silence. */
  async #next(
    response: EgressResponse,
    bytes: AsyncIterator<Uint8Array>,
    deadline: EventDeadline,
  ): Promise<IteratorResult<Uint8Array>> {
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

/** JSON, where the upstream does not say what it sent. @throws PostelError for what no client reads here: a proxy's page. */
function contentTypeOf({ headers }: EgressResponse, upstream: string): string {
  const type = headers["content-type"] ?? "application/json";
  if (/^(application\/json|text\/event-stream)\b/i.test(type)) return type;
  throw protocolError(
    upstream,
    `answered 200 with \`${type.slice(0, 100)}\`, which is neither JSON nor an event stream`,
  );
}

function protocolError(upstream: string, what: string): PostelError {
  return new PostelError(failure("upstream_protocol_error", `The upstream \`${upstream}\` ${what}.`));
}

function tooLarge(upstream: string): PostelError {
  const message = `The upstream \`${upstream}\` sent more than ${ANSWER_BYTES} bytes in one answer, so its connection was closed.`;
  return new PostelError(failure("upstream_answer_too_large", message));
}

// Circuit breaker: stops requests to an origin that accepts no connection, and to a purpose key that keeps failing.
import { createHash } from "node:crypto";
import { createFailure, type Failure, PostelError } from "../../core/failures.ts";
import { retryDelayMs } from "../../core/http/retryAfter.ts";
import type { Clock, Egress, EgressRequest, EgressResponse } from "../../core/ports.ts";
import { resolveOrigin } from "../parseUrl.ts";
import { CircuitStates } from "./CircuitStates.ts";

/**
 * After five different requests in a row failed, exchanges of the same key are refused for ten seconds with `upstream_unavailable`, whose
 * details are `{breaker: "open", retryAfterMs}`. A retried request counts once, since it may be the cause itself. Then one exchange
 * probes, and the others are refused until it is answered.
 * Failed connections count for the origin of the URL, whatever the key.
 * A failure is a lost or silent connection, a 502, 503 or 504, or the like inside a body, which the consumer reports by
 * `reportFailure`. A success is any other response that was read to its end. Neither: a 500, a server that loads its model, and an exchange
 * that the caller cancels or leaves.
 */
export function createBreakerEgress(inner: Egress, options: { readonly clock: Pick<Clock, "monotonic"> }): Egress {
  const { clock } = options;
  const origins = new CircuitStates();
  const keys = new CircuitStates();
  /** A request that is being retried goes on: it gets the upstream's own error, and it ends soon. */
  const repeated = new WeakSet<EgressRequest>();
  return {
    send(request, signal) {
      const { key } = request.purpose;
      const origin = resolveOrigin(request);
      const isQuiet = origins.isEmpty && keys.isEmpty;
      if (!isQuiet && !repeated.has(request)) {
        const now = clock.monotonic();
        const refusal = findOpenCircuit(origins, origin, now) ?? findOpenCircuit(keys, key, now);
        if (refusal) return Promise.reject(refusal);
        origins.tried(origin, now);
        keys.tried(key, now);
      }
      return inner.send(request, signal).then(
        (response) => {
          if (response.status >= 400) repeated.add(request);
          if (!origins.isEmpty) origins.succeeded(origin);
          const body = new WatchedBody(response.body[Symbol.asyncIterator](), { request, circuits: keys, clock });
          return EXPLAINED_STATUSES.has(response.status) ? watchExplained(response, body) : watch(response, body);
        },
        (error: unknown) => {
          repeated.add(request);
          const now = clock.monotonic();
          const cause = error instanceof PostelError ? error.failure : undefined;
          const unconnected = UNCONNECTED.has(cause?.details?.phase);
          if (unconnected) origins.failed(origin, fingerprint(request), now);
          else origins.undecided(origin, now);
          if (cause && !unconnected && blamesUpstream(cause)) keys.failed(key, fingerprint(request), now);
          else keys.undecided(key, now);
          throw error;
        },
      );
    },
  };
}

/** Failure stages at which no byte of the request was sent. */
const UNCONNECTED: ReadonlySet<unknown> = new Set(["connect", "certificate"]);

/** @param now monotonic milliseconds. */
function findOpenCircuit(circuits: CircuitStates, name: string, now: number): PostelError | undefined {
  const retryAfterMs = circuits.waitMs(name, now);
  if (retryAfterMs === 0) return undefined;
  const message = `${name} failed several different requests in a row and is not tried again for ${retryAfterMs} ms.`;
  return new PostelError(createFailure("upstream_unavailable", message, { breaker: "open", retryAfterMs }));
}

function fingerprint({ method, url, body }: EgressRequest): string {
  return createHash("sha256")
    .update(JSON.stringify([method, url, body]))
    .digest("base64");
}

/** Watches a response whose first bytes explain its status. */
async function watchExplained(response: EgressResponse, body: WatchedBody): Promise<EgressResponse> {
  const words = await body.wordsAhead();
  const loading = response.status === 503 && LOADING.test(words.slice(0, LOADING_CHARS));
  const watched = watch({ ...response, headers: withDelay(response.headers, words) }, body, loading);
  return loading ? { ...watched, loading } : watched;
}

function watch(response: EgressResponse, body: WatchedBody, loading = false): EgressResponse {
  const { status } = response;
  if (FAILING_STATUSES.has(status) && !loading) body.failed();
  else if (status >= 500) body.undecided();
  return {
    ...response,
    body,
    reportFailure: (found) => {
      if (blamesUpstream(found)) body.failed();
    },
  };
}

/** Adds a `retry-after-ms` header if the server states the delay only in the text of its error. */
function withDelay(headers: EgressResponse["headers"], words: string): EgressResponse["headers"] {
  if (headers["retry-after"] !== undefined || headers["retry-after-ms"] !== undefined) return headers;
  const delayMs = retryDelayMs(words);
  return delayMs === undefined ? headers : { ...headers, "retry-after-ms": String(delayMs) };
}

type Read = IteratorResult<Uint8Array>;

/** Callbacks for each read of a body. */
interface ReadCallbacks {
  readonly came: (read: Read) => Read;
  readonly broke: (error: unknown) => never;
}

/** Exchange to which a body belongs. */
interface Subject {
  readonly request: EgressRequest;
  readonly circuits: CircuitStates;
  readonly clock: Pick<Clock, "monotonic">;
}

/**
 * Reports the result of the body, and so of the exchange for its key. The first byte counts as a success, but a failure found inside the
 * body overrides it.
 */
class WatchedBody implements AsyncIterableIterator<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #subject: Subject;
  #state: "none" | "undecided" | "succeeded" | "failed" = "none";
  #before: ReturnType<CircuitStates["succeeded"]>;
  #first: Promise<Read> | undefined;
  /** Created with the first read. A response that is read at once has none. */
  #callbacks: ReadCallbacks | undefined;

  constructor(chunks: AsyncIterator<Uint8Array>, subject: Subject) {
    this.#chunks = chunks;
    this.#subject = subject;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Read> {
    const read = this.#first ?? this.#chunks.next();
    this.#first = undefined;
    this.#callbacks ??= this.#createCallbacks();
    return read.then(this.#callbacks.came, this.#callbacks.broke);
  }

  async return(): Promise<Read> {
    this.undecided();
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  #createCallbacks(): ReadCallbacks {
    return {
      came: (one) => {
        if (one.done) this.#succeeded();
        else this.#answering();
        return one;
      },
      broke: (error) => {
        if (error instanceof PostelError && blamesUpstream(error.failure)) this.failed();
        else this.undecided();
        throw error;
      },
    };
  }

  /** Returns the first text of the body without consuming it. */
  wordsAhead(): Promise<string> {
    // The egress has the first byte in hand, so this waits for nothing.
    this.#first = this.#chunks.next();
    return readFirstChunk(this.#first);
  }

  failed(): void {
    if (this.#state === "failed") return;
    this.#state = "failed";
    const { circuits, request, clock } = this.#subject;
    const { key } = request.purpose;
    if (this.#before) circuits.restore(key, this.#before);
    circuits.failed(key, fingerprint(request), clock.monotonic());
  }

  undecided(): void {
    if (this.#state !== "none") return;
    this.#state = "undecided";
    const { circuits, request, clock } = this.#subject;
    circuits.undecided(request.purpose.key, clock.monotonic());
  }

  #answering(): void {
    if (this.#state === "none") this.#subject.circuits.answering(this.#subject.request.purpose.key);
  }

  #succeeded(): void {
    if (this.#state !== "none") return;
    this.#state = "succeeded";
    this.#before = this.#subject.circuits.succeeded(this.#subject.request.purpose.key);
  }
}

/** Statuses whose text may say when to send the request again. */
const EXPLAINED_STATUSES: ReadonlySet<number> = new Set([429, 503]);
const FAILING_STATUSES: ReadonlySet<unknown> = new Set([502, 503, 504]);
const FAILING_CODES: ReadonlySet<string> = new Set([
  "upstream_unavailable",
  "upstream_overloaded",
  "upstream_timeout",
  "upstream_truncated",
] satisfies readonly Failure["code"][]);
/** Servers write "Loading model" or "Model … is currently loading". The model is available after that. */
const LOADING = /\bloading\b.{0,40}\bmodel\b|\bmodel\b.{0,200}\bloading\b/is;
const LOADING_CHARS = 1_024;
/** Bytes of an error that are examined: a server's details about a quota precede its delay. */
const WORDS = 8_192;

/** A status inside the body is more exact than its code. A timeout of a complete answer is no failure: the upstream was answering. */
function blamesUpstream({ code, message, details }: Failure): boolean {
  if (details?.phase === "answer") return false;
  if (details?.status !== undefined) return FAILING_STATUSES.has(details.status) && !LOADING.test(message);
  return FAILING_CODES.has(code);
}

async function readFirstChunk(first: Promise<IteratorResult<Uint8Array>>): Promise<string> {
  try {
    const { done, value } = await first;
    return done ? "" : new TextDecoder().decode(value.subarray(0, WORDS));
  } catch {
    // The same error occurs again when the body is read.
    return "";
  }
}

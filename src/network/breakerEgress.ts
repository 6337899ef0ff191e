// Stops dialling what keeps failing: an origin that takes no connection, and below it a purpose key. Does not know what a key stands for.
import { createHash } from "node:crypto";
import { type Failure, failure, PostelError } from "../core/failures.ts";
import type { Clock, Egress, EgressRequest, EgressResponse } from "../core/ports.ts";
import { retryDelayMs } from "../core/retryAfter.ts";
import { originOf } from "./addressOf.ts";
import { Circuits } from "./Circuits.ts";

/**
 * After five different requests in a row that failed (a request that is sent again counts once, for the fault may be its own)
 * exchanges of the same key are refused for ten seconds with `upstream_unavailable`, whose details are
 * `{breaker: "open", retryAfterMs}`; then one exchange probes, and the others go on being refused until it is answered.
 * Connections that cannot be made count for the origin of the URL, whatever the key.
 *
 * A failure is a lost or silent connection, a 502, 503 or 504, or the like inside a body, which a reader reports by
 * `reportFailure`. A success is any other answer that was read to its end. A 500, a server that loads its model, and what the
 * caller cancels or leaves count neither way.
 */
export function breakerEgress(inner: Egress, options: { readonly clock: Pick<Clock, "monotonic"> }): Egress {
  const { clock } = options;
  const origins = new Circuits();
  const keys = new Circuits();
  /** A request that is being repeated goes on: what it hears is the upstream's own word, and it is over soon. */
  const repeated = new WeakSet<EgressRequest>();
  return {
    async send(request, signal) {
      const ofOrigin = new Verdict(request, { circuits: origins, name: originOf(request), clock });
      const ofKey = new Verdict(request, { circuits: keys, name: request.purpose.key, clock });
      if (!repeated.has(request)) admit([ofOrigin, ofKey], clock.monotonic());
      try {
        const response = await inner.send(request, signal);
        if (response.status >= 400) repeated.add(request);
        ofOrigin.succeeded();
        return EXPLAINED_STATUSES.has(response.status)
          ? await watchExplained(response, ofKey)
          : watch(response, ofKey, response.body[Symbol.asyncIterator]());
      } catch (error) {
        repeated.add(request);
        const cause = error instanceof PostelError ? error.failure : undefined;
        const unconnected = UNCONNECTED.has(cause?.details?.phase);
        if (unconnected) ofOrigin.failed();
        else ofOrigin.undecided();
        if (cause && !unconnected && blamesUpstream(cause)) ofKey.failed();
        else ofKey.undecided();
        throw error;
      }
    },
  };
}

/** Where an exchange broke before anything of it was sent. */
const UNCONNECTED: ReadonlySet<unknown> = new Set(["connect", "certificate"]);

/** What a verdict is about. */
interface Subject {
  readonly circuits: Circuits;
  readonly name: string;
  readonly clock: Pick<Clock, "monotonic">;
}

/** @param now monotonic milliseconds. */
function admit(verdicts: readonly Verdict[], now: number): void {
  for (const { subject } of verdicts) {
    const { circuits, name } = subject;
    const retryAfterMs = circuits.waitMs(name, now);
    if (retryAfterMs === 0) continue;
    const message = `${name} failed several different requests in a row and is not tried again for ${retryAfterMs} ms.`;
    throw new PostelError(failure("upstream_unavailable", message, { breaker: "open", retryAfterMs }));
  }
  for (const { subject } of verdicts) subject.circuits.tried(subject.name, now);
}

/** What one exchange says about its subject; the first word counts, but a failure found inside the body has the last one. */
class Verdict {
  readonly subject: Subject;
  readonly #request: EgressRequest;
  #state: "none" | "undecided" | "succeeded" | "failed" = "none";
  #before: ReturnType<Circuits["succeeded"]>;

  constructor(request: EgressRequest, subject: Subject) {
    this.#request = request;
    this.subject = subject;
  }

  answering(): void {
    if (this.#state === "none") this.subject.circuits.answering(this.subject.name);
  }

  succeeded(): void {
    if (this.#state !== "none") return;
    this.#state = "succeeded";
    this.#before = this.subject.circuits.succeeded(this.subject.name);
  }

  failed(): void {
    if (this.#state === "failed") return;
    this.#state = "failed";
    const { circuits, name, clock } = this.subject;
    if (this.#before) circuits.restore(name, this.#before);
    circuits.failed(name, fingerprint(this.#request), clock.monotonic());
  }

  undecided(): void {
    if (this.#state !== "none") return;
    this.#state = "undecided";
    const { circuits, name, clock } = this.subject;
    circuits.undecided(name, clock.monotonic());
  }
}

function fingerprint({ method, url, body }: EgressRequest): string {
  return createHash("sha256")
    .update(JSON.stringify([method, url, body]))
    .digest("base64");
}

/** The first words of an answer that says in them what its status means. */
interface Explained {
  readonly first: Promise<Read>;
  readonly words: string;
}

async function watchExplained(response: EgressResponse, verdict: Verdict): Promise<EgressResponse> {
  const chunks = response.body[Symbol.asyncIterator]();
  // The egress has the first byte in hand, so this waits for nothing.
  const first = chunks.next();
  return watch(response, verdict, chunks, { first, words: await wordsOf(first) });
}

function watch(
  response: EgressResponse,
  verdict: Verdict,
  chunks: AsyncIterator<Uint8Array>,
  explained?: Explained,
): EgressResponse {
  const words = explained?.words;
  const loading = response.status === 503 && words !== undefined && LOADING.test(words.slice(0, LOADING_CHARS));
  if (FAILING_STATUSES.has(response.status) && !loading) verdict.failed();
  else if (response.status >= 500) verdict.undecided();
  const reportFailure = (found: Failure): void => {
    if (blamesUpstream(found)) verdict.failed();
  };
  const body = new WatchedBody(chunks, explained?.first, verdict);
  const headers = words === undefined ? response.headers : withDelay(response.headers, words);
  const whole = explained ? undefined : wholeOf(response, verdict);
  return { ...response, headers, body, whole, ...(loading && { loading }), reportFailure };
}

/** An answer that is taken as a whole has come to its end. */
function wholeOf({ whole }: EgressResponse, verdict: Verdict): EgressResponse["whole"] {
  if (!whole) return undefined;
  return () => {
    const bytes = whole();
    if (bytes === undefined) return undefined;
    verdict.answering();
    verdict.succeeded();
    return bytes;
  };
}

/** What a server says in its words alone about when to come again, as if it stood in the header where others say it. */
function withDelay(headers: EgressResponse["headers"], words: string): EgressResponse["headers"] {
  if (headers["retry-after"] !== undefined || headers["retry-after-ms"] !== undefined) return headers;
  const delayMs = retryDelayMs(words);
  return delayMs === undefined ? headers : { ...headers, "retry-after-ms": String(delayMs) };
}

type Read = IteratorResult<Uint8Array>;

/** Tells the verdict how the body went. */
class WatchedBody implements AsyncIterableIterator<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #verdict: Verdict;
  #first: Promise<Read> | undefined;

  constructor(chunks: AsyncIterator<Uint8Array>, first: Promise<Read> | undefined, verdict: Verdict) {
    this.#chunks = chunks;
    this.#first = first;
    this.#verdict = verdict;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Read> {
    const read = this.#first ?? this.#chunks.next();
    this.#first = undefined;
    return read.then(this.#came, this.#broke);
  }

  async return(): Promise<Read> {
    this.#verdict.undecided();
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  readonly #came = (read: Read): Read => {
    if (read.done) this.#verdict.succeeded();
    else this.#verdict.answering();
    return read;
  };

  readonly #broke = (error: unknown): never => {
    if (error instanceof PostelError && blamesUpstream(error.failure)) this.#verdict.failed();
    else this.#verdict.undecided();
    throw error;
  };
}

/** Those whose words say when the same request will do. */
const EXPLAINED_STATUSES: ReadonlySet<number> = new Set([429, 503]);
const FAILING_STATUSES: ReadonlySet<unknown> = new Set([502, 503, 504]);
const FAILING_CODES: ReadonlySet<string> = new Set([
  "upstream_unavailable",
  "upstream_overloaded",
  "upstream_timeout",
  "upstream_truncated",
] satisfies readonly Failure["code"][]);
/** As servers word it: "Loading model", "Model … is currently loading". It will be there when it has loaded. */
const LOADING = /\bloading\b.{0,40}\bmodel\b|\bmodel\b.{0,200}\bloading\b/is;
const LOADING_CHARS = 1_024;
/** Bytes of an error that are looked at: what a server details of a quota stands before its delay. */
const WORDS = 8_192;

/** A status inside the body says more than the code that was made of it. An answer that took too long as a whole was being given. */
function blamesUpstream({ code, message, details }: Failure): boolean {
  if (details?.phase === "answer") return false;
  if (details?.status !== undefined) return FAILING_STATUSES.has(details.status) && !LOADING.test(message);
  return FAILING_CODES.has(code);
}

async function wordsOf(first: Promise<IteratorResult<Uint8Array>>): Promise<string> {
  try {
    const { done, value } = await first;
    return done ? "" : new TextDecoder().decode(value.subarray(0, WORDS));
  } catch {
    // It breaks once more for whoever reads the body.
    return "";
  }
}

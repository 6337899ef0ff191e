// The innermost egress: one exchange over undici. Knows connections and timers; refuses to know origins' rights, retries and what the bytes mean.
import { Readable } from "node:stream";
import { Agent, type Dispatcher } from "undici";
import { failure, PostelError } from "../core/failures.ts";
import { bytesInTurns } from "../core/jsonInTurns.ts";
import type { Egress, EgressRequest, EgressResponse } from "../core/ports.ts";
import { addressOf } from "./addressOf.ts";
import { cancelled } from "./cancelled.ts";
import { checkedLookup, type Resolve } from "./checkedLookup.ts";
import { ACCEPTED_ENCODINGS, decodeContent, isDecodingError, readCoding } from "./decodeContent.ts";
import { dialFailure, undecodable, unopened } from "./exchangeFailures.ts";
import { type HostPolicy, hostPolicy } from "./hostPolicy.ts";
import { Reception } from "./Reception.ts";

export interface UndiciEgress {
  readonly egress: Egress;
  /** Ends idle connections and refuses new exchanges; running ones finish first. */
  close(): Promise<void>;
}

export interface UndiciOptions {
  /** Milliseconds until a connection must stand. */
  readonly connectMs: number;
  /** Where names may lead; absent: what no operator need say. */
  readonly hosts?: HostPolicy | undefined;
  /** Who is asked for the addresses of names; absent: the system. */
  readonly resolve?: Resolve | undefined;
}

/** Opens the connection pool of the process. Redirects are never followed and no body is timed here: `models/` times events. */
export function undiciEgress({ connectMs, hosts = hostPolicy([]), resolve }: UndiciOptions): UndiciEgress {
  // HTTP/1.1 only: one exchange, one socket, so that leaving a body closes exactly that exchange.
  const agent = new Agent({
    connect: { timeout: connectMs, lookup: checkedLookup(hosts, resolve) },
    allowH2: false,
    bodyTimeout: 0,
  });
  return {
    egress: { send: (request, signal) => send(agent, request, signal) },
    close: () => agent.close(),
  };
}

async function send(agent: Agent, request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
  const address = addressOf(request.url);
  if (!address) throw new TypeError("The guard lets only URLs pass.");
  const { origin } = address;
  const { headersMs } = request.purpose.timers;
  const { body: text = null } = request;
  const body = text !== null && text.length > AT_ONCE ? await bytesOf(text, signal) : text;
  if (signal.aborted) throw cancelled(signal);
  const reception = new Reception(signal);
  agent.dispatch(
    {
      origin,
      path: address.path,
      method: request.method as Dispatcher.HttpMethod,
      headers: { ...request.headers, "accept-encoding": ACCEPTED_ENCODINGS },
      body,
      headersTimeout: headersMs,
      bodyTimeout: 0,
    },
    reception,
  );
  try {
    await reception.opened;
  } catch (error) {
    if (signal.aborted) throw cancelled(signal);
    throw reception.status === 0 ? dialFailure(error, origin, headersMs) : unopened(error, origin);
  }
  const { status, headers } = reception;
  if (headers["content-encoding"] !== undefined) {
    const body = new ResponseBody(await openCoded(reception, { origin, signal }));
    return { status, headers: joinHeaders(headers), body };
  }
  return {
    status,
    headers: joinHeaders(headers),
    body: new ResponseBody({ origin, signal, chunks: reception, close: () => reception.return(), first: undefined }),
    aheadOf: (readAhead) => {
      reception.readAhead = readAhead;
    },
    whole: () => (signal.aborted ? undefined : reception.whole()),
  };
}

/** Characters of a body that undici may take, and so write, at once. */
const AT_ONCE = 262_144;

async function bytesOf(body: string, signal: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const bytes of bytesInTurns(body, signal)) pieces.push(bytes);
  } catch (error) {
    throw signal.aborted ? cancelled(signal) : error;
  }
  return Buffer.concat(pieces);
}

interface Exchange {
  readonly origin: string;
  readonly signal: AbortSignal;
}

async function openCoded(reception: Reception, exchange: Exchange): Promise<BodyParts> {
  const written = reception.headers["content-encoding"];
  const { origin, signal } = exchange;
  const coding = readCoding(written);
  if (coding === undefined) {
    reception.return();
    const encoding = String(written).slice(0, 100);
    const message = `${origin} sent its answer in the coding ${JSON.stringify(encoding)}, which cannot be read: one of gzip, br and deflate can.`;
    throw new PostelError(failure("upstream_protocol_error", message, { encoding }));
  }
  const coded = Readable.from(reception, { objectMode: false });
  // A body that nobody reads yet must not take the process down when its connection breaks.
  coded.on("error", () => {});
  try {
    const plain = await decodeContent(coded, coding);
    const chunks: AsyncIterator<Uint8Array> = plain[Symbol.asyncIterator]();
    return {
      ...exchange,
      chunks,
      close: () => plain.destroy(),
      first: await chunks.next(),
    };
  } catch (error) {
    throw signal.aborted ? cancelled(signal) : unopened(error, origin);
  }
}

interface BodyParts extends Exchange {
  readonly chunks: AsyncIterator<Uint8Array>;
  readonly first: IteratorResult<Uint8Array> | undefined;
  readonly close: () => unknown;
}

/** Not a generator: `return` must close the socket even where nobody has begun to read. */
class ResponseBody implements AsyncIterableIterator<Uint8Array> {
  readonly #parts: BodyParts;
  #pending: IteratorResult<Uint8Array> | undefined;

  constructor(parts: BodyParts) {
    this.#parts = parts;
    this.#pending = parts.first;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const { chunks, signal } = this.#parts;
    if (signal.aborted) {
      this.#parts.close();
      return Promise.reject(cancelled(signal));
    }
    const pending = this.#pending;
    this.#pending = undefined;
    return pending ? Promise.resolve(pending) : chunks.next().catch(this.#broken);
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#parts.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  readonly #broken = (error: unknown): never => {
    const { origin, signal } = this.#parts;
    if (signal.aborted) throw cancelled(signal);
    if (isDecodingError(error)) throw undecodable(error, origin);
    const message = `The connection to ${origin} broke before the answer was complete.`;
    throw new PostelError(failure("upstream_truncated", message), {
      cause: error,
    });
  };
}

/** They are of the bytes on the wire, not of those that are handed on. */
const WIRE_HEADERS = new Set(["content-encoding", "content-length"]);

function joinHeaders(headers: Reception["headers"]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || WIRE_HEADERS.has(name)) continue;
    joined[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}

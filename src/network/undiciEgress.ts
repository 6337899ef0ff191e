// The innermost egress: one exchange over undici. Knows connections and timers; refuses to know origins' rights, retries and what the bytes mean.
import { Readable } from "node:stream";
import { Agent, type Dispatcher } from "undici";
import { failure, PostelError } from "../core/failures.ts";
import { bytesInTurns } from "../core/jsonInTurns.ts";
import type { Egress, EgressRequest, EgressResponse } from "../core/ports.ts";
import { addressOf } from "./addressOf.ts";
import { cancelled } from "./cancelled.ts";
import { ACCEPTED_ENCODINGS, decodeContent, isDecodingError, readCodings } from "./decodeContent.ts";
import { dialFailure, undecodable, unopened } from "./exchangeFailures.ts";
import { Reception } from "./Reception.ts";

export interface UndiciEgress {
  readonly egress: Egress;
  /** Ends idle connections and refuses new exchanges; running ones finish first. */
  close(): Promise<void>;
}

/**
 * Opens the connection pool of the process. Redirects are never followed and no body is timed here: `models/` times events.
 * @param options.connectMs milliseconds until a connection must stand.
 */
export function undiciEgress(options: { readonly connectMs: number }): UndiciEgress {
  // HTTP/1.1 only: one exchange, one socket, so that leaving a body closes exactly that exchange.
  const agent = new Agent({
    connect: { timeout: options.connectMs },
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
  return {
    status: reception.status,
    headers: joinHeaders(reception.headers),
    body: new ResponseBody(
      reception.headers["content-encoding"] === undefined
        ? { origin, signal, chunks: reception, close: () => reception.return(), first: undefined }
        : await openCoded(reception, { origin, signal }),
    ),
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
  const coding = reception.headers["content-encoding"];
  const { origin, signal } = exchange;
  const codings = readCodings(coding);
  if (!codings) {
    reception.return();
    const encoding = String(coding).slice(0, 100);
    const message = `${origin} sent its answer in the coding ${JSON.stringify(encoding)}, which cannot be read: gzip, br and deflate can.`;
    throw new PostelError(failure("upstream_protocol_error", message, { encoding }));
  }
  const coded = Readable.from(reception, { objectMode: false });
  // A body that nobody reads yet must not take the process down when its connection breaks.
  coded.on("error", () => {});
  try {
    const plain = await decodeContent(coded, codings);
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

// The innermost egress: sends one exchange over undici, with its connections and timers.
import { Readable } from "node:stream";
import { Agent, type Dispatcher } from "undici";
import { encodeTextCooperatively } from "../../core/async/stringifyCooperatively.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Egress, EgressRequest, EgressResponse } from "../../core/ports.ts";
import { createAbortFailure } from "../abortFailure.ts";
import { parseAddress } from "../parseUrl.ts";
import { createCheckedLookup, type Resolve } from "../policy/checkedLookup.ts";
import { createHostPolicy, type HostPolicy } from "../policy/hostPolicy.ts";
import { ACCEPTED_ENCODINGS, decodeContent, isDecodingError, readCoding } from "./decodeContent.ts";
import { createDecodingFailure, createDialFailure, toConnectionFailure } from "./networkFailures.ts";
import { ResponseReceiver } from "./ResponseReceiver.ts";

export interface UndiciEgress {
  readonly egress: Egress;
  /** Ends idle connections and refuses new exchanges; running ones finish first. */
  close(): Promise<void>;
}

export interface UndiciOptions {
  /** Milliseconds until a connection must stand. */
  readonly connectMs: number;
  /** Policy for hosts. Absent: the default policy. */
  readonly hosts?: HostPolicy | undefined;
  /** Resolver for names. Absent: the system's. */
  readonly resolve?: Resolve | undefined;
}

/** Opens the connection pool of the process. Redirects are never followed and no body is timed here: `models/` times events. */
export function createUndiciEgress({ connectMs, hosts = createHostPolicy([]), resolve }: UndiciOptions): UndiciEgress {
  // HTTP/1.1 only: one exchange, one socket, so that leaving a body closes exactly that exchange.
  const agent = new Agent({
    connect: { timeout: connectMs, lookup: createCheckedLookup(hosts, resolve) },
    allowH2: false,
    bodyTimeout: 0,
  });
  return {
    egress: { send: (request, signal) => send(agent, request, signal) },
    close: () => agent.close(),
  };
}

function send(agent: Agent, request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
  const { body = null } = request;
  if (body === null || body.length <= AT_ONCE) return dispatch(agent, { request, body, signal });
  return encodeBody(body, signal).then((bytes) => dispatch(agent, { request, body: bytes, signal }));
}

/** Characters of a body that undici may take, and so write, at once. */
const AT_ONCE = 262_144;

async function encodeBody(body: string, signal: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const bytes of encodeTextCooperatively(body, signal)) pieces.push(bytes);
  } catch (error) {
    throw signal.aborted ? createAbortFailure(signal) : error;
  }
  return Buffer.concat(pieces);
}

interface Sending {
  readonly request: EgressRequest;
  readonly body: string | Buffer | null;
  readonly signal: AbortSignal;
}

function dispatch(agent: Agent, { request, body, signal }: Sending): Promise<EgressResponse> {
  const address = parseAddress(request.url);
  if (!address) return Promise.reject(new TypeError("The guard lets only URLs pass."));
  if (signal.aborted) return Promise.reject(createAbortFailure(signal));
  const { origin, path } = address;
  const { headersMs } = request.purpose.timers;
  const method = request.method as Dispatcher.HttpMethod;
  const headers = sentHeaders(request.headers);
  const reception = new ResponseReceiver(signal);
  try {
    agent.dispatch({ origin, path, method, headers, body, headersTimeout: headersMs, bodyTimeout: 0 }, reception);
  } catch (error) {
    return Promise.reject(error);
  }
  return reception.opened.then(
    () => toResponse(reception, { origin, signal }),
    (error: unknown) => {
      if (signal.aborted) throw createAbortFailure(signal);
      throw reception.status === 0 ? createDialFailure(error, origin, headersMs) : toConnectionFailure(error, origin);
    },
  );
}

type Sent = EgressRequest["headers"];

/** Adds the accepted encodings. Model requests share one headers object, so the result is cached with it. */
function sentHeaders(headers: Sent): Sent {
  const known = withCodings.get(headers);
  if (known) return known;
  const sent = { ...headers, "accept-encoding": ACCEPTED_ENCODINGS };
  if (Object.isFrozen(headers)) withCodings.set(headers, sent);
  return sent;
}

const withCodings = new WeakMap<Sent, Sent>();

function toResponse(reception: ResponseReceiver, exchange: Exchange): EgressResponse | Promise<EgressResponse> {
  const { status, headers } = reception;
  if (headers["content-encoding"] !== undefined) {
    const opened = openCoded(reception, exchange);
    return opened.then((parts) => ({ status, headers: joinHeaders(headers), body: new ResponseBody(parts, exchange) }));
  }
  return {
    status,
    headers: joinHeaders(headers),
    body: new ResponseBody(reception, exchange),
    setEarlyReader: (readAhead) => {
      reception.readAhead = readAhead;
    },
  };
}

interface Exchange {
  readonly origin: string;
  readonly signal: AbortSignal;
}

async function openCoded(reception: ResponseReceiver, { origin, signal }: Exchange): Promise<Chunks> {
  const written = reception.headers["content-encoding"];
  const coding = readCoding(written);
  if (coding === undefined) {
    reception.close();
    const encoding = String(written).slice(0, 100);
    const message = `${origin} sent its answer in the coding ${JSON.stringify(encoding)}, which cannot be read: one of gzip, br and deflate can.`;
    throw new PostelError(createFailure("upstream_protocol_error", message, { encoding }));
  }
  const coded = Readable.from(reception, { objectMode: false });
  // An error of the connection before the first read must not end the process.
  coded.on("error", () => {});
  try {
    const plain = await decodeContent(coded, coding);
    const chunks: AsyncIterator<Uint8Array> = plain[Symbol.asyncIterator]();
    let first: Read | undefined = await chunks.next();
    return {
      next: () => {
        const read = first;
        first = undefined;
        return read ? Promise.resolve(read) : chunks.next();
      },
      close: () => plain.destroy(),
    };
  } catch (error) {
    throw signal.aborted ? createAbortFailure(signal) : toConnectionFailure(error, origin);
  }
}

type Read = IteratorResult<Uint8Array>;

/** Source of the bytes of a body. */
interface Chunks {
  next(): Promise<Read>;
  /** Closes the connection, unless the response was complete. */
  close(): void;
}

/** Not a generator: `return` must close the socket even before the first read. */
class ResponseBody implements AsyncIterableIterator<Uint8Array> {
  readonly #chunks: Chunks;
  readonly #exchange: Exchange;
  /** Created with the first read. A response that is read at once has none. */
  #broken: ((error: unknown) => never) | undefined;

  constructor(chunks: Chunks, exchange: Exchange) {
    this.#chunks = chunks;
    this.#exchange = exchange;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Read> {
    const { signal } = this.#exchange;
    if (signal.aborted) {
      this.#chunks.close();
      return Promise.reject(createAbortFailure(signal));
    }
    this.#broken ??= breaking(this.#exchange);
    return this.#chunks.next().catch(this.#broken);
  }

  return(): Promise<Read> {
    this.#chunks.close();
    return Promise.resolve({ done: true, value: undefined });
  }
}

function breaking(exchange: Exchange): (error: unknown) => never {
  return (error) => {
    throw toBrokenFailure(error, exchange);
  };
}

function toBrokenFailure(error: unknown, { origin, signal }: Exchange): PostelError {
  if (signal.aborted) return createAbortFailure(signal);
  if (isDecodingError(error)) return createDecodingFailure(error, origin);
  const message = `The connection to ${origin} broke before the answer was complete.`;
  return new PostelError(createFailure("upstream_truncated", message), { cause: error });
}

/** They describe the bytes on the wire, not the decoded ones. */
const WIRE_HEADERS = new Set(["content-encoding", "content-length"]);

function joinHeaders(headers: ResponseReceiver["headers"]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || WIRE_HEADERS.has(name)) continue;
    joined[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}

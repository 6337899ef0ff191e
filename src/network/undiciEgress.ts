// The innermost egress: one exchange over undici. Knows connections and timers; refuses to know origins' rights, retries and what the bytes mean.
import type { Readable } from "node:stream";
import { Agent, type Dispatcher, errors } from "undici";
import { failure, PostelError } from "../core/failures.ts";
import { bytesInTurns } from "../core/jsonInTurns.ts";
import type { Egress, EgressRequest, EgressResponse } from "../core/ports.ts";
import { cancelled } from "./cancelled.ts";
import { ACCEPTED_ENCODINGS, decodeContent, isDecodingError, readCodings } from "./decodeContent.ts";

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
  const agent = new Agent({ connect: { timeout: options.connectMs }, allowH2: false, bodyTimeout: 0 });
  return {
    egress: { send: (request, signal) => send(agent, request, signal) },
    close: () => agent.close(),
  };
}

async function send(agent: Agent, request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
  if (signal.aborted) throw cancelled(signal);
  const url = new URL(request.url);
  const response = await dial(agent, url, request, signal);
  const { body, first } = await openBody(response, url.origin, signal);
  return {
    status: response.statusCode,
    headers: joinHeaders(response.headers),
    body: new ResponseBody({ ...body, first, origin: url.origin, signal }),
  };
}

async function dial(
  agent: Agent,
  url: URL,
  request: EgressRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  let response: Dispatcher.ResponseData;
  try {
    response = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method as Dispatcher.HttpMethod,
      headers: { ...request.headers, "accept-encoding": ACCEPTED_ENCODINGS },
      body: request.body === undefined ? null : await bytesOf(request.body, signal),
      signal,
      headersTimeout: request.purpose.timers.headersMs,
      bodyTimeout: 0,
    });
  } catch (error) {
    throw signal.aborted ? cancelled(signal) : dialFailure(error, url.origin, request.purpose.timers.headersMs);
  }
  // A body that nobody reads yet must not take the process down when its connection breaks.
  response.body.on("error", () => {});
  return response;
}

async function bytesOf(body: string, signal: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const bytes of bytesInTurns(body, signal)) pieces.push(bytes);
  return Buffer.concat(pieces);
}

interface OpenedBody {
  readonly body: Pick<BodyParts, "chunks" | "close">;
  readonly first: IteratorResult<Uint8Array>;
}

async function openBody(response: Dispatcher.ResponseData, origin: string, signal: AbortSignal): Promise<OpenedBody> {
  const codings = readCodings(response.headers["content-encoding"]);
  if (!codings) {
    response.body.destroy();
    const encoding = String(response.headers["content-encoding"]).slice(0, 100);
    const message = `${origin} sent its answer in the coding ${JSON.stringify(encoding)}, which cannot be read: gzip, br and deflate can.`;
    throw new PostelError(failure("upstream_protocol_error", message, { encoding }));
  }
  let plain: Readable = response.body;
  try {
    plain = await decodeContent(response.body, codings);
    const chunks: AsyncIterator<Uint8Array> = plain[Symbol.asyncIterator]();
    return { body: { chunks, close: () => plain.destroy() }, first: await chunks.next() };
  } catch (error) {
    if (signal.aborted) throw cancelled(signal);
    if (isDecodingError(error)) throw undecodable(error, origin);
    if (isNoHttp(error)) throw noHttp(error, origin);
    const message = `${origin} closed the connection before the first byte of its answer.`;
    throw new PostelError(failure("upstream_unavailable", message), { cause: error });
  }
}

function undecodable(error: unknown, origin: string): PostelError {
  const message = `${origin} sent bytes that are not in the coding that its content-encoding names.`;
  return new PostelError(failure("upstream_protocol_error", message), { cause: error });
}

interface BodyParts {
  readonly chunks: AsyncIterator<Uint8Array>;
  readonly first: IteratorResult<Uint8Array>;
  readonly close: () => void;
  readonly origin: string;
  readonly signal: AbortSignal;
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

  async next(): Promise<IteratorResult<Uint8Array>> {
    const { chunks, origin, signal } = this.#parts;
    if (signal.aborted) {
      this.#parts.close();
      throw cancelled(signal);
    }
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending) return pending;
    try {
      return await chunks.next();
    } catch (error) {
      if (signal.aborted) throw cancelled(signal);
      if (isDecodingError(error)) throw undecodable(error, origin);
      const message = `The connection to ${origin} broke before the answer was complete.`;
      throw new PostelError(failure("upstream_truncated", message), { cause: error });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#parts.close();
    return { done: true, value: undefined };
  }
}

/** They are of the bytes on the wire, not of those that are handed on. */
const WIRE_HEADERS = new Set(["content-encoding", "content-length"]);

function joinHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || WIRE_HEADERS.has(name.toLowerCase())) continue;
    joined[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}

/** Names the origin only: paths, queries and the error's own text may hold secrets. */
function dialFailure(error: unknown, origin: string, headersMs: number): PostelError {
  if (error instanceof errors.ConnectTimeoutError) {
    const message = `${origin} did not accept a connection in time. Is the server running and reachable?`;
    return new PostelError(failure("upstream_timeout", message, { phase: "connect" }), { cause: error });
  }
  if (error instanceof errors.HeadersTimeoutError) {
    const message = `${origin} accepted the request but sent no response headers within ${headersMs} ms.`;
    return new PostelError(failure("upstream_timeout", message, { phase: "headers" }), { cause: error });
  }
  const reason = textOf(error, "code") ?? "network error";
  if (isNoHttp(error)) return noHttp(error, origin);
  if (CERTIFICATE.test(reason)) {
    const message = `${origin} could not be trusted (${reason}). Is its certificate valid, and its address right?`;
    return new PostelError(failure("upstream_unavailable", message, { reason, phase: "certificate" }), {
      cause: error,
    });
  }
  const unconnected = CONNECTING.has(textOf(error, "syscall") ?? "");
  const message = `${origin} could not be reached (${reason}). Is the server running, and is its address right?`;
  const details = { reason, ...(unconnected && { phase: "connect" }) };
  return new PostelError(failure("upstream_unavailable", message, details), { cause: error });
}

/** What undici's parser cannot read: bytes that are none of HTTP's, headers over 16 KiB, a length that is not kept. */
function isNoHttp(error: unknown): boolean {
  return (
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError
  );
}

function noHttp(error: unknown, origin: string): PostelError {
  const message = `${origin} sent a response that is no HTTP, or has headers without end.`;
  return new PostelError(failure("upstream_protocol_error", message), { cause: error });
}

/** Node's codes for a certificate that is not believed, and for a port on which no TLS is spoken. */
const CERTIFICATE = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** System calls before anything of a request could be sent. */
const CONNECTING = new Set(["connect", "getaddrinfo", "queryA", "queryAaaa"]);

/** A host with several addresses fails with one error an address; the first stands for all. */
function textOf(error: unknown, field: "code" | "syscall"): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const value = field in error ? (error as { readonly [name: string]: unknown })[field] : undefined;
  if (typeof value === "string") return value;
  return "errors" in error && Array.isArray(error.errors) ? textOf(error.errors[0], field) : undefined;
}

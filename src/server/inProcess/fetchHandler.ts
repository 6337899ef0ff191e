// Answers requests of the Fetch standard by an HTTP server in this process.
import { type ClientRequest, type IncomingMessage, request as sendRequest } from "node:http";
import { type Duplex, Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";

/** Headers that describe a connection instead of a message. The framing of the body is this connection's own. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"],
  ...["content-length", "expect"],
]);

/** Status codes of responses that have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Creates a fetch function. It resolves when the response's head has arrived; the body is streamed with back-pressure. If the
 * request's signal aborts, or the body is cancelled, the connection is closed, and the server ends the work for it.
 *
 * @param connect opens a connection to the server
 */
export function createFetchHandler(connect: () => Duplex): (request: Request) => Promise<Response> {
  return async (request) => {
    const { signal } = request;
    signal.throwIfAborted();
    const outgoing = openRequest(request, connect);
    const response = Promise.withResolvers<IncomingMessage>();
    outgoing.once("response", response.resolve).on("error", response.reject);
    let incoming: IncomingMessage | undefined;
    const abort = () => void (incoming ?? outgoing).destroy(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    outgoing.once("close", () => signal.removeEventListener("abort", abort));
    sendBody(request, outgoing);
    incoming = await response.promise;
    return toResponse(incoming, request.method);
  };
}

function openRequest({ url, method, headers }: Request, connect: () => Duplex): ClientRequest {
  const { host, pathname, search } = new URL(url);
  const sent = [...headers].filter(([name]) => !CONNECTION_HEADERS.has(name));
  return sendRequest({
    method,
    path: `${pathname}${search}`,
    headers: { host, ...Object.fromEntries(sent) },
    createConnection: connect,
  });
}

/** Fails the request if the body does. A server that answers early leaves the rest of the body unread. */
function sendBody({ body }: Request, outgoing: ClientRequest): void {
  if (!body) return void outgoing.end();
  // Both types are the same class of Node.
  const source = Readable.fromWeb(body as ReadableStream<Uint8Array>);
  source.once("error", (error) => outgoing.destroy(error)).pipe(outgoing);
  outgoing.once("close", () => source.destroy());
}

function toResponse(message: IncomingMessage, method: string): Response {
  const { statusCode: status = 500, statusMessage: statusText = "", rawHeaders } = message;
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = "", value = ""] = rawHeaders.slice(i, i + 2);
    if (!CONNECTION_HEADERS.has(name.toLowerCase())) headers.append(name, value);
  }
  const isEmpty = method === "HEAD" || EMPTY.has(status);
  if (isEmpty) message.resume();
  const body = isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  return new Response(body, { status, statusText, headers });
}
